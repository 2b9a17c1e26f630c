//! `left[keys]`

use std::sync::{Arc, OnceLock};

use kukla_pcore::elements::flattened;
use kukla_pcore::types::access::AccessBlame;
use kukla_pcore::types::{AccessError, Accessed};
use kukla_pcore::{Type, Value, types};
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use super::scope::ScopeId;
use super::{CatalogHost, Interpreter, coerce, members, peek, watch};
use crate::program::{Cached, NodeInfo};
use crate::{Eval, Program, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `left[keys]`
    #[inline(never)]
    pub(super) fn access(
        &mut self,
        program: &Program,
        id: ExprId,
        left_id: ExprId,
        keys: ExprList,
        out: &mut Value,
    ) -> Eval<()> {
        if let Some(cache) = program.type_cache(id) {
            return self.access_cached(program, (left_id, keys), cache, out);
        }
        if self.inputs.is_recording()
            && let Some((root, path)) = watch::path_of(program, id)
            && let Some(watch) = self.scopes.watched(ScopeId::TOP)
        {
            let before = watch.note_path(root, path);
            let result = self.access_unrecorded(program, left_id, keys, out);
            if let Some(watch) = self.scopes.watched(ScopeId::TOP) {
                watch.unhush(before);
            }
            return result;
        }
        self.access_unrecorded(program, left_id, keys, out)
    }

    /// `Type[parameters]` that is worked out once in an environment.
    fn access_cached(
        &mut self,
        program: &Program,
        (left_id, keys): (ExprId, ExprList),
        cache: &OnceLock<Cached<Type>>,
        out: &mut Value,
    ) -> Eval<()> {
        if let Some(cached) = cache.get() {
            self.inputs.replay(&cached.reads);
            out.put(Value::Type(Arc::clone(&cached.value)));
            return Ok(());
        }
        let (result, reads) =
            self.gather(|interpreter| interpreter.access_unrecorded(program, left_id, keys, out));
        if let (Ok(()), Value::Type(type_)) = (&result, &*out) {
            let _ = cache.set(Cached { value: Arc::clone(type_), reads });
        }
        result
    }

    #[inline]
    fn access_unrecorded(
        &mut self,
        program: &Program,
        left_id: ExprId,
        keys: ExprList,
        out: &mut Value,
    ) -> Eval<()> {
        let ast = program.ast();
        // A hash or array that is looked into with a constant needs no copy.
        if let [key] = ast.list(keys)
            && let NodeInfo::Constant(key) = program.node_info(*key)
        {
            match (peek(&self.scopes, program, left_id), key) {
                (Some(Value::Hash(hash)), key) => {
                    if let Some(value) = hash.get(key) {
                        value.copy_to(out);
                    }
                    return Ok(());
                }
                (Some(Value::Array(values)), Value::Integer(index @ 0..)) => {
                    let index = usize::try_from(*index).ok();
                    if let Some(value) = index.and_then(|index| values.get(index)) {
                        value.copy_to(out);
                    }
                    return Ok(());
                }
                _ => (),
            }
        }
        let left = self.eval(program, left_id)?;
        if let Value::Hash(hash) = &left
            && let [key] = ast.list(keys)
        {
            let key = self.eval(program, *key)?;
            if let Some(value) = hash.get(&key) {
                value.copy_to(out);
            }
            return Ok(());
        }
        let keys_at = ast.list(keys);
        let mut values = Vec::with_capacity(keys_at.len());
        for &key in keys_at {
            values.push(self.key(program, &left, key)?);
        }
        let value = self.access_values(program, left_id, keys_at, &left, values)?;
        out.put(value);
        Ok(())
    }

    /// A key; in `Class[Name]` the name need not be that of a type.
    fn key(&mut self, program: &Program, left: &Value, key: ExprId) -> Eval<Value> {
        match (left, program.ast()[key]) {
            (Value::Type(type_), Expr::QualifiedReference(name))
                if matches!(**type_, Type::Class(_)) =>
            {
                let name = program.ast().text(name);
                Ok(Value::type_(
                    self.find_type(name)?.unwrap_or_else(|| Type::Reference(name.into())),
                ))
            }
            _ => self.eval(program, key),
        }
    }

    fn access_values(
        &mut self,
        program: &Program,
        left_id: ExprId,
        keys_at: &[ExprId],
        left: &Value,
        keys: Vec<Value>,
    ) -> Eval<Value> {
        match left {
            Value::Hash(hash) => {
                let found = keys.iter().filter_map(|key| hash.get(key));
                Ok(Value::array(found.filter(|value| !value.is_undef()).cloned()))
            }
            Value::Array(values) => {
                self.access_array(program, left_id, keys_at, left, values, flatten(keys))
            }
            Value::String(text) => {
                let part = access_string(program, left_id, keys_at, text, &flatten(keys))?;
                Ok(self.byte_texts.keep(left, part))
            }
            Value::Binary(bytes) => {
                // Bytes are taken for the characters of a text.
                let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
                match access_string(program, left_id, keys_at, &text, &flatten(keys))? {
                    Value::String(text) => {
                        let bytes: Vec<u8> =
                            text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
                        Ok(Value::Binary(bytes.into()))
                    }
                    other => Ok(other),
                }
            }
            Value::Type(type_) => self.access_type(program, left_id, keys_at, type_, &keys),
            other => match members::access(other, &keys) {
                Some(value) => value,
                None => issues::at(program, left_id, issues::operator_not_applicable("[]", other)),
            },
        }
    }

    fn access_type(
        &mut self,
        program: &Program,
        left_id: ExprId,
        keys_at: &[ExprId],
        type_: &Type,
        keys: &[Value],
    ) -> Eval<Value> {
        // `Resource[File]` is `File`.
        if let (Type::Resource(resource), [Value::Type(key)]) = (type_, keys)
            && resource.name.is_none()
            && matches!(**key, Type::Resource(_))
        {
            return Ok(keys[0].clone());
        }
        match types::access(type_, keys, &self.names()) {
            Ok(Accessed::Value(value)) => Ok(value),
            Ok(Accessed::Attributes { keys, as_array }) => {
                C::attributes(self, program, left_id, type_, &keys, as_array)
            }
            Err(AccessError { message, raised: true, .. }) => {
                fault(issues::bad_type_parameters(message))
            }
            Err(AccessError { message, blame, .. }) => match blame {
                // What is at the place of the whole is at the place of the left side as well.
                AccessBlame::Whole | AccessBlame::Left => {
                    issues::at(program, left_id, issues::bad_type_parameters(message))
                }
                AccessBlame::Key(key) => {
                    let at = keys_at.get(key).copied().unwrap_or(left_id);
                    issues::at(program, at, issues::bad_type_parameters(message))
                }
            },
        }
    }

    fn access_array(
        &mut self,
        program: &Program,
        left_id: ExprId,
        keys_at: &[ExprId],
        left: &Value,
        values: &[Value],
        keys: Vec<Value>,
    ) -> Eval<Value> {
        let n_keys = keys.len();
        if !(1..=2).contains(&n_keys) {
            return issues::at(program, left_id, issues::array_slice_arity(n_keys));
        }
        let mut numbers = Vec::with_capacity(2);
        for (n, key) in keys.into_iter().enumerate() {
            let at = keys_at.get(n).copied().unwrap_or(left_id);
            numbers.push(self.coerce(program, at, key)?);
        }
        let mut indexes = Vec::with_capacity(2);
        for (n, number) in numbers.iter().enumerate() {
            match number {
                Value::Integer(index) => indexes.push(*index),
                other => {
                    let at = keys_at.get(n).copied().unwrap_or(left_id);
                    let issue = issues::slice_key_type(left, &key_type_name(other), "Integer");
                    return issues::at(program, at, issue);
                }
            }
        }
        let size = i64::try_from(values.len()).unwrap_or(i64::MAX);
        match indexes[..] {
            [index] => {
                let index = if index < 0 { index.saturating_add(size) } else { index };
                let found = usize::try_from(index).ok().and_then(|index| values.get(index));
                Ok(found.cloned().unwrap_or_default())
            }
            _ => Ok(match slice(indexes[0], indexes[1], size) {
                Some((start, end)) => Value::array(values[start..end].iter().cloned()),
                None => Value::array([]),
            }),
        }
    }
}

/// Returns the type name of a value that can't be a key.
fn key_type_name(value: &Value) -> String {
    match value {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        other => types::infer(other).generalize().to_string(),
    }
}

fn flatten(keys: Vec<Value>) -> Vec<Value> {
    if !keys.iter().any(|key| matches!(key, Value::Array(_))) {
        return keys;
    }
    flattened(&keys)
}

fn access_string(
    program: &Program,
    left_id: ExprId,
    keys_at: &[ExprId],
    text: &str,
    keys: &[Value],
) -> Eval<Value> {
    if !(1..=2).contains(&keys.len()) {
        return issues::at(program, left_id, issues::string_slice_arity(keys.len()));
    }
    let mut indexes = Vec::with_capacity(2);
    for (n, key) in keys.iter().enumerate() {
        let number = match key {
            Value::String(text) => coerce::number(text),
            Value::Integer(_) | Value::Float(_) | Value::Timespan(_) | Value::Timestamp(_) => {
                Some(key.clone())
            }
            _ => None,
        };
        match number {
            Some(Value::Integer(index)) => indexes.push(index),
            other => {
                let name = key_type_name(other.as_ref().unwrap_or(key));
                let at = keys_at.get(n).copied().unwrap_or(left_id);
                return issues::at(program, at, issues::string_slice_key_type(&name));
            }
        }
    }
    Ok(Value::from(substring(text, &indexes)))
}

fn substring<'a>(text: &'a str, indexes: &[i64]) -> &'a str {
    let size = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let range = match *indexes {
        [index] => {
            let index = if index < 0 { index.saturating_add(size) } else { index };
            (0..size).contains(&index).then(|| (to_usize(index), to_usize(index) + 1))
        }
        _ => slice(indexes[0], indexes[1], size),
    };
    let Some((start, end)) = range else { return "" };
    let offset = |n| text.char_indices().nth(n).map_or(text.len(), |(offset, _)| offset);
    &text[offset(start)..offset(end)]
}

/// From where to where `[from, length]` reaches; negative numbers count from the end.
fn slice(from: i64, length: i64, size: i64) -> Option<(usize, usize)> {
    let from = if from < 0 { size.saturating_add(from) } else { from };
    let length = match length {
        length if length < 0 => size.saturating_sub(from).saturating_add(length).saturating_add(1),
        length => length,
    };
    let (from, length) = if from < 0 { (0, length.saturating_add(from)) } else { (from, length) };
    if from > size || length < 0 {
        return None;
    }
    Some((to_usize(from), to_usize(from.saturating_add(length).min(size))))
}

fn to_usize(value: i64) -> usize {
    usize::try_from(value).unwrap_or(0)
}
