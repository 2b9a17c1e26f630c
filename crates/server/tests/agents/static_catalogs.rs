//! Static catalogs; the metadata are those of Puppet 7.23 (`tests/oracle/agents/static.rb`).

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use kukla_server::agents::versioned_code::VersionedCode;
use kukla_server::agents::{FileOptions, ServerOptions};
use serde_json::Value;

use crate::client::Received;
use crate::fixture::Fixture;
use crate::tree::Tree;

const FORM: &str = "environment=production&static_catalog=true&checksum_type=sha999.sha256.md5";

fn script(path: PathBuf, text: &str) -> PathBuf {
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    path
}

fn commands(tree: &Tree, id: &str) -> VersionedCode {
    VersionedCode::Commands {
        id: script(tree.at("code-id"), id),
        content: script(
            tree.at("code-content"),
            "[ $3 != modules/demo/files/bad ] && echo \"$1 $2 $3\"",
        ),
    }
}

fn start(tree: &Tree, versioned_code: VersionedCode) -> Fixture {
    let files = FileOptions { versioned_code, ..FileOptions::default() };
    Fixture::with_code(&tree.at("code"), |options| ServerOptions { files, ..options })
}

fn catalog(fixture: &Fixture, form: &str) -> Received {
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let headers =
        [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")];
    let path = "/puppet/v3/catalog/agent.example?environment=production";
    connection.request("POST", path, &headers, Some(form.as_bytes())).expect("an answer")
}

fn content(fixture: &Fixture, rest: &str) -> (u16, String) {
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let path = format!("/puppet/v3/static_file_content{rest}");
    let received = connection.request("GET", &path, &[("Accept", "*/*")], None).expect("an answer");
    (received.status, received.text())
}

fn json(received: &Received, tree: &Tree) -> Value {
    assert_eq!(received.status, 200, "{}", received.text());
    let text = received.text().replace(&tree.0.display().to_string(), "/ROOT");
    let time = regex::Regex::new(r#"\{ctime\}[^"]*"#).expect("valid");
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let own = format!("\"owner\":{user},\"group\":{group}");
    let text = text.replace(&own, "\"owner\":\"UID\",\"group\":\"GID\"");
    serde_json::from_str(&time.replace_all(&text, "{ctime}TIME")).expect("JSON")
}

#[test]
fn catalogs_carry_the_metadata_that_puppet_gives_them() {
    let tree = Tree::whole("static");
    let fixture = start(&tree, commands(&tree, "echo abc"));
    let ours = json(&catalog(&fixture, FORM), &tree);
    let theirs: Value = serde_json::from_str(include_str!("files/static.json")).expect("JSON");
    for name in ["code_id", "metadata", "recursive_metadata"] {
        assert_eq!(ours[name], theirs[name], "{name}");
    }
    // Without the agent's wish, and with the environment's refusal, there is the identifier only.
    let plain = json(&catalog(&fixture, "environment=production"), &tree);
    assert_eq!((&plain["code_id"], plain.get("metadata")), (&Value::from("abc"), None));
    let conf = tree.at("code/environments/production/environment.conf");
    std::fs::write(conf, "modulepath = modules:$basemodulepath\nstatic_catalogs = false\n")
        .expect("written");
    assert_eq!(json(&catalog(&fixture, FORM), &tree).get("metadata"), None);
}

#[test]
fn a_source_that_does_not_exist_fails_the_catalog() {
    let tree = Tree::whole("static-missing");
    let site = tree.at("code/environments/production/manifests/site.pp");
    std::fs::write(site, "file { '/t': source => 'puppet:///modules/demo/nosuch' }")
        .expect("written");
    let fixture = start(&tree, commands(&tree, "echo abc"));
    let received = catalog(&fixture, FORM);
    let words = "Could not get metadata for puppet:///modules/demo/nosuch";
    assert!(received.status == 500 && received.text().contains(words), "{}", received.text());
}

#[test]
fn identifiers_are_checked() {
    for (id, expected) in [("true", Value::Null), ("echo a-b_c:d;", Value::from("a-b_c:d;"))] {
        let tree = Tree::whole("static-id");
        let fixture = start(&tree, commands(&tree, &id.replace(';', "\\;")));
        assert_eq!(json(&catalog(&fixture, FORM), &tree)["code_id"], expected, "{id}");
    }
    for id in ["echo 'a b'", "echo ../x", "exit 3"] {
        let tree = Tree::whole("static-bad-id");
        let fixture = start(&tree, commands(&tree, id));
        assert_eq!(catalog(&fixture, FORM).status, 500, "{id}");
    }
}

#[test]
fn contents_come_from_the_command() {
    let tree = Tree::whole("static-content");
    let fixture = start(&tree, commands(&tree, "echo abc"));
    let good = "/modules/demo/files/a.txt?environment=production&code_id=abc";
    assert_eq!(
        content(&fixture, good),
        (200, "production abc modules/demo/files/a.txt\n".to_owned())
    );
    let cases = [
        ("/modules/demo/files/a.txt?environment=production", 400),
        ("/modules/demo/files/a.txt?code_id=abc", 400),
        ("/?environment=production&code_id=abc", 400),
        ("/modules/demo/files/a.txt?environment=x-y&code_id=abc", 400),
        ("/modules/demo/files/a.txt?environment=production&code_id=a%20b", 400),
        ("/modules/demo/files/a.txt?environment=production&code_id=../x", 400),
        ("/modules/demo/manifests/init.pp?environment=production&code_id=abc", 403),
        ("/modules/demo/metadata.json?environment=production&code_id=abc", 403),
        ("/environment.conf?environment=production&code_id=abc", 403),
        ("/modules/demo/files?environment=production&code_id=abc", 403),
        ("/modules/demo/files/../metadata.json?environment=production&code_id=abc", 400),
        ("/modules/demo/files/%2e%2e/metadata.json?environment=production&code_id=abc", 400),
        ("/modules/demo/files/bad?environment=production&code_id=abc", 500),
        ("/modules/demo/lib/x.rb?environment=production&code_id=abc", 200),
    ];
    for (rest, expected) in cases {
        assert_eq!(content(&fixture, rest).0, expected, "{rest}");
    }
}

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@example", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("git");
    assert!(status.status.success(), "{status:?}");
}

#[test]
fn needs_git_versions_of_a_repository_are_served() {
    let tree = Tree::whole("static-git");
    let directory = tree.at("code/environments/production");
    let module = |path: &str| directory.join("modules/demo/files").join(path);
    git(&directory, &["init", "-q"]);
    git(&directory, &["add", "modules/demo/files/a.txt", "modules/demo/files/tree"]);
    git(&directory, &["commit", "-qm", "one"]);
    let fixture = start(&tree, VersionedCode::Git);
    let first = json(&catalog(&fixture, FORM), &tree);
    let id = first["code_id"].as_str().expect("an identifier").to_owned();
    assert_eq!(id.len(), 40);
    // Only files of the commit are described: the module `other` is none of them.
    let titles: Vec<_> = first["metadata"].as_object().expect("metadata").keys().collect();
    assert_eq!(titles, ["/t/a"]);
    assert!(first["recursive_metadata"]["/t/tree"].is_object());
    // The next version leaves the first as it was; a file that is not committed is not described.
    std::fs::write(module("a.txt"), "changed\n").expect("written");
    assert!(json(&catalog(&fixture, FORM), &tree).get("metadata").is_none());
    git(&directory, &["commit", "-qam", "two"]);
    let second = json(&catalog(&fixture, FORM), &tree)["code_id"].as_str().expect("it").to_owned();
    let path = |id: &str| format!("/modules/demo/files/a.txt?environment=production&code_id={id}");
    assert_eq!(content(&fixture, &path(&id)), (200, "hello\n".to_owned()));
    assert_eq!(content(&fixture, &path(&second)), (200, "changed\n".to_owned()));
    assert_eq!(content(&fixture, &path("HEAD")).0, 500);
    // r10k says what it has deployed.
    let deployed = format!("{{\"signature\":\"{id}\"}}");
    std::fs::write(directory.join(".r10k-deploy.json"), deployed).expect("written");
    assert_eq!(json(&catalog(&fixture, FORM), &tree)["code_id"], id.as_str());
}
