//! Strings of bytes that are no text: what `Digest` and `pack` give.

use std::rc::Rc;

use super::tools::{from_end, int};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

fn numbers(bytes: &[u8]) -> RubyValue {
    RubyValue::array(bytes.iter().map(|byte| RubyValue::Int(i64::from(*byte))).collect())
}

impl Run<'_> {
    /// The bytes of a string of either kind.
    pub(crate) fn bytes_arg(&mut self, value: &RubyValue) -> Eval<Rc<[u8]>> {
        match value {
            RubyValue::Bytes(bytes) => Ok(Rc::clone(bytes)),
            other => Ok(self.text_arg(other)?.as_bytes().into()),
        }
    }

    pub(crate) fn bytes_method(
        &mut self,
        this: &Rc<[u8]>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let same = || Some(RubyValue::Bytes(Rc::clone(this)));
        Ok(match name {
            "length" | "size" | "bytesize" => Some(int(this.len())),
            "bytes" => Some(numbers(this)),
            "empty?" | "ascii_only?" | "valid_encoding?" => Some(RubyValue::Bool(false)),
            "to_s" | "to_str" | "b" | "dup" | "+@" | "freeze" | "itself" => same(),
            "==" | "eql?" | "===" => {
                Some(RubyValue::Bool(matches!(a.items, [RubyValue::Bytes(other)] if other == this)))
            }
            "getbyte" => {
                let at = self.int_arg(&a.get(0))?;
                let byte = from_end(at, this.len()).and_then(|at| this.get(at));
                Some(byte.map_or(RubyValue::Nil, |byte| RubyValue::Int(i64::from(*byte))))
            }
            "each_byte" => {
                let block = self.need_block(&a, name)?;
                for byte in this.iter() {
                    let byte = RubyValue::Int(i64::from(*byte));
                    self.call_block(block, Args::new(&[byte]))?;
                }
                same()
            }
            "unpack" | "unpack1" => Some(self.unpack(this, name, a)?),
            "+" | "concat" if matches!(a.items, [RubyValue::Bytes(_) | RubyValue::Str(_)]) => {
                let other = self.bytes_arg(&a.get(0))?;
                let is_mixed = matches!(a.items, [RubyValue::Str(_)]) && !other.is_ascii();
                if is_mixed || name == "concat" {
                    return self.unsupported("bytes and text in one string");
                }
                self.charge(this.len() + other.len())?;
                Some(RubyValue::bytes([&**this, &*other].concat()))
            }
            "reverse" => Some(RubyValue::bytes(this.iter().rev().copied().collect())),
            "slice" | "byteslice" | "[]" => Some(self.bytes_slice(this, a)?),
            "force_encoding" => Some(self.as_encoding(this, a)?),
            "inspect" | "hash" | "class" | "is_a?" | "kind_of?" | "nil?" | "respond_to?"
            | "instance_of?" | "frozen?" | "!" | "!=" | "object_id" | "equal?" | "tap" | "then"
            | "send" | "public_send" => None,
            _ => return self.unsupported(format!("method String#{name} of bytes")),
        })
    }

    fn bytes_slice(&mut self, this: &[u8], a: Args<'_>) -> Eval {
        let (Some(start), 1..=2) = (a.get(0).as_int(), a.len()) else {
            return self.unsupported("bytes taken so");
        };
        let length = if a.len() > 1 { self.int_arg(&a.get(1))? } else { 1 };
        let most = if a.len() > 1 { this.len() + 1 } else { this.len() };
        let start = from_end(start, this.len()).filter(|&at| at < most);
        Ok(match (start, usize::try_from(length)) {
            (Some(start), Ok(length)) => {
                let end = start.saturating_add(length).min(this.len());
                RubyValue::bytes(this[start..end].to_vec())
            }
            _ => RubyValue::Nil,
        })
    }

    /// Bytes that are said to be text.
    fn as_encoding(&mut self, this: &Rc<[u8]>, a: Args<'_>) -> Eval {
        let name = self.to_s(&a.get(0))?.to_uppercase();
        match (name.as_str(), std::str::from_utf8(this)) {
            ("UTF-8", Ok(text)) => Ok(RubyValue::str(text)),
            ("ASCII-8BIT" | "BINARY", _) => Ok(RubyValue::Bytes(Rc::clone(this))),
            _ => self.unsupported("text that is not UTF-8"),
        }
    }
}
