//! The origins of parameters.

use kukla_catalog::Catalog;
use kukla_catalog::origins::{Origin, OriginId};
use kukla_pcore::Value;

use crate::support::{Setup, compile_ok};

/// Returns the kind and the place of what set a parameter, and of what each replaced: `literal 1:2`.
fn origins(catalog: &Catalog, reference: &str, name: &str) -> Vec<String> {
    let is_wanted = |resource: &kukla_catalog::Resource| resource.reference() == reference;
    let number = catalog.resources.iter().position(is_wanted).expect("the resource is there");
    let mut next = catalog.named_origin(number, name);
    let mut all = Vec::new();
    while let Some(id) = next {
        let (text, previous) = origin(catalog, id);
        all.push(text);
        next = previous;
    }
    all
}

fn origin(catalog: &Catalog, id: OriginId) -> (String, Option<OriginId>) {
    let origin = catalog.origin(id);
    match origin {
        Origin::Code { place, previous, .. } => {
            (format!("{} {}:{}", origin.kind(), place.line, place.column), previous)
        }
        Origin::Data(data) => {
            let place = data.places.first().expect("data has a place");
            (format!("data {}:{}", place.file, place.line), None)
        }
        other => (other.kind().to_owned(), None),
    }
}

#[test]
fn attributes_and_defaults_are_told_apart() {
    let catalog = compile_ok(
        "\
Notify { withpath => true }
notify {
  default: message => 'body';
  'a': noop => true;
}
",
    );
    assert_eq!(origins(&catalog, "Notify[a]", "noop"), ["expression 4:8"]);
    assert_eq!(origins(&catalog, "Notify[a]", "message"), ["body_default 3:12"]);
    assert_eq!(origins(&catalog, "Notify[a]", "withpath"), ["resource_default 1:10"]);
}

#[test]
fn an_override_knows_what_it_replaced() {
    let catalog = compile_ok(
        "\
class base { notify { 'a': message => 'base' } }
class child inherits base { Notify['a'] { message => 'child' } }
include child
",
    );
    assert_eq!(origins(&catalog, "Notify[a]", "message"), ["override 2:43", "expression 1:28"]);
}

#[test]
fn a_collector_knows_what_it_replaced() {
    let catalog = compile_ok(
        "\
notify { 'a': message => 'own' }
Notify <| |> { message => 'collected' }
",
    );
    assert_eq!(origins(&catalog, "Notify[a]", "message"), ["collector 2:16", "expression 1:15"]);
}

#[test]
fn an_arrow_is_the_origin_of_what_it_adds() {
    let catalog = compile_ok("notify { ['a', 'b']: }\nNotify['a'] -> Notify['b']\n");
    assert_eq!(origins(&catalog, "Notify[a]", "before"), ["arrow 2:13"]);
}

#[test]
fn parameters_of_classes_come_from_data_or_defaults_or_the_classifier() {
    let files = vec![
        ("/env/hiera.yaml", "version: 5\n"),
        ("/env/data/common.yaml", "---\n# The port.\nc::port: 80\n"),
    ];
    let host = [(Value::from("host"), Value::from("x"))];
    let classes = vec![("c".to_owned(), host.into_iter().collect())];
    let setup = Setup { files, classes, ..Setup::default() };
    let catalog = setup.compile_ok("class c($host, $port, $path = '/') { }\n");
    assert_eq!(origins(&catalog, "Class[C]", "host"), ["classifier"]);
    assert_eq!(origins(&catalog, "Class[C]", "port"), ["data /env/data/common.yaml:3"]);
    assert_eq!(origins(&catalog, "Class[C]", "path"), ["parameter_default 1:31"]);
}
