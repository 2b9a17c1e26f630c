//! The file bucket.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use kukla_server::agents::bucket::Bucket;
use kukla_server::agents::exchange::{Answer, AnswerBody, RouteError};
use kukla_server::agents::query::Query;

use crate::recorded::{self, Recorded};
use crate::tree::{Tree, unescaped};

const SUM: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";

/// Requests that are answered otherwise on purpose.
const DIFFERENCES: &[(&str, u16, &str)] = &[
    // Puppet stores the content under another checksum than the agent believes.
    ("/wrong?", 400, "does not have the sha256 checksum"),
    // The paths and times of the compared files differ from run to run.
    ("diff_with=27dd", 200, "@@ -1 +1 @@\n-one\n+two\n"),
];

/// Returns the header fields of a recorded request.
pub(crate) fn headers(record: &Recorded) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let field = record.words.iter().find_map(|word| word.strip_prefix("Content-Type="));
    if let Some(value) = field {
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(value).expect("a value"));
    }
    headers
}

/// Returns the body of a recorded request.
pub(crate) fn body(record: &Recorded) -> Vec<u8> {
    let body = record.words.iter().find_map(|word| word.strip_prefix("BODY="));
    unescaped(body.unwrap_or_default())
}

fn answer(bucket: &Bucket, record: &Recorded) -> Option<Result<Answer, RouteError>> {
    let is_routed = record.route == "file_bucket_file"
        && record.query.get("environment") == Some("production")
        && !record.key.is_empty()
        && !record.words.iter().any(|word| word.starts_with("Accept="));
    let method = Method::from_bytes(record.method.as_bytes()).expect("a method");
    let body = Bytes::from(body(record));
    is_routed.then(|| bucket.answer(&method, &record.key, &record.query, &headers(record), &body))
}

#[test]
fn the_bucket_answers_as_puppet() {
    let tree = Tree::empty("bucket");
    assert_answers(&tree, &Bucket::new(tree.at("bucket"), "sha256"));
}

/// Servers that share a database share the bucket in it.
#[test]
fn a_bucket_in_the_store_answers_as_puppet() {
    let tree = Tree::empty("bucket-store");
    let bucket = in_store(&tree);
    assert_answers(&tree, &bucket);
    // Several parts, and the same content from two agents at once.
    let content: &[u8] = Vec::leak((0..3_000_000_u32).map(|n| (n / 7) as u8).collect());
    let sum = kukla_rubytext::digest::sha256(content);
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (other, key) = (in_store(&tree), format!("sha256/{sum}/p{number}"));
            scope.spawn(move || {
                let (query, body) = (Query::default(), Bytes::from_static(content));
                other.answer(&Method::PUT, &key, &query, &octets(), &body).expect("stored")
            });
        }
    });
    let get = |path: &str| {
        let key = format!("sha256/{sum}{path}");
        bucket.answer(&Method::GET, &key, &Query::default(), &octets(), &Bytes::new())
    };
    let AnswerBody::Bytes(bytes) = get("/p3").expect("an answer").body else { panic!("a file") };
    assert!(bytes == content);
    assert!(get("/p4").is_err() && get("").is_ok());
    let left = std::fs::read_dir(tree.at("bucket")).into_iter().flatten().count();
    assert_eq!(left, 0, "a copy for `diff` is left over");
}

fn in_store(tree: &Tree) -> Bucket {
    let store = kukla_store::Store::open(&tree.at("store.sqlite3")).expect("a store");
    Bucket::in_store(std::sync::Arc::new(store), tree.at("bucket"), "sha256")
}

fn assert_answers(tree: &Tree, bucket: &Bucket) {
    let root = tree.0.display().to_string();
    let (mut count, mut differences) = (0, Vec::new());
    for record in recorded::all() {
        if let Some(answer) = answer(bucket, &record) {
            count += 1;
            differences.extend(recorded::difference(&record, answer, &root, DIFFERENCES));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count}:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(count > 25, "{count}");
}

#[test]
fn content_lies_where_puppet_puts_it() {
    let tree = Tree::empty("bucket-layout");
    let bucket = Bucket::new(tree.0.clone(), "sha256");
    put(&bucket, "/etc/one", b"one\n").expect("stored");
    put(&bucket, "/etc/two", b"one\n").expect("stored");
    let slot = tree.at(&format!("2/c/8/b/0/8/d/a/{SUM}"));
    assert_eq!(std::fs::read(slot.join("contents")).expect("contents"), b"one\n");
    assert_eq!(std::fs::read_to_string(slot.join("paths")).expect("paths"), "etc/one\netc/two\n");
    assert_eq!((mode(&slot.join("contents")), mode(&slot.join("paths"))), (0o440, 0o640));
    assert_eq!(std::fs::read_dir(&slot).expect("a directory").count(), 2);
}

#[test]
fn a_damaged_backup_is_replaced() {
    let tree = Tree::empty("bucket-damaged");
    let bucket = Bucket::new(tree.0.clone(), "sha256");
    put(&bucket, "", b"one\n").expect("stored");
    let contents = tree.at(&format!("2/c/8/b/0/8/d/a/{SUM}/contents"));
    std::fs::remove_file(&contents).expect("removed");
    std::fs::write(&contents, "on").expect("written");
    put(&bucket, "", b"one\n").expect("stored");
    assert_eq!(std::fs::read(&contents).expect("contents"), b"one\n");
}

#[test]
fn threads_may_store_one_content() {
    let tree = Tree::empty("bucket-threads");
    let bucket = Bucket::new(tree.0.clone(), "sha256");
    std::thread::scope(|scope| {
        for number in 0..16 {
            let bucket = &bucket;
            scope.spawn(move || {
                put(bucket, &format!("/p{}", number % 4), b"one\n").expect("stored")
            });
        }
    });
    let paths = tree.at(&format!("2/c/8/b/0/8/d/a/{SUM}/paths"));
    let text = std::fs::read_to_string(paths).expect("paths");
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["p0", "p1", "p2", "p3"]);
}

#[test]
fn hostile_keys_are_refused() {
    let tree = Tree::empty("bucket-hostile");
    let bucket = Bucket::new(tree.at("bucket"), "sha256");
    std::fs::write(tree.at("contents"), "secret").expect("written");
    let dots = "../".repeat(21) + "x";
    let other = [format!("sha256/{dots}"), "sha256/..".to_owned(), "sha256/".to_owned()];
    for key in other.iter().map(String::as_str).chain(["", "sha256", "/etc/passwd", "../sha256"]) {
        for method in [Method::GET, Method::HEAD, Method::PUT] {
            let query = Query::default();
            let answer = bucket.answer(&method, key, &query, &octets(), &Bytes::from("x"));
            assert!(answer.is_err(), "{method} {key}");
        }
    }
    let key = format!("sha256/{SUM}");
    put(&bucket, "", b"one\n").expect("stored");
    for sum in ["../contents", "..%2f", "../../../../../../../../contents", ""] {
        let query = Query::parse(&format!("diff_with={sum}")).expect("a query");
        let answer = bucket.answer(&Method::GET, &key, &query, &octets(), &Bytes::new());
        assert!(answer.is_err(), "{sum}");
    }
    assert!(put(&bucket, "/a\n/etc/shadow", b"one\n").is_err());
}

fn put(bucket: &Bucket, path: &str, content: &'static [u8]) -> Result<Answer, RouteError> {
    let key = format!("sha256/{SUM}{path}");
    bucket.answer(&Method::PUT, &key, &Query::default(), &octets(), &Bytes::from_static(content))
}

fn octets() -> HeaderMap {
    let value = HeaderValue::from_static("application/octet-stream");
    HeaderMap::from_iter([(CONTENT_TYPE, value)])
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("a file").permissions().mode() & 0o7777
}
