//! Strings of bytes without an encoding whose bytes are text: methods leave them as such.

use std::rc::Rc;

use super::registry::registry;
use crate::run::{Args, Eval, Run};
use crate::value::{RubyValue, Str};

/// Methods of `String` whose result has the encoding of the string.
const KEEPING: &[&str] = &[
    "*",
    "+",
    "[]",
    "byteslice",
    "capitalize",
    "center",
    "chars",
    "chomp",
    "chop",
    "chr",
    "delete",
    "delete_prefix",
    "delete_suffix",
    "downcase",
    "each_char",
    "gsub",
    "lines",
    "ljust",
    "lstrip",
    "next",
    "partition",
    "reverse",
    "rjust",
    "rpartition",
    "rstrip",
    "scan",
    "scrub",
    "slice",
    "split",
    "squeeze",
    "strip",
    "sub",
    "succ",
    "swapcase",
    "tr",
    "tr_s",
    "upcase",
];

/// Methods that change a string; its encoding stays.
const CHANGING: &[&str] = &["<<", "concat", "insert", "prepend", "[]="];

impl Run<'_> {
    /// Calls a method of a string in a compilation that has strings of bytes.
    #[cold]
    pub(super) fn byte_text_builtin(
        &mut self,
        recv: &RubyValue,
        this: &Rc<Str>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let is_bytes = self.host.is_byte_text(&this.text.borrow());
        let result = registry().string.call(self, recv, this, name, a)?;
        if !is_bytes {
            return Ok(result);
        }
        if CHANGING.contains(&name) || name.ends_with('!') {
            self.mark_bytes(recv);
        } else if KEEPING.contains(&name) {
            result.iter().for_each(|value| self.mark_bytes(value));
        }
        Ok(result)
    }

    /// Makes strings of bytes of a string, or of those in a list, unless they have other characters than ASCII's.
    fn mark_bytes(&mut self, value: &RubyValue) {
        match value {
            RubyValue::Str(this) => {
                let text = this.to_text();
                if text.is_ascii() && !self.host.is_byte_text(&text) {
                    this.text.replace(self.host.text_of_bytes(&text));
                }
            }
            RubyValue::Array(list) => {
                list.items.borrow().iter().for_each(|item| self.mark_bytes(item));
            }
            _ => (),
        }
    }
}
