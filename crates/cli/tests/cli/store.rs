//! `kukla store`.

use crate::support::{Ran, Sandbox};

const ARCHIVE: &str = concat!(
    r#"{"command":"replace facts","version":5,"received":"2026-11-18T10:00:00.000Z","payload":{"certname":"web1","environment":"production","producer_timestamp":"2026-11-18T10:00:00.000Z","values":{"os":{"family":"Debian"}}}}"#,
    "\n",
    r#"{"command":"deactivate node","version":3,"payload":{"certname":"old","producer_timestamp":"2026-11-01T10:00:00.000Z"}}"#,
    "\n",
);

fn store(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let args: Vec<&str> =
        ["store"].iter().chain(args).chain(&["--vardir", "var"]).copied().collect();
    sandbox.run(&args)
}

#[test]
fn an_archive_is_imported_shown_and_exported_again() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("fleet.jsonl", ARCHIVE.as_bytes());
    let before = store(&sandbox, &["status"]);
    assert!(
        before.code == 2 && before.error.contains("no node has said anything"),
        "{}",
        before.error
    );
    let imported = store(&sandbox, &["import", "fleet.jsonl"]);
    assert_eq!(
        (imported.code, imported.output.as_str()),
        (0, "2 commands stored, 0 said nothing new\n")
    );
    let status = store(&sandbox, &["status", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status.output).expect("JSON");
    assert_eq!((&status["rows"]["nodes"], &status["active_nodes"]), (&2.into(), &1.into()));
    let checked = store(&sandbox, &["check"]);
    assert!(checked.code == 0 && checked.output.ends_with("is sound\n"), "{}", checked.output);
    let exported = store(&sandbox, &["export", "copy.jsonl"]);
    assert_eq!((exported.code, exported.output.as_str()), (0, "2 commands\n"));
    let again = store(&sandbox, &["export", "copy.jsonl"]);
    assert!(again.code == 2 && again.error.contains("copy.jsonl"), "{}", again.error);
    assert_eq!(store(&sandbox, &["purge", "web1"]).code, 0);
    assert_eq!(store(&sandbox, &["purge", "web1"]).code, 1);
    // What was deactivated long ago goes too.
    let compacted = store(&sandbox, &["compact", "--set", "node_purge_ttl=1d"]);
    assert_eq!(
        compacted.output.split(", ").nth(1),
        Some("removed nodes: 1"),
        "{}",
        compacted.output
    );
    let back = store(&sandbox, &["import", "copy.jsonl"]);
    assert_eq!(back.output, "2 commands stored, 0 said nothing new\n");
}

#[test]
fn mistakes_are_named() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write(
        "fleet.jsonl",
        format!("{ARCHIVE}{{\"command\":\"fly\",\"version\":1}}\n").as_bytes(),
    );
    let ran = store(&sandbox, &["import", "fleet.jsonl"]);
    assert!(
        ran.code == 2 && ran.error.contains("`fleet.jsonl`, line 3: Supported commands"),
        "{}",
        ran.error
    );
    let ran = store(&sandbox, &["status", "--set", "store=mysql"]);
    let kinds = "`sqlite`, `sqlite:PATH`, `postgresql://…`, `puppetdb`, `puppetdb:PATH` or `none`, not `mysql`";
    let words = format!("the setting `store` is {kinds}");
    assert!(ran.error.contains(&words), "{}", ran.error);
    let ran = store(&sandbox, &["status", "--set", "store=none"]);
    assert!(ran.code == 2 && ran.error.contains("the setting `store` is `none`"), "{}", ran.error);
    let ran = store(&sandbox, &["compact", "--set", "report_ttl=soon"]);
    assert!(ran.code == 2, "{}", ran.error);
}
