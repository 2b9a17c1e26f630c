//! JSON and YAML.

use kukla_rubytext::tree::{Tree, View};
use kukla_rubytext::{Data as Plain, RubyInteger as _, json, yaml};

use super::parsed;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, RubyValue};

/// A value to be serialized, with the identity of its object.
pub(crate) struct Written {
    plain: Leaf,
    identity: Option<usize>,
}

enum Leaf {
    Plain(Plain),
    Array(Vec<Written>),
    Hash(Vec<(Written, Written)>),
}

impl Tree for Written {
    fn view(&self) -> View<'_> {
        match &self.plain {
            Leaf::Plain(data) => data.view(),
            Leaf::Array(items) => View::Array(items.iter().map(|item| item as &dyn Tree).collect()),
            Leaf::Hash(entries) => View::Hash(
                entries.iter().map(|(key, value)| (key as &dyn Tree, value as &dyn Tree)).collect(),
            ),
        }
    }

    fn identity(&self) -> Option<usize> {
        self.identity
    }
}

const MAX_DEPTH: usize = 1_000;

/// The classes that a method of `YAML` creates without being told to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum YamlTrust {
    /// `safe_load`: none but plain data.
    None,
    /// `load`: symbols too.
    Some,
    /// `unsafe_load`: all, and aliases.
    All,
}

impl Run<'_> {
    fn written(&mut self, value: &RubyValue, depth: usize, is_json: bool) -> Eval<Written> {
        self.step()?;
        self.charge(size_of::<Written>())?;
        if depth > MAX_DEPTH {
            return self.raise("JSON::NestingError", format!("nesting of {depth} is too deep"));
        }
        let plain = match value {
            RubyValue::Nil => Leaf::Plain(Plain::Nil),
            RubyValue::Bool(value) => Leaf::Plain(Plain::Bool(*value)),
            RubyValue::Int(number) => Leaf::Plain(Plain::Int(*number)),
            RubyValue::Big(number) => {
                self.work(number.n_words().pow(2))?;
                Leaf::Plain(Plain::Big((**number).clone()))
            }
            RubyValue::Float(number) => Leaf::Plain(Plain::Float(*number)),
            RubyValue::Str(text) => Leaf::Plain(Plain::str(text.text.borrow().as_str())),
            RubyValue::Sym(name) if is_json => Leaf::Plain(Plain::str(name.as_str())),
            RubyValue::Sym(name) => Leaf::Plain(Plain::Symbol(name.as_str().to_owned())),
            RubyValue::Array(list) => {
                let mut items = Vec::new();
                for item in list.items.borrow().clone() {
                    items.push(self.written(&item, depth + 1, is_json)?);
                }
                Leaf::Array(items)
            }
            RubyValue::Hash(map) => {
                let mut entries = Vec::new();
                for (key, value) in map.entries.borrow().clone() {
                    let key = if is_json { RubyValue::str(self.to_s(&key.0)?) } else { key.0 };
                    let key = self.written(&key, depth + 1, is_json)?;
                    entries.push((key, self.written(&value, depth + 1, is_json)?));
                }
                Leaf::Hash(entries)
            }
            other if is_json => Leaf::Plain(Plain::str(self.to_s(other)?)),
            other => {
                return self.unsupported(format!("YAML of a {}", crate::show::class_name(other)));
            }
        };
        let identity = match value {
            RubyValue::Array(_) | RubyValue::Hash(_) => value.address(),
            _ => None,
        };
        Ok(Written { plain, identity })
    }

    pub(crate) fn to_json(&mut self, value: &RubyValue, pretty: bool) -> Eval<String> {
        let style = if pretty { json::Style::pretty() } else { json::Style::compact() };
        self.to_json_in(value, &style)
    }

    pub(crate) fn to_json_in(&mut self, value: &RubyValue, style: &json::Style) -> Eval<String> {
        let tree = self.written(value, 0, true)?;
        let text = self.from_text(json::generate(&tree, style))?;
        self.charge(text.len())?;
        Ok(text)
    }

    pub(crate) fn to_yaml(&mut self, value: &RubyValue, a: Args<'_>) -> Eval<String> {
        let tree = self.written(value, 0, false)?;
        let number = |name: &str| a.option(name).and_then(|value| value.as_int());
        let options = yaml::DumpOptions {
            indentation: number("indentation"),
            line_width: number("line_width"),
        };
        let text = self.from_text(yaml::write(&tree, options))?;
        self.charge(text.len())?;
        Ok(text)
    }

    pub(crate) fn parse_json(&mut self, text: &str, a: Args<'_>) -> Eval {
        self.check_numbers(text)?;
        let data = self.from_text(json::parse(text))?;
        let symbols = a.option("symbolize_names").is_some_and(|value| value.truthy());
        self.from_plain(&data, symbols)
    }

    /// `YAML.load(text, aliases: true, permitted_classes: [Symbol], symbolize_names: true)`
    pub(crate) fn load_yaml(&mut self, text: &str, trust: YamlTrust, a: Args<'_>) -> Eval {
        let option = |name: &str| a.option(name).filter(|_| a.len() > 1);
        let is_set = |name: &str| option(name).is_some_and(|value| value.truthy());
        let mut permitted: Vec<String> = Vec::new();
        if let Some(RubyValue::Array(classes)) = option("permitted_classes") {
            permitted = classes.items.borrow().iter().map(crate::show::to_s).collect();
        } else if a.len() > 1 && !matches!(a.items.last(), Some(RubyValue::Hash(_))) {
            return self.wrong_count(a.len(), (1, 1));
        }
        let mut permitted_classes: Vec<&str> = permitted.iter().map(String::as_str).collect();
        match trust {
            YamlTrust::All => permitted_classes.extend(["Symbol", "Date", "Time", "Regexp"]),
            YamlTrust::Some if option("permitted_classes").is_none() => {
                permitted_classes.push("Symbol");
            }
            YamlTrust::Some | YamlTrust::None => (),
        }
        let aliases = trust == YamlTrust::All || is_set("aliases");
        let permitted_classes = &permitted_classes;
        let options = yaml::LoadOptions { permitted_classes, aliases, filename: None };
        self.check_numbers(text)?;
        let data = self.from_text(parsed::yaml(text, options))?;
        self.from_plain(&data, is_set("symbolize_names"))
    }

    /// Parses `/source/options`, the notation of regular expressions in YAML.
    fn regex_of(&mut self, text: &str) -> Eval {
        let parts = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
        let Some((source, letters)) = parts else {
            return self.unsupported("a regular expression in YAML");
        };
        let options = kukla_regex::Options {
            ignore_case: letters.contains('i'),
            extended: letters.contains('x'),
            multi_line: letters.contains('m'),
        };
        self.make_regex(source, options)
    }

    /// Returns a copy of a value in whose hashes symbols that are keys are strings.
    pub(crate) fn with_text_keys(&mut self, value: &RubyValue) -> Eval {
        self.step()?;
        self.nested(|this| this.parts_with_text_keys(value))
    }

    fn parts_with_text_keys(&mut self, value: &RubyValue) -> Eval {
        Ok(match value {
            RubyValue::Hash(map) => {
                let mut entries = Entries::default();
                for (key, value) in map.entries.borrow().clone() {
                    let key = match &key.0 {
                        RubyValue::Sym(name) => Key::str(name),
                        _ => key,
                    };
                    entries.insert(key, self.with_text_keys(&value)?);
                }
                RubyValue::hash(entries)
            }
            RubyValue::Array(list) => {
                let items = list.items.borrow().clone();
                let items = items.iter().map(|item| self.with_text_keys(item));
                RubyValue::array(items.collect::<Eval<_>>()?)
            }
            other => other.clone(),
        })
    }

    fn from_plain(&mut self, data: &Plain, symbols: bool) -> Eval {
        Ok(match data {
            Plain::Nil => RubyValue::Nil,
            Plain::Bool(value) => RubyValue::Bool(*value),
            Plain::Int(number) => RubyValue::Int(*number),
            Plain::Big(number) => self.big(number)?,
            Plain::Float(number) => RubyValue::Float(*number),
            Plain::Str(text) => {
                self.charge(text.len())?;
                RubyValue::str(text.as_str())
            }
            Plain::Binary(_) => return self.unsupported("bytes that are no text"),
            Plain::Symbol(name) => RubyValue::Sym(name.as_str().into()),
            Plain::Other("Regexp", text) => self.regex_of(text)?,
            Plain::Other(class, _) => return self.unsupported(format!("a {class} in YAML")),
            Plain::Array(items) => {
                let items =
                    items.iter().map(|item| self.from_plain(item, symbols)).collect::<Eval<_>>()?;
                RubyValue::array(items)
            }
            Plain::Hash(pairs) => {
                let mut entries = Entries::default();
                for (key, value) in pairs {
                    let key = match key {
                        Plain::Str(name) if symbols => RubyValue::Sym(name.as_str().into()),
                        other => self.from_plain(other, symbols)?,
                    };
                    let value = self.from_plain(value, symbols)?;
                    entries.insert(Key::new(&key), value);
                }
                RubyValue::hash(entries)
            }
        })
    }
}
