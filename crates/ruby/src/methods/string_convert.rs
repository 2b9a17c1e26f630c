//! `String`: case, blanks and conversions.

use std::rc::Rc;

use ecow::EcoString;
use kukla_rubytext::{case, crypt, float, inspect, integer, shell};

use super::chars;
use super::string::own;
use super::table::{Builtin, method, plain, refused};
use super::tools::{int, list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Key, RubyValue, SIZE_OF_TEXT, Str};

/// Returns whether Ruby takes it for a blank.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r' | '\0')
}

fn lstrip(s: &str) -> &str {
    s.trim_start_matches(is_space)
}

fn rstrip(s: &str) -> &str {
    s.trim_end_matches(is_space)
}

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Str>>] = &[
    method("to_s", |_, this, _| Ok(own(this))),
    plain("to_str", |_, this, _| Ok(own(this))),
    method("itself", |_, this, _| Ok(own(this))),
    plain("empty?", |_, this, _| yes(this.text.borrow().is_empty())),
    plain("length", |_, this, _| Ok(int(chars::len(&this.to_text())))),
    plain("size", |_, this, _| Ok(int(chars::len(&this.to_text())))),
    plain("bytesize", |_, this, _| Ok(int(this.text.borrow().len()))),
    method("upcase", |_, this, _| text(case::upcase(&this.to_text()))),
    method("downcase", |_, this, _| text(case::downcase(&this.to_text()))),
    method("capitalize", |_, this, _| text(case::capitalize(&this.to_text()))),
    method("swapcase", |_, this, _| text(case::swapcase(&this.to_text()))),
    plain("strip", |_, this, _| text(rstrip(lstrip(&this.to_text())))),
    plain("lstrip", |_, this, _| text(lstrip(&this.to_text()))),
    plain("rstrip", |_, this, _| text(rstrip(&this.to_text()))),
    method("chomp", chomp),
    plain("chop", chop),
    plain("chr", |_, this, _| text(this.text.borrow().chars().take(1).collect::<EcoString>())),
    plain("reverse", |_, this, _| text(this.text.borrow().chars().rev().collect::<EcoString>())),
    plain("to_sym", |_, this, _| Ok(RubyValue::sym(&this.text.borrow()))),
    plain("intern", |_, this, _| Ok(RubyValue::sym(&this.text.borrow()))),
    method("to_i", to_i),
    plain("to_f", |_, this, _| Ok(RubyValue::Float(float::to_f(&this.to_text())))),
    plain("hex", |run, this, _| integer(run, &this.to_text(), 16)),
    plain("oct", oct),
    plain("ord", ord),
    plain("chars", |run, this, _| list(chars(run, &this.text.borrow())?)),
    plain("bytes", |run, this, _| list(bytes(run, &this.text.borrow())?)),
    plain("codepoints", |run, this, _| list(codepoints(run, &this.text.borrow())?)),
    method("inspect", |_, this, _| text(inspect::inspect(&this.to_text()))),
    method("dump", dump).when(is_plain_ascii),
    plain("+@", unfrozen),
    plain("-@", |_, this, _| Ok(RubyValue::frozen_str(this.to_text()))),
    plain("ascii_only?", |_, this, _| yes(this.text.borrow().is_ascii())),
    plain("valid_encoding?", |_, _, _| yes(true)),
    method("scrub", scrub).when(is_plain_ascii),
    method("unicode_normalize", unicode_normalize),
    method("encode", encode),
    method("force_encoding", force_encoding),
    refused("encoding", "method String#encoding"),
    method("b", |run, this, _| Ok(run.bytes(this.text.borrow().as_bytes().to_vec()))),
    method("unpack", |run, this, a| run.unpack(this.to_text().as_bytes(), a)),
    method("unpack1", |run, this, a| run.unpack1(this.to_text().as_bytes(), a)),
    method("crypt", crypt),
    plain("succ", |_, this, _| text(chars::succ(&this.to_text()))),
    plain("next", |_, this, _| text(chars::succ(&this.to_text()))),
    method("hash", |_, this, _| Ok(RubyValue::Int(hash_of(&this.to_text())))),
    plain("sum", sum),
    plain("shellescape", |_, this, _| text(shell::escape(&this.to_text()))),
    plain("shellsplit", shellsplit),
];

/// Returns whether there are no arguments, and nothing in the text that would need a table of Unicode.
fn is_plain_ascii(this: &Rc<Str>, a: Args<'_>) -> bool {
    a.is_empty() && this.text.borrow().is_ascii()
}

fn dump(_run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    text(inspect::inspect(&this.to_text()))
}

fn scrub(_run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    text(this.to_text())
}

fn chop(_run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let mut rest = s.strip_suffix("\r\n").unwrap_or(s);
    if rest.len() == s.len() {
        rest = rest.char_indices().next_back().map_or("", |(at, _)| &s[..at]);
    }
    text(rest)
}

fn chomp(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = this.to_text();
    let end = match a.items.first() {
        None => "\n".into(),
        Some(RubyValue::Nil) => return text(s),
        Some(other) => run.text_arg(other)?,
    };
    text(match end.as_str() {
        "" => s.trim_end_matches("\r\n").trim_end_matches('\n'),
        "\n" => s.strip_suffix("\r\n").or_else(|| s.strip_suffix(['\n', '\r'])).unwrap_or(&s),
        end => s.strip_suffix(end).unwrap_or(&s),
    })
}

fn to_i(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let radix = if a.is_empty() { 10 } else { run.int_arg(&a.items[0])? };
    integer(run, &this.to_text(), radix)
}

fn oct(run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    let s = this.to_text();
    integer(run, &s, radix_of_oct(&s))
}

fn integer(run: &mut Run<'_>, s: &str, radix: i64) -> Eval {
    run.check_digits(s)?;
    let number = run.from_text(integer::to_i(s, radix))?;
    run.big(&number)
}

fn ord(run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    match this.text.borrow().chars().next() {
        Some(c) => Ok(RubyValue::Int(i64::from(u32::from(c)))),
        None => run.argument_error("empty string"),
    }
}

/// The characters, each a string.
pub(super) fn chars(run: &mut Run<'_>, s: &str) -> Eval<Vec<RubyValue>> {
    run.charge(s.chars().count().saturating_mul(SIZE_OF_TEXT))?;
    Ok(s.chars().map(|c| RubyValue::str(EcoString::from(c))).collect())
}

/// The bytes as integers.
pub(super) fn bytes(run: &mut Run<'_>, s: &str) -> Eval<Vec<RubyValue>> {
    run.charge(s.len().saturating_mul(size_of::<RubyValue>()))?;
    Ok(s.bytes().map(|b| RubyValue::Int(i64::from(b))).collect())
}

fn codepoints(run: &mut Run<'_>, s: &str) -> Eval<Vec<RubyValue>> {
    run.charge(s.len().saturating_mul(size_of::<RubyValue>()))?;
    Ok(s.chars().map(|c| RubyValue::Int(i64::from(u32::from(c)))).collect())
}

fn unfrozen(_run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    if this.frozen.get() { text(this.to_text()) } else { Ok(own(this)) }
}

fn unicode_normalize(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    if a.is_empty() && this.text.borrow().is_ascii() {
        return text(this.to_text());
    }
    encode(run, this, a)
}

/// `encode('UTF-8')`, `force_encoding(Encoding::UTF_8)`: all text is in UTF-8 already.
fn encode(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let is_utf8 = a.items.iter().all(|arg| match arg {
        RubyValue::Str(name) => name.text.borrow().eq_ignore_ascii_case("utf-8"),
        RubyValue::Hash(options) => {
            !options.entries.borrow().contains_key(&Key(RubyValue::sym("xml")))
        }
        other => matches!(other, RubyValue::Object(_)),
    });
    // A copy, so that text that was bytes is not taken for them any more.
    if is_utf8 { text(this.text.borrow().as_str()) } else { run.unsupported("encodings") }
}

fn force_encoding(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let RubyValue::Str(copy) = encode(run, this, a)? else { return Ok(own(this)) };
    this.text.replace(copy.to_text());
    Ok(own(this))
}

fn sum(_run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    let s = &this.to_text();
    Ok(RubyValue::Int(s.bytes().map(i64::from).sum::<i64>() & 0xffff))
}

fn shellsplit(run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let words = run.from_text(shell::split(s))?;
    Ok(RubyValue::array(words.into_iter().map(RubyValue::str).collect()))
}

fn crypt(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let salt = run.text_arg(&a.get(0))?;
    if salt.len() < 2 {
        return run.argument_error("salt too short (need >=2 bytes)");
    }
    // About as many steps as are made in the same time otherwise.
    run.work(crypt::cost(&salt).saturating_mul(640))?;
    let crypted = crypt::crypt(s, &salt);
    let crypted = run.from_text(crypted)?;
    Ok(RubyValue::str(run.host.text_of_bytes(&crypted)))
}

fn hash_of(s: &str) -> i64 {
    use std::hash::BuildHasher;
    let hash = foldhash::fast::FixedState::default().hash_one(Key::str(s));
    i64::try_from(hash >> 2).unwrap_or(0)
}

/// `oct` takes digits for octal ones unless they have a prefix.
fn radix_of_oct(text: &str) -> i64 {
    let digits = text.trim_start().trim_start_matches(['+', '-']);
    let letter = digits.strip_prefix('0').and_then(|rest| rest.chars().next());
    if letter.is_some_and(|letter| "xXbBoOdD".contains(letter)) { 0 } else { 8 }
}
