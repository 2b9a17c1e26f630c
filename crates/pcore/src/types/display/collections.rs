//! Collections and callables as text.

use std::fmt;

use super::super::{CallableType, IntegerRange, StructElement, TupleType, Type};
use super::{Printer, size_parts};
use crate::quote::write_quoted;

impl Printer<'_> {
    /// Writes `Array[element, size]` and `Hash[key, value, size]`.
    pub(super) fn sized(
        &mut self,
        name: &str,
        types: &[&Type],
        size: Option<IntegerRange>,
    ) -> fmt::Result {
        if size == Some(IntegerRange::ZERO) {
            return write!(self.out, "{name}[0, 0]");
        }
        self.out.write_str(name)?;
        if size.is_none() && types.iter().all(|type_| matches!(type_, Type::Any)) {
            return Ok(());
        }
        self.out.write_char('[')?;
        for (index, type_) in types.iter().enumerate() {
            self.comma(index)?;
            self.type_(type_)?;
        }
        self.rest(&size_parts(size))?;
        self.out.write_char(']')
    }

    fn rest(&mut self, parts: &[String]) -> fmt::Result {
        parts.iter().try_for_each(|part| write!(self.out, ", {part}"))
    }

    pub(super) fn tuple(&mut self, tuple: &TupleType) -> fmt::Result {
        self.out.write_str("Tuple")?;
        if tuple.types.is_empty() {
            return Ok(());
        }
        self.out.write_char('[')?;
        self.types(&tuple.types)?;
        self.rest(&size_parts(tuple.size))?;
        self.out.write_char(']')
    }

    pub(super) fn structure(&mut self, elements: &[StructElement]) -> fmt::Result {
        self.out.write_str("Struct")?;
        if elements.is_empty() {
            return Ok(());
        }
        self.out.write_str("[{")?;
        for (index, element) in elements.iter().enumerate() {
            self.comma(index)?;
            self.key(element)?;
            self.out.write_str(" => ")?;
            self.type_(&element.value)?;
        }
        self.out.write_str("}]")
    }

    /// Writes a key, as a type where it differs from what the value implies.
    fn key(&mut self, element: &StructElement) -> fmt::Result {
        let name = match (element.optional_key, element.value.is_assignable(&Type::Undef)) {
            (true, false) => "Optional",
            (false, true) => "NotUndef",
            _ => return write_quoted(self.out, &element.name),
        };
        self.quotable(name, Some(&Type::StringValue(element.name.clone())))
    }

    pub(super) fn callable(&mut self, callable: &CallableType) -> fmt::Result {
        self.out.write_str("Callable")?;
        match (&callable.parameters, &callable.returns) {
            (None, None) => Ok(()),
            (Some(parameters), None) => {
                self.out.write_char('[')?;
                self.parameters(parameters, callable.block.as_ref())?;
                self.out.write_char(']')
            }
            (parameters, Some(returns)) => {
                self.out.write_str("[[")?;
                if let Some(parameters) = parameters {
                    self.parameters(parameters, callable.block.as_ref())?;
                }
                self.out.write_str("], ")?;
                self.type_(returns)?;
                self.out.write_char(']')
            }
        }
    }

    fn parameters(&mut self, tuple: &TupleType, block: Option<&Type>) -> fmt::Result {
        let types = tuple.types.iter().filter(|type_| !matches!(type_, Type::Unit));
        let mut count = 0;
        for type_ in types {
            self.comma(count)?;
            self.type_(type_)?;
            count += 1;
        }
        let sizes = match tuple.types.is_empty() {
            true => vec!["0".to_owned(), "0".to_owned()],
            false => size_parts(tuple.size),
        };
        for size in sizes {
            self.comma(count)?;
            self.out.write_str(&size)?;
            count += 1;
        }
        if let Some(block) = block {
            self.comma(count)?;
            self.type_(block)?;
        }
        Ok(())
    }
}
