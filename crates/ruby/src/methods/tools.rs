//! Conversion of arguments and results.

use ecow::EcoString;
use kukla_rubytext::BigInt;

use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    /// Converts an argument to an integer, as Ruby does implicitly.
    pub(crate) fn int_arg(&mut self, value: &RubyValue) -> Eval<i64> {
        match value {
            RubyValue::Int(number) => Ok(*number),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "Ruby cuts off as well; what is too big is refused"
            )]
            RubyValue::Float(number) if number.abs() < 9e18 => Ok(number.trunc() as i64),
            RubyValue::Big(_) => self.raise("RangeError", "bignum too big to convert into `long'"),
            RubyValue::Nil => self.type_error("no implicit conversion from nil to integer"),
            RubyValue::Bool(value) => {
                self.type_error(format!("no implicit conversion of {value} into Integer"))
            }
            other => self.no_conversion(other, "Integer"),
        }
    }

    pub(crate) fn usize_arg(&mut self, value: &RubyValue, negative: &str) -> Eval<usize> {
        let number = self.int_arg(value)?;
        match usize::try_from(number) {
            Ok(number) => Ok(number),
            Err(_) => self.argument_error(negative),
        }
    }

    /// Returns the text of a string, or of an object with `to_str`; raises `TypeError` for any other argument.
    pub(crate) fn text_arg(&mut self, value: &RubyValue) -> Eval<EcoString> {
        match value {
            RubyValue::Str(text) => Ok(text.text.borrow().clone()),
            RubyValue::Object(object) if object.class.find_method("to_str").is_some() => {
                let text = self.call(value, "to_str", &[])?;
                Ok(text.as_text().unwrap_or_default())
            }
            other => self.no_conversion(other, "String"),
        }
    }

    pub(crate) fn array_arg(&mut self, value: &RubyValue) -> Eval<Vec<RubyValue>> {
        match value {
            RubyValue::Array(list) => Ok(list.items.borrow().clone()),
            other => self.no_conversion(other, "Array"),
        }
    }

    pub(crate) fn name_arg(&mut self, value: &RubyValue) -> Eval<EcoString> {
        match value.as_name() {
            Some(name) => Ok(name),
            None => {
                let shown = crate::show::inspect(value);
                self.type_error(format!("{shown} is not a symbol nor a string"))
            }
        }
    }

    /// Raises `ArgumentError` unless the number of arguments is in the range.
    pub(crate) fn arity(&mut self, args: Args<'_>, least: usize, most: usize) -> Eval<()> {
        if args.len() >= least && args.len() <= most {
            return Ok(());
        }
        self.wrong_count(args.len(), (least, most))
    }

    /// Raises `ArgumentError` for a number of arguments outside of the range.
    #[cold]
    pub(crate) fn wrong_count<T>(&mut self, n: usize, (least, most): (usize, usize)) -> Eval<T> {
        let expected = match most {
            usize::MAX => format!("{least}+"),
            most if most == least => least.to_string(),
            most => format!("{least}..{most}"),
        };
        self.wrong_arity(n, &expected)
    }

    pub(crate) fn int_of(&mut self, number: i128) -> Eval {
        match i64::try_from(number) {
            Ok(number) => Ok(RubyValue::Int(number)),
            Err(_) => self.big(&BigInt::from(number)),
        }
    }
}

/// A length as Ruby's integer.
pub(crate) fn int(n: usize) -> RubyValue {
    RubyValue::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Resolves a start that may count from the end; `None` if it is outside.
pub(crate) fn from_end(index: i64, len: usize) -> Option<usize> {
    let len = i64::try_from(len).ok()?;
    let index = if index < 0 { index.checked_add(len)? } else { index };
    if index < 0 { None } else { usize::try_from(index).ok() }
}

/// An array, as a method's result.
pub(crate) fn list(items: Vec<RubyValue>) -> Eval {
    Ok(RubyValue::array(items))
}

/// `true` or `false`, as a method's result.
pub(crate) fn yes(value: bool) -> Eval {
    Ok(RubyValue::Bool(value))
}

/// A string, as a method's result.
pub(crate) fn text(value: impl Into<EcoString> + AsRef<str>) -> Eval {
    Ok(RubyValue::str(value))
}
