//! Fleets of 500 nodes that export to each other: hosts, backends of balancers, checks of a monitor. Catalogs are the same
//! through SQLite and through PostgreSQL, and have what the rules of the site say; those of another site are what real
//! Puppet made of it with the real PuppetDB.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests have files of their own and run programs"
)]

#[path = "../../store/tests/support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod postgres;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const NODES: u32 = 500;
/// Every node is in one of the racks, and serves in one of the pools.
const RACKS: u32 = 20;
const POOLS: u32 = 7;
/// The first nodes are balancers, one of each pool; the one behind them is the monitor.
const MONITOR: u32 = POOLS;

const SITE: &str = r#"
class host_of_rack {
  @@host { $trusted['certname']: ip => $facts['address'], host_aliases => [$facts['short']], tag => "rack${facts['rack']}" }
  Host <<| tag == "rack${facts['rack']}" |>> { comment => 'collected' }
}
define backend(String $address, Integer $weight = 1) {
  file { "/etc/pool/${title}": content => "${address} ${weight}\n" }
}
class serves {
  @@backend { "pool${facts['pool']}-${trusted['certname']}":
    address => "${facts['address']}:80", weight => Integer($facts['weight']), tag => ["pool${facts['pool']}"],
  }
}
class balances(String $pool) {
  Backend <<| tag == $pool and weight != 0 |>>
}
class is_checked {
  @@file { "/etc/checks/${trusted['certname']}": content => "check ${facts['address']}\n", mode => '0644' }
  @@file { "/etc/checks/${trusted['certname']}.disk": content => "disk\n", mode => '0600' }
}
class monitors {
  File <<| mode == '0644' |>> { tag => 'check', owner => 'root' }
}
node /^balancer/ { include host_of_rack, is_checked  class { 'balances': pool => "pool${facts['pool']}" } }
node /^monitor/ { include host_of_rack, monitors }
node default { include host_of_rack, serves, is_checked }
"#;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn name(number: u32) -> String {
    match number {
        0..POOLS => format!("balancer{number:03}.test"),
        MONITOR => format!("monitor{number:03}.test"),
        _ => format!("web{number:03}.test"),
    }
}

/// Nodes with this weight are in no pool.
fn weight(number: u32) -> u32 {
    number % 11
}

fn write_site(root: &Path) {
    let put = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("written");
    };
    put("code/production/manifests/site.pp", SITE);
    for number in 0..NODES {
        let facts = serde_json::json!({
            "rack": number % RACKS, "pool": number % POOLS, "weight": weight(number),
            "address": format!("10.0.{}.{}", number / 200, number % 200 + 1),
            "short": format!("n{number}"),
        });
        put(&format!("facts/{}.json", name(number)), &facts.to_string());
    }
}

/// Compiles all nodes; the store has the exports of the first time at the second one.
fn compile(root: &Path, store: &str) -> BTreeMap<String, Value> {
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(["compile", "--config", "/dev/null", "--environmentpath", "code"])
            .args(["--vardir", "var", "--storeconfigs", "--facts", "facts"])
            .args(["--edition", "7"])
            .args(["--set", &format!("store={store}")])
            .current_dir(root)
            .output()
            .expect("kukla runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{store}: {error}");
        let text = String::from_utf8(output.stdout).expect("a text");
        let catalogs = text.lines().map(|line| {
            let mut catalog: Value = serde_json::from_str(line).expect("JSON");
            // The time of the compilation, and its random number.
            catalog["version"] = Value::Null;
            catalog["catalog_uuid"] = Value::Null;
            (catalog["name"].as_str().expect("a name").to_owned(), catalog)
        });
        catalogs.collect::<BTreeMap<String, Value>>()
    };
    let (first, second) = (run(), run());
    assert!(first == second, "{store}: a second compilation differs");
    second
}

/// Returns the titles of the resources of a type.
fn titles<'a>(catalog: &'a Value, type_: &str) -> BTreeSet<&'a str> {
    let resources = catalog["resources"].as_array().expect("resources");
    let own = resources.iter().filter(|resource| resource["type"] == type_);
    own.filter_map(|resource| resource["title"].as_str()).collect()
}

#[test]
fn needs_postgresql_500_nodes_export_to_each_other() {
    let root = std::env::temp_dir().join(format!("kukla-exported-{}", std::process::id()));
    let scratch = Scratch(root);
    write_site(&scratch.0);
    let sqlite = compile(&scratch.0, "sqlite");
    assert_eq!(sqlite.len(), NODES as usize);
    for number in 0..NODES {
        let catalog = &sqlite[&name(number)];
        let all = || (0..NODES).map(|n| (n, name(n)));
        let of_rack: Vec<String> =
            all().filter(|(n, _)| n % RACKS == number % RACKS).map(|(_, name)| name).collect();
        let of_rack: BTreeSet<&str> = of_rack.iter().map(String::as_str).collect();
        assert_eq!(titles(catalog, "Host"), of_rack, "{number}");
        let of_pool: Vec<String> = match number {
            0..POOLS => all()
                .filter(|(n, _)| *n > MONITOR && n % POOLS == number && weight(*n) != 0)
                .map(|(_, name)| format!("pool{number}-{name}"))
                .collect(),
            _ => Vec::new(),
        };
        let of_pool: BTreeSet<&str> = of_pool.iter().map(String::as_str).collect();
        assert_eq!(titles(catalog, "Backend"), of_pool, "{number}");
        let n_checks = if number == MONITOR { NODES as usize - 1 } else { 0 };
        let n_files = titles(catalog, "File").len();
        assert_eq!(n_files, n_checks + of_pool.len(), "{number}");
    }
    let postgresql = compile(&scratch.0, &postgres::database());
    for (name, catalog) in &sqlite {
        assert!(postgresql[name] == *catalog, "{name} differs");
    }
}

/// The site whose catalogs Puppet made.
const OTHER_SITE: &str = include_str!("exported/site.pp");
/// Digests of these catalogs: a line that says who made them, and a line for each node
/// (`tests/oracle/puppetdb/exports.py --record`).
const RECORDED: &str = include_str!("exported/recorded.jsonl");

/// A catalog as a set, since PuppetDB answers collectors in no order, without what belongs to one compilation alone.
fn canonical(catalog: &Value, code: &str) -> String {
    let sorted = |name: &str| {
        let mut members = catalog[name].as_array().expect("an array").clone();
        members.sort_by_key(Value::to_string);
        members
    };
    let mut resources = catalog["resources"].as_array().expect("resources").clone();
    for resource in &mut resources {
        let mut tags: Vec<Value> = resource["tags"].as_array().cloned().unwrap_or_default();
        tags.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        resource["tags"] = tags.into();
        if let Some(file) = resource["file"].as_str() {
            resource["file"] = file.replace(code, "CODE").into();
        } else if let Some(members) = resource.as_object_mut() {
            members.remove("file");
        }
    }
    let name = |it: &Value| [&it["type"], &it["title"]].map(|it| it.as_str().map(str::to_owned));
    resources.sort_by_key(name);
    let ends = |it: &Value| [it["source"].clone(), it["target"].clone()];
    let mut edges: Vec<Value> =
        sorted("edges").iter().map(|edge| ends(edge).to_vec().into()).collect();
    edges.sort_by_key(|edge| [0, 1].map(|n: usize| edge[n].as_str().map(str::to_owned)));
    let mut classes = sorted("classes");
    classes.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    let whole = serde_json::json!({
        "classes": classes, "edges": edges, "environment": catalog["environment"],
        "name": catalog["name"], "resources": resources,
    });
    by_name(&whole).to_string()
}

/// Returns a value with the members of its objects in order.
fn by_name(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            let members = sorted.into_iter().map(|(name, value)| (name.clone(), by_name(value)));
            Value::Object(members.collect())
        }
        Value::Array(values) => values.iter().map(by_name).collect(),
        other => other.clone(),
    }
}

#[test]
fn needs_postgresql_catalogs_of_500_nodes_are_those_that_puppet_makes_with_puppetdb() {
    let root = std::env::temp_dir().join(format!("kukla-exported-puppet-{}", std::process::id()));
    let scratch = Scratch(root);
    let put = |path: &str, text: &str| {
        let path = scratch.0.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("written");
    };
    put("code/production/manifests/site.pp", OTHER_SITE);
    let mut recorded =
        RECORDED.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let makers = recorded.next().expect("a line about Puppet");
    assert!(makers["puppet"].is_string() && makers["puppetdb"].is_string());
    let recorded: Vec<Value> = recorded.collect();
    for node in &recorded {
        let name = node["node"].as_str().expect("a name");
        put(&format!("facts/{name}.json"), &node["facts"].to_string());
    }
    assert_eq!(recorded.len(), NODES as usize);
    let code = scratch.0.join("code").display().to_string();
    for store in ["sqlite".to_owned(), postgres::database()] {
        let catalogs = compile(&scratch.0, &store);
        let mut differing = Vec::new();
        for node in &recorded {
            let name = node["node"].as_str().expect("a name");
            let text = canonical(&catalogs[name], &code);
            let n_resources = catalogs[name]["resources"].as_array().map(Vec::len);
            if node["digest"] != kukla_rubytext::digest::sha256(text.as_bytes())
                || n_resources.map(Value::from).as_ref() != Some(&node["resources"])
            {
                differing.push(name);
            }
        }
        let n_differing = differing.len();
        assert!(differing.is_empty(), "{store}: {n_differing} of {NODES} differ: {differing:?}");
    }
}
