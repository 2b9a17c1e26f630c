//! The arrows between rooms: those that ARCHITECTURE.md allows, compared with those of Cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::ROOM;

/// Rooms by name, each with the rooms that it uses or may use.
type Arrows = BTreeMap<String, BTreeSet<String>>;

const HEADING: &str = "## Arrows";

/// Crates by which a room could reach the machine without a function that `clippy.toml` lists.
const SYSTEM_CRATES: &[&str] = &[
    "getrandom",
    "inotify",
    "libc",
    "mio",
    "nix",
    "notify",
    "rustix",
    "tempfile",
    "tokio",
    "walkdir",
];

/// The rooms that may reach the machine; chores and tests are no rooms of the product.
const DOORS: &[&str] = &["bench", "cli", "server", "tests", "world", "xtask"];

/// Crates that one more room may use: the store speaks to PostgreSQL.
const EXCEPTIONS: &[(&str, &str)] = &[("store", "tokio")];

/// Reads the table below the heading: `| `room` | `other`, `other` |`.
fn allowed(architecture: &str) -> Arrows {
    let section = architecture.split(HEADING).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(names);
        Some((cells.next()?.pop_first()?, cells.next()?))
    })
    .collect()
}

/// Returns the names in backticks.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the arrows of the workspace, without dev-dependencies.
fn used() -> Arrows {
    packages(arrows)
}

/// Returns what `read` makes of each package of the workspace and the root of the latter.
fn packages(read: impl Fn(&Value, &Path) -> (String, BTreeSet<String>)) -> Arrows {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let output = command.current_dir(ROOM).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let root = metadata["workspace_root"].as_str().expect("a workspace has a root");
    let packages = metadata["packages"].as_array().expect("a workspace has packages");
    packages.iter().map(|package| read(package, Path::new(root))).collect()
}

fn arrows(package: &Value, root: &Path) -> (String, BTreeSet<String>) {
    let rooms = dependencies(package).filter_map(|dependency| dependency["path"].as_str());
    let rooms = rooms.map(|folder| room(Path::new(folder), root)).collect();
    (room(folder(package), root), rooms)
}

/// Returns a room and the crates of [`SYSTEM_CRATES`] that it uses.
fn system_crates(package: &Value, root: &Path) -> (String, BTreeSet<String>) {
    let names = dependencies(package).filter_map(|dependency| dependency["name"].as_str());
    let names = names.filter(|name| SYSTEM_CRATES.contains(name)).map(str::to_owned);
    (room(folder(package), root), names.collect())
}

fn folder(package: &Value) -> &Path {
    let manifest = package["manifest_path"].as_str().expect("a package has a manifest");
    Path::new(manifest).parent().expect("a manifest has a folder")
}

/// Returns the dependencies of a package without those of its tests.
fn dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    let dependencies = package["dependencies"].as_array().expect("a package has dependencies");
    dependencies.iter().filter(|dependency| dependency["kind"] != "dev")
}

/// Returns `syntax` for `crates/syntax`, `tests` for `tests`.
fn room(folder: &Path, root: &Path) -> String {
    let path = folder.strip_prefix(root).expect("a room is below the root");
    path.strip_prefix("crates").unwrap_or(path).display().to_string()
}

/// Returns used arrows that the table does not allow, and superfluous rows.
fn faults(allowed: &Arrows, used: &Arrows) -> Vec<String> {
    let mut faults = Vec::new();
    for (room, others) in used {
        let Some(may_use) = allowed.get(room) else {
            faults.push(format!("the room `{room}` has no row"));
            continue;
        };
        let forbidden = others.difference(may_use);
        faults.extend(forbidden.map(|other| format!("`{room}` may not use `{other}`")));
    }
    for (room, others) in allowed {
        let named = others.iter().chain([room]).filter(|name| !used.contains_key(*name));
        faults.extend(named.map(|name| format!("the row of `{room}`: there is no room `{name}`")));
    }
    faults
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let path = Path::new(ROOM).join("../ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).expect("ARCHITECTURE.md can be read");
    let faults = faults(&allowed(&text), &used());
    assert!(faults.is_empty(), "`{HEADING}` of ARCHITECTURE.md: {faults:#?}");
}

#[test]
fn only_doors_use_crates_that_reach_the_machine() {
    let mut users = packages(system_crates);
    assert!(users["world"].contains("rustix"), "the door itself is seen: {users:?}");
    for (room, name) in EXCEPTIONS {
        let crates = users.get_mut(*room);
        assert!(crates.is_some_and(|crates| crates.remove(*name)), "`{room}` uses no `{name}`");
    }
    users.retain(|room, crates| !crates.is_empty() && !DOORS.contains(&room.as_str()));
    assert!(users.is_empty(), "reach the machine through the room `world`: {users:#?}");
}

#[test]
fn faults_are_found() {
    let table = "## Arrows\n\n| room | may use |\n|---|---|\n| `a` | – |\n| `b` | `a` |\n\n## Next\n\n| `c` | `a` |\n";
    let arrows = |rows: &[(&str, &[&str])]| -> Arrows {
        let row = |(room, others): &(&str, &[&str])| {
            (room.to_string(), others.iter().map(ToString::to_string).collect())
        };
        rows.iter().map(row).collect()
    };
    let faults = |rows: &[(&str, &[&str])]| faults(&allowed(table), &arrows(rows));
    assert_eq!(faults(&[("a", &[]), ("b", &["a"])]), [""; 0]);
    assert_eq!(faults(&[("a", &["b"]), ("b", &[])]), ["`a` may not use `b`"]);
    let missing = faults(&[("a", &[]), ("b", &[]), ("c", &[])]);
    assert_eq!(missing, ["the room `c` has no row"]);
    assert_eq!(faults(&[("a", &[])]), ["the row of `b`: there is no room `b`"]);
}
