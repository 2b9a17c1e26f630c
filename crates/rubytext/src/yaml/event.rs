//! The events of a document.
//!
//! Most files are read by [`quick`]; libyaml is the fallback, and the source of all errors.

use std::borrow::Cow;

use libyaml_safer::{Error, ErrorKind, EventData, Parser, ScalarStyle};

use super::read::{LoadOptions, MAX_DEPTH, too_deep};
use super::{input, quick};
use crate::RubyError;

/// An event with its line.
#[derive(Debug)]
pub(super) struct Event<'t> {
    pub(super) kind: EventKind<'t>,
    /// The line it starts on, counted from 0.
    pub(super) line: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum EventKind<'t> {
    Alias(String),
    Scalar { value: Cow<'t, str>, is_plain: bool, marks: Marks },
    SequenceStart(Marks),
    SequenceEnd,
    MappingStart(Marks),
    MappingEnd,
}

/// An anchor and a tag, which few nodes have.
pub(super) type Marks = Option<Box<Marked>>;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) anchor: Option<String>,
    pub(super) tag: Option<String>,
}

/// Returns the events of the first document; none if there is no document.
pub(super) fn first_document<'t>(
    text: &'t str,
    options: LoadOptions<'_>,
) -> Result<Vec<Event<'t>>, RubyError> {
    match quick::events(text) {
        Some(events) => Ok(events),
        None => by_libyaml(text, options),
    }
}

/// Like [`first_document`], but always by libyaml. Syntax errors precede all others.
pub(super) fn by_libyaml<'t>(
    text: &'t str,
    options: LoadOptions<'_>,
) -> Result<Vec<Event<'t>>, RubyError> {
    let text = input::prepare(text)?;
    let mut bytes = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input(&mut bytes);
    let mut events = Vec::new();
    let mut depth = 0_usize;
    loop {
        let event = parser.parse().map_err(|error| syntax_error(&error, options))?;
        match &event.data {
            EventData::SequenceStart { .. } | EventData::MappingStart { .. } => depth += 1,
            EventData::SequenceEnd | EventData::MappingEnd => depth = depth.saturating_sub(1),
            _ => (),
        }
        // The parser takes longer per step the deeper it is, so it must stop.
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let kind = match event.data {
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => continue,
            EventData::DocumentEnd { .. } | EventData::StreamEnd => return Ok(events),
            EventData::Alias { anchor } => EventKind::Alias(anchor),
            EventData::Scalar { anchor, tag, mut value, style, .. } => {
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                if is_block && text.is_line_added() && event.end_mark.index >= text.len() {
                    value.truncate(value.strip_suffix('\n').unwrap_or(&value).len());
                }
                let is_plain = style == ScalarStyle::Plain;
                EventKind::Scalar { value: Cow::Owned(value), is_plain, marks: marks(anchor, tag) }
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                EventKind::SequenceStart(marks(anchor, tag))
            }
            EventData::MappingStart { anchor, tag, .. } => {
                EventKind::MappingStart(marks(anchor, tag))
            }
            EventData::SequenceEnd => EventKind::SequenceEnd,
            EventData::MappingEnd => EventKind::MappingEnd,
        };
        let line = usize::try_from(event.start_mark.line).unwrap_or(usize::MAX);
        events.push(Event { kind, line });
    }
}

fn marks(anchor: Option<String>, tag: Option<String>) -> Marks {
    (anchor.is_some() || tag.is_some()).then(|| Box::new(Marked { anchor, tag }))
}

/// Creates Psych's error, which has the location of the context. The scanner sets it even without words, the parser does not.
fn syntax_error(error: &Error, options: LoadOptions<'_>) -> RubyError {
    let file = options.filename.unwrap_or("<unknown>");
    let (context, space) = error.context().map_or(("", ""), |context| (context, " "));
    let mark = match error.kind() {
        ErrorKind::Scanner => error.context_mark().or_else(|| error.problem_mark()),
        _ => error.context_mark(),
    };
    let (line, column) = mark.map_or((0, 0), |mark| (mark.line, mark.column));
    let problem = error.problem();
    let message =
        format!("({file}): {problem}{space}{context} at line {} column {}", line + 1, column + 1);
    RubyError::new("Psych::SyntaxError", message)
}
