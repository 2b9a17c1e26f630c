//! Reports and their processors.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use kukla_server::agents::exchange::{AnswerBody, RouteError};
use kukla_server::agents::reports::http::ReportUrl;
use kukla_server::agents::reports::{ReportOptions, Reports};
use kukla_site::ProcessorError;

use crate::bucket::{body, headers};
use crate::recorded;
use crate::tree::Tree;

const RUN: &str = include_str!("../agents/reports/run.json");
const ODD: &str = include_str!("../agents/reports/odd.json");

/// Puppet's messages of Ruby errors, for which ours name the member; and reports that Puppet accepts but does not store.
fn is_worded_otherwise(line: &str) -> Option<u16> {
    let ours = [
        "BODY=[]",
        "BODY={}",
        "BODY=\"x\"",
        "BODY=null",
        "BODY={ ",
        "\"logs\":\"x\"",
        "\"logs\":[1]",
        "\"metrics\":{\"a\":1}",
    ];
    let stored_nowhere = [
        "report/..",
        "report/a%2Fb",
        "\"time\":5",
        "\"logs\":{}",
        "\"metrics\":[]",
        "\"resource_statuses\":[]",
    ];
    let is_ours = ours.iter().chain(&stored_nowhere).any(|part| line.contains(part));
    is_ours.then_some(400)
}

type Lines = Arc<Mutex<Vec<String>>>;

fn reports(tree: &Tree, processors: &str, url: Option<ReportUrl>) -> (Reports, Lines) {
    let lines = Lines::default();
    let log = Arc::clone(&lines);
    let options = ReportOptions {
        processors: processors.to_owned(),
        directory: tree.at("reports"),
        url,
        excludes_unchanged: false,
    };
    let reports = Reports::new(
        options,
        Arc::new(move |line| log.lock().expect("lines").push(line.to_owned())),
    );
    (reports, lines)
}

fn json() -> HeaderMap {
    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))])
}

/// There is no Ruby for processors of modules.
fn no_ruby(name: &str, _: &str) -> Result<(), ProcessorError> {
    Err(ProcessorError::new(format!("No report named '{name}'")))
}

fn send(reports: &Reports, node: &str, body: &str) -> Result<String, RouteError> {
    reports.answer(node, &json(), body.as_bytes(), &no_ruby).map(|answer| match answer.body {
        AnswerBody::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("text"),
        AnswerBody::File { .. } | AnswerBody::Piped(_) => panic!("no text"),
    })
}

#[test]
fn reports_are_answered_as_by_puppet() {
    let tree = Tree::empty("reports");
    let (reports, _) = reports(&tree, "store", None);
    let mut differences = Vec::new();
    for record in recorded::all() {
        let is_routed = record.route == "report"
            && record.method == "PUT"
            && record.query.get("environment") == Some("production")
            && !record.words.iter().any(|word| word.starts_with("Accept="));
        if !is_routed {
            continue;
        }
        // These answers are not JRuby's, whose parser does not name a line of its own code.
        let expected = record.body.replace("from json: 859: ", "from json: ");
        let record = recorded::Recorded { body: expected, ..record };
        let answer = reports.answer(&record.key, &headers(&record), &body(&record), &no_ruby);
        match is_worded_otherwise(&record.line) {
            Some(status) => {
                let answered = answer.map_or_else(|error| error.status(), |answer| answer.status);
                assert_eq!(answered.as_u16(), status, "{}", record.line);
            }
            None => differences.extend(recorded::difference(&record, answer, "/ROOT", &[])),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn stored_reports_are_puppets_byte_for_byte() {
    let expected = [
        ("agent.example", RUN, include_str!("../agents/reports/run.yaml")),
        ("odd.example", ODD, include_str!("../agents/reports/odd.yaml")),
    ];
    for (host, json, yaml) in expected {
        let tree = Tree::empty("stored");
        let (reports, _) = reports(&tree, "store", None);
        assert_eq!(send(&reports, host, json), Ok("[\"store\"]".to_owned()));
        let files = files(&tree, host);
        assert_eq!(files.len(), 1);
        for (ours, theirs) in files[0].1.lines().zip(yaml.lines()) {
            assert_eq!(ours, theirs);
        }
        assert!(files[0].1 == yaml);
        let stem = files[0].0.strip_suffix(".yaml").expect("YAML");
        assert!(stem.len() == 12 && stem.bytes().all(|byte| byte.is_ascii_digit()), "{stem}");
    }
}

fn files(tree: &Tree, host: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(tree.at("reports").join(host)).expect("a directory");
    let entries = entries.map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(entry.path()).expect("a report"))
        })
        .collect()
}

#[test]
fn no_report_of_a_minute_is_lost() {
    let tree = Tree::empty("minute");
    let (reports, _) = reports(&tree, "store", None);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| send(&reports, "agent.example", RUN).expect("stored"));
        }
    });
    let files = files(&tree, "agent.example");
    assert_eq!(files.len(), 12);
    assert!(files.iter().all(|(name, text)| name.ends_with(".yaml") && text.len() > 1000));
}

#[test]
fn a_report_that_is_not_stored_is_not_answered_200() {
    let tree = Tree::empty("full");
    std::fs::write(tree.at("reports"), "a file in the place of the directory").expect("written");
    let (reports, lines) = reports(&tree, "store", None);
    assert_eq!(
        send(&reports, "agent.example", RUN).map_err(|error| error.status().as_u16()),
        Err(500)
    );
    assert!(
        lines.lock().expect("lines")[0].starts_with("Could not write report for agent.example")
    );
}

#[test]
fn processors_are_those_of_the_setting() {
    let tree = Tree::empty("processors");
    let (all, lines) = reports(&tree, " log , foreman ,store", None);
    let names = Ok("[\"log\",\"foreman\",\"store\"]".to_owned());
    assert_eq!(send(&all, "agent.example", RUN), names);
    assert_eq!(send(&all, "agent.example", RUN), names);
    let lines = lines.lock().expect("lines");
    let unknown = lines.iter().filter(|line| line.starts_with("Report processor failed: foreman"));
    assert_eq!(unknown.count(), 2);
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("notice //agent.example/Puppet: Applied catalog in"))
    );
    assert!(lines.iter().all(|line| !line.contains('\n')));
    let (none, _) = reports(&tree, "none", None);
    assert_eq!(send(&none, "agent.example", RUN), Ok("[]".to_owned()));
}

#[test]
fn reports_are_posted_as_yaml() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&text).contains("corrective_change: false\n")
            || text.len() < 17_000
        {
            let length = stream.read(&mut buffer).expect("bytes");
            text.extend_from_slice(&buffer[..length]);
        }
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").expect("written");
        String::from_utf8_lossy(&text).into_owned()
    });
    let url =
        ReportUrl::parse(&format!("http://me:s%20cret@{address}/reports/upload"), || panic!("TLS"));
    let url = url.expect("a URL");
    assert_eq!(url.to_string(), format!("http://{address}/reports/upload"));
    let tree = Tree::empty("http");
    let (reports, lines) = reports(&tree, "http", Some(url));
    assert_eq!(send(&reports, "agent.example", RUN), Ok("[\"http\"]".to_owned()));
    let text = receiver.join().expect("received");
    assert!(text.starts_with("POST /reports/upload HTTP/1.1\r\n"), "{text}");
    assert!(text.contains("content-type: application/x-yaml\r\n"));
    assert!(text.contains("authorization: Basic bWU6cyBjcmV0\r\n"));
    assert!(text.contains("--- !ruby/object:Puppet::Transaction::Report\nhost: agent.example\n"));
    let lines = lines.lock().expect("lines");
    assert!(lines[0].ends_with("[403] Forbidden") && !lines[0].contains("cret"), "{lines:?}");
}

#[test]
fn urls_are_checked() {
    let parse = |text: &str| ReportUrl::parse(text, || panic!("TLS")).map(|url| url.to_string());
    for bad in ["", "ftp://x/", "http://", "http://:80/", "http://x:99999/", "http://x/a b", "x"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
    assert_eq!(parse("http://[::1]:81?a").as_deref(), Ok("http://::1:81/?a"));
}

#[test]
fn needs_puppet_reads_stored_reports() {
    let tree = Tree::empty("readable");
    let (reports, _) = reports(&tree, "store", None);
    send(&reports, "agent.example", RUN).expect("stored");
    let path = tree.at("reports/agent.example");
    let file = std::fs::read_dir(path).expect("a directory").next().expect("a report").expect("it");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracle/agents/report.rb");
    let output = std::process::Command::new("ruby")
        .args(["-Ku", script, "check"])
        .stdin(std::fs::File::open(file.path()).expect("a report"))
        .output()
        .expect("ruby");
    let text = String::from_utf8_lossy(&output.stdout);
    let expected =
        "Puppet::Transaction::Report agent.example failed 16 changes,events,resources,time 15\n";
    assert_eq!(text, expected, "{output:?}");
}
