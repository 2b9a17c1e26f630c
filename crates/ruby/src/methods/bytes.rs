//! Strings with binary encoding, such as results of `Digest` and `pack`.

use std::rc::Rc;

use super::table::{Builtin, method, refused, with_block};
use super::tools::{from_end, int, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<[u8]>>] = &[
    method("length", |_, this, _| Ok(int(this.len()))),
    method("size", |_, this, _| Ok(int(this.len()))),
    method("bytesize", |_, this, _| Ok(int(this.len()))),
    method("bytes", |_, this, _| Ok(numbers(this))),
    method("empty?", |_, _, _| yes(false)),
    method("ascii_only?", |_, _, _| yes(false)),
    method("valid_encoding?", |_, _, _| yes(false)),
    method("to_s", itself),
    method("to_str", itself),
    method("b", itself),
    method("dup", itself),
    method("+@", itself),
    method("freeze", itself),
    method("itself", itself),
    method("==", equal),
    method("eql?", equal),
    method("===", equal),
    method("getbyte", getbyte),
    with_block("each_byte", each_byte),
    method("unpack", |run, this, a| run.unpack(this, a)),
    method("unpack1", |run, this, a| run.unpack1(this, a)),
    method("+", add).when(|_, a| is_string(a)),
    refused("concat", "bytes and text in one string").when(|_, a| is_string(a)),
    method("reverse", |run, this, _| Ok(run.bytes(this.iter().rev().copied().collect()))),
    method("slice", slice),
    method("byteslice", slice),
    method("[]", slice),
    method("force_encoding", force_encoding),
];

/// Methods of all objects that bytes have; any other method of `String` would take them for text.
pub(super) static INHERITED: &[&str] = &[
    "inspect",
    "hash",
    "class",
    "is_a?",
    "kind_of?",
    "nil?",
    "respond_to?",
    "instance_of?",
    "frozen?",
    "!",
    "!=",
    "object_id",
    "equal?",
    "tap",
    "then",
    "send",
    "public_send",
];

fn is_string(a: Args<'_>) -> bool {
    matches!(a.items, [RubyValue::Bytes(_) | RubyValue::Str(_)])
}

fn numbers(bytes: &[u8]) -> RubyValue {
    RubyValue::array(bytes.iter().map(|byte| RubyValue::Int(i64::from(*byte))).collect())
}

fn itself(_run: &mut Run<'_>, this: &Rc<[u8]>, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Bytes(Rc::clone(this)))
}

fn equal(_run: &mut Run<'_>, this: &Rc<[u8]>, a: Args<'_>) -> Eval {
    yes(matches!(a.items, [RubyValue::Bytes(other)] if other == this))
}

fn getbyte(run: &mut Run<'_>, this: &Rc<[u8]>, a: Args<'_>) -> Eval {
    let at = run.int_arg(&a.get(0))?;
    let byte = from_end(at, this.len()).and_then(|at| this.get(at));
    Ok(byte.map_or(RubyValue::Nil, |byte| RubyValue::Int(i64::from(*byte))))
}

fn each_byte(run: &mut Run<'_>, this: &Rc<[u8]>, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    for byte in this.iter() {
        run.yield1(block, &RubyValue::Int(i64::from(*byte)))?;
    }
    itself(run, this, a)
}

fn add(run: &mut Run<'_>, this: &Rc<[u8]>, a: Args<'_>) -> Eval {
    let other = run.bytes_arg(&a.get(0))?;
    if matches!(a.items, [RubyValue::Str(_)]) && !other.is_ascii() {
        return run.unsupported("bytes and text in one string");
    }
    run.charge(this.len() + other.len())?;
    Ok(run.bytes([&**this, &*other].concat()))
}

fn slice(run: &mut Run<'_>, this: &Rc<[u8]>, a: Args<'_>) -> Eval {
    let (Some(start), 1..=2) = (a.get(0).as_int(), a.len()) else {
        return run.unsupported("bytes taken so");
    };
    let length = if a.len() > 1 { run.int_arg(&a.get(1))? } else { 1 };
    let most = if a.len() > 1 { this.len() + 1 } else { this.len() };
    let start = from_end(start, this.len()).filter(|&at| at < most);
    Ok(match (start, usize::try_from(length)) {
        (Some(start), Ok(length)) => {
            let end = start.saturating_add(length).min(this.len());
            run.bytes(this[start..end].to_vec())
        }
        _ => RubyValue::Nil,
    })
}

/// `force_encoding('UTF-8')`: bytes that are said to be text.
fn force_encoding(run: &mut Run<'_>, this: &Rc<[u8]>, a: Args<'_>) -> Eval {
    let name = run.to_s(&a.get(0))?.to_uppercase();
    match (name.as_str(), std::str::from_utf8(this)) {
        ("UTF-8", Ok(text)) => Ok(RubyValue::str(text)),
        ("ASCII-8BIT" | "BINARY", _) => Ok(RubyValue::Bytes(Rc::clone(this))),
        _ => run.unsupported("text that is not UTF-8"),
    }
}

impl Run<'_> {
    /// Returns the bytes of a string, binary or not.
    pub(crate) fn bytes_arg(&mut self, value: &RubyValue) -> Eval<Rc<[u8]>> {
        match value {
            RubyValue::Bytes(bytes) => Ok(Rc::clone(bytes)),
            other => Ok(self.text_arg(other)?.as_bytes().into()),
        }
    }
}
