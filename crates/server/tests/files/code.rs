//! Information about code, as a real Puppet Server gave it for the environments of `tests/agents/site`.

use std::path::{Path, PathBuf};

use hyper::header::{ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use kukla_server::agents::code::CodeInformation;
use kukla_server::agents::exchange::{Answer, AnswerBody, RouteError};
use kukla_server::agents::query::Query;
use kukla_site::puppet_conf::PuppetConf;
use kukla_site::settings::Settings;
use kukla_site::{EnvironmentChoice, ServerIdentity, Site, SiteOptions, Timeout, Warn};
use kukla_world::paths::Anchor;
use serde_json::Value;

use crate::tree::Tree;

/// Makes a site whose `codedir` is the directory.
pub(crate) fn site(codedir: &Path, vardir: &Path) -> Site {
    let codedir = codedir.display();
    let overrides = [
        ("environmentpath", format!("{codedir}/environments")),
        ("basemodulepath", format!("{codedir}/modules")),
        ("codedir", codedir.to_string()),
        ("vardir", vardir.display().to_string()),
    ];
    let overrides = overrides.map(|(name, value)| (name.to_owned(), value));
    let settings = Settings::new(PuppetConf::default(), overrides.into());
    let options = SiteOptions {
        anchor: Anchor::new("/"),
        choice: EnvironmentChoice::default(),
        server: ServerIdentity {
            name: "puppet.example".to_owned(),
            address: "127.0.0.1".to_owned(),
        },
        timeout: Timeout::default(),
        settle: None,
        warn: Warn::default(),
    };
    Site::open(settings, options).expect("a site")
}

fn recorded_code() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/site")
}

fn text(answer: Answer) -> String {
    match answer.body {
        AnswerBody::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("text"),
        AnswerBody::File { .. } | AnswerBody::Piped(_) => panic!("no text"),
    }
}

fn ask(
    code: &CodeInformation,
    site: &Site,
    path: &str,
    query: &Query,
) -> Result<Answer, RouteError> {
    let environment = query.get("environment");
    let name = environment.unwrap_or_default();
    let segments: Vec<&str> = path.split('/').collect();
    match segments.as_slice() {
        ["environments"] => Ok(code.environments(site)),
        ["environment_modules"] => code.modules(site, environment),
        ["environment_classes"] => code.classes(site, name, &HeaderMap::new()),
        ["tasks"] => code.tasks(site, name),
        ["tasks", module, task] => code.task(site, name, module, task),
        other => panic!("{other:?}"),
    }
}

#[test]
fn code_is_described_as_by_puppet_server() {
    let (root, tree) = (recorded_code(), Tree::empty("code"));
    let (site, code) = (site(&root, &tree.0), CodeInformation::default());
    let root = root.display().to_string();
    for line in
        include_str!("../agents/code/answers.jsonl").lines().filter(|it| it.starts_with('{'))
    {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let request = record["request"].as_str().expect("a request");
        let target = request.strip_prefix("GET /puppet/v3/").expect("a target");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let answer = ask(&code, &site, path, &Query::parse(query).expect("a query"));
        let answer = answer.unwrap_or_else(|error| error.answer());
        assert_eq!(answer.status.as_u16(), record["status"], "{request}");
        let (ours, theirs) =
            (text(answer).replace(&root, "/ROOT"), record["body"].as_str().expect("a body"));
        match serde_json::from_str::<Value>(theirs) {
            Ok(theirs) => {
                assert_eq!(serde_json::from_str::<Value>(&ours).ok(), Some(theirs), "{request}")
            }
            Err(_) => assert_eq!(ours, theirs, "{request}"),
        }
    }
}

#[test]
fn classes_are_sent_once() {
    let (root, tree) = (recorded_code(), Tree::empty("tags"));
    let (site, code) = (site(&root, &tree.0), CodeInformation::default());
    let answer = code.classes(&site, "production", &HeaderMap::new()).expect("classes");
    let tag = answer.headers[ETAG].to_str().expect("a tag").to_owned();
    let gzip = format!("{}--gzip\"", tag.trim_end_matches('"'));
    let bare = tag.trim_matches('"').to_owned();
    for (sent, expected) in [
        (tag.as_str(), 304),
        (&gzip, 304),
        (&bare, 304),
        (&format!("W/{tag}"), 304),
        (&format!("\"x\", {tag}"), 304),
        ("\"x\"", 200),
        ("", 200),
    ] {
        let headers =
            HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_str(sent).expect("a value"))]);
        let answer = code.classes(&site, "production", &headers).expect("classes");
        assert_eq!(answer.status.as_u16(), expected, "{sent}");
        assert_eq!(answer.headers[ETAG].to_str().ok(), Some(tag.as_str()));
        assert_eq!(text(answer).is_empty(), expected == 304);
    }
}

/// Files and metadata as Puppet's `TaskInformationService` says.
#[test]
fn tasks_have_all_their_files() {
    let tree = Tree::whole("tasks");
    let (site, code) = (site(&tree.at("code"), &tree.at("var")), CodeInformation::default());
    let task = |name: &str| -> Value {
        let answer = code.task(&site, "production", "demo", name).expect("a task");
        serde_json::from_str(&text(answer)).expect("JSON")
    };
    let files = |task: &Value| -> Vec<(String, String)> {
        let files = task["files"].as_array().expect("files").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        files.map(|file| (text(&file["filename"]), text(&file["uri"]["path"]))).collect()
    };
    let init = task("init");
    assert_eq!((&init["name"], &init["metadata"]), (&Value::from("demo"), &serde_json::json!({})));
    let route = |path: &str| format!("/puppet/v3/file_content/{path}");
    let expected = [
        ("multi.sh", "tasks/demo/multi.sh"),
        ("multi.ps1", "tasks/demo/multi.ps1"),
        ("demo/files/a.txt", "modules/demo/a.txt"),
    ];
    let expected = expected.map(|(name, path)| (name.to_owned(), route(path)));
    assert_eq!(files(&task("multi")), expected);
    let list: Value =
        serde_json::from_str(&text(code.tasks(&site, "production").expect("tasks"))).expect("JSON");
    let names: Vec<_> = list.as_array().expect("tasks").iter().map(|task| &task["name"]).collect();
    assert_eq!(names, ["demo::hi", "demo", "demo::multi"]);
    assert_eq!(
        (&list[1]["description"], &list[2]["private"]),
        (&Value::from(""), &Value::from(true))
    );
}

#[test]
fn mistakes_in_tasks_are_told() {
    let tree = Tree::whole("mistakes");
    let tasks = tree.at("code/environments/production/modules/demo/tasks");
    let cases = [
        ("alone", r#"{}"#, "puppet.tasks/no-implementation"),
        ("torn", r#"{"#, "puppet.tasks/unparseable-metadata"),
        (
            "gone",
            r#"{"implementations":[{"name":"gone.sh"}]}"#,
            "puppet.tasks/missing-implementation",
        ),
        ("word", r#"{"implementations":"x"}"#, "puppet.tasks/invalid-metadata"),
        (
            "out",
            r#"{"implementations":[],"files":["demo/files/../metadata.json"]}"#,
            "puppet.tasks/invalid-metadata",
        ),
        (
            "mount",
            r#"{"implementations":[],"files":["demo/manifests/init.pp"]}"#,
            "puppet.tasks/invalid-metadata",
        ),
        (
            "none",
            r#"{"implementations":[],"files":["demo/files/none"]}"#,
            "puppet.tasks/invalid-file",
        ),
        (
            "slash",
            r#"{"implementations":[],"files":["demo/files/tree"]}"#,
            "puppet.tasks/invalid-metadata",
        ),
    ];
    for (name, metadata, _) in cases {
        std::fs::write(tasks.join(format!("{name}.json")), metadata).expect("written");
    }
    let (site, code) = (site(&tree.at("code"), &tree.at("var")), CodeInformation::default());
    for (name, _, kind) in cases {
        let answer = code.task(&site, "production", "demo", name).expect("an answer");
        assert_eq!(answer.status.as_u16(), 500, "{name}");
        let body: Value = serde_json::from_str(&text(answer)).expect("JSON");
        assert_eq!(body["kind"], kind, "{name}");
    }
    let list: Value =
        serde_json::from_str(&text(code.tasks(&site, "production").expect("tasks"))).expect("JSON");
    assert_eq!(list.as_array().map(Vec::len), Some(3));
}
