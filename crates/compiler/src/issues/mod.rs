//! Every issue that an evaluation may have: a stable code, and Puppet's words.
//!
//! One constructor for each message, one file per subject, and no other way to make an [`Issue`]. Functions of the
//! standard library have words of their own, and one of [`function_failed`], [`argument_mismatch`] and their
//! neighbours gives them a code.

mod calls;
mod classes;
mod codes;
mod data;
mod expressions;
mod limits;
mod operands;
mod relationships;
mod resources;

use kukla_base::Symbol;
use kukla_base::nearest::nearest;
use kukla_syntax::ast::ExprId;
use kukla_syntax::label as expression;

use crate::{Eval, Fault, Program, Stop};

pub use calls::*;
pub(crate) use classes::*;
pub use codes::Code;
pub use data::*;
pub(crate) use expressions::*;
pub(crate) use limits::*;
pub(crate) use operands::*;
pub(crate) use relationships::*;
pub(crate) use resources::*;

/// A problem: a stable code, Puppet's words, and perhaps advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    code: Code,
    message: String,
    help: Option<Box<str>>,
}

impl Issue {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    /// Its code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// Puppet's words, without a place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Advice, if there is any.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns the issue with advice.
    pub(crate) fn with_help(self, help: impl Into<Box<str>>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Returns the issue with the names that are most like a wrong one.
    pub(crate) fn did_you_mean<'a>(
        self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let names = nearest(name, candidates);
        match names.is_empty() {
            true => self,
            false => self.with_help(format!("did you mean `{}`?", names.join("`, `"))),
        }
    }
}

impl std::fmt::Display for Issue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Issue {}

/// Stops with an issue at the place of a node.
pub(crate) fn at<T>(program: &Program, id: ExprId, issue: Issue) -> Eval<T> {
    let message = format!("Evaluation Error: {issue}");
    let fault = Fault::new(issue, crate::Located::ByInnermostExpression);
    Err(fault.wrapped(message, program.place(id)).underlined(program.source_span(id)).into())
}

/// Gives a fault that has no place that of a node, with the name of the node's kind.
#[cold]
pub(crate) fn locate(stop: Box<Stop>, program: &Program, id: ExprId) -> Box<Stop> {
    match *stop {
        Stop::Fault(fault) if fault.needs_place() => {
            let label = expression::a_an(program.ast(), id);
            let message =
                format!("Evaluation Error: Error while evaluating {label}, {}", fault.message());
            let fault = fault.wrapped(message, program.place(id));
            fault.underlined(program.source_span(id)).into()
        }
        _ => stop,
    }
}

/// Like [`locate`], for a fault that stays where it is.
pub(crate) fn locate_in_place(stop: &mut Box<Stop>, program: &Program, id: ExprId) {
    let needs_place = matches!(&**stop, Stop::Fault(fault) if fault.needs_place());
    if needs_place {
        let taken = std::mem::replace(&mut **stop, Stop::UnsetParameter(Symbol::new("")));
        *stop = locate(Box::new(taken), program, id);
    }
}
