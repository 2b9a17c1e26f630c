//! Types as text.
//!
//! There are three forms: the short one ([`std::fmt::Display`]), the one with expanded aliases ([`Type::expanded`]), and
//! that of the language ([`Type::text`]).

mod collections;
mod name;
mod objects;
mod sets;
mod value;

pub use name::capitalize_segments;
pub(super) use value::{timespan, timestamp};

use kukla_base::cancel::walk;
use std::fmt::{self, Write};
use std::sync::Arc;

use super::guard::Guard;
use super::{
    EnumType, FloatRange, InitType, IntegerRange, ResourceType, RuntimeType, TimeRange, Type,
    TypeAlias, TypeSet, assignable, named,
};
use crate::quote::write_quoted;
use crate::regex::Regex;
use crate::regexps;
use kukla_rubytext::float;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(f, false).type_(self)
    }
}

impl Type {
    /// Formats the type, with aliases as `Name = type`.
    pub fn expanded(&self) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = Printer::new(&mut text, true).type_(self);
        text
    }

    /// Formats the type as the language does: user-defined names are followed by their definition.
    pub fn text(&self) -> String {
        match self {
            Self::Alias(_) | Self::Object(_) | Self::TypeSet(_) => self.expanded(),
            _ => self.to_string(),
        }
    }
}

/// A writer of types.
struct Printer<'a> {
    out: &'a mut dyn Write,
    expanded: bool,
    guard: Guard,
    /// The set whose types are being written: they have short names in it.
    set: Option<Arc<TypeSet>>,
}

impl<'a> Printer<'a> {
    fn new(out: &'a mut dyn Write, expanded: bool) -> Self {
        Self { out, expanded, guard: Guard::default(), set: None }
    }

    fn type_(&mut self, type_: &Type) -> fmt::Result {
        walk(Ok(()), || match type_ {
            Type::Integer(range) => self.with("Integer", &range_parts(*range)),
            Type::Float(range) => self.with("Float", &float_parts(*range)),
            Type::String(size) => self.with("String", &size_parts(*size)),
            Type::Collection(size) => self.with("Collection", &size_parts(*size)),
            Type::Boolean(Some(value)) => write!(self.out, "Boolean[{value}]"),
            Type::Enum(enumeration) => self.enumeration(enumeration),
            Type::Pattern(regexps) => self.pattern(regexps),
            Type::Regexp(Some(regexp)) => {
                write!(self.out, "Regexp[{}]", regexps::delimited(regexp))
            }
            Type::Optional(inner) => self.quotable("Optional", inner.as_deref()),
            Type::NotUndef(inner) => self.quotable("NotUndef", inner.as_deref()),
            Type::Variant(types) if !types.is_empty() => self.list("Variant", types),
            Type::Array(array) => self.sized("Array", &[&array.element], array.size),
            Type::Hash(hash) => self.sized("Hash", &[&hash.key, &hash.value], hash.size),
            Type::Tuple(tuple) => self.tuple(tuple),
            Type::Struct(elements) => self.structure(elements),
            Type::Iterable(inner) => self.inner("Iterable", inner.as_deref()),
            Type::Iterator(inner) => self.inner("Iterator", inner.as_deref()),
            Type::Type(inner) => self.inner("Type", inner.as_deref()),
            Type::Sensitive(inner) => self.inner("Sensitive", inner.as_deref()),
            Type::Callable(callable) => self.callable(callable),
            Type::Runtime(runtime) => self.runtime(runtime),
            Type::Init(Some(init)) => self.init(init),
            Type::Timestamp(Some(range)) => self.time("Timestamp", range, value::timestamp),
            Type::Timespan(Some(range)) => self.time("Timespan", range, value::timespan),
            Type::SemVer(ranges) if !ranges.is_empty() => {
                let quoted = ranges.iter().map(|range| format!("'{range}'"));
                self.with("SemVer", &quoted.collect::<Vec<_>>())
            }
            Type::Uri(Some(parts)) => {
                self.out.write_str("URI[")?;
                self.hash(parts)?;
                self.out.write_char(']')
            }
            Type::Object(object) => self.object(object),
            Type::ObjectExtension(extension) => self.extension(extension),
            Type::TypeSet(set) => self.type_set(set),
            Type::Reference(name) => {
                self.out.write_str("TypeReference[")?;
                write_quoted(self.out, name)?;
                self.out.write_char(']')
            }
            Type::Alias(alias) => self.alias(alias),
            Type::Resource(resource) => self.resource(resource),
            Type::Class(Some(name)) => write!(self.out, "Class[{name}]"),
            type_ => self.out.write_str(type_.simple_name()),
        })
    }

    /// Writes `Name`, or `Name[parts]`.
    fn with(&mut self, name: &str, parts: &[String]) -> fmt::Result {
        self.out.write_str(name)?;
        if parts.is_empty() { Ok(()) } else { write!(self.out, "[{}]", parts.join(", ")) }
    }

    fn list(&mut self, name: &str, types: &[Type]) -> fmt::Result {
        write!(self.out, "{name}[")?;
        self.types(types)?;
        self.out.write_char(']')
    }

    fn types(&mut self, types: &[Type]) -> fmt::Result {
        for (index, type_) in types.iter().enumerate() {
            self.comma(index)?;
            self.type_(type_)?;
        }
        Ok(())
    }

    fn comma(&mut self, index: usize) -> fmt::Result {
        if index > 0 { self.out.write_str(", ") } else { Ok(()) }
    }

    fn inner(&mut self, name: &str, inner: Option<&Type>) -> fmt::Result {
        match inner {
            None => self.out.write_str(name),
            Some(inner) => self.list(name, std::slice::from_ref(inner)),
        }
    }

    /// Writes a type of one string as that string.
    fn quotable(&mut self, name: &str, inner: Option<&Type>) -> fmt::Result {
        match inner {
            Some(Type::StringValue(text)) => {
                write!(self.out, "{name}[")?;
                write_quoted(self.out, text)?;
                self.out.write_char(']')
            }
            inner => self.inner(name, inner),
        }
    }

    fn enumeration(&mut self, enumeration: &EnumType) -> fmt::Result {
        self.out.write_str("Enum")?;
        if enumeration.values.is_empty() {
            return Ok(());
        }
        self.out.write_char('[')?;
        for (index, value) in enumeration.values.iter().enumerate() {
            self.comma(index)?;
            write_quoted(self.out, value)?;
        }
        self.out.write_str(if enumeration.case_insensitive { ", true]" } else { "]" })
    }

    fn pattern(&mut self, patterns: &[Regex]) -> fmt::Result {
        self.with("Pattern", &patterns.iter().map(regexps::delimited).collect::<Vec<_>>())
    }

    fn runtime(&mut self, runtime: &RuntimeType) -> fmt::Result {
        self.out.write_str("Runtime")?;
        let RuntimeType { runtime, name, pattern } = runtime;
        if runtime.is_none() && name.is_none() && pattern.is_none() {
            return Ok(());
        }
        write!(self.out, "[{}, ", runtime.as_deref().unwrap_or("undef"))?;
        match (name, pattern) {
            (Some(name), _) => write_quoted(self.out, name)?,
            (None, Some((regexp, replacement))) => {
                write!(self.out, "[{}, ", regexps::delimited(regexp))?;
                write_quoted(self.out, replacement)?;
                self.out.write_char(']')?;
            }
            (None, None) => self.out.write_str("undef")?,
        }
        self.out.write_char(']')
    }

    fn init(&mut self, init: &InitType) -> fmt::Result {
        self.out.write_str("Init[")?;
        self.type_(&init.type_)?;
        for argument in &init.arguments {
            self.out.write_str(", ")?;
            self.value(argument)?;
        }
        self.out.write_char(']')
    }

    fn time(
        &mut self,
        name: &str,
        range: &TimeRange,
        text: impl Fn(i128) -> String,
    ) -> fmt::Result {
        self.out.write_str(name)?;
        if range.min.is_none() && range.max.is_none() {
            return Ok(());
        }
        match range.min {
            None => self.out.write_str("[default")?,
            Some(min) => write!(self.out, "['{}'", text(min))?,
        }
        match range.max {
            Some(max) if range.min != Some(max) => write!(self.out, ", '{}']", text(max)),
            _ => self.out.write_char(']'),
        }
    }

    fn resource(&mut self, resource: &ResourceType) -> fmt::Result {
        let Some(name) = &resource.name else { return self.out.write_str("Resource") };
        self.out.write_str(&capitalize_segments(name))?;
        match &resource.title {
            None => Ok(()),
            Some(title) => {
                self.out.write_char('[')?;
                write_quoted(self.out, title)?;
                self.out.write_char(']')
            }
        }
    }

    fn alias(&mut self, alias: &Arc<TypeAlias>) -> fmt::Result {
        let is_shown = match &self.set {
            Some(set) => !set.defines(&Type::Alias(Arc::clone(alias))),
            None => named::is_builtin_alias(&alias.name),
        };
        if !self.expanded || is_shown {
            return self.alias_name(alias);
        }
        if !alias.is_recursive() {
            return self.expand(alias);
        }
        let mut guard = std::mem::take(&mut self.guard);
        let id = assignable::identity(alias);
        let result = guard.with_this(id, |guard, state| {
            if Guard::is_this(state) {
                return self.alias_name(alias);
            }
            std::mem::swap(&mut self.guard, guard);
            let result = self.expand(alias);
            std::mem::swap(&mut self.guard, guard);
            result
        });
        self.guard = guard;
        result
    }

    fn alias_name(&mut self, alias: &Arc<TypeAlias>) -> fmt::Result {
        self.name_in_set(&Type::Alias(Arc::clone(alias)), &alias.name)
    }

    /// Writes the name of a type: in the current set, or its own.
    fn name_in_set(&mut self, type_: &Type, name: &str) -> fmt::Result {
        match self.set.as_ref().and_then(|set| set.name_for(type_)) {
            Some(name) => self.out.write_str(&name),
            None => self.out.write_str(name),
        }
    }

    /// Writes `Name = type`; within a set, only the type.
    fn expand(&mut self, alias: &TypeAlias) -> fmt::Result {
        if self.set.is_none() {
            write!(self.out, "{} = ", alias.name)?;
        }
        match alias.resolved() {
            Some(resolved) => self.type_(resolved),
            None => self.type_(&Type::Reference("UnresolvedReference".into())),
        }
    }
}

/// Returns `min, max`, without absent limits.
fn range_parts(range: IntegerRange) -> Vec<String> {
    if range.is_unbounded() {
        return Vec::new();
    }
    let min = range.least().map_or_else(|| "default".to_owned(), |min| min.to_string());
    let max = range.greatest().map(|max| max.to_string());
    std::iter::once(min).chain(max).collect()
}

fn size_parts(size: Option<IntegerRange>) -> Vec<String> {
    size.map_or_else(Vec::new, range_parts)
}

fn float_parts(range: FloatRange) -> Vec<String> {
    if range == FloatRange::ALL {
        return Vec::new();
    }
    let min = match range.min {
        f64::NEG_INFINITY => "default".to_owned(),
        min => float::to_s(min),
    };
    let max = (range.max != f64::INFINITY).then(|| float::to_s(range.max));
    std::iter::once(min).chain(max).collect()
}
