//! `data_access` and special files, as commands see them.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use crate::support::{Ran, Sandbox};

const FACTS: &str = r#"{"clientcert": "web1.example.com", "role": "../secret/all"}"#;

/// Creates a site for a node that names another directory as its role.
fn site() -> Sandbox {
    Sandbox::new(&[
        ("env/environment.conf", ""),
        (
            "env/hiera.yaml",
            "version: 5\nhierarchy:\n  - { name: node, path: 'nodes/%{facts.role}.yaml' }\n  - { name: all, path: common.yaml }\n",
        ),
        ("env/data/nodes/web.yaml", "a: 1\n"),
        ("env/data/common.yaml", "app::greeting: hello\n"),
        ("env/data/secret/all.yaml", "filesecret: LEAK-file\napp::greeting: LEAK-greeting\n"),
        (
            "env/modules/app/manifests/init.pp",
            "class app (String $greeting = 'none') { notify { $greeting: } }\n",
        ),
        ("env/manifests/site.pp", "include app\n"),
        ("facts/web1.example.com.json", FACTS),
    ])
}

/// Runs a command in the environment, and fails if it takes long.
fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let start = Instant::now();
    let more = ["--environmentpath", ".", "--environment", "env", "--hiera-config", "hiera.yaml"];
    let ran = sandbox.run(&[args, &more[..]].concat());
    assert!(start.elapsed() < Duration::from_secs(60), "{args:?} takes {:?}", start.elapsed());
    ran
}

fn check(sandbox: &Sandbox) -> Ran {
    run(sandbox, &["data", "check", "--format", "concise"])
}

fn mkfifo(sandbox: &Sandbox, path: &str) {
    let path = sandbox.path(path);
    let _ = std::fs::remove_file(&path);
    let status = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(status.expect("mkfifo is there").success());
}

#[test]
fn a_node_does_not_get_around_a_rule_by_a_fact() {
    let sandbox = site();
    let look = || run(&sandbox, &["lookup", "filesecret", "--facts", "facts"]);
    assert_eq!(look().output, "--- LEAK-file\n");
    let rule = "file 'data/secret/*.yaml' where $trusted['certname'] == 'boss.example.com'\n";
    sandbox.write("env/data_access", rule.as_bytes());
    for args in [
        &["lookup", "filesecret", "--facts", "facts"][..],
        &["lookup", "filesecret", "--facts", "facts", "--explain"],
        &["lookup", "filesecret", "--facts", "facts", "--explain", "--places", "--reveal"],
        &["lookup", "filesecret", "--facts", "facts", "--default", "none"],
        &["lookup", "--audit", "--facts", "facts"],
        &["compile", "--facts", "facts"],
        &["params", "--facts", "facts"],
    ] {
        let ran = run(&sandbox, args);
        let all = format!("{}{}", ran.output, ran.error);
        assert!(!all.contains("LEAK"), "{args:?}: {all}");
    }
    let ran = look();
    assert!(
        ran.code == 1 && ran.error.contains("leads out of the data directory"),
        "{}",
        ran.error
    );
}

#[test]
fn a_node_cannot_say_what_its_certificate_says() {
    let sandbox = site();
    let facts = r#"{"clientcert": "web1.example.com", "role": "x", "trusted": {"certname": "boss.example.com"}}"#;
    sandbox.write("facts/web1.example.com.json", facts.as_bytes());
    let look = |rule: &str| {
        sandbox.write("env/data_access", rule.as_bytes());
        let ran = run(&sandbox, &["lookup", "app::greeting", "--facts", "facts"]);
        (ran.code, ran.output)
    };
    let rule = "key 'app::*' where $trusted['certname'] == 'web1.example.com'\n";
    assert_eq!(look(rule), (0, "--- hello\n".to_owned()));
    let rule = "key 'app::*' where $trusted['certname'] == 'boss.example.com'\n";
    assert_eq!(look(rule), (1, String::new()));
}

#[test]
fn rules_that_protect_nothing_are_told_by_all_commands() {
    for (rule, message, place) in [
        ("file 'secret/*.yaml' where true", "did you mean `data/secret/*.yaml`?", "line: 3)"),
        ("file 'data/secret/' where true", "write `data/secret/*`", "line: 3)"),
        ("file 'data/secret/[a-z]*.yaml' where true", "`[` means nothing in a pattern", "line: 3)"),
        ("key 'db::hash.pw' where true", "rules are about top-level keys", "line: 3)"),
        ("key 'db::*'", "`where` is missing", "line: 3, column: 1)"),
        ("key 'db::*' where $facts['role'] == 'db'", "only `$trusted` can", "line: 3, column: 19)"),
    ] {
        let sandbox = site();
        let rules = format!("# rules\nkey 'fine' where false\n{rule}\n");
        sandbox.write("env/data_access", rules.as_bytes());
        for args in [
            &["lookup", "app::greeting", "--facts", "facts"][..],
            &["lookup", "app::greeting", "--facts", "facts", "--default", "x"],
            &["compile", "--facts", "facts"],
        ] {
            let ran = run(&sandbox, args);
            assert_eq!((ran.code, ran.output.as_str()), (1, ""), "{rule}: {args:?}");
            let place = format!("(file: @/env/data_access, {place}");
            assert!(ran.error.contains(message) && ran.error.contains(&place), "{}", ran.error);
        }
        let explained =
            run(&sandbox, &["lookup", "app::greeting", "--facts", "facts", "--explain"]);
        assert!(explained.code == 1 && explained.error.contains(message), "{}", explained.error);
        let ran = check(&sandbox);
        assert_eq!(ran.code, 1, "{rule}");
        let line = ran.output.lines().find(|line| line.contains(message)).unwrap_or_default();
        assert!(line.contains("env/data_access, line: 3"), "{}", ran.output);
    }
}

#[test]
fn a_compilation_without_data_tells_of_rules_too() {
    let sandbox = site();
    std::fs::remove_file(sandbox.path("env/hiera.yaml")).expect("it is there");
    symlink("nowhere", sandbox.path("env/data_access")).expect("it can be linked");
    let ran = run(&sandbox, &["compile", "--facts", "facts"]);
    assert!(ran.code == 1 && ran.error.contains("all data is denied"), "{}", ran.error);
}

#[test]
fn all_rules_that_are_wrong_are_listed_with_their_lines() {
    let sandbox = site();
    let rules = "file 'a/*' where true\nkey 'b.c' where true\nkey 'fine' where true\nkey '::d' where true\n";
    sandbox.write("env/data_access", rules.as_bytes());
    let ran = check(&sandbox);
    for line in ["line: 2", "line: 4"] {
        assert!(ran.output.contains(&format!("data_access, {line}")), "{}", ran.output);
    }
    sandbox.write("env/data_access", b"file 'a/*' where true\n\nfile 'data/b.yaml' where true\n");
    let ran = check(&sandbox);
    for line in ["line: 1", "line: 3"] {
        assert!(ran.output.contains(&format!("data_access, {line}")), "{}", ran.output);
    }
    sandbox.write("env/data_access", b"file 'data/secret/*' where true\n");
    let ran = check(&sandbox);
    assert!(!ran.output.contains("data_access"), "{}", ran.output);
}

#[test]
fn rules_that_cannot_be_read_are_told_by_all_commands() {
    let sandbox = site();
    mkfifo(&sandbox, "env/data_access");
    for args in [
        &["lookup", "app::greeting", "--facts", "facts"][..],
        &["compile", "--facts", "facts"],
        &["data", "check", "--format", "concise"],
    ] {
        let ran = run(&sandbox, args);
        let all = format!("{}{}", ran.output, ran.error);
        assert_eq!(ran.code, 1, "{args:?}: {all}");
        assert!(all.contains("can't be read") && all.contains("a FIFO"), "{args:?}: {all}");
    }
}

#[test]
fn data_that_are_fifos_are_never_waited_for() {
    let sandbox = site();
    mkfifo(&sandbox, "env/data/common.yaml");
    sandbox.write("facts/web1.example.com.json", b"{\"role\": \"web\"}");
    for args in [
        &["lookup", "app::greeting", "--facts", "facts"][..],
        &["compile", "--facts", "facts"],
        &["data", "check", "--format", "concise"],
        &["data", "check", "--facts", "facts"],
    ] {
        let ran = run(&sandbox, args);
        let all = format!("{}{}", ran.output, ran.error);
        assert_eq!(ran.code, 1, "{args:?}: {all}");
        assert!(all.contains("common.yaml") && all.contains("a FIFO"), "{args:?}: {all}");
    }
    let sandbox = site();
    std::fs::create_dir(sandbox.path("env/modules/app/data")).expect("it can be made");
    mkfifo(&sandbox, "env/modules/app/data/init.pdl");
    let ran = check(&sandbox);
    assert!(ran.code == 1 && ran.output.contains("init.pdl"), "{}", ran.output);
}

#[test]
fn keys_that_are_needed_to_make_themselves_are_found() {
    let sandbox = site();
    let data = b"a: \"%{lookup('b')}\"\nb: \"x %{lookup('a')}\"\nself: [1, \"%{alias('self')}\"]\n\
        deep: { one: 1, two: \"%{lookup('deep.one')}\" }\nfine: \"%{lookup('deep.one')}\"\n";
    sandbox.write("env/data/common.yaml", data);
    sandbox.write("env/data/nodes/web.yaml", b"other: 1\n");
    let ran = check(&sandbox);
    assert_eq!(ran.code, 1, "{}", ran.output);
    for (message, place) in [
        ("`a` is needed to make itself: a -> b -> a", "common.yaml, line: 1"),
        ("`self` is needed to make itself: self -> self", "common.yaml, line: 3"),
        ("`deep` is needed to make itself: deep -> deep", "common.yaml, line: 4"),
    ] {
        let line = ran.output.lines().find(|line| line.contains(message)).unwrap_or_default();
        assert!(line.contains(place), "{message}: {}", ran.output);
    }
    assert_eq!(ran.output.matches("make itself").count(), 3, "{}", ran.output);
    // A lookup fails for exactly these.
    for (key, code) in [("a", 1), ("b", 1), ("self", 1), ("deep", 1), ("fine", 1)] {
        let ran = run(&sandbox, &["lookup", key, "--facts", "facts"]);
        assert_eq!(ran.code, code, "{key}: {}{}", ran.output, ran.error);
        assert!(ran.error.contains("Recursive lookup detected"), "{key}: {}", ran.error);
    }
    // On some nodes there is another value.
    sandbox.write("env/data/common.yaml", b"a: \"%{lookup('b')}\"\nb: \"%{lookup('a')}\"\n");
    sandbox.write("env/data/nodes/web.yaml", b"b: plain\n");
    let ran = check(&sandbox);
    assert!(ran.output.contains("may be needed to make itself: a -> b -> a"), "{}", ran.output);
}

#[test]
fn directories_that_are_no_data_are_found() {
    let sandbox = site();
    std::fs::create_dir(sandbox.path("env/data/nodes/x.yaml")).expect("it can be made");
    std::fs::remove_file(sandbox.path("env/data/common.yaml")).expect("it is there");
    std::fs::create_dir(sandbox.path("env/data/common.yaml")).expect("it can be made");
    let ran = check(&sandbox);
    assert_eq!(ran.code, 1, "{}", ran.output);
    for (name, level) in [("nodes/x.yaml", "node"), ("common.yaml", "all")] {
        let message = format!("this is a directory, where the level `{level}` reads a file");
        let mut lines = ran.output.lines().filter(|line| line.contains(&message));
        assert!(lines.any(|line| line.contains(name)), "{name}: {}", ran.output);
    }
    assert_eq!(ran.output.matches("this is a directory").count(), 2, "{}", ran.output);
}

#[test]
fn directories_of_data_that_cannot_be_read_are_found() {
    let sandbox = site();
    sandbox.write(
        "env/hiera.yaml",
        b"version: 5\nhierarchy: [{ name: a, datadir: loop, path: x.yaml }]\n",
    );
    symlink("loop", sandbox.path("env/loop")).expect("it can be linked");
    let ran = check(&sandbox);
    assert!(ran.code == 1 && ran.output.contains("can't be read"), "{}", ran.output);
    sandbox.write(
        "env/hiera.yaml",
        b"version: 5\nhierarchy: [{ name: a, datadir: file, path: x.yaml }]\n",
    );
    sandbox.write("env/file", b"");
    let ran = check(&sandbox);
    assert!(ran.code == 1 && ran.output.contains("can't be read"), "{}", ran.output);
}
