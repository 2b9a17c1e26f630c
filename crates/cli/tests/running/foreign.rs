//! Commands of a site whose store is PuppetDB: `store`, `exports`, `compile` and `serve --check`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::fake_puppetdb::Fake;
use crate::server::{Server, command, scratch};

/// Runs the program; returns status, output and errors.
fn kukla(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kukla")).args(arguments).output();
    let output = output.expect("kukla runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// A directory with settings, and its PuppetDB.
fn site(name: &str) -> (std::path::PathBuf, Fake, String, String) {
    let directory = scratch(name);
    let fake = Fake::start();
    fake.conf(&directory);
    let conf = directory.join("puppet.conf");
    let text = format!(
        "[main]\nconfdir = {0}\nvardir = {0}/var\n[server]\nstoreconfigs = true\n\
         storeconfigs_backend = puppetdb\nreports = store,puppetdb\n",
        directory.display()
    );
    std::fs::write(&conf, text).expect("written");
    let (conf, var) = (conf.display().to_string(), directory.join("var").display().to_string());
    (directory, fake, conf, var)
}

#[test]
fn the_store_is_asked_and_what_was_refused_is_shown() {
    let (directory, fake, conf, var) = site("foreign-store");
    let (status, out, _) = kukla(&["store", "status", "--config", &conf]);
    assert!(status == 0 && out.contains("http://127.0.0.1:") && !out.contains("7.12.1"), "{out}");
    let (status, _, errors) = kukla(&["store", "check", "--config", &conf]);
    assert_eq!(status, 1, "{errors}");
    fake.answer("/pdb/meta/v1/version", "{\"version\":\"7.12.1\"}");
    fake.up(true);
    let (status, out, _) = kukla(&["store", "check", "--config", &conf]);
    assert!(status == 0 && out.contains("answers"), "{out}");
    let refused = Path::new(&var).join("store-queue/refused");
    std::fs::create_dir_all(&refused).expect("a directory");
    let file = r#"{"command":"replace catalog","version":9,"certname":"a.example","received":"2026-01-01T00:00:00.000Z",
        "producer_timestamp":"2026-01-01T00:00:00.000Z","server":"https://b","status":400,"answer":"no such edge","payload":{}}"#;
    std::fs::write(refused.join("1-1.json"), file).expect("written");
    let (status, out, _) = kukla(&["store", "status", "--config", &conf, "--format", "json"]);
    let shown: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(status, 0);
    assert_eq!(shown["servers"][0]["version"], "7.12.1");
    assert_eq!((&shown["refused_commands"], &shown["waiting_bytes"]), (&1.into(), &0.into()));
    assert_eq!(shown["newest_refused"][0]["answer"], "no such edge");
    let (status, _, errors) = kukla(&["store", "check", "--config", &conf]);
    assert!(status == 1 && errors.contains("replace catalog of a.example"), "{errors}");
    let file = directory.join("archive").display().to_string();
    for arguments in [
        &["store", "compact"][..],
        &["store", "purge", "a"],
        &["store", "export", &file],
        &["store", "import", &conf],
        &["exports"],
    ] {
        let (status, _, errors) = kukla(&[arguments, &["--config", &conf]].concat());
        assert!(status == 2 && errors.contains("are in PuppetDB"), "{arguments:?}: {errors}");
    }
    assert!(!Path::new(&var).join("store.sqlite3").exists());
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn a_compilation_collects_from_puppetdb_and_writes_down_what_it_read() {
    let (directory, fake, conf, var) = site("foreign-compile");
    let row = r#"[{"certname":"b.example","type":"Notify","title":"t","exported":true,"tags":["notify"],
        "parameters":{"message":"by PuppetDB"},"file":null,"line":null}]"#;
    fake.answer("/pdb/query/v4", r#"[{"certname":"b.example"}]"#);
    fake.answer("/pdb/query/v4/resources?query=", row);
    fake.up(true);
    let inputs = directory.join("inputs").display().to_string();
    let code = "Notify <<| |>> @@notify { 'own': } notify { 'q': message => puppetdb_query('nodes{}')[0]['certname'] }";
    let arguments =
        ["compile", "--config", &conf, "--node", "a.example", "-e", code, "--inputs", &inputs];
    let (status, out, errors) = kukla(&arguments);
    assert_eq!(status, 0, "{errors}");
    assert!(out.contains("by PuppetDB") && out.contains("b.example"), "{out}");
    let text = std::fs::read_to_string(&inputs).expect("inputs");
    assert!(text.contains("nodes{}") && text.contains("\"Notify\""), "{text}");
    assert!(fake.came().is_empty() && !Path::new(&var).join("store.sqlite3").exists());
    assert_eq!(fake.asked().len(), 2);
    fake.up(false);
    let collecting = [&arguments[..6], &["Notify <<| |>>"]].concat();
    let (status, _, errors) = kukla(&collecting);
    assert!(errors.contains("warning: http://127.0.0.1:"), "{errors}");
    assert!(
        status != 0
            && errors
                .contains("Could not retrieve resources from the PuppetDB at http://127.0.0.1:"),
        "{errors}"
    );
    // Where PuppetDB is not the store, nothing of it is asked.
    let n_asked = fake.asked().len();
    let own = [&arguments[..6], &["notify { 'a': }", "--set", "store=sqlite"]].concat();
    assert_eq!(kukla(&own).0, 0);
    assert_eq!(fake.asked().len(), n_asked);
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn a_check_tells_what_the_queue_bridges_from_what_it_does_not() {
    let (directory, fake, conf, _) = site("foreign-check");
    let check = || {
        let at = directory.display().to_string();
        let arguments = ["serve", "--check", "--format", "json", "--listen", "127.0.0.1:0"];
        let (status, out, errors) = kukla(&[&arguments[..], &["--confdir", &at]].concat());
        let found: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{errors}"));
        (status, found["findings"].as_array().cloned().unwrap_or_default())
    };
    let of = |findings: &[Value], words: &str| {
        let message = |it: &&Value| it["message"].as_str().is_some_and(|it| it.contains(words));
        let found = findings.iter().find(message);
        let found = found.unwrap_or_else(|| panic!("{words}: {findings:#?}"));
        found["severity"].as_str().unwrap_or_default().to_owned()
    };
    std::fs::create_dir_all(directory.join("ssl")).expect("a directory");
    // The certificates are made by a start.
    let text = std::fs::read_to_string(&conf).expect("read");
    let ssl = format!("[main]\nssldir = {}\n", directory.join("ssl").display());
    std::fs::write(&conf, text.replacen("[main]\n", &ssl, 1)).expect("written");
    let (_, findings) = check();
    assert_eq!(of(&findings, "go to PuppetDB, because of `storeconfigs_backend"), "note");
    fake.up(true);
    fake.answer("/pdb/meta/v1/version", "{\"version\":\"7.12.1\"}");
    let path = directory.join("puppetdb.conf");
    // A server with a certificate asks PuppetDB, which may be down.
    let place = format!("puppetdb:{}", path.display());
    Server::start_in(directory.clone(), &["--store", &place]).keep_directory();
    let severity = |words: &str| {
        let mut command = command(&directory);
        command.args(["--check", "--format", "json", "--store", &place]);
        let output = command.output().expect("kukla runs");
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), of(found["findings"].as_array().expect("a list"), words))
    };
    assert_eq!(severity("PuppetDB 7.12.1"), (Some(0), "note".to_owned()));
    fake.up(false);
    assert_eq!(severity("PuppetDB: "), (Some(0), "warning".to_owned()));
    for (lines, words) in [
        ("server_urls = http://pdb.example:8080", "must begin with `https://`"),
        ("server_url = https://a", "there is no setting `server_url` (file: "),
    ] {
        std::fs::write(&path, format!("[main]\n\n{lines}\n")).expect("written");
        let (status, findings) = check();
        assert_eq!((status, &*of(&findings, words)), (1, "error"));
        assert_eq!(of(&findings, "line: 3)"), "error");
    }
    let _ = std::fs::remove_dir_all(&directory);
}
