//! Large answers of the store: they begin before they are read, and one that breaks off is no answer.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::client::{head, receive_head};
use crate::fixture::Fixture;
use crate::puppetdb::fake::Does;
use crate::puppetdb::world::World;
use crate::store::tool;

const REPORTS: &str = "/pdb/query/v4/reports?include_total=true&limit=1000";
/// Reports, and the bytes of the log of each.
const N_REPORTS: usize = 80;
const LOG: usize = 200_000;

/// An answer, as far as it came.
struct Came {
    head: String,
    body: Vec<u8>,
    /// Whether the last chunk came.
    is_whole: bool,
}

/// Asks for something on a connection of its own.
fn ask(fixture: &Fixture, path: &str, fields: &[(&str, &str)]) -> TcpStream {
    let mut stream = TcpStream::connect(fixture.tools).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    let fields = [fields, &[("Connection", "close")]].concat();
    stream.write_all(&head("GET", path, &fields, None)).expect("sent");
    stream
}

/// Reads an answer to its end.
fn taken(mut stream: TcpStream) -> Came {
    let (bytes, end) = receive_head(&mut stream).expect("read").expect("a head");
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let mut rest = bytes[end..].to_vec();
    let _ = stream.read_to_end(&mut rest);
    if !head.contains("transfer-encoding: chunked") {
        return Came { head, body: rest, is_whole: true };
    }
    let (mut body, mut rest) = (Vec::new(), &rest[..]);
    while let Some(at) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).ok();
        let size = size.and_then(|text| usize::from_str_radix(text, 16).ok()).expect("a size");
        rest = &rest[at + 2..];
        if size == 0 {
            return Came { head, body, is_whole: true };
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        rest = rest.get(size + 2..).unwrap_or_default();
    }
    Came { head, body, is_whole: false }
}

fn report(number: usize) -> Value {
    let time = format!("2026-11-01T00:{:02}:{:02}.000Z", number / 60, number % 60);
    // What is compressed well is small on the disk: each line differs.
    let words: String = (0..LOG / 10).map(|n| format!("{:09x} ", n * 7_919 + number)).collect();
    json!({
        "certname": "n.example", "puppet_version": "8.10.0", "report_format": 12,
        "configuration_version": number.to_string(), "start_time": time, "end_time": time,
        "producer_timestamp": time, "transaction_uuid": format!("run-{number}"),
        "status": "changed", "metrics": [], "resources": [],
        "logs": [{ "level": "notice", "message": words }],
    })
}

/// Starts a server with reports of 16 MB.
fn filled() -> Fixture {
    let fixture = Fixture::start();
    for number in 0..N_REPORTS {
        let wait = if number + 1 == N_REPORTS { "&secondsToWaitForCompletion=30" } else { "" };
        let path = format!("/pdb/cmd/v1?command=store_report&version=8&certname=n.example{wait}");
        let body = report(number).to_string();
        let json = ("Content-Type", "application/json");
        let answer = tool(&fixture, "POST", &path, &[json], Some(body.as_bytes()));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    fixture
}

fn n_rows(body: &[u8]) -> usize {
    let rows: Value = serde_json::from_slice(body).expect("JSON");
    rows.as_array().expect("a list").len()
}

#[test]
fn large_answers_are_whole_with_and_without_gzip() {
    let fixture = filled();
    let plain = taken(ask(&fixture, REPORTS, &[]));
    assert!(plain.head.contains(" 200 ") && plain.head.contains("x-records: 80"), "{}", plain.head);
    assert!(plain.head.contains("transfer-encoding: chunked") && plain.is_whole);
    assert_eq!(n_rows(&plain.body), N_REPORTS);
    let gzip = taken(ask(&fixture, REPORTS, &[("Accept-Encoding", "gzip")]));
    assert!(gzip.head.contains("content-encoding: gzip") && gzip.is_whole, "{}", gzip.head);
    assert!(gzip.head.contains("x-records: 80"), "{}", gzip.head);
    let mut body = Vec::new();
    GzDecoder::new(&gzip.body[..]).read_to_end(&mut body).expect("gzip");
    assert!(body == plain.body);
    let pretty = taken(ask(&fixture, &format!("{REPORTS}&pretty=true"), &[]));
    let indented = serde_json::from_slice::<Value>(&plain.body).expect("JSON");
    let indented = serde_json::to_string_pretty(&indented).expect("JSON");
    assert!(pretty.is_whole && pretty.body == indented.into_bytes());
    let small = taken(ask(&fixture, "/pdb/query/v4/nodes", &[]));
    assert!(small.head.contains("content-length: "), "{}", small.head);
    let wrong = taken(ask(&fixture, "/pdb/query/v4/reports?query=%5B%22x%22%5D", &[]));
    assert!(wrong.head.contains(" 400 "), "{}", wrong.head);
}

#[test]
fn an_answer_that_fails_behind_its_beginning_has_no_end() {
    let fixture = filled();
    let path = fixture.directory.join("var/store.sqlite3");
    let change = |number: usize| {
        let connection = rusqlite::Connection::open(&path).expect("opened");
        let sql = "UPDATE report_bodies SET logs = x'0123' WHERE report_id = \
            (SELECT id FROM reports WHERE configuration_version = ?1)";
        let n_changed = connection.execute(sql, [number.to_string()]).expect("changed");
        assert_eq!(n_changed, 1);
    };
    change(N_REPORTS - 1);
    for fields in [&[][..], &[("Accept-Encoding", "gzip")]] {
        let broken = taken(ask(&fixture, REPORTS, fields));
        assert!(broken.head.contains(" 200 ") && !broken.is_whole, "{}", broken.head);
        assert!(serde_json::from_slice::<Value>(&broken.body).is_err());
    }
    let log = fixture.log.lock().expect("a log").join("\n");
    assert!(log.contains("answer-cut") && log.contains("store-failed"), "{log}");
    // An error before the first bytes has a status.
    change(0);
    let refused = taken(ask(&fixture, REPORTS, &[]));
    assert!(refused.head.contains(" 500 ") && refused.is_whole, "{}", refused.head);
}

#[test]
fn clients_that_do_not_read_hold_nothing_up() {
    let fixture = filled();
    // More than there are threads.
    let stalled: Vec<TcpStream> = (0..60).map(|_| ask(&fixture, REPORTS, &[])).collect();
    let start = Instant::now();
    // One address has a part of the queue; answers are made though their clients do not read, and then there is room.
    let other = loop {
        let other = taken(ask(&fixture, "/pdb/query/v4/nodes", &[]));
        if !other.head.contains(" 503 ") {
            break other;
        }
        assert!(start.elapsed() < Duration::from_secs(50), "{}", other.head);
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(n_rows(&other.body), 1);
    let path = "/pdb/cmd/v1?command=store_report&version=8&certname=n.example\
        &secondsToWaitForCompletion=60";
    let body = report(N_REPORTS).to_string();
    let json = ("Content-Type", "application/json");
    let answer = loop {
        let answer = tool(&fixture, "POST", path, &[json], Some(body.as_bytes()));
        if answer.status != 503 {
            break answer;
        }
        assert!(start.elapsed() < Duration::from_secs(50), "{}", answer.text());
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(answer.status, 200, "{}", answer.text());
    println!("{:?} beside 60 clients that do not read", start.elapsed());
    let spool = fixture.directory.join("var/store-spool");
    let names = std::fs::read_dir(&spool).map_or(0, Iterator::count);
    assert_eq!(names, 0, "no file has a name");
    // Half of them read after all, and get everything; others are gone in the middle.
    for (n, stream) in stalled.into_iter().enumerate() {
        if n % 10 == 0 {
            let came = taken(stream);
            let is_refused = came.head.contains(" 503 ");
            assert!(
                is_refused || came.is_whole && n_rows(&came.body) == N_REPORTS,
                "{}",
                came.head
            );
        }
    }
    let last = taken(ask(&fixture, REPORTS, &[]));
    assert!(last.is_whole && n_rows(&last.body) == N_REPORTS + 1);
}

#[test]
fn an_answer_of_puppetdb_that_breaks_off_is_passed_on_as_one() {
    let (world, fake) = World::one("broken", "");
    fake.up();
    fake.next(&[Does::Chunks(4 << 20)]);
    let broken = taken(ask(&world.fixture, "/pdb/query/v4/reports", &[]));
    assert!(broken.head.contains(" 200 ") && !broken.is_whole, "{}", broken.head);
    assert!(broken.body.starts_with(b"[1,1,") && broken.body.len() > 256 << 10);
    // What breaks off before the answer has begun is an error with a status.
    fake.next(&[Does::Chunks(64 << 10)]);
    let refused = taken(ask(&world.fixture, "/pdb/query/v4/reports", &[]));
    assert!(refused.head.contains(" 502 "), "{}", refused.head);
    // A large one that is whole.
    let rows: Vec<Value> = (0..100_000).map(|n| json!({ "n": n })).collect();
    fake.answer("/pdb/query/v4/reports", &rows.into());
    let whole = taken(ask(&world.fixture, "/pdb/query/v4/reports", &[]));
    assert!(whole.head.contains("x-records: 7") && whole.is_whole, "{}", whole.head);
    assert_eq!(n_rows(&whole.body), 100_000);
}
