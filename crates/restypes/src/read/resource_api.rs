//! Types of the Resource API, which one hash declares.

use std::rc::Rc;

use kukla_regex::Regex;

use super::Reader;
use super::model::{Draft, Module, Patterns};
use super::value::{Frame, Value};
use kukla_catalog::types::AppliesTo;
use kukla_catalog::types::{TitlePart, TitlePattern, TitlePatterns};

impl Reader<'_> {
    /// Declares a type: `Puppet::ResourceApi.register_type`.
    pub(super) fn register_type(&mut self, args: &[Value], line: u32, frame: &Frame) -> Value {
        let Some(definition) = args.first() else { return Value::Unknown };
        let Some(name) = definition.at("name").and_then(Value::text) else {
            self.report(frame, line, "it declares a type whose name is not known".to_owned());
            return Value::Unknown;
        };
        let name: Rc<str> = name.to_lowercase().into();
        let mut draft = Draft { name: Rc::clone(&name), line, ..Draft::default() };
        if has_feature(definition, "remote_resource") {
            draft.applies_to = AppliesTo::Device;
        }
        if self.attributes(definition, &mut draft).is_none() {
            self.report(frame, line, "its attributes are not literal".to_owned());
        }
        match patterns(definition, &draft) {
            Some(patterns) => draft.patterns = Some(Patterns(patterns)),
            None => self.report(frame, line, "its title patterns are not literal".to_owned()),
        }
        let module = Module { path: name, draft: Some(draft), ..Module::default() };
        Value::Module(self.add_module(module))
    }

    fn attributes(&self, definition: &Value, draft: &mut Draft) -> Option<()> {
        let Some(Value::Hash(attributes)) = definition.at("attributes") else { return None };
        let behaviour = |options: &Value| {
            let value = options.at("behaviour").or_else(|| options.at("behavior"));
            value.map(|value| value.text().map(|text| text.to_string()))
        };
        let is_synced = attributes.iter().any(|(_, options)| behaviour(options).is_none());
        if has_feature(definition, "custom_insync") && !is_synced {
            draft.properties.push("rsapi_custom_insync_trigger".into());
        }
        for (name, options) in attributes.iter() {
            let name: Rc<str> = name.text()?.to_lowercase().into();
            if !matches!(options, Value::Hash(_)) {
                return None;
            }
            match behaviour(options) {
                None => add_property(draft, &name),
                Some(Some(behaviour)) => match &*behaviour {
                    "init_only" => add_property(draft, &name),
                    "namevar" => draft.parameters.push((name, true)),
                    "parameter" | "read_only" => draft.parameters.push((name, false)),
                    _ => return None,
                },
                Some(None) => return None,
            }
        }
        Some(())
    }
}

fn add_property(draft: &mut Draft, name: &Rc<str>) {
    match &**name {
        "ensure" => draft.properties.insert(0, Rc::clone(name)),
        _ => draft.properties.push(Rc::clone(name)),
    }
}

fn has_feature(definition: &Value, name: &str) -> bool {
    match definition.at("features") {
        Some(Value::Array(features)) => {
            features.iter().any(|feature| feature.text().is_some_and(|text| &**text == name))
        }
        _ => false,
    }
}

/// Reads title patterns: groups are named after attributes. Without patterns, the title is the first namevar.
fn patterns(definition: &Value, draft: &Draft) -> Option<TitlePatterns> {
    let Some(patterns) = definition.at("title_patterns") else {
        let (first, _) = draft.parameters.iter().find(|(_, is_namevar)| *is_namevar)?;
        let options = kukla_regex::Options { multi_line: true, ..Default::default() };
        let regex = Regex::with_options("(.*)", options).ok()?;
        if draft.key_attributes().count() == 1 {
            return Some(TitlePatterns::Default);
        }
        return Some(TitlePatterns::List(vec![TitlePattern {
            regex,
            parts: vec![TitlePart::plain(first)],
        }]));
    };
    let Value::Array(patterns) = patterns else { return None };
    let pattern = |item: &Value| {
        let Some(Value::Regex(source, options)) = item.at("pattern") else { return None };
        let regex = Regex::with_options(source, *options).ok()?;
        let parts = regex.names().map(|(name, _)| TitlePart::plain(name)).collect();
        Some(TitlePattern { regex, parts })
    };
    Some(TitlePatterns::List(patterns.iter().map(pattern).collect::<Option<_>>()?))
}
