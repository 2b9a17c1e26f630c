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

#[test]
fn the_history_of_facts_is_shown() {
    let sandbox = Sandbox::new(&[]);
    let line = |minute: u32, values: &str| {
        format!(
            r#"{{"command":"replace facts","version":5,"payload":{{"certname":"web1","environment":"production","producer_timestamp":"2026-11-18T10:{minute:02}:00.000Z","values":{values}}}}}"#
        ) + "\n"
    };
    let import = |minute: u32, values: &str, settings: &[&str]| {
        sandbox.write("facts.jsonl", line(minute, values).as_bytes());
        let imported = store(&sandbox, &[&["import", "facts.jsonl"], settings].concat());
        assert_eq!(imported.code, 0, "{}", imported.error);
    };
    import(1, r#"{"os":{"family":"Debian"},"uptime":"1 day"}"#, &[]);
    import(2, r#"{"os":{"family":"Debian","name":"x\u001b[31m"},"uptime":"2 days"}"#, &[]);
    let none = store(&sandbox, &["history", "web1"]);
    assert_eq!((none.code, none.output.as_str()), (0, ""));
    assert!(none.error.contains("`past_facts` is 0"), "{}", none.error);
    let kept = ["--set", "past_facts=5"];
    import(3, r#"{"os":{"family":"Devuan","name":null},"uptime":"3 days"}"#, &kept);
    let shown = store(&sandbox, &[&["history", "web1"][..], &kept].concat());
    let lines: Vec<&str> = shown.output.lines().collect();
    assert_eq!(lines.len(), 2, "{}", shown.output);
    assert!(
        lines[0].starts_with("2026-11-18T10:03:00.000Z os.name ") && lines[0].ends_with(" -> null")
    );
    assert_eq!(lines[1], "2026-11-18T10:03:00.000Z os.family \"Debian\" -> \"Devuan\"");
    assert!(!shown.output.contains('\u{1b}'), "{}", shown.output);
    let json = ["history", "web1", "--path", "os.f*", "--format", "json"];
    let json = store(&sandbox, &json).output;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        json,
        serde_json::json!([{ "certname": "web1", "time": "2026-11-18T10:03:00.000Z",
            "path": ["os", "family"], "name": "os.family",
            "old_value": "Debian", "new_value": "Devuan" }])
    );
    assert_eq!(store(&sandbox, &["history", "web1", "--most", "1"]).output.lines().count(), 1);
    assert_eq!(store(&sandbox, &["history", "other"]).code, 1);
    for (setting, words) in [
        ("past_facts=many", "a number up to 100000"),
        ("past_facts=100001", "a number up to 100000"),
        ("past_facts_ttl=soon", "a duration"),
        ("past_facts_ignored=a..b", "names with dots"),
    ] {
        let refused = store(&sandbox, &["history", "web1", "--set", setting]);
        assert!(refused.code == 2 && refused.error.contains(words), "{}", refused.error);
    }
    let wrong = store(&sandbox, &["history", "web1", "--path", "os."]);
    assert!(wrong.code == 2 && wrong.error.contains("is no path"), "{}", wrong.error);
}
