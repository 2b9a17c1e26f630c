//! The fast path for repeated parameters gives the same answer as a search.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use kukla_lookup::{Fault, FoundValue, Query, Session};
use serde_json::{Value as Json, json};

use crate::support::{TestHost, layers, value};

#[test]
fn every_recorded_name_is_found_the_same_way_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let mut n_names = 0;
    for entry in folder.read_dir().expect("answers are recorded") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut variables = json!({});
        for line in text.lines() {
            let case: Json = serde_json::from_str(line).expect("a line is JSON");
            if let Some(own) = case.get("variables") {
                variables = own.clone();
            }
            n_names += check(&case, &variables);
        }
    }
    assert!(n_names > 1000, "{n_names} names are few");
}

#[test]
fn values_that_are_not_plain_are_worked_out() {
    let case = json!({
        "files": {
            "code/environments/production/hiera.yaml": "version: 5\nhierarchy:\n  - { name: all, paths: [none.yaml, one.yaml, two.yaml] }\n",
            "code/environments/production/data/one.yaml": "m::plain: 1\nm::text: 'for %{role}'\nm::loop: \"%{lookup('m::loop')}\"\n",
            "code/environments/production/data/two.yaml": "m::plain: 2\nm::below: '%{lookup(\"m::text\")}'\nlookup_options:\n  m::hidden: { convert_to: Sensitive }\nm::hidden: x\n",
        },
        "queries": [{ "names": ["m::plain", "m::text", "m::loop", "m::below", "m::hidden", "m::none", "m::plain.x"] }],
    });
    assert_eq!(check(&case, &json!({ "role": "web" })), 7);
}

/// Looks up all names of a case three times; returns their number.
fn check(case: &Json, variables: &Json) -> usize {
    let names: BTreeSet<&str> = case["queries"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|query| query["names"].as_array().into_iter().flatten())
        .filter_map(Json::as_str)
        .collect();
    let layers = Arc::new(layers(case));
    let [short, long] = [(); 2].map(|()| Session::new(Arc::clone(&layers)));
    let mut host = TestHost::new(value(variables));
    for round in 0..3 {
        for &name in &names {
            let query = [name.into()];
            let expected = shown(long.lookup(&mut host, &Query::new(&query), None));
            let found = shown(short.parameter(&mut host, name));
            assert_eq!(found, expected, "`{name}` in round {round} of {}", case["files"]);
        }
    }
    names.len()
}

fn shown(found: Result<Option<FoundValue>, Fault>) -> Result<Option<FoundValue>, String> {
    found.map_err(|fault| fault.to_string())
}
