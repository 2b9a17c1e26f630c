//! `puppetdb_query` asks the store, and its answers are inputs of a catalog.

use std::sync::Arc;

use kukla_catalog::exports::Exports;
use kukla_compiler::Limits;
use kukla_compiler::compile::Request;
use kukla_site::{Main, Node};
use kukla_store::{Command, Receipt, Store};

use crate::code::{Code, compile, failure, hash};

const MANIFEST: &str = r#"
$pql = puppetdb_query('facts [certname, value] { name = "role" and value ~ "^w" }')
$pql.each |$row| { notify { "${row['certname']} is ${row['value']}": } }
$ast = puppetdb_query(['from', 'nodes', ['extract', [['function', 'count']]]])
notify { "nodes: ${ast[0]['count']}": }
"#;

fn store_facts(store: &Store, node: &str, role: &str, time: &str) {
    let payload = serde_json::json!({
        "certname": node, "environment": "e", "producer": "p", "producer_timestamp": time,
        "values": { "role": role },
    });
    let command =
        Command::read("replace_facts", 5, payload.to_string().as_bytes()).expect("it is right");
    let receipt = Receipt { received: 0, keeps_exports: false };
    let applied = store.apply(&[(&command, receipt)]).expect("it is stored");
    assert!(applied.iter().all(Result::is_ok), "{applied:?}");
}

#[test]
fn rows_are_hashes_and_inputs() {
    let code = Code::new(&[("envs/e/manifests/site.pp", MANIFEST)]);
    let site = code.site(&[]);
    let store = Arc::new(Store::open(&code.0.join("store.sqlite3")).expect("a store"));
    store_facts(&store, "a.example", "web", "2026-01-01T00:00:00Z");
    store_facts(&store, "b.example", "db", "2026-01-01T00:00:00Z");
    let change = |request: &mut Request| {
        request.exports = Some(Arc::clone(&store) as Arc<dyn Exports>);
        request.is_recorded = true;
    };
    let compiled = compile(&site, "e", hash(&[]), Limits::default(), change);
    let titles = |compiled: &kukla_compiler::compile::Compiled| -> Vec<String> {
        let catalog = compiled.catalog.as_ref().expect("a catalog");
        let notes = catalog.resources.iter().filter(|resource| resource.type_.as_str() == "Notify");
        notes.map(|resource| resource.title.to_string()).collect()
    };
    assert_eq!(titles(&compiled), ["a.example is web", "nodes: 2"]);

    let mut node = Node::new("n.example.org", hash(&[]));
    node.environment = Some("e".to_owned());
    let member = site.member(node).expect("the environment opens");
    let mut request = member.request();
    change(&mut request);
    let environment = &member.environment;
    let atoms = compiled.inputs.atoms();
    let first_change = || {
        let found = environment.snapshot.first_change(
            &Main::Environment,
            environment.strictness,
            &request,
            &atoms,
        );
        found.map(|atom| atom.kind.name())
    };
    assert_eq!(first_change(), None);
    // The node's role changes, and so does the answer.
    store_facts(&store, "b.example", "worker", "2026-01-02T00:00:00Z");
    assert_eq!(first_change(), Some("store_query"));
    let again = compile(&site, "e", hash(&[]), Limits::default(), change);
    assert_eq!(titles(&again), ["a.example is web", "b.example is worker", "nodes: 2"]);
}

#[test]
fn wrong_queries_fail_with_their_words() {
    let manifest = "puppetdb_query('nodes { nosuch = 1 }')";
    let code = Code::new(&[("envs/e/manifests/site.pp", manifest)]);
    let site = code.site(&[]);
    let store = Arc::new(Store::open(&code.0.join("store.sqlite3")).expect("a store"));
    let compiled = compile(&site, "e", hash(&[]), Limits::default(), |request| {
        request.exports = Some(store as Arc<dyn Exports>);
    });
    let (_, message) = failure(compiled);
    assert!(message.contains("'nosuch' is not a queryable object for nodes"), "{message}");
    let compiled = compile(&site, "e", hash(&[]), Limits::default(), |_| ());
    let (_, message) = failure(compiled);
    assert!(message.contains("there is no store to ask"), "{message}");
}
