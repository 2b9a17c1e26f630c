//! `nil`, `true`, `false` and symbols.

use kukla_rubytext::{case, inspect};

use super::chars;
use super::tools::int;
use crate::read::tree::Name;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Proc, ProcBody, RubyValue};
use std::rc::Rc;

impl Run<'_> {
    pub(crate) fn nil_method(&mut self, name: &str, a: Args<'_>) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "to_s" => RubyValue::frozen_str(""),
            "to_a" => RubyValue::array(Vec::new()),
            "to_h" => RubyValue::hash(Entries::default()),
            "to_i" => RubyValue::Int(0),
            "to_f" => RubyValue::Float(0.0),
            "inspect" => RubyValue::str("nil"),
            "nil?" => RubyValue::Bool(true),
            "&" => RubyValue::Bool(false),
            "|" => RubyValue::Bool(a.get(0).truthy()),
            "=~" => RubyValue::Nil,
            _ => return Ok(None),
        }))
    }

    pub(crate) fn bool_method(
        &mut self,
        this: bool,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "to_s" | "inspect" => RubyValue::frozen_str(if this { "true" } else { "false" }),
            "&" => RubyValue::Bool(this && a.get(0).truthy()),
            "|" => RubyValue::Bool(this || a.get(0).truthy()),
            "^" => RubyValue::Bool(this != a.get(0).truthy()),
            _ => return Ok(None),
        }))
    }

    pub(crate) fn symbol_method(
        &mut self,
        this: &Name,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "to_s" | "id2name" => RubyValue::str(this.clone()),
            "name" => RubyValue::frozen_str(this.clone()),
            "to_sym" => RubyValue::Sym(this.clone()),
            "to_proc" => RubyValue::Proc(Rc::new(Proc {
                body: ProcBody::Symbol(this.clone()),
                is_lambda: true,
            })),
            "inspect" => RubyValue::str(inspect::inspect_symbol(this)),
            "length" | "size" => int(chars::len(this)),
            "empty?" => RubyValue::Bool(this.is_empty()),
            "upcase" => RubyValue::Sym(case::upcase(this).into()),
            "downcase" => RubyValue::Sym(case::downcase(this).into()),
            "capitalize" => RubyValue::Sym(case::capitalize(this).into()),
            "swapcase" => RubyValue::Sym(case::swapcase(this).into()),
            "succ" | "next" => RubyValue::Sym(chars::succ(this).into()),
            "start_with?" | "end_with?" | "=~" | "match" | "match?" | "[]" => {
                self.call_with(&RubyValue::str(this.clone()), name, a)?
            }
            "==" | "===" | "eql?" | "equal?" => {
                RubyValue::Bool(matches!(a.get(0), RubyValue::Sym(other) if other == *this))
            }
            "<=>" | "<" | ">" | "<=" | ">=" | "between?" | "clamp" => {
                return self.comparable(&RubyValue::Sym(this.clone()), name, a);
            }
            _ => return Ok(None),
        }))
    }
}
