//! `Base64`, `Shellwords`, `ERB::Util` and `CGI`.

use std::rc::Rc;

use crate::class::Class;
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{list, text};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;
use kukla_rubytext::{base64, shell};

/// The methods of `Base64`.
pub(crate) static BASE64: &[Builtin<Rc<Class>>] = &[
    method("encode64", |run, _, a| text(base64::encode(&run.bytes_arg(&a.get(0))?))),
    method("strict_encode64", |run, _, a| text(base64::strict_encode(&run.bytes_arg(&a.get(0))?))),
    method("urlsafe_encode64", |run, _, a| {
        text(base64::urlsafe_encode(&run.bytes_arg(&a.get(0))?))
    }),
    method("decode64", |run, _, a| decode(run, a, |source| Ok(base64::decode(source)))),
    method("strict_decode64", |run, _, a| decode(run, a, base64::strict_decode)),
    method("urlsafe_decode64", |run, _, a| decode(run, a, base64::urlsafe_decode)),
];

/// The methods of `Shellwords`.
pub(crate) static SHELLWORDS: &[Builtin<Rc<Class>>] = &[
    method("escape", escape_word),
    method("shellescape", escape_word),
    method("split", split_words),
    method("shellsplit", split_words),
    method("shellwords", split_words),
    method("join", join_words),
    method("shelljoin", join_words),
];

/// The methods of `ERB::Util` and `CGI`.
pub(crate) static ESCAPES: &[Builtin<Rc<Class>>] = &[
    method("html_escape", escape_html),
    method("h", escape_html),
    method("escapeHTML", escape_html),
    method("url_encode", encode_url),
    method("u", encode_url),
    method("escape", escape_query),
];

/// Decodes to bytes.
fn decode(
    run: &mut Run<'_>,
    a: Args<'_>,
    decoder: fn(&str) -> Result<Vec<u8>, kukla_rubytext::RubyError>,
) -> Eval {
    let source = run.bytes_arg(&a.get(0))?;
    let bytes = run.from_text(decoder(&String::from_utf8_lossy(&source)))?;
    Ok(run.bytes(bytes))
}

fn escape_word(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let word = run.to_s(&a.get(0))?;
    text(shell::escape(&word))
}

fn split_words(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let RubyValue::Str(line) = a.get(0) else {
        return run.no_method(&a.get(0), "scan", false);
    };
    let words = run.from_text(shell::split(&line.to_text()))?;
    list(words.into_iter().map(RubyValue::str).collect())
}

fn join_words(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let mut words = Vec::new();
    for item in run.array_arg(&a.get(0))? {
        words.push(run.to_s(&item)?);
    }
    text(shell::join(&words))
}

fn escape_html(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = run.to_s(&a.get(0))?;
    let escaped = source.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text(escaped.replace('"', "&quot;").replace('\'', "&#39;"))
}

fn encode_url(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = run.to_s(&a.get(0))?;
    text(percent(&source, |b| b.is_ascii_alphanumeric() || b"_-.~".contains(&b), false))
}

fn escape_query(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = run.text_arg(&a.get(0))?;
    text(percent(&source, |b| b.is_ascii_alphanumeric() || b"_-.~*".contains(&b), true))
}

/// Writes all bytes but plain ones as `%XX`; with `plus`, a blank as `+`.
pub(super) fn percent(source: &str, is_plain: fn(u8) -> bool, plus: bool) -> String {
    let mut out = String::new();
    for byte in source.bytes() {
        match byte {
            b' ' if plus => out.push('+'),
            byte if is_plain(byte) => out.push(char::from(byte)),
            byte => {
                use std::fmt::Write;
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
