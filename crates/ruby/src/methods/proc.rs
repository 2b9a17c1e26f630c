//! `Proc` and `Method`

use std::rc::Rc;

use crate::run::{Args, Eval, Run};
use crate::value::{Proc, ProcBody, RubyValue};

impl Run<'_> {
    pub(crate) fn proc_method(
        &mut self,
        this: &Rc<Proc>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "call" | "()" | "yield" | "===" | "[]" => self.call_block(this, a)?,
            "to_proc" => RubyValue::Proc(Rc::clone(this)),
            "lambda?" => RubyValue::Bool(this.is_lambda),
            "arity" => RubyValue::Int(match &this.body {
                ProcBody::Block { block, .. } => block.params.arity(this.is_lambda),
                ProcBody::Symbol(_) => -2,
                _ => -1,
            }),
            "parameters" => return self.unsupported("method Proc#parameters"),
            "curry" | "source_location" | "binding" => {
                return self.unsupported(format!("method Proc#{name}"));
            }
            ">>" | "<<" => {
                let RubyValue::Proc(other) = a.get(0) else {
                    return self.type_error("callable object is expected");
                };
                let (first, second) =
                    if name == ">>" { (Rc::clone(this), other) } else { (other, Rc::clone(this)) };
                let both = self.native(move |run, a| {
                    let value = run.call_block(&first, a)?;
                    run.yield1(&second, &value)
                });
                RubyValue::Proc(both)
            }
            "unbind" | "owner" | "receiver" => {
                return self.unsupported(format!("method Method#{name}"));
            }
            _ => return Ok(None),
        }))
    }
}
