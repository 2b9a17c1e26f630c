//! Faults of evaluations: the issue, its place, and the frames that led there.
//!
//! A [`Fault`] is made from an [`Issue`] where something is wrong. On its way up it gets the
//! place of the innermost expression, Puppet's words around the message, and a [`Frame`] for every class, define,
//! function and template that it leaves: nothing is recorded while nothing fails.

use std::fmt;
use std::sync::Arc;

use kukla_base::{Label, Source, Span};

use crate::Stop;
use crate::issues::{Code, Issue};
use crate::log::{Entry, Level};
use crate::place::Place;

/// The greatest number of frames: endless recursion has more than a reader wants.
const MAX_FRAMES: usize = 50;

/// The issue.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The problem: its code and its own words.
    pub issue: Issue,
    /// Puppet's message where it is more than the words of the issue.
    whole: Option<String>,
    /// The place that Puppet names.
    pub located: Located,
    /// The text to underline.
    pub at: Option<SourceSpan>,
    /// The frames that led here, the innermost first.
    pub stack: Vec<Frame>,
    /// How many frames more there were than are kept.
    pub n_more_frames: usize,
}

/// The place that Puppet names for a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// The innermost expression that is evaluated adds its name and its place.
    ByInnermostExpression,
    /// The message is complete, and has this place.
    At(Place, Logged),
    /// The message is complete, and has no place.
    Nowhere(Logged),
}

/// Where Puppet logs the place of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logged {
    /// Beside the message, in fields of their own.
    Beside,
    /// Inside of the message, which names the node too.
    Inside,
}

/// A piece of a source.
#[derive(Debug, Clone)]
pub struct SourceSpan {
    /// The source, as it was read.
    pub source: Arc<Source>,
    /// The piece of it.
    pub span: Span,
    /// The label at the place.
    pub label: Option<String>,
    /// Words at other pieces of the source.
    pub labels: Vec<Label>,
}

impl SourceSpan {
    /// Returns a line of a source, without the blanks around it; `None` if there is no such line.
    pub fn of_line(source: Arc<Source>, line: u32) -> Option<Self> {
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        let start = *source.line_starts().get(index)?;
        let text = source.text().get(start as usize..)?.lines().next()?;
        let trimmed = text.trim();
        let indent = text.len() - text.trim_start().len();
        let span =
            Span::new(start + u32::try_from(indent).ok()?, u32::try_from(trimmed.len()).ok()?);
        Some(Self { source, span, label: None, labels: Vec::new() })
    }
}

/// One level of what led to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The kind of code that was evaluated.
    pub kind: FrameKind,
    /// Its name; of a define, the reference to the resource.
    pub name: String,
    /// Where it was called or declared.
    pub place: Option<Place>,
}

/// A kind of code that is evaluated as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// A class.
    Class,
    /// A resource of a defined type.
    Define,
    /// A node.
    Node,
    /// A function.
    Function,
    /// The block that a function calls.
    Block,
    /// A template.
    Template,
    /// The main manifests.
    Main,
}

impl Fault {
    /// Returns the fault of an issue.
    pub fn new(issue: Issue, located: Located) -> Self {
        Self { issue, whole: None, located, at: None, stack: Vec::new(), n_more_frames: 0 }
    }

    /// Makes it the fault of another issue at the same place, with the words of that issue alone.
    pub(crate) fn replace_issue(&mut self, issue: Issue) {
        (self.issue, self.whole) = (issue, None);
    }

    /// Returns the fault with Puppet's words around those of the issue, and a place that is logged beside them.
    pub(crate) fn wrapped(self, message: String, place: Place) -> Self {
        Self { whole: Some(message), located: Located::At(place, Logged::Beside), ..self }
    }

    /// Returns the fault with Puppet's words around those of the issue; a place is logged beside them, if there is one.
    pub(crate) fn wrapped_at(self, message: String, place: Option<Place>) -> Self {
        match place {
            Some(place) => self.wrapped(message, place),
            None => {
                Self { whole: Some(message), located: Located::Nowhere(Logged::Beside), ..self }
            }
        }
    }

    /// Returns the fault with a text to underline, unless it has one.
    pub(crate) fn underlined(mut self, at: SourceSpan) -> Self {
        self.at.get_or_insert(at);
        self
    }

    /// Takes the place and the stack of a fault that is the reason of this one.
    pub(crate) fn caused_by(&mut self, cause: Self) {
        self.at = self.at.take().or(cause.at);
        self.stack.extend(cause.stack);
        self.n_more_frames += cause.n_more_frames;
    }

    /// The code of the issue.
    pub fn code(&self) -> Code {
        self.issue.code()
    }

    /// Puppet's message, without the place; once there is one it begins with `Evaluation Error:`.
    pub fn message(&self) -> &str {
        self.whole.as_deref().unwrap_or_else(|| self.issue.message())
    }

    /// Puppet's message with its place, as Puppet prints it.
    pub fn full_message(&self) -> String {
        match self.place() {
            Some(place) => format!("{}{place}", self.message()),
            None => self.message().to_owned(),
        }
    }

    /// The place that Puppet names.
    pub const fn place(&self) -> Option<&Place> {
        match &self.located {
            Located::At(place, _) => Some(place),
            Located::ByInnermostExpression | Located::Nowhere(_) => None,
        }
    }

    /// Whether an expression has yet to add its name and place.
    pub const fn needs_place(&self) -> bool {
        matches!(self.located, Located::ByInnermostExpression)
    }

    /// Whether it is complete, but has no place.
    pub const fn is_nowhere(&self) -> bool {
        matches!(self.located, Located::Nowhere(_))
    }

    /// Whether Puppet knows it as an issue of its own, whose place is logged beside the message.
    pub const fn is_logged_beside(&self) -> bool {
        matches!(self.located, Located::At(_, Logged::Beside) | Located::Nowhere(Logged::Beside))
    }

    /// Adds a level of what led here.
    pub(crate) fn push_frame(&mut self, frame: impl FnOnce() -> Frame) {
        match self.stack.len() < MAX_FRAMES {
            true => self.stack.push(frame()),
            false => self.n_more_frames += 1,
        }
    }

    /// Returns the entry that Puppet logs.
    pub(crate) fn entry(&self, node: &str) -> Entry {
        let (message, place) = match &self.located {
            Located::At(place, Logged::Beside) => (self.message().to_owned(), Some(place)),
            Located::Nowhere(Logged::Beside) => (self.message().to_owned(), None),
            _ => (format!("{} on node {node}", self.full_message()), None),
        };
        let file = place.map(|place| Arc::clone(&place.file)).filter(|file| !file.is_empty());
        let line = place.map(|place| place.line).filter(|&line| line > 0);
        Entry { file, line, ..Entry::new(Level::Err, message) }
    }
}

impl Stop {
    /// Adds a level of what led to a fault, unless the fault has no place yet: then that of the call is it.
    pub(crate) fn framed(mut self: Box<Self>, frame: impl FnOnce() -> Frame) -> Box<Self> {
        if let Self::Fault(fault) = &mut *self
            && !fault.needs_place()
        {
            fault.push_frame(frame);
        }
        self
    }
}

impl fmt::Display for Frame {
    /// `class apache`, `function m::f`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FrameKind::Block => write!(f, "block of {}", self.name),
            FrameKind::Main => f.write_str("main"),
            FrameKind::Class => write!(f, "class {}", self.name),
            FrameKind::Define => write!(f, "resource {}", self.name),
            FrameKind::Node => write!(f, "node {}", self.name),
            FrameKind::Function => write!(f, "function {}", self.name),
            FrameKind::Template => write!(f, "template {}", self.name),
        }
    }
}

/// Why there is no catalog, or no value. Its text is Puppet's one line.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The issue.
    pub fault: Box<Fault>,
    /// The node that Puppet names at the end of its message.
    node: Option<String>,
    /// Puppet's words before the message of a source that can't be read.
    before: String,
}

impl Failure {
    /// Returns the failure of code that belongs to no node.
    pub fn new(fault: impl Into<Box<Fault>>) -> Self {
        Self { fault: fault.into(), node: None, before: String::new() }
    }

    /// Returns the failure to compile the catalog of a node.
    pub fn on_node(fault: impl Into<Box<Fault>>, node: &str) -> Self {
        Self { node: Some(node.to_owned()), ..Self::new(fault) }
    }

    /// Returns the failure with words before its message.
    pub fn after(self, before: String) -> Self {
        Self { before, ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.before)?;
        f.write_str(&self.fault.full_message())?;
        match &self.node {
            // Puppet does not count this among the errors that it knows of.
            Some(_) if self.fault.code() == Code::DATA_TOO_DEEP => Ok(()),
            Some(node) => write!(f, " on node {node}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}
