//! Functions and templates that a real Ruby runs.

use std::sync::Arc;

use kukla_foreign::{
    Function, FunctionKind, Host, NoHost, Param, ParamKind, Render, RubyError, RunFunctions,
    Signature,
};
use kukla_pcore::{Hash, Value};

use crate::conversation::value;
use crate::message::{request, rich, text};
use crate::pool::Pool;

/// A file with functions.
#[derive(Debug)]
pub struct FunctionFile {
    pool: Arc<Pool>,
    path: String,
    functions: Vec<Function>,
}

impl FunctionFile {
    /// Loads a file in a process, and lists the functions that it defines.
    pub fn read(pool: &Arc<Pool>, path: &str) -> Result<Self, RubyError> {
        let parts = pool.ask(&request("functions", [Value::string(path)]), &mut NoHost)?;
        let functions = match parts.first() {
            Some(Value::Array(functions)) => functions.iter().filter_map(function).collect(),
            _ => Vec::new(),
        };
        Ok(Self { pool: Arc::clone(pool), path: path.to_owned(), functions })
    }
}

impl RunFunctions for FunctionFile {
    fn functions(&self) -> &[Function] {
        &self.functions
    }

    fn call(
        &self,
        host: &mut dyn Host,
        name: &str,
        signature: Option<usize>,
        args: &[Value],
        has_block: bool,
    ) -> Result<Value, RubyError> {
        host.runs_real_ruby(Some(&self.path));
        let signature = signature.and_then(|n| i64::try_from(n).ok());
        let parts = [
            Value::string(self.path.as_str()),
            Value::string(name),
            signature.map_or(Value::Undef, Value::Integer),
            Value::array(args.iter().cloned()),
            Value::Boolean(has_block),
        ];
        let parts = self.pool.ask(&request("call", parts), host)?;
        value(&parts, host)
    }
}

/// A template.
#[derive(Debug)]
pub struct Template {
    pool: Arc<Pool>,
    path: Option<String>,
    text: String,
}

impl Template {
    /// Creates a template from a file, or an inline one.
    pub fn new(pool: &Arc<Pool>, path: Option<&str>, text: &str) -> Self {
        let path = path.map(str::to_owned);
        Self { pool: Arc::clone(pool), path, text: text.to_owned() }
    }
}

impl Render for Template {
    fn render(&self, host: &mut dyn Host) -> Result<String, RubyError> {
        host.runs_real_ruby(self.path.as_deref());
        let path = self.path.as_deref().map_or(Value::Undef, Value::string);
        let parts = [path, Value::string(self.text.as_str())];
        let parts = self.pool.ask(&request("render", parts), host)?;
        if let Some(Value::Hash(changed)) = parts.get(1) {
            for (name, value) in changed.iter() {
                if let (Some(name), Ok(value)) = (name.as_str(), rich(value.clone(), host)) {
                    host.variable_changed(name, value);
                }
            }
        }
        Ok(text(&parts, 0))
    }
}

fn function(value: &Value) -> Option<Function> {
    let Value::Hash(hash) = value else { return None };
    let kind = match hash.get_str("signatures") {
        Some(Value::Array(signatures)) => FunctionKind::New {
            signatures: signatures.iter().filter_map(signature).collect(),
            local_types: texts(hash, "local_types"),
        },
        _ => FunctionKind::Old {
            arity: match hash.get_str("arity") {
                Some(Value::Integer(arity)) => *arity,
                _ => -1,
            },
            is_rvalue: is_true(hash, "rvalue"),
        },
    };
    Some(Function { name: field(hash, "name")?, kind })
}

fn signature(value: &Value) -> Option<Signature> {
    let Value::Hash(hash) = value else { return None };
    let params = match hash.get_str("params") {
        Some(Value::Array(params)) => params.iter().filter_map(param).collect(),
        _ => Vec::new(),
    };
    let block = field(hash, "block").map(|text| (text, is_true(hash, "block_required")));
    Some(Signature {
        method: field(hash, "method")?,
        params,
        block,
        return_type: field(hash, "returns"),
        is_mismatch: is_true(hash, "mismatch"),
        takes_scope: is_true(hash, "scope"),
    })
}

fn param(value: &Value) -> Option<Param> {
    let Value::Hash(hash) = value else { return None };
    let kind = match field(hash, "kind")?.as_str() {
        "optional" => ParamKind::Optional,
        "repeated" => ParamKind::Repeated,
        "required_repeated" => ParamKind::RequiredRepeated,
        _ => ParamKind::Required,
    };
    Some(Param { name: field(hash, "name")?, type_text: field(hash, "type")?, kind })
}

fn field(hash: &Hash, name: &str) -> Option<String> {
    hash.get_str(name)?.as_str().map(str::to_owned)
}

fn is_true(hash: &Hash, name: &str) -> bool {
    matches!(hash.get_str(name), Some(Value::Boolean(true)))
}

fn texts(hash: &Hash, name: &str) -> Vec<String> {
    match hash.get_str(name) {
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
