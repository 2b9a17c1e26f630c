//! `Resolv`: its classes are in `resolv.rb` (see [`prelude`](super::prelude)); questions to name servers go through the host.

use std::rc::Rc;
use std::sync::LazyLock;

use kukla_foreign::NameQuestion;
use kukla_regex::{Options, Regex};

use crate::class::Class;
use crate::convert::to_ruby;
use crate::methods::table::{Builtin, method};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of `Resolv::DNS` that the program does not define.
pub(crate) static DNS: &[Builtin<Rc<Class>>] = &[method("ask_server", ask_server).arity(5, 5)];

/// `Resolv::DNS.ask_server(server, port, name, type, seconds)`: a hash, or nil if the server does not answer.
fn ask_server(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (server, name) = (run.text_arg(&a.get(0))?, run.text_arg(&a.get(2))?);
    let port = u16::try_from(run.int_arg(&a.get(1))?).unwrap_or_default();
    let kind = u16::try_from(run.int_arg(&a.get(3))?).unwrap_or_default();
    let seconds = match a.get(4) {
        RubyValue::Float(seconds) => seconds,
        #[expect(clippy::cast_precision_loss, reason = "a number of seconds")]
        other => run.int_arg(&other)? as f64,
    };
    let question = NameQuestion { name: &name, kind, seconds };
    match run.host.ask_name_server(&server, port, question) {
        Some(reply) => Ok(to_ruby(&reply)),
        None => run.unsupported("a question to a name server"),
    }
}

/// A number from 0 to 255 without leading zeros.
const BYTE: &str = r"(0|1(?:[0-9][0-9]?)?|2(?:[0-4][0-9]?|5[0-5]?|[6-9])?|[3-9][0-9]?)";

/// Up to four hexadecimal digits.
const WORD: &str = "[0-9A-Fa-f]{1,4}";

/// The expressions by the names of their constants. They match and capture as Ruby's do; their sources are laid out
/// otherwise.
static EXPRESSIONS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let words = format!("((?:{WORD}(?::{WORD})*)?)");
    let v4 = format!(r"\A{BYTE}\.{BYTE}\.{BYTE}\.{BYTE}\z");
    let hex8 = format!(r"\A(?:{WORD}:){{7}}{WORD}\z");
    let short = format!(r"\A{words}::{words}\z");
    let mixed6 = format!(r"\A((?:{WORD}:){{6,6}})(\d+)\.(\d+)\.(\d+)\.(\d+)\z");
    let mixed = format!(r"\A{words}::((?:{WORD}:)*)(\d+)\.(\d+)\.(\d+)\.(\d+)\z");
    let local8 = format!(r"\A[Ff][Ee]80(?::{WORD}){{7}}%[0-9A-Za-z\-]+\z");
    let local = format!(r"\A[Ff][Ee]80:(?:{words}::{words}|:{words})?:{WORD}%[0-9A-Za-z.\-]+\z");
    let v6 = [&hex8, &short, &mixed6, &mixed, &local8, &local].map(|part| format!("(?:{part})"));
    let v6 = v6.join("|");
    let both = format!("(?:{v4})|(?:{v6})");
    let named = [
        ("Resolv::IPv4::Regex", v4),
        ("Resolv::IPv6::Regex_8Hex", hex8),
        ("Resolv::IPv6::Regex_CompressedHex", short),
        ("Resolv::IPv6::Regex", v6),
        ("Resolv::AddressRegex", both),
    ];
    let compiled = named.into_iter().filter_map(|(name, source)| {
        Regex::with_options(&source, Options::default()).ok().map(|regex| (name, regex))
    });
    compiled.collect()
});

/// Returns the expression of a constant.
pub(crate) fn expression(path: &str) -> Option<RubyValue> {
    if !path.starts_with("Resolv::") {
        return None;
    }
    let found = EXPRESSIONS.iter().find(|(name, _)| *name == path);
    found.map(|(_, regex)| RubyValue::Regexp(Rc::new(regex.clone())))
}
