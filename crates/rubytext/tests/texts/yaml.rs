//! YAML.

use super::case::{Answer, int, text};
use kukla_rubytext::Data;
use kukla_rubytext::tree::{Tree, View};
use kukla_rubytext::yaml::{self, DumpOptions, LoadOptions};

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let load = |classes: &[&str]| {
        let options = LoadOptions { permitted_classes: classes, aliases: true, filename: None };
        yaml::load(text(args, 0), options)
    };
    Ok(match operation {
        "to_yaml" => Data::Str(yaml::write(&args[0], options(args.get(1)))?),
        "load" => load(&[])?,
        "load symbols" => load(&["Symbol", "Date"])?,
        "aliased" => Data::Str(yaml::write(&Shared::new(&args[0], true), DumpOptions::default())?),
        _ => panic!("unknown operation {operation}"),
    })
}

fn options(data: Option<&Data>) -> DumpOptions {
    let number = |key| match data.and_then(|data| data.get(key)) {
        Some(Data::Int(number)) => Some(*number),
        _ => None,
    };
    DumpOptions { indentation: number("indentation"), line_width: number("line_width") }
}

/// A tree in which numbers identify objects that appear again.
struct Shared {
    data: Data,
    id: Option<usize>,
    items: Vec<Shared>,
}

impl Shared {
    fn new(data: &Data, shares: bool) -> Self {
        if let (Some(number), true) = (int(std::slice::from_ref(data), 0), shares) {
            let part = match number {
                0 => Data::Array(vec![Data::Int(1)]),
                1 => Data::Array(vec![]),
                _ => Data::Hash(vec![(Data::str("a"), Data::Int(1))]),
            };
            return Self { id: Some(number as usize), ..Self::new(&part, false) };
        }
        let items = match data {
            Data::Array(items) => items.iter().map(|item| Self::new(item, shares)).collect(),
            Data::Hash(entries) => entries
                .iter()
                .flat_map(|(key, value)| [Self::new(key, false), Self::new(value, shares)])
                .collect(),
            _ => Vec::new(),
        };
        Self { data: data.clone(), id: None, items }
    }
}

impl Tree for Shared {
    fn view(&self) -> View<'_> {
        match &self.data {
            Data::Array(_) => {
                View::Array(self.items.iter().map(|item| item as &dyn Tree).collect())
            }
            Data::Hash(_) => View::Hash(
                self.items
                    .chunks(2)
                    .map(|pair| (&pair[0] as &dyn Tree, &pair[1] as &dyn Tree))
                    .collect(),
            ),
            other => other.view(),
        }
    }

    fn identity(&self) -> Option<usize> {
        self.id
    }
}
