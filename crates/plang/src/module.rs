//! Modules as tables of signatures: everything that a program can read and do.
//!
//! The checker reads the tables, both back ends call the functions in them, and the language reference is generated
//! from them. A new member is one row and one function.

use std::fmt;

use crate::fail::FailCode;
use crate::message::Pair;
use crate::transaction::Transaction;
use crate::types::Plain;
use crate::value::Value;

/// A module.
#[derive(Debug)]
pub struct Module {
    /// The short name, as in `import "Http"`.
    pub name: &'static str,
    /// The URI, which `import` accepts as well.
    pub uri: &'static str,
    /// Documentation, one sentence.
    pub doc: &'static str,
    /// Whether its name can be used without an import.
    pub is_preset: bool,
    /// The protocol of the messages that it is about; None: any.
    pub protocol: Option<Protocol>,
    /// Members of the module itself.
    pub members: &'static [Member],
    /// Types that it defines.
    pub objects: &'static [&'static Object],
}

/// Protocol of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP.
    Http,
    /// SMTP.
    Smtp,
}

/// A type of objects.
#[derive(Debug)]
pub struct Object {
    /// Its name.
    pub name: &'static str,
    /// Documentation, one sentence.
    pub doc: &'static str,
    /// Whether it is a singleton, so that its members need no receiver.
    pub is_single: bool,
    /// Members of its objects.
    pub members: &'static [Member],
}

/// An attribute or a method.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Documentation, one sentence.
    pub doc: &'static str,
    /// The parameters; None: an attribute.
    pub params: Option<&'static [Param]>,
    /// The type of its value.
    pub returns: Returns,
    /// When it fails, in words; None: it never fails.
    pub fails: Option<&'static str>,
    /// The part of the message that its value depends on or that it changes.
    pub touches: Touches,
    /// Whether it allocates its text, rather than borrowing from the message.
    pub makes: bool,
    /// Phases in which it can be used.
    pub phase: PhaseRule,
    /// Its implementation.
    pub run: Run,
}

/// A parameter of a method.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The types that it accepts.
    pub types: &'static [Returns],
    /// Number of arguments that it takes.
    pub count: Count,
    /// Required form of a constant argument.
    pub form: Form,
}

/// Number of arguments that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// One.
    One,
    /// One or none.
    Optional,
    /// One or more.
    Many,
    /// Any number.
    Any,
}

/// Required form of a constant argument; checked at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Anything.
    Any,
    /// It must be a constant.
    Constant,
    /// The name of a header field.
    HeaderName,
    /// A constant network, such as `10.0.0.0/8`.
    Cidr,
    /// An address.
    Ip,
    /// A status of HTTP, 100 to 599.
    Status,
    /// A path that starts with a slash.
    Path,
    /// A pool that the deployment has.
    Pool,
    /// A number from 0 on.
    Natural,
    /// An hour, 0 to 23.
    Hour,
    /// A minute, 0 to 59.
    Minute,
    /// The URI of a service.
    Service,
    /// A version of the language.
    Version,
    /// A scheme of authentication, such as `Basic`.
    Scheme,
    /// The name of a list that the deployment has.
    List,
    /// An address of mail, such as `alice@example.com`.
    Mailbox,
    /// A constant status of SMTP for a mail that is refused for good, 500 to 599.
    Refusal,
    /// A constant status of SMTP for a mail that is refused for now, 400 to 499.
    Delay,
}

/// A type in a table.
#[derive(Clone, Copy, Debug)]
pub enum Returns {
    /// No value.
    Nothing,
    /// No value, and the program ends.
    Never,
    /// A truth value.
    Boolean,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An object.
    Object(&'static Object),
    /// A module.
    Module,
}

/// The part of the message that a member depends on or changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    /// Nothing that can change while the program runs.
    Constant,
    /// It reads data that edits and services change.
    Reads,
    /// It changes data that other members read.
    Changes,
    /// It has an effect, but changes nothing that can be read.
    Acts,
}

/// Phases in which a member can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseRule {
    /// In requests and responses.
    Any,
    /// Only where there is a response.
    Response,
}

/// A pure function of a module.
pub type ReadFn =
    for<'a> fn(&Transaction<'a>, Value<'a>, &[Value<'a>]) -> Result<Value<'a>, FailCode>;

/// A function that changes the transaction.
pub type ActFn =
    for<'a> fn(&mut Transaction<'a>, Value<'a>, &[Value<'a>]) -> Result<Value<'a>, FailCode>;

/// A function that returns a text of the message which always exists and never changes.
pub type FieldFn = for<'a> fn(&Transaction<'a>) -> &'a [u8];

/// A pure function of header fields and a field name.
pub type HeaderFn = for<'a> fn(&'a [Pair<'a>], &[u8]) -> Result<Value<'a>, FailCode>;

/// Implementation of a member.
#[derive(Clone, Copy)]
pub enum Run {
    /// A constant.
    Constant(Value<'static>),
    /// A text borrowed from the message; the fastest kind.
    Field(FieldFn),
    /// A query of the header fields that the receiver stands for.
    Header(HeaderFn),
    /// A pure function.
    Read(ReadFn),
    /// A function that changes the transaction.
    Act(ActFn),
    /// Implemented by the language itself.
    Special(Special),
    /// Implemented by the host, see [`crate::host::Host`].
    Host,
}

/// Members that the language itself implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `Core.import("M")`
    Import,
    /// `Core.lookup(M)`
    Lookup,
    /// `Core.set("a", "b")`
    Set,
    /// `Core.list("name")`
    List,
    /// `Core.capture(text, "pattern", 1)`
    Capture,
    /// `Net.set("10.0.0.0/8")`
    NetSet,
    /// `interpreter.languageVersion("1.0")`
    LanguageVersion,
    /// `interpreter.stop()`
    Stop,
    /// `interpreter.restart()`
    Restart,
    /// `interpreter.fail("why")`
    Fail,
    /// `Access.allow()`
    Allow,
    /// `Access.deny("why")`
    Deny,
    /// `Access.challenge("Basic")`
    Challenge,
    /// `Http.respond(503, "later")`
    Respond,
    /// `Services.findOne("opes://…")`
    FindOne,
    /// `Services.applyOne(service, …)`
    ApplyOne,
}

impl fmt::Display for Protocol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Http => "HTTP",
            Self::Smtp => "SMTP",
        })
    }
}

impl Module {
    /// Returns the member of that name.
    pub fn member(&self, name: &str) -> Option<&'static Member> {
        find(self.members, name)
    }
}

impl Object {
    /// Returns the member of that name.
    pub fn member(&self, name: &str) -> Option<&'static Member> {
        find(self.members, name)
    }
}

fn find(members: &'static [Member], name: &str) -> Option<&'static Member> {
    members.iter().find(|member| member.name == name)
}

impl Member {
    /// Returns the minimum and maximum number of arguments.
    pub fn arity(&self) -> (usize, usize) {
        let params = self.params.unwrap_or_default();
        let required =
            params.iter().filter(|param| matches!(param.count, Count::One | Count::Many));
        let endless = params.iter().any(|param| matches!(param.count, Count::Many | Count::Any));
        (required.count(), if endless { usize::MAX } else { params.len() })
    }

    /// Returns the parameter that takes the argument at an index.
    pub fn param(&self, index: usize) -> Option<&'static Param> {
        let params = self.params?;
        params.get(index).or_else(|| {
            params.last().filter(|param| matches!(param.count, Count::Many | Count::Any))
        })
    }

    /// Whether it has an effect.
    pub fn is_effect(&self) -> bool {
        matches!(self.touches, Touches::Changes | Touches::Acts)
    }

    /// Returns the signature, such as `add(name: string, value: string)`.
    pub fn signature(&self) -> String {
        let marks = if self.fails.is_some() { "!" } else { "" };
        let effect = if self.is_effect() { "*" } else { "" };
        let returns = match self.returns.plain() {
            Some(Plain::Nothing | Plain::Never) => String::new(),
            Some(plain) => format!(": {plain}"),
            None => ": module".to_owned(),
        };
        let Some(params) = self.params else {
            return format!("{}{marks}{effect}{returns}", self.name);
        };
        let params: Vec<String> = params.iter().map(Param::signature).collect();
        format!("{}{marks}{effect}({}){returns}", self.name, params.join(", "))
    }
}

impl Param {
    fn signature(&self) -> String {
        let words = |types: &[Returns]| {
            let words = types.iter().map(|type_| match type_.plain() {
                Some(plain) => plain.to_string(),
                None => "module".to_owned(),
            });
            words.collect::<Vec<_>>().join("|")
        };
        let types = words(self.types);
        match self.count {
            Count::One => format!("{}: {types}", self.name),
            Count::Optional => format!("[{}: {types}]", self.name),
            Count::Many => format!("{}: {types}, …", self.name),
            Count::Any => format!("[{}: {types}, …]", self.name),
        }
    }
}

impl Returns {
    /// Returns the type, unless it is a module.
    pub fn plain(self) -> Option<Plain> {
        Some(match self {
            Self::Nothing => Plain::Nothing,
            Self::Never => Plain::Never,
            Self::Boolean => Plain::Boolean,
            Self::Number => Plain::Number,
            Self::Text => Plain::Text,
            Self::Object(object) => Plain::Object(object),
            Self::Module => return None,
        })
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Constant(_) => "Constant",
            Self::Field(_) => "Field",
            Self::Header(_) => "Header",
            Self::Read(_) => "Read",
            Self::Act(_) => "Act",
            Self::Special(_) => "Special",
            Self::Host => "Host",
        };
        out.write_str(word)
    }
}
