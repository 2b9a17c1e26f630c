//! What integers and floats have in common.

use crate::run::{Args, Eval, Run, short_class};
use crate::value::RubyValue;

impl Run<'_> {
    pub(super) fn coerce_error<T>(&mut self, value: &RubyValue, into: &str) -> Eval<T> {
        let what = match value {
            RubyValue::Nil => "nil".to_owned(),
            RubyValue::Bool(value) => value.to_string(),
            RubyValue::Sym(_) => crate::show::inspect(value),
            other => short_class(other),
        };
        self.type_error(format!("{what} can't be coerced into {into}"))
    }

    /// `<`, `<=`, `>`, `>=`, `between?` and `clamp` by way of `<=>`.
    pub(crate) fn comparable(
        &mut self,
        this: &RubyValue,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "<=>" => {
                let order = self.compare(this, &a.get(0))?;
                order.map_or(RubyValue::Nil, |order| RubyValue::Int(order as i64))
            }
            "<" | "<=" | ">" | ">=" => {
                self.arity(a, 1, 1)?;
                let is_nan = matches!(this, RubyValue::Float(x) if x.is_nan())
                    || matches!(a.items[0], RubyValue::Float(x) if x.is_nan());
                let is_number = matches!(
                    a.items[0],
                    RubyValue::Int(_) | RubyValue::Big(_) | RubyValue::Float(_)
                );
                if is_nan && is_number {
                    return Ok(Some(RubyValue::Bool(false)));
                }
                let order = self.order(this, &a.items[0])?;
                RubyValue::Bool(match name {
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
            "between?" => {
                self.arity(a, 2, 2)?;
                let inside = self.order(this, &a.items[0])?.is_ge()
                    && self.order(this, &a.items[1])?.is_le();
                RubyValue::Bool(inside)
            }
            "clamp" => {
                let (least, most) = match (a.get(0), a.len()) {
                    (RubyValue::Range(range), 1) => (range.from.clone(), range.to.clone()),
                    _ => (a.get(0), a.get(1)),
                };
                if !least.is_nil() && !most.is_nil() && self.order(&least, &most)?.is_gt() {
                    return self.argument_error("min argument must be smaller than max argument");
                }
                if !least.is_nil() && self.order(this, &least)?.is_lt() {
                    least
                } else if !most.is_nil() && self.order(this, &most)?.is_gt() {
                    most
                } else {
                    this.clone()
                }
            }
            _ => return Ok(None),
        }))
    }

    /// `1.step(10, 2)`
    pub(super) fn number_step(&mut self, this: &RubyValue, a: Args<'_>) -> Eval {
        let block = self.need_block(&a, "step")?;
        let to = a.option("to").unwrap_or_else(|| a.get(0));
        let by = a
            .option("by")
            .unwrap_or_else(|| if a.len() > 1 { a.get(1) } else { RubyValue::Int(1) });
        let (RubyValue::Int(from), RubyValue::Int(to), RubyValue::Int(by)) = (this, &to, &by)
        else {
            return self.unsupported("steps of floats");
        };
        if *by == 0 {
            return self.argument_error("step can't be 0");
        }
        let mut number = *from;
        while (*by > 0 && number <= *to) || (*by < 0 && number >= *to) {
            self.yield1(block, &RubyValue::Int(number))?;
            number = number.saturating_add(*by);
        }
        Ok(this.clone())
    }
}
