//! Data of nodes: checks, classifiers, and data that is denied during a compilation.

use crate::nodes::program;
use crate::support::{Ran, Sandbox};

fn site() -> Sandbox {
    Sandbox::new(&[
        ("env/environment.conf", "modulepath = modules\n"),
        ("env/manifests/site.pp", "include \"role::${facts['role']}\"\n"),
        ("env/modules/role/manifests/web.pp", "class role::web { include ntp }\n"),
        ("env/modules/role/manifests/db.pp", "class role::db { }\n"),
        (
            "env/modules/ntp/manifests/init.pp",
            "class ntp(String $server, Array[Integer] $ports = [], Integer $level = 1, Optional[String] $key = undef) { }\n",
        ),
        (
            "env/hiera.yaml",
            "version: 5\nhierarchy:\n\
             \x20 - { name: role, path: \"role/%{facts.role}.yaml\" }\n\
             \x20 - { name: common, path: common.yaml }\n",
        ),
        (
            "env/data/common.yaml",
            "lookup_options:\n  ntp::ports: { merge: unique }\nntp::ports: [1]\n",
        ),
        ("env/data/role/web.yaml", "ntp::server: a\n"),
        ("facts/one.yaml", "role: web\n"),
        ("facts/two.yaml", "role: db\n"),
    ])
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(&[args, &["--environmentpath", ".", "--environment", "env"]].concat())
}

/// Returns the findings of `data check` about all nodes, one per line.
fn findings(sandbox: &Sandbox) -> Vec<String> {
    let ran = run(sandbox, &["data", "check", "--facts", "facts", "--format", "concise"]);
    ran.output.lines().map(str::to_owned).collect()
}

#[track_caller]
fn finds(sandbox: &Sandbox, words: &[&str]) {
    let found = findings(sandbox);
    let fits = |line: &String| words.iter().all(|word| line.contains(word));
    assert!(found.iter().any(fits), "{words:?} in {found:#?}");
}

#[test]
fn what_is_right_for_all_nodes_is_not_told() {
    assert_eq!(findings(&site()), Vec::<String>::new());
}

#[test]
fn parameters_that_nobody_gives_are_found_in_catalogs() {
    let sandbox = site();
    sandbox.write("env/data/role/web.yaml", b"ntp::level: 2\n");
    finds(&sandbox, &["`$server` of class `ntp` has no default and no data on one"]);
    let all = findings(&sandbox);
    assert!(!all.iter().any(|line| line.contains("two")), "{all:#?}");
}

#[test]
fn merged_and_interpolated_values_are_typed_as_nodes_get_them() {
    let sandbox = site();
    sandbox.write("env/data/role/web.yaml", b"ntp::server: a\nntp::ports: [x]\n");
    finds(&sandbox, &["role/web.yaml, line: 2", "`ntp::ports`", "expects an Integer", "on one"]);
    sandbox.write("env/data/role/web.yaml", b"ntp::server: a\nntp::level: '%{facts.role}'\n");
    finds(&sandbox, &["role/web.yaml, line: 2", "`ntp::level`", "expects an Integer", "on one"]);
    sandbox.write(
        "env/data/role/web.yaml",
        b"lookup_options: { ntp::key: { convert_to: Sensitive } }\nntp::server: a\nntp::key: hush-hush\n",
    );
    finds(&sandbox, &["role/web.yaml, line: 3", "`ntp::key` has wrong type", "Optional[String]"]);
    assert!(!findings(&sandbox).concat().contains("hush"));
}

#[test]
fn swapped_letters_are_guessed() {
    let sandbox = site();
    sandbox.write("env/data/role/web.yaml", b"ntp::server: a\nntp::prots: [1]\n");
    let ran = run(&sandbox, &["data", "check"]);
    assert!(ran.output.contains("did you mean `ntp::ports`?"), "{}", ran.output);
}

#[test]
fn an_unknown_alias_is_told_with_its_place() {
    let sandbox = site();
    sandbox.write("env/data/common.yaml", b"a: hush\nb: *nope\n");
    let ran = run(&sandbox, &["lookup", "a", "--facts", "facts/one.yaml"]);
    let place = "Unknown alias: nope (file: @/env/data/common.yaml, line: 2)";
    assert!(ran.code == 1 && ran.error.contains(place), "{}", ran.error);
    let ran = run(&sandbox, &["compile", "--facts", "facts/one.yaml"]);
    assert!(ran.code == 1 && ran.error.contains(place), "{}", ran.error);
    finds(&sandbox, &["common.yaml, line: 2", "Unknown alias: nope"]);
}

#[test]
fn what_is_denied_is_told_while_a_catalog_is_compiled() {
    let sandbox = site();
    sandbox.write("env/data_access", b"key 'ntp::level' where $trusted['certname'] == 'two'\n");
    sandbox.write("env/data/role/web.yaml", b"ntp::server: a\nntp::level: 5\n");
    let ran = run(&sandbox, &["compile", "--facts", "facts/one.yaml"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    let warning = "the key `ntp::level` is not for this node (file: @/env/data_access, line: 1)";
    assert_eq!(ran.error.matches(warning).count(), 1, "{}", ran.error);
    assert!(ran.output.contains("\"level\":1"), "{}", ran.output);
}

#[test]
fn a_classifier_is_asked_when_catalogs_are_compiled() {
    let sandbox = site();
    sandbox.write("env/manifests/site.pp", b"notify { \"${tier}\": }\n");
    sandbox.write("env/data/common.yaml", b"k: of %{tier}\n");
    sandbox.write("env/data/role/web.yaml", b"ntp::server: a\n");
    let enc = program(&sandbox, "enc", "echo \"classes: [ntp]\nparameters: {tier: front}\"");
    let external = format!("external_nodes={enc}");
    let ask = |args: &[&str]| {
        let more = ["--facts", "facts/one.yaml", "--set", "node_terminus=exec", "--set", &external];
        run(&sandbox, &[args, &more[..]].concat())
    };
    let params = ask(&["params"]);
    assert!(params.output.starts_with("ntp\n  server"), "{}{}", params.output, params.error);
    assert_eq!(ask(&["lookup", "k", "--compile"]).output, "--- of front\n");
    // As in Puppet, a lookup alone does not need it.
    assert_eq!(ask(&["lookup", "ntp::server"]).output, "--- a\n");
    assert_eq!(ask(&["data", "uses", "env/data/role/web.yaml"]).output, "one: ntp::server\n");
}
