//! The built-in modules, one file per module.

pub mod access;
pub mod core;
pub mod http;
pub mod net;
pub mod puppet;
pub mod route;
pub mod services;
pub mod smtp;
pub mod time;

use crate::module::{
    ActFn, Count, Form, HeaderFn, Member, Module, Param, PhaseRule, ReadFn, Returns, Run, Special,
    Touches,
};
use crate::value::Value;

/// All modules, in the order of the language reference.
pub static ALL: &[&Module] = &[
    &core::MODULE,
    &services::MODULE,
    &http::MODULE,
    &smtp::MODULE,
    &access::MODULE,
    &route::MODULE,
    &net::MODULE,
    &time::MODULE,
    &puppet::MODULE,
];

/// A singleton has no value of its own.
const NOTHING: Run = Run::Constant(Value::Nothing);

/// Declares an attribute.
const fn attribute(name: &'static str, doc: &'static str, returns: Returns, run: Run) -> Member {
    let (params, fails) = (None, None);
    let (touches, phase) = (Touches::Constant, PhaseRule::Any);
    Member { name, doc, params, returns, fails, touches, makes: false, phase, run }
}

/// Declares a pure method.
const fn method(
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    returns: Returns,
    run: ReadFn,
) -> Member {
    Member { params: Some(params), ..attribute(name, doc, returns, Run::Read(run)) }
}

/// Declares a query of header fields.
const fn about(
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    returns: Returns,
    run: HeaderFn,
) -> Member {
    let base = attribute(name, doc, returns, Run::Header(run));
    Member { params: Some(params), touches: Touches::Reads, ..base }
}

/// Declares a method that changes the message.
const fn action(
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    run: ActFn,
) -> Member {
    let base = attribute(name, doc, Returns::Nothing, Run::Act(run));
    Member { params: Some(params), touches: Touches::Changes, ..base }
}

/// Declares a method that the language itself implements.
const fn special(
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    returns: Returns,
    run: Special,
) -> Member {
    Member { params: Some(params), ..attribute(name, doc, returns, Run::Special(run)) }
}

impl Member {
    const fn fails(self, when: &'static str) -> Self {
        Self { fails: Some(when), ..self }
    }

    const fn touches(self, touches: Touches) -> Self {
        Self { touches, ..self }
    }

    const fn reads(self) -> Self {
        self.touches(Touches::Reads)
    }

    const fn makes(self) -> Self {
        Self { makes: true, ..self }
    }

    const fn in_response(self) -> Self {
        Self { phase: PhaseRule::Response, ..self }
    }
}

impl Param {
    const fn new(name: &'static str, types: &'static [Returns]) -> Self {
        Self { name, types, count: Count::One, form: Form::Any }
    }

    const fn text(name: &'static str) -> Self {
        Self::new(name, TEXT)
    }

    const fn number(name: &'static str) -> Self {
        Self::new(name, NUMBER)
    }

    const fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    const fn count(self, count: Count) -> Self {
        Self { count, ..self }
    }
}

static TEXT: &[Returns] = &[Returns::Text];
static NUMBER: &[Returns] = &[Returns::Number];
static NO_PARAMS: &[Param] = &[];
static ONE_TEXT: &[Param] = &[Param::text("text")];
static ONE_NAME: &[Param] = &[Param::text("name")];
