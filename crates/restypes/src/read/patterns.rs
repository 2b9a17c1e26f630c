//! Title patterns: the result of a type's method `title_patterns`.

use std::rc::Rc;

use kukla_regex::Regex;

use super::Reader;
use super::model::ModuleId;
use super::value::{Closure, Value};
use crate::ruby::{Call, Node, What};
use kukla_catalog::types::{TitlePart, TitlePattern, TitlePatterns, TitleStep};

impl Reader<'_> {
    pub(super) fn title_patterns(&mut self, id: ModuleId) -> TitlePatterns {
        if let Some(patterns) = self.draft(id).and_then(|draft| draft.patterns.clone()) {
            return patterns.0;
        }
        let name: Rc<str> = "title_patterns".into();
        if !self.answers_to(id, &name) {
            return TitlePatterns::Default;
        }
        let result = self.call_method(id, &name, 0, Vec::new(), None);
        if let Ok(Some(value)) = result
            && let Some(patterns) = patterns(&value)
        {
            return TitlePatterns::List(patterns);
        }
        let line = self.draft(id).map_or(0, |draft| draft.line);
        let home = self.modules[id.0].singleton.get(&name);
        let path = home.map_or_else(|| "".into(), |method| Rc::clone(&method.frame.path));
        self.report_at(&path, line, "its title patterns are not literal".to_owned());
        TitlePatterns::Default
    }

    /// Returns the result of `super` in `title_patterns`.
    pub(super) fn default_patterns(&self, id: ModuleId) -> Value {
        let keys: Vec<_> =
            self.draft(id).into_iter().flat_map(|draft| draft.key_attributes()).collect();
        let [key] = &keys[..] else { return Value::Unknown };
        let options = kukla_regex::Options { multi_line: true, ..Default::default() };
        let part = Value::array(vec![Value::Sym(Rc::clone(key))]);
        let pattern = vec![Value::Regex("(.*)".into(), options), Value::array(vec![part])];
        Value::array(vec![Value::array(pattern)])
    }
}

fn patterns(value: &Value) -> Option<Vec<TitlePattern>> {
    let Value::Array(patterns) = value else { return None };
    patterns.iter().map(pattern).collect()
}

fn pattern(value: &Value) -> Option<TitlePattern> {
    let Value::Array(pair) = value else { return None };
    let [Value::Regex(source, options), Value::Array(parts)] = &pair[..] else { return None };
    let regex = Regex::with_options(source, *options).ok()?;
    Some(TitlePattern { regex, parts: parts.iter().map(part).collect::<Option<_>>()? })
}

/// Reads one part of a pattern: `[:name]`, `[:name, procedure]`, or just `:name`.
fn part(value: &Value) -> Option<TitlePart> {
    let Value::Array(pair) = value else { return Some(TitlePart::plain(value.text()?)) };
    match &pair[..] {
        [name] | [name, Value::Nil] => Some(TitlePart::plain(name.text()?)),
        [name, Value::Proc(closure)] => {
            let (steps, if_missing) = procedure(closure)?;
            Some(TitlePart { attribute: (&**name.text()?).into(), steps, if_missing })
        }
        _ => None,
    }
}

/// Returns the methods that a block calls on its parameter, in order, and its result for `nil`.
fn procedure(closure: &Rc<Closure>) -> Option<(Vec<TitleStep>, Option<Box<str>>)> {
    let name = closure.block.params.required.first()?.first()?;
    let body = only(&closure.block.body);
    // `x.nil? ? '' : x` and `x || ''`
    let (nil, some) = match &body.what {
        What::If(condition, yes, no) => match &only(condition).what {
            What::Call(call) if &*call.name == "nil?" && is_local(call.receiver.as_ref(), name) => {
                (yes, no)
            }
            What::Local(local) if local == name => (no, yes),
            _ => return None,
        },
        What::Or(left, right) => (right, left),
        _ => return Some((steps(body, name)?, None)),
    };
    let if_missing = match &only(nil).what {
        What::Str(text) => Some((&**text).into()),
        What::Nil => None,
        _ => return None,
    };
    Some((steps(some, name)?, if_missing))
}

fn is_local(node: Option<&Node>, name: &Rc<str>) -> bool {
    node.is_some_and(|node| matches!(&only(node).what, What::Local(local) if local == name))
}

/// Unwraps a body with a single statement.
fn only(node: &Node) -> &Node {
    match &node.what {
        What::Seq(nodes) if nodes.len() == 1 => only(&nodes[0]),
        _ => node,
    }
}

fn steps(node: &Node, name: &Rc<str>) -> Option<Vec<TitleStep>> {
    match &only(node).what {
        What::Local(local) => (local == name).then(Vec::new),
        What::Call(call) => {
            let mut steps = steps(call.receiver.as_ref()?, name)?;
            steps.push(step(call)?);
            Some(steps)
        }
        _ => None,
    }
}

fn step(call: &Call) -> Option<TitleStep> {
    let literals: Vec<&What> = call.args.iter().map(|arg| &arg.what).collect();
    Some(match (&*call.name, &literals[..]) {
        ("downcase", []) => TitleStep::Downcase,
        ("upcase", []) => TitleStep::Upcase,
        ("capitalize", []) => TitleStep::Capitalize,
        ("strip", []) => TitleStep::Strip,
        ("chomp", [What::Str(end)]) => TitleStep::Chomp((&**end).into()),
        ("sub" | "gsub", [What::Regex(source, options), What::Str(by)]) => {
            let regex = Regex::with_options(source, *options).ok()?;
            match &*call.name {
                "sub" => TitleStep::Sub(regex, (&**by).into()),
                _ => TitleStep::Gsub(regex, (&**by).into()),
            }
        }
        _ => return None,
    })
}
