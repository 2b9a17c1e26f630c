//! Interpolation of `%{…}` in texts.

use std::rc::Rc;

use ecow::EcoString;
use kukla_base::{EditionChange, cancel};
use kukla_pcore::{Hash, Value, ruby};

use crate::fault::may_go_on;
use crate::key::split;
use crate::run::{Invocation, Run, UnknownVariables, VariableUse};
use crate::session::Query;
use crate::trace::{Event, StepKind};
use crate::{Fault, Miss, Search};

/// Expressions that are empty.
const EMPTY: &[&str] = &["", "::", "\"\"", "''", "\"::\"", "'::'"];

/// Interpolation method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Scope,
    Lookup,
    Alias,
    Literal,
}

impl Run<'_> {
    /// Interpolates all texts in a value.
    pub(crate) fn interpolate(&mut self, value: &Value, allow_methods: bool) -> Search<Value> {
        match value {
            Value::String(text) if text.contains("%{") => {
                self.interpolate_string(text, allow_methods)
            }
            Value::Array(items) => cancel::walk(Ok(Value::Undef), || {
                let items: Search<Vec<Value>> =
                    items.iter().map(|item| self.interpolate(item, allow_methods)).collect();
                Ok(Value::array(items?))
            }),
            Value::Hash(hash) => cancel::walk(Ok(Value::Undef), || {
                let mut result = Hash::with_capacity(hash.len());
                for (key, value) in hash.iter() {
                    let key = self.interpolate(key, allow_methods)?;
                    result.insert(key, self.interpolate(value, allow_methods)?);
                }
                Ok(Value::from(result))
            }),
            other => Ok(other.clone()),
        }
    }

    /// Interpolates a text of a configuration, where only variables are allowed.
    pub(crate) fn interpolate_text(&mut self, text: &str) -> Search<String> {
        let value = self.interpolate(&Value::from(text), false)?;
        let path = ruby::to_s(&value);
        self.check_climbing(text, &path)?;
        Ok(path)
    }

    fn interpolate_string(&mut self, subject: &EcoString, allow_methods: bool) -> Search<Value> {
        may_go_on()?;
        self.with(
            || StepKind::Interpolation(subject.clone()),
            |run| run.expand(subject, allow_methods),
        )
    }

    fn expand(&mut self, subject: &str, allow_methods: bool) -> Search<Value> {
        let mut out = String::with_capacity(subject.len());
        let mut rest = subject;
        while let Some(start) = rest.find("%{") {
            let Some(length) = rest[start + 2..].find('}') else { break };
            let end = start + 2 + length;
            let expression = strip(&rest[start + 2..end]);
            out.push_str(&rest[..start]);
            if !EMPTY.contains(&expression) {
                let (method, key) = method_and_key(expression, allow_methods)?;
                if method == Method::Alias {
                    if start != 0 || end + 1 != subject.len() || rest.len() != subject.len() {
                        return Err(alias_not_entire().into());
                    }
                    return self.global_lookup(key);
                }
                let value = self.expression(method, key, subject)?;
                let name: EcoString = match method {
                    Method::Scope => format!("scope:{key}").into(),
                    _ => key.into(),
                };
                let value = self.check(&name, |run| run.interpolate(&value, allow_methods))?;
                if !value.is_undef() {
                    out.push_str(&ruby::to_s(&value));
                }
                if cancel::is_full(&mut out) {
                    break;
                }
            }
            rest = &rest[end + 1..];
        }
        out.push_str(rest);
        Ok(Value::from(out))
    }

    fn expression(&mut self, method: Method, key: &str, subject: &str) -> Search<Value> {
        match method {
            Method::Scope => self.scope_lookup(key, subject),
            Method::Lookup | Method::Alias => self.global_lookup(key),
            Method::Literal => Ok(Value::from(key)),
        }
    }

    /// Looks up another key; a missing one is an empty text.
    fn global_lookup(&mut self, key: &str) -> Search<Value> {
        let is_wrapped = self.invocation.has_hiera_scope && self.invocation.is_global_only;
        let invocation = Invocation {
            has_hiera_scope: is_wrapped,
            overrides: self.invocation.overrides.clone(),
            defaults: self.invocation.defaults.clone(),
            top_key: key.into(),
            locals: None,
            ..self.child()
        };
        self.as_invocation(invocation, |run| {
            let names = [EcoString::from(key)];
            let query = Query { default: Some(Value::from("")), ..Query::new(&names) };
            // A syntax error in the key is reported first.
            crate::Key::new(&names[0])?;
            let found = run.query(&query)?;
            found.map(|found| found.value).ok_or(Miss::NotFound)
        })
    }

    /// Returns the value of a variable, or of an element of it.
    pub(crate) fn scope_lookup(&mut self, key: &str, subject: &str) -> Search<Value> {
        let Some(mut segments) = split(key) else {
            return Err(Fault::lookup(format!("Syntax error in string: {subject}")).into());
        };
        if self.invocation.is_survey {
            if let Some(uses) = &self.invocation.uses {
                let (key, root) = (EcoString::from(key), EcoString::new());
                let segments = Vec::new();
                uses.borrow_mut().push(VariableUse { key, root, segments, value: Value::Undef });
            }
            return Ok(Value::from(crate::survey::ANYTHING));
        }
        let root = match segments.remove(0) {
            Value::String(root) => root,
            number => {
                let message = format!(
                    "Scope variable name {} is a Integer, not a string",
                    ruby::inspect(&number)
                );
                let scope = || StepKind::Scope("Global Scope".to_owned());
                return self.with(scope, |_| Err(Fault::puppet(message).into()));
            }
        };
        self.host.begin_path(&root, &segments);
        let scope = || StepKind::Scope("Global Scope".to_owned());
        let value = self.with(scope, |run| run.scope_value(&root));
        self.host.end_path();
        let mut value = value?;
        if !value.is_undef() && !segments.is_empty() {
            value = match self.sub_lookup(key, &segments, value) {
                Err(Miss::NotFound) => Value::Undef,
                other => other?,
            };
        }
        if let Some(uses) = &self.invocation.uses
            && (value.is_undef() || !key.starts_with("::"))
        {
            let value = value.clone();
            uses.borrow_mut().push(VariableUse { key: key.into(), root, segments, value });
        }
        Ok(value)
    }

    fn scope_value(&mut self, root: &EcoString) -> Search<Value> {
        let invocation = Rc::clone(&self.invocation);
        let given = |hash: &Option<Rc<Hash>>| hash.as_ref()?.get_str(root).cloned();
        if let Some(value) = given(&invocation.overrides) {
            self.update_trace(|trace| {
                trace.found(Event::FoundInOverrides, root.to_string(), value.clone());
            });
            return Ok(value);
        }
        let default = given(&invocation.defaults);
        let has_default =
            default.is_some() && self.session.has(EditionChange::DefaultsOfUnknownVariables);
        let found = match has_default {
            true => self.allowing(UnknownVariables::Undefined, |run| run.variable(root))?,
            false => self.variable(root)?,
        };
        let value = match found {
            Some(value) => value,
            None => {
                let Some(value) = default else { return Ok(Value::Undef) };
                self.update_trace(|trace| {
                    trace.found(Event::FoundInDefaults, root.to_string(), value.clone());
                });
                return Ok(value);
            }
        };
        self.found(root, &value);
        Ok(value)
    }
}

fn alias_not_entire() -> Fault {
    Fault::issue(
        "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
        "'alias' interpolation is only permitted if the expression is equal to the entire string",
        None,
    )
}

/// Trims like Ruby's `strip`, which also removes NUL.
fn strip(text: &str) -> &str {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r');
    text.trim_start_matches(|c| is_space(c) || c == '\0')
        .trim_end_matches(|c| is_space(c) || c == '\0')
}

/// Parses `lookup('key')`, or a variable.
fn method_and_key(text: &str, allow_methods: bool) -> Result<(Method, &str), Fault> {
    let Some((name, key)) = call(text) else { return Ok((Method::Scope, text)) };
    if !allow_methods {
        return Err(Fault::issue(
            "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED",
            "Interpolation using method syntax is not allowed in this context",
            None,
        ));
    }
    let method = match name {
        "lookup" | "hiera" => Method::Lookup,
        "alias" => Method::Alias,
        "scope" => Method::Scope,
        "literal" => Method::Literal,
        name => {
            return Err(Fault::issue(
                "HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD",
                format!("Unknown interpolation method '{name}'"),
                None,
            ));
        }
    };
    Ok((method, key))
}

/// Returns the name and the quoted argument of a call.
fn call(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let argument = rest.strip_suffix(')')?;
    for quote in ['"', '\''] {
        let inner = argument.strip_prefix(quote).and_then(|inner| inner.strip_suffix(quote));
        if let Some(inner) = inner
            && is_name
            && !inner.is_empty()
            && !inner.contains(quote)
        {
            return Some((name, inner));
        }
    }
    None
}

/// A piece of a text with `%{…}` in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// `%{name}` or `%{scope('name')}`, maybe with a path into the value.
    Variable(&'a str),
    /// `%{lookup('key')}`, converted to text.
    Lookup(&'a str),
    /// `%{alias('key')}`, the value itself.
    Alias(&'a str),
}

/// Returns the pieces of a text; a fault if it can't be interpolated on any node.
pub fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Fault> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(start) = rest.find("%{") {
        let Some(length) = rest[start + 2..].find('}') else {
            return Err(Fault::lookup("`%{` is not closed"));
        };
        let end = start + 2 + length;
        if start > 0 {
            pieces.push(Piece::Text(&rest[..start]));
        }
        let expression = strip(&rest[start + 2..end]);
        if !EMPTY.contains(&expression) {
            let (method, key) = method_and_key(expression, true)?;
            pieces.push(match method {
                Method::Scope => {
                    if split(key).is_none() {
                        return Err(Fault::lookup(format!("Syntax error in string: {text}")));
                    }
                    Piece::Variable(key)
                }
                Method::Lookup => Piece::Lookup(key),
                Method::Literal => Piece::Text(key),
                Method::Alias if start == 0 && end + 1 == rest.len() && pieces.is_empty() => {
                    Piece::Alias(key)
                }
                Method::Alias => return Err(alias_not_entire()),
            });
        }
        rest = &rest[end + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}
