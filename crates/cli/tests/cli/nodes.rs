//! Programs with data about nodes: `node_terminus = exec` and `trusted_external_command`.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::{Ran, Sandbox};

fn sandbox(manifest: &str) -> Sandbox {
    Sandbox::new(&[
        ("code/production/manifests/site.pp", manifest),
        ("code/test/manifests/site.pp", "notify { 'of test': }"),
        (
            "code/production/modules/m/manifests/init.pp",
            "class m($a = 0) { notify { \"m ${a}\": } }",
        ),
    ])
}

pub(crate) fn program(sandbox: &Sandbox, name: &str, script: &str) -> String {
    sandbox.write(name, format!("#!/bin/sh\n{script}\n").as_bytes());
    let path = sandbox.path(name);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it is ours");
    path.display().to_string()
}

fn compile(sandbox: &Sandbox, settings: &[String]) -> Ran {
    let mut args =
        vec!["compile", "--environmentpath", "code", "--node", "n1", "--log-format", "json"];
    for setting in settings {
        args.extend(["--set", setting]);
    }
    sandbox.run(&args)
}

fn classified(sandbox: &Sandbox, program: &str) -> Ran {
    let settings = ["node_terminus=exec".to_owned(), format!("external_nodes={program}")];
    compile(sandbox, &settings)
}

fn error(ran: &Ran) -> String {
    assert_eq!((ran.code, ran.output.as_str()), (1, ""), "{}", ran.error);
    let last: Value =
        serde_json::from_str(ran.error.lines().last().expect("it says why")).expect("it is JSON");
    assert_eq!(last["level"], "err");
    last["message"].as_str().expect("it is text").to_owned()
}

#[test]
fn a_program_classifies_nodes() {
    let sandbox = sandbox("notify { \"${role}\": }");
    let enc = program(&sandbox, "enc", "echo \"classes: {m: {a: 5}}\nparameters: {role: $1 $2}\"");
    let ran = classified(&sandbox, &format!("{enc} of"));
    assert_eq!(ran.code, 0, "{}", ran.error);
    assert!(ran.output.contains("\"title\":\"m 5\"") && ran.output.contains("\"title\":\"of n1\""));
    let enc = program(&sandbox, "enc2", "echo ':environment: test'");
    assert!(classified(&sandbox, &enc).output.contains("of test"));
}

#[test]
fn a_program_that_fails_fails_in_puppets_words() {
    let sandbox = sandbox("");
    let failed = |script: &str| error(&classified(&sandbox, &program(&sandbox, "enc", script)));
    let start = "Failed when searching for node n1: ";
    assert_eq!(failed("echo; echo"), "Could not find node 'n1'; cannot compile");
    assert_eq!(
        failed("echo out; echo why >&2; exit 3"),
        format!(
            "{start}Failed to find n1 via exec: Execution of '{} n1' returned 3: out",
            std::fs::canonicalize(sandbox.path("enc")).expect("it is there").display()
        )
        .replace(
            &*std::fs::canonicalize(sandbox.path("")).expect("it is there").to_string_lossy(),
            "@"
        ),
    );
    let results = format!("{start}Could not load external node results for n1: ");
    assert_eq!(
        failed("echo '[1, 2]'"),
        format!("{results}key is a Integer, not a string or symbol")
    );
    assert_eq!(
        failed("echo 'parameters: {d: 2020-01-01}'"),
        format!("{results}(<unknown>): Tried to load unspecified class: Date")
    );
    assert!(failed("echo 'classes: ['").starts_with(&results));
    assert!(failed("echo 'environment: nowhere'").contains("nowhere"));
    assert_eq!(
        error(&classified(&sandbox, "enc")),
        format!("{start}You must set the exec parameter to a fully qualified command")
    );
    assert_eq!(
        error(&classified(&sandbox, "none")),
        format!(
            "{start}You must set the 'external_nodes' parameter to use the external node terminus"
        )
    );
    assert!(error(&classified(&sandbox, "/nowhere/enc")).contains("returned 1: "));
    assert!(error(&compile(&sandbox, &["node_terminus=ldap".to_owned()])).contains("`ldap`"));
}

#[test]
fn programs_add_to_trusted_data() {
    let sandbox = sandbox("notify { String($trusted['external']): }");
    let one = program(&sandbox, "programs/one.sh", "echo \"{\\\"name\\\": \\\"$1\\\"}\"");
    let external = |path: &str| compile(&sandbox, &[format!("trusted_external_command={path}")]);
    assert!(external(&one).output.contains("{'name' => 'n1'}"));
    sandbox.write("programs/readme", b"not a program");
    let folder = sandbox.path("programs").display().to_string();
    assert!(external(&folder).output.contains("{'one' => {'name' => 'n1'}}"));
    program(&sandbox, "programs/one.rb", "echo 1");
    assert!(error(&external(&folder)).contains("There is more than one 'one' script in "));
    let bad = program(&sandbox, "bad", "echo nothing");
    assert!(error(&external(&bad)).contains("prints no JSON"));
    let fails = program(&sandbox, "fails", "exit 2");
    assert!(error(&external(&fails)).contains("returned 2: "));
}
