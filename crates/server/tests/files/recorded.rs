//! Answers that Puppet gave to the requests of `tests/agents/files/requests.txt`.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use kukla_server::agents::exchange::{Answer, AnswerBody, RouteError};
use kukla_server::agents::files::{Confinement, FileEnvironment, FileRequest, FileServer};
use kukla_server::agents::query::{Query, decoded};
use serde_json::Value;

use crate::tree::Tree;

/// Requests that are answered otherwise on purpose: a part of the request, the status, and a part of the body.
const DIFFERENCES: &[(&str, u16, &str)] = &[
    // Puppet calls a mount that does not exist an error of the server; agents try the next source after a 404.
    ("/nomount", 404, "Could not find mount 'nomount'"),
    ("/missing", 404, "Could not find mount 'missing'"),
    ("/bad.mount/", 404, "Could not find mount 'bad.mount'"),
    ("/bad%20mount/", 404, "Could not find mount 'bad mount'"),
    ("/%C3%BC/", 404, "Could not find mount 'ü'"),
    // Puppet answers 406 with advice about formats.
    ("file_content/static/dangling", 500, "No such file or directory"),
    // Puppet shows the failure of a method call; content has no checksum, so the parameter has no effect.
    ("file_content/modules/demo/a.txt?environment=production&checksum_type=", 200, "hello\n"),
];

/// A recorded request and its answer.
pub(crate) struct Recorded {
    pub(crate) line: String,
    pub(crate) method: String,
    pub(crate) route: String,
    pub(crate) key: String,
    pub(crate) query: Query,
    pub(crate) words: Vec<String>,
    pub(crate) status: u16,
    pub(crate) body: String,
}

pub(crate) fn all() -> Vec<Recorded> {
    let text = include_str!("../agents/files/answers.jsonl");
    text.lines().filter(|line| line.starts_with('{')).map(recorded).collect()
}

fn recorded(line: &str) -> Recorded {
    let record: Value = serde_json::from_str(line).expect("JSON");
    let line = record["request"].as_str().expect("a request").to_owned();
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let path = decoded(path.strip_prefix("/puppet/v3/").expect("a prefix")).expect("a path");
    let (route, key) = path.split_once('/').unwrap_or((&path, ""));
    Recorded {
        method,
        route: route.to_owned(),
        key: key.to_owned(),
        query: Query::parse(query).expect("a query"),
        words: words.collect(),
        status: u16::try_from(record["status"].as_u64().expect("a status")).expect("a status"),
        body: record["body"].as_str().expect("a body").to_owned(),
        line,
    }
}

/// Compares an answer with the recorded one; returns a description of the difference.
pub(crate) fn difference(
    record: &Recorded,
    answer: Result<Answer, RouteError>,
    root: &str,
    differences: &[(&str, u16, &str)],
) -> Option<String> {
    let answer = answer.unwrap_or_else(|error| error.answer());
    let (status, body) = (answer.status.as_u16(), normal(body(answer), root));
    let known = differences.iter().find(|(part, ..)| record.line.contains(part));
    let is_expected = match known {
        Some((_, expected, part)) => status == *expected && body.contains(part),
        None => status == record.status && body == record.body,
    };
    (!is_expected).then(|| {
        format!(
            "{}\n  expected {} {}\n  answered {status} {body}",
            record.line, record.status, record.body
        )
    })
}

fn body(answer: Answer) -> Vec<u8> {
    match answer.body {
        AnswerBody::Bytes(bytes) => bytes.to_vec(),
        AnswerBody::File { file, length } => {
            let mut bytes = Vec::new();
            file.take(length).read_to_end(&mut bytes).expect("a file");
            bytes
        }
        AnswerBody::Piped(_) => panic!("it is still being made"),
    }
}

/// Replaces what differs from run to run, as the recorder does.
fn normal(body: Vec<u8>, root: &str) -> String {
    let text = match String::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            format!("base64:{}", data_encoding::BASE64.encode(error.as_bytes()))
        }
    };
    let text = text.replace(root, "/ROOT");
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let text = text.replace(
        &format!("\"owner\":{user},\"group\":{group}"),
        "\"owner\":\"UID\",\"group\":\"GID\"",
    );
    static TIME: LazyLock<regex::Regex> = LazyLock::new(|| {
        regex::Regex::new(r"\{ctime\}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4}").expect("valid")
    });
    let text = TIME.replace_all(&text, "{ctime}TIME").into_owned();
    if text.len() > 20_000 { format!("bytes:{}", text.len()) } else { text }
}

/// Makes the file server of the recorder's site.
pub(crate) fn file_server(tree: &Tree, confinement: Confinement) -> FileServer {
    let root = tree.0.display();
    let mounts = [
        ("static", "static"),
        ("by-host", "%h"),
        ("by-fqdn", "%H"),
        ("by-domain", "%d"),
        ("percent", "100%%"),
        ("missing", "nosuch"),
    ];
    let sections = mounts.map(|(name, path)| format!("[{name}]\n  path {root}/mounts/{path}\n"));
    std::fs::write(tree.at("fileserver.conf"), sections.concat()).expect("a file");
    FileServer::new(tree.at("fileserver.conf"), confinement, Arc::new(|_| ()))
}

/// Returns the module path of an environment.
pub(crate) fn modulepath(tree: &Tree, environment: &str) -> Vec<PathBuf> {
    let own = tree.at(&format!("code/environments/{environment}/modules"));
    match environment {
        "empty" => vec![own],
        _ => vec![own, tree.at("code/modules")],
    }
}

/// Answers a recorded request; none if it is the router that decides about it.
pub(crate) fn answer_files(
    server: &FileServer,
    tree: &Tree,
    record: &Recorded,
) -> Option<Result<Answer, RouteError>> {
    let environment = record.query.get("environment")?;
    let is_routed = matches!(environment, "production" | "empty")
        && matches!(record.method.as_str(), "GET")
        && !record.key.is_empty()
        && record.words.is_empty();
    if !is_routed {
        return None;
    }
    let (modulepath, codedir) = (modulepath(tree, environment), tree.at("code"));
    let request = FileRequest {
        key: &record.key,
        query: &record.query,
        environment: FileEnvironment { modulepath: &modulepath, codedir: &codedir },
        client: "agent.example",
    };
    let answer = match record.route.as_str() {
        "file_metadata" => server.metadata(&request),
        "file_metadatas" => server.metadatas(&request),
        "file_content" => server.content(&request),
        _ => return None,
    };
    Some(answer.map_err(RouteError::from))
}

#[test]
fn files_are_answered_as_by_puppet() {
    let tree = Tree::whole("files");
    let server = file_server(&tree, Confinement::Open);
    let root = tree.0.display().to_string();
    let (mut count, mut differences) = (0, Vec::new());
    // Twice: the second time digests come from the cache.
    for record in all().iter().chain(&all()) {
        if let Some(answer) = answer_files(&server, &tree, record) {
            count += 1;
            differences.extend(difference(record, answer, &root, DIFFERENCES));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count}:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(count > 400, "{count}");
}
