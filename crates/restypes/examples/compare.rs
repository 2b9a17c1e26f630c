//! Compares what we know of resource types with what real Puppet says.
//!
//! ```text
//! ruby tests/oracle/resource_types.rb MODULEPATH <<< '*' | cargo run -p kukla-restypes --example compare MODULEPATH [--builtin]
//! ```
//!
//! With `--builtin` only types that are known without any module are compared, and with the table.

#![expect(clippy::print_stdout, reason = "it tells what differs")]

use std::io::BufRead;
use std::sync::Arc;

use kukla_restypes::{AppliesTo, Builtins, LibDirectories, Lookup, ResourceType, ResourceTypes};
use serde_json::{Value, json};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_builtin = args.iter().any(|arg| arg == "--builtin");
    let module_path = args.first().filter(|_| !is_builtin).map_or("", |path| path.as_str());
    let sources = LibDirectories::of_module_path(module_path.split(':'));
    let builtins = Arc::new(Builtins::new());
    let types = ResourceTypes::new(Box::new(sources), Arc::clone(&builtins));
    let mut counts = [0_u32; 4];
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(said) = serde_json::from_str::<Value>(&line) else { continue };
        let name = said["name"].as_str().unwrap_or_default();
        if is_builtin && builtins.find(name).is_none() {
            continue;
        }
        let outcome = match (types.find(name), said["keys"].is_array()) {
            (Lookup::Known(ours), true) => compare(&ours, &said),
            (Lookup::Unreadable(why), _) => Err((1, why.to_string())),
            (Lookup::Missing, true) => Err((2, "we don't know it".to_owned())),
            (_, false) => Err((3, format!("Puppet can't: {}", said["error"]))),
        };
        match outcome {
            Ok(()) => counts[0] += 1,
            Err((kind, text)) => {
                counts[kind] += 1;
                println!("{name}: {text}");
            }
        }
    }
    let [equal, unreadable, different, failed] = counts;
    println!(
        "{equal} equal / {different} different / {unreadable} not readable / {failed} that Puppet fails on"
    );
}

fn compare(ours: &ResourceType, said: &Value) -> Result<(), (usize, String)> {
    let applies_to = match ours.applies_to() {
        AppliesTo::Host => "host",
        AppliesTo::Device => "device",
        AppliesTo::Both => "both",
    };
    let facts = [
        ("properties", json!(ours.properties().collect::<Vec<_>>())),
        ("parameters", json!(ours.parameters().collect::<Vec<_>>())),
        ("keys", json!(ours.key_attributes().collect::<Vec<_>>())),
        ("isomorphic", json!(ours.is_isomorphic())),
        ("apply_to", json!(applies_to)),
    ];
    for (what, ours) in facts {
        if ours != said[what] {
            return Err((2, format!("{what}: ours {ours}, Puppet's {}", said[what])));
        }
    }
    let titles = said["titles"].as_object().into_iter().flatten();
    for (title, said) in titles {
        let ours = title_facts(ours, title);
        if ours != *said {
            return Err((2, format!("title {title:?}: ours {ours}, Puppet's {said}")));
        }
    }
    Ok(())
}

fn title_facts(of: &ResourceType, title: &str) -> Value {
    let parts = match of.parse_title(title) {
        Ok(parts) => parts,
        Err(error) => return json!({"error": error.to_string()}),
    };
    let parts: serde_json::Map<_, _> =
        parts.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let mut name = of.name().to_owned();
    name[..1].make_ascii_uppercase();
    let name = json!(format!("{name}/{title}"));
    match of.uniqueness_key(title, &name, &|_| None, &|text| json!(text)) {
        Ok(key) => json!({"parts": parts, "key": key}),
        Err(error) => json!({"error": error.to_string()}),
    }
}
