//! `kukla serve --check`, the logs, and `kukla top`.

use std::process::{Command, Output};

use serde_json::Value;

use crate::server::{Server, command, scratch};

fn kukla(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kukla")).args(arguments).output().expect("kukla runs")
}

/// Returns status and findings of a check: severity, subject and message of each.
fn check(directory: &std::path::Path, options: &[&str]) -> (i32, Value) {
    let mut command = command(directory);
    command.args(["--check", "--format", "json"]).args(options);
    let output = command.output().expect("kukla runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let findings = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{errors}"));
    (output.status.code().expect("a status"), findings)
}

fn has(findings: &Value, severity: &str, words: &str) -> bool {
    let all = findings["findings"].as_array().expect("a list");
    all.iter().any(|finding| {
        let text = format!("{}: {}", finding["subject"], finding["message"]);
        finding["severity"] == severity && text.contains(words)
    })
}

#[test]
fn a_check_lists_all_that_would_stop_the_server() {
    let directory = scratch("check");
    let (status, found) = check(&directory, &[]);
    assert_eq!((status, &found["ready"]), (0, &Value::Bool(true)), "{found:#}");
    assert!(has(&found, "note", "a start makes a CA"), "{found:#}");
    assert!(std::fs::read_dir(directory.join("server")).expect("it is there").next().is_none());
    let server = Server::start_in(directory.clone(), &[]);
    let (status, found) = check(&directory, &[]);
    assert_eq!((status, &found["ready"]), (0, &Value::Bool(true)), "{found:#}");
    // Several mistakes at once.
    let at = |name: &str| directory.join("server").join(name);
    std::fs::write(at("auth.conf"), "authorization: { rules: [").expect("written");
    std::fs::write(at("fileserver.conf"), "[nothing]\n").expect("written");
    std::fs::write(at("ca/ca_crl.pem"), "no list").expect("written");
    let certificate = at("ssl/certs");
    let pem = std::fs::read_dir(&certificate).expect("certificates").flatten();
    let own = pem.map(|entry| entry.path()).find(|path| !path.ends_with("ca.pem"));
    std::fs::remove_file(own.expect("a certificate")).expect("removed");
    let taken = format!("127.0.0.1:{}", server.tls);
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(["serve", "--check", "--format", "json", "--listen", &taken, "--confdir"])
        .arg(at(""))
        .args(["--set", "strict=maybe", "--set", "environment_timeout=soon"])
        .args(["--set", "node_terminus=exec", "--set", "external_nodes=/nonexistent/enc"])
        .output()
        .expect("kukla runs");
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["ready"], Value::Bool(false));
    for words in [
        "auth.conf",
        "`strict`",
        "environment_timeout",
        "ca_crl.pem",
        "can't listen",
        "though its key is there",
    ] {
        assert!(has(&found, "error", words), "{words}: {found:#}");
    }
    for words in ["/nonexistent/enc", "fileserver.conf"] {
        assert!(has(&found, "warning", words), "{words}: {found:#}");
    }
    // A text for people has the errors first.
    let text = kukla(&["serve", "--check", "--confdir", &at("").display().to_string()]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("error: ") && text.ends_with("not ready\n"), "{text}");
}

#[test]
fn requests_are_in_both_logs_and_kukla_top_shows_them() {
    let directory = scratch("looking");
    let access = directory.join("access.log");
    let rules = "authorization: { version: 1, rules: [\
        { match-request: { path: \"/\", type: path }, allow: \"*\", sort-order: 1, name: \"all\" }] }";
    Server::start_in(directory.clone(), &[]).keep_directory();
    std::fs::write(directory.join("server/auth.conf"), rules).expect("written");
    let server =
        Server::start_in(directory.clone(), &["--access-log", &access.display().to_string()]);
    let mut connection = server.connect("a.test");
    assert_eq!(connection.catalog("production").expect("an answer").0, 200);
    let line = server.line(|line| line.contains("\"event\":\"request\""));
    let line: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!((&line["level"], &line["status"]), (&"info".into(), &"200".into()));
    assert!(line["time"].as_str().expect("a time").ends_with('Z'), "{line}");
    let text = std::fs::read_to_string(&access).expect("a log");
    let start = "127.0.0.1 - a.test [";
    let middle = "\"GET /puppet/v3/catalog/a.test?environment=production HTTP/1.1\" 200 ";
    assert!(text.starts_with(start) && text.contains(middle), "{text}");
    // A log that was moved away is begun anew.
    std::fs::rename(&access, directory.join("access.log.1")).expect("renamed");
    let has_new = || std::fs::read_to_string(&access).is_ok_and(|text| text.contains(middle));
    for _ in 0..100 {
        if has_new() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(connection.catalog("production").expect("an answer").0, 200);
    }
    assert!(has_new());
    let config = directory.join("server/puppet.conf").display().to_string();
    let port = server.tls.to_string();
    let options = ["top", "--once", "--config", &config, "--server", "localhost", "--port", &port];
    let output = kukla(&[&options[..], &["--format", "json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let look: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{errors}"));
    assert_eq!(look["nodes"][0]["name"], "a.test", "{look:#}");
    assert_eq!((&look["known_nodes"], &look["failed_compilations"]), (&1.into(), &0.into()));
    let code = look["code"].as_array().expect("a list");
    assert!(code.iter().any(|part| part["kind"] == "class" && part["name"] == "hello"), "{look:#}");
    let shown = kukla(&options);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("slowest nodes") && shown.contains("a.test (production)"), "{shown}");
}
