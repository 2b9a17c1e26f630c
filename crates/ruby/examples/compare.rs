//! Answers questions about templates and expressions for `tests/oracle/ruby/compare.rb`, which asks real Ruby the same.
//!
//! Each line of the input is a JSON object: `{"erb": text, "vars": {…}}`, `{"eval": code}` or
//! `{"function": path, "args": […]}`; each line of the output is the answer.

use std::io::{BufRead, Write};

use kukla_pcore::{Hash, Value};
use kukla_ruby::{
    BlockFn, FunctionFile, FunctionKind, Host, HostError, RubyError, Sources, Template, evaluate,
};
use serde_json::{Value as Json, json};

struct Variables(Vec<(String, Value)>);

impl Host for Variables {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError> {
        let name = name.trim_start_matches("::");
        Ok(self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        self.0.iter().filter(|(_, value)| !value.is_undef()).cloned().collect()
    }

    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        _block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        let text: Vec<String> = args.iter().map(kukla_pcore::ruby::inspect).collect();
        Ok(match name {
            "versioncmp" => Value::Integer(0),
            "warning" | "notice" | "debug" | "deprecation" => Value::Undef,
            _ => Value::string(format!("{name}({})", text.join(", "))),
        })
    }

    fn has_function(&mut self, _name: &str) -> bool {
        true
    }
}

struct Files(Option<String>);

impl Sources for Files {
    fn ruby_file(&mut self, name: &str) -> Option<(String, String)> {
        let path = if name.starts_with('/') {
            format!("{name}.rb")
        } else {
            format!("{}/{name}.rb", self.0.as_deref()?)
        };
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path, text))
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => Value::Float(number.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => Value::string(text.as_str()),
        Json::Array(items) => Value::array(items.iter().map(value)),
        Json::Object(entries) => {
            let mut hash = Hash::new();
            for (key, item) in entries {
                hash.insert(Value::string(key.as_str()), value(item));
            }
            Value::hash(hash)
        }
    }
}

fn failure(error: &RubyError) -> Json {
    json!({"error": error.message, "class": error.class, "kind": format!("{:?}", error.kind), "line": error.line})
}

fn answer(question: &Json) -> Json {
    if let Some(code) = question["eval"].as_str() {
        return match evaluate(code, &mut Variables(Vec::new())) {
            Ok(text) => json!({"ok": text}),
            Err(error) => failure(&error),
        };
    }
    if let Some(text) = question["erb"].as_str() {
        let vars = question["vars"].as_object().cloned().unwrap_or_default();
        let mut host =
            Variables(vars.iter().map(|(name, item)| (name.clone(), value(item))).collect());
        return match Template::parse(question["file"].as_str(), text) {
            Err(unsupported) => {
                json!({"unsupported": unsupported.reason, "line": unsupported.line})
            }
            Ok(template) => match template.render(&mut host) {
                Ok(text) => json!({"ok": text}),
                Err(error) => failure(&error),
            },
        };
    }
    let Some(path) = question["function"].as_str() else { return Json::Null };
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lib = path.find("/lib/puppet/").map(|at| path[..at + 4].to_owned());
    let file = match FunctionFile::read(path, &text, &mut Files(lib)) {
        Ok(file) => file,
        Err(unsupported) => {
            return json!({"unsupported": unsupported.reason, "line": unsupported.line});
        }
    };
    let function = &file.functions()[0];
    let args: Vec<Value> = question["args"]
        .as_array()
        .map(|args| args.iter().map(value).collect())
        .unwrap_or_default();
    let signature = match &function.kind {
        FunctionKind::Old { .. } => None,
        FunctionKind::New { .. } => question["signature"].as_u64().map(|n| n as usize),
    };
    match file.call(&mut Variables(Vec::new()), &function.name, signature, &args, false) {
        Ok(value) => json!({"ok": kukla_pcore::ruby::inspect(&value)}),
        Err(error) => failure(&error),
    }
}

fn main() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let question: Json = serde_json::from_str(&line).unwrap_or_default();
        let _ = writeln!(out, "{}", answer(&question));
    }
}
