//! Rules as written in the file.

use kukla_plang::dump::quoted;
use serde_json::{Map, Value};

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    /// Its name.
    pub(super) name: String,
    /// Order of rules; lower comes first.
    pub(super) sort_order: i64,
    /// The path or pattern.
    pub(super) path: String,
    /// Whether `path` is a pattern.
    pub(super) is_regex: bool,
    /// Methods in upper case; empty: any.
    pub(super) methods: Vec<String>,
    /// Parameters of the query with the values that fit.
    pub(super) query: Vec<(String, Vec<String>)>,
    /// Clients that are denied.
    pub(super) deny: Vec<Value>,
    /// Clients that are allowed.
    pub(super) allow: Vec<Value>,
    /// Whether all clients are allowed, also without a certificate.
    pub(super) is_open: bool,
}

type Read<T> = Result<T, String>;

/// Returns the rules of a file, in the order in which they are tried.
pub(super) fn rules(value: &Value) -> Read<Vec<Rule>> {
    let rules = value.get("authorization").and_then(|section| section.get("rules"));
    let rules = rules.and_then(Value::as_array).ok_or("there is no list `authorization.rules`")?;
    let mut rules = rules.iter().map(rule).collect::<Read<Vec<Rule>>>()?;
    rules.sort_by(|one, other| (one.sort_order, &one.name).cmp(&(other.sort_order, &other.name)));
    if let Some(twice) = rules.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(format!("two rules have the name `{}`", twice[0].name));
    }
    Ok(rules)
}

fn rule(value: &Value) -> Read<Rule> {
    let table = value.as_object().ok_or("a rule is an object")?;
    let name = table.get("name").and_then(Value::as_str).ok_or("a rule has no `name`")?;
    let context = |words: String| format!("rule `{name}`: {words}");
    let keys = ["name", "sort-order", "match-request", "allow", "deny", "allow-unauthenticated"];
    if let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) {
        return Err(context(format!("`{key}` is not known")));
    }
    let request = table.get("match-request").and_then(Value::as_object);
    let request = request.ok_or_else(|| context("`match-request` is missing".to_owned()))?;
    let is_open = table.get("allow-unauthenticated").and_then(Value::as_bool).unwrap_or(false);
    let sort_order = table.get("sort-order").and_then(Value::as_i64);
    let sort_order = sort_order.filter(|order| (1..=999).contains(order));
    let (path, is_regex) = path(request).map_err(context)?;
    Ok(Rule {
        name: name.to_owned(),
        sort_order: sort_order.ok_or_else(|| context("`sort-order` is 1 to 999".to_owned()))?,
        path,
        is_regex,
        methods: methods(request).map_err(context)?,
        query: query(request).map_err(context)?,
        deny: list(table.get("deny")),
        allow: list(table.get("allow")),
        is_open,
    })
}

fn path(request: &Map<String, Value>) -> Read<(String, bool)> {
    let path = request.get("path").and_then(Value::as_str).ok_or("`path` is missing")?;
    match request.get("type").and_then(Value::as_str) {
        Some("path") => Ok((path.to_owned(), false)),
        Some("regex") => Ok((path.to_owned(), true)),
        _ => Err("`type` is `path` or `regex`".to_owned()),
    }
}

fn methods(request: &Map<String, Value>) -> Read<Vec<String>> {
    let methods = strings(request.get("method"))?;
    let is_any = methods.iter().any(|method| method.eq_ignore_ascii_case("any"));
    let methods = methods.iter().map(|method| method.to_ascii_uppercase());
    Ok(if is_any { Vec::new() } else { methods.collect() })
}

fn query(request: &Map<String, Value>) -> Read<Vec<(String, Vec<String>)>> {
    let Some(params) = request.get("query-params") else { return Ok(Vec::new()) };
    let params = params.as_object().ok_or("`query-params` is an object")?;
    params.iter().map(|(name, values)| Ok((name.clone(), strings(Some(values))?))).collect()
}

/// Returns a single value as a list, and a list unchanged.
pub(super) fn list(value: Option<&Value>) -> Vec<Value> {
    match value {
        None => Vec::new(),
        Some(Value::Array(values)) => values.clone(),
        Some(value) => vec![value.clone()],
    }
}

/// Like [`list`], but all values must be strings.
pub(super) fn strings(value: Option<&Value>) -> Read<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        _ => Err(format!("`{value}` is no string")),
    };
    list(value).iter().map(text).collect()
}

impl Rule {
    /// Returns the condition under which the rule decides.
    pub(super) fn condition(&self) -> Read<String> {
        let path = quoted(self.path.as_bytes());
        let op = if self.is_regex { "matches" } else { "begins_with" };
        let mut terms = vec![format!("path {op} {path}")];
        if !self.methods.is_empty() {
            terms.push(one_of("method", &self.methods));
        }
        for (name, values) in &self.query {
            let name = quoted(name.as_bytes());
            let tests = values.iter().map(|value| {
                format!("Http.request.uri.params.have({name}, {})", quoted(value.as_bytes()))
            });
            let tests: Vec<String> = tests.collect();
            terms.push(match tests.as_slice() {
                [] => "false".to_owned(),
                [test] => test.clone(),
                tests => format!("({})", tests.join(" or ")),
            });
        }
        Ok(terms.join(" and "))
    }
}

/// Returns `subject == "a"`, or the test of a set for several texts.
pub(super) fn one_of(subject: &str, texts: &[String]) -> String {
    let mut literals: Vec<String> = Vec::new();
    for text in texts {
        let literal = quoted(text.as_bytes());
        if !literals.contains(&literal) {
            literals.push(literal);
        }
    }
    match literals.as_slice() {
        [text] => format!("{subject} == {text}"),
        texts => format!("Core.set({}).has({subject})", texts.join(", ")),
    }
}
