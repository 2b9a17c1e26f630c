//! `format` and `%`.

use std::borrow::Cow;

use ecow::EcoString;
use kukla_rubytext::sprintf::{self, Argument, Kind};

use crate::run::{Eval, Run};
use crate::value::RubyValue;

/// An argument with all texts at hand that the format may need.
pub(crate) struct Arg {
    value: RubyValue,
    text: EcoString,
    /// Empty if the format has no `%p`.
    inspected: String,
    class: String,
    number: Option<EcoString>,
    entries: Vec<(String, Arg)>,
    /// The default of a hash.
    default: Option<Box<Arg>>,
}

impl Argument for Arg {
    fn kind(&self) -> Kind<'_> {
        match &self.value {
            RubyValue::Nil => Kind::Nil,
            RubyValue::Int(number) => Kind::Int(*number),
            RubyValue::Big(number) => Kind::Big(number),
            RubyValue::Float(number) => Kind::Float(*number),
            RubyValue::Str(_) => Kind::Str(self.number.as_deref().unwrap_or_default()),
            RubyValue::Hash(_) => Kind::Hash,
            _ => Kind::Other(&self.class),
        }
    }

    fn to_s(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }

    fn inspect(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.inspected)
    }

    fn entry(&self, name: &str) -> Option<&dyn Argument> {
        let found = self.entries.iter().find(|(known, _)| known == name).map(|(_, arg)| arg);
        found.or(self.default.as_deref()).map(|arg| arg as &dyn Argument)
    }
}

impl Run<'_> {
    fn format_arg(&mut self, format: &str, value: &RubyValue, depth: usize) -> Eval<Arg> {
        let (mut entries, mut default) = (Vec::new(), None);
        if let RubyValue::Hash(map) = value
            && depth == 0
            && format.contains(['<', '{'])
        {
            for (key, value) in map.entries.borrow().clone() {
                if let RubyValue::Sym(name) = &key.0 {
                    entries.push((name.as_str().to_owned(), self.format_arg(format, &value, 1)?));
                }
            }
            let of_missing = map.default.borrow().clone();
            if !matches!(of_missing, RubyValue::Nil) {
                default = Some(Box::new(self.format_arg(format, &of_missing, 1)?));
            }
        }
        let number = value.as_text();
        // A string is shared unless its class has another `to_s`.
        let text = match &number {
            Some(text) if !self.vm.process.is_reopened("to_s") => text.clone(),
            _ => self.to_s(value)?.into(),
        };
        let inspected = if format.contains('p') { self.inspect(value)? } else { String::new() };
        Ok(Arg {
            text,
            inspected,
            class: crate::run::short_class(value),
            number,
            value: value.clone(),
            entries,
            default,
        })
    }

    pub(crate) fn sprintf(&mut self, format: &str, args: &[RubyValue]) -> Eval<String> {
        let args = args.iter().map(|arg| self.format_arg(format, arg, 0));
        let args = args.collect::<Eval<Vec<Arg>>>()?;
        let args: Vec<&dyn Argument> = args.iter().map(|arg| arg as &dyn Argument).collect();
        let text = self.from_text(sprintf::format(format, &args))?;
        self.charge(text.len())?;
        Ok(text)
    }
}
