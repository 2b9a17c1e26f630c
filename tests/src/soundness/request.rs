//! Random changes of a node's facts and of a site's data about it.

use std::sync::Arc;

use kukla_catalog::exports::{Exported, Stored};
use kukla_compiler::Strict;
use kukla_pcore::{Hash, Value};
use kukla_world::{Atom, Kind};

use super::subject::Subject;
use crate::generator::Random;

/// Changes the subject near a question that is not about files; returns a description.
pub(super) fn mutate(atom: &Atom, subject: &mut Subject, random: &mut Random) -> String {
    let name = &*atom.name;
    match atom.kind {
        Kind::Fact => {
            let facts = Arc::make_mut(&mut subject.node.facts);
            mutate_hash(facts, &words(name), "fact", random)
        }
        Kind::Variable if random.chance(50) => {
            let facts = Arc::make_mut(&mut subject.node.facts);
            mutate_hash(facts, &[name.to_owned()], "fact", random)
        }
        Kind::Variable => {
            let parameters = Arc::make_mut(&mut subject.node.parameters);
            mutate_hash(parameters, &[name.to_owned()], "parameter of the classifier", random)
        }
        Kind::Trusted => {
            let extensions = Arc::make_mut(&mut subject.node.extensions);
            mutate_hash(extensions, &["pp_role".to_owned()], "extension", random)
        }
        Kind::Setting => mutate_hash(&mut subject.settings, &[name.to_owned()], "setting", random),
        Kind::Exported => mutate_exports(&mut subject.exports, random),
        Kind::Classification => mutate_classes(&mut subject.node.classes, random),
        Kind::Node => {
            subject.node.name = format!("{}x", subject.node.name);
            "rename the node".to_owned()
        }
        _ => mutate_compiler(subject, random),
    }
}

/// Returns the words of a path, which may be quoted.
fn words(path: &str) -> Vec<String> {
    path.split('.').map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// Sets, removes or replaces a value at a path or beside it.
fn mutate_hash(hash: &mut Hash, path: &[String], what: &str, random: &mut Random) -> String {
    let mut path = path.to_vec();
    match random.below(5) {
        0 => path.push("more".to_owned()),
        1 if path.len() > 1 => drop(path.pop()),
        2 => path.iter_mut().last().into_iter().for_each(|last| last.push_str("_x")),
        _ => (),
    }
    let value = random_value(random);
    let verb = if value.is_none() { "remove" } else { "set" };
    let shown = format!("{verb} {what} {} {value:?}", path.join("."));
    set(hash, &path, value);
    shown
}

fn random_value(random: &mut Random) -> Option<Value> {
    match random.below(7) {
        0 | 1 => None,
        2 => Some(Value::from("mutated")),
        3 => Some(Value::from("Debian")),
        4 => Some(Value::Integer(7)),
        5 => Some(Value::array([Value::from("mutated")])),
        _ => Some(Value::hash([(Value::from("a"), Value::from("b"))].into_iter().collect())),
    }
}

/// Puts a value at a path; what is no hash on the way becomes one.
fn set(hash: &mut Hash, path: &[String], value: Option<Value>) {
    let [first, rest @ ..] = path else { return };
    let key = Value::from(first.as_str());
    if rest.is_empty() {
        *hash = match value {
            Some(value) => {
                let mut hash = hash.clone();
                hash.insert(key, value);
                hash
            }
            None => without(hash, &key),
        };
        return;
    }
    let mut inner = match hash.get(&key) {
        Some(Value::Hash(inner)) => (**inner).clone(),
        _ => Hash::new(),
    };
    set(&mut inner, rest, value);
    hash.insert(key, Value::hash(inner));
}

fn without(hash: &Hash, key: &Value) -> Hash {
    let others = hash.iter().filter(|(known, _)| *known != key);
    others.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn mutate_exports(exports: &mut Vec<Stored>, random: &mut Random) -> String {
    if random.chance(30) {
        exports.pop();
        return "remove an exported resource".to_owned();
    }
    let type_ = random.pick(&["Profile::Check", "Profile::Check", "Notify"]);
    let tag = random.pick(&["checks", "other"]);
    let port = [80, 9999][random.below(2)];
    let resource = Exported {
        type_: type_.into(),
        title: format!("mutated {}", random.below(3)).into(),
        tags: vec![tag.into()],
        parameters: vec![("port".into(), Value::Integer(port))],
    };
    exports.push(Stored { node: "zzz.example.com".into(), resource });
    format!("export {type_} tagged {tag} with port {port}")
}

fn mutate_classes(classes: &mut Vec<(String, Hash)>, random: &mut Random) -> String {
    match random.below(4) {
        0 => drop(classes.pop()),
        1 => classes.reverse(),
        2 => classes.push(("profile::params".to_owned(), Hash::new())),
        _ => classes.push(("profile::nowhere".to_owned(), Hash::new())),
    }
    "change the classes of the classifier".to_owned()
}

fn mutate_compiler(subject: &mut Subject, random: &mut Random) -> String {
    if random.chance(30) {
        subject.is_plain = !subject.is_plain;
        return "compile for agents without rich data".to_owned();
    }
    let strict = [Strict::Off, Strict::Warning, Strict::Error][random.below(3)];
    subject.strict = strict;
    format!("set strict to {strict:?}")
}
