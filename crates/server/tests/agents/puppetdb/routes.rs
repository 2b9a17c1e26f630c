//! `routes.yaml` says which data of nodes PuppetDB gets, and `alias` comes as from the terminus.

use serde_json::{Value, json};

use super::fake::Fake;
use super::world::World;
use super::{by_node, eventually};

/// Runs a node, and returns the names of the commands that come; one more node says that no others do.
fn commands(world: &World, fake: &Fake, n_commands: usize) -> Vec<String> {
    fake.up();
    world.run("a.example");
    world.run("b.example");
    eventually("the commands come", || fake.came().len() >= 2 * n_commands);
    eventually("nothing waits", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    let nodes = by_node(&fake.came());
    assert_eq!(nodes["a.example"], nodes["b.example"]);
    nodes["a.example"].clone()
}

const FACTS: &str = "---\nmaster:\n  facts:\n    terminus: puppetdb\n    cache: yaml\n";

#[test]
fn routes_alone_lead_facts_to_puppetdb() {
    let (world, fake) = World::routed("route-facts", FACTS, &[("reports", "store")]);
    assert_eq!(commands(&world, &fake, 1), ["replace_facts"]);
    let log = world.log();
    assert!(log.contains("routes.yaml") && log.contains("\"gets\":\"facts\""), "{log}");
}

#[test]
fn routes_with_storeconfigs_change_nothing() {
    let settings = [("storeconfigs", "true")];
    let (world, fake) = World::routed("route-all", FACTS, &settings);
    assert_eq!(commands(&world, &fake, 3), ["replace_facts", "replace_catalog", "store_report"]);
}

#[test]
fn routes_keep_catalogs_and_facts_from_puppetdb() {
    let routes = "server:\n  catalog: { terminus: compiler, cache: yaml }\n  facts: { terminus: yaml, cache: json }\n";
    let (world, fake) = World::routed("route-none", routes, &[("storeconfigs", "true")]);
    assert_eq!(commands(&world, &fake, 1), ["store_report"]);
    // Stored facts are those of this server.
    let path = "/puppet/v3/catalog/a.example?environment=production";
    let answer = world.request("GET", path, &[("Accept", "application/json")], b"");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(fake.asked().is_empty(), "{:?}", fake.asked());
}

#[test]
fn aliases_come_as_from_the_terminus() {
    let (world, fake) = World::one("alias", "");
    fake.up();
    let answer = world.catalog("a.example", &json!({ "aliases": true }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = || fake.came().into_iter().find(|it| it.target.contains("replace_catalog"));
    eventually("the catalog comes", || found().is_some());
    let catalog = found().expect("a catalog").payload;
    let alias = |title: &str| {
        let all = catalog["resources"].as_array().expect("a list");
        let found = all.iter().find(|it| it["title"] == title).expect("a resource");
        found["parameters"]["alias"].clone()
    };
    assert_eq!(alias("motd"), json!(["/etc/motd", "message", "of the day"]));
    assert_eq!(alias("/srv/data/"), json!(["/srv/data"]));
    assert_eq!(alias("/plain"), Value::Null);
    assert_eq!(alias("one"), json!(["uno"]));
    // Two names, and commands that may be the same.
    assert_eq!((alias("editor"), alias("run")), (Value::Null, Value::Null));
}
