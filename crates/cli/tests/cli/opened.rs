//! `--inputs` names every file that a compilation opens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::Sandbox;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const MODULES: &str = "/usr/share/puppet/modules";
/// Nodes of `tests/spec/catalogs`: templates, functions in Ruby, data of modules, resource types.
const NODES: [&str; 5] = ["web2", "pg2", "lb2", "apps2", "accounts1"];

/// Returns the files and directories below some directories that a compilation opened, and those that its record names.
fn opened_and_recorded(
    sandbox: &Sandbox,
    directory: &Path,
    roots: &[&Path],
    args: &[&str],
) -> [BTreeSet<String>; 2] {
    let (trace, record) = (sandbox.path("trace"), sandbox.path("record"));
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-y", "-e", "trace=open,openat", "-o"]).arg(&trace);
    command.arg(env!("CARGO_BIN_EXE_kukla")).arg("compile").args(args);
    command.arg("--inputs").arg(&record).current_dir(directory);
    let output = command.output().expect("strace starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let trace = std::fs::read_to_string(trace).expect("strace wrote it");
    // `openat(AT_FDCWD</x>, "/env/hiera.yaml", O_RDONLY) = 3</env/hiera.yaml>`; what failed has no number.
    let opened = trace.lines().filter(|line| line.contains(") = ") && !line.contains(") = -1"));
    let opened = opened.filter_map(|line| line.split('"').nth(1)).map(str::to_owned);
    let is_below = |path: &String| roots.iter().any(|root| Path::new(path).starts_with(root));
    let record = std::fs::read_to_string(record).expect("the record is there");
    let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let names = lines.filter_map(|line| Some(line["name"].as_str()?.to_owned()));
    [opened.filter(is_below).collect(), names.collect()]
}

fn check(sandbox: &Sandbox, directory: &Path, roots: &[&Path], args: &[&str]) {
    let [opened, recorded] = opened_and_recorded(sandbox, directory, roots, args);
    assert!(opened.len() > 5, "only {} files were opened", opened.len());
    let missing: Vec<&String> = opened.difference(&recorded).collect();
    assert!(missing.is_empty(), "opened, but not in the record: {missing:#?}");
}

#[test]
fn needs_strace_every_opened_file_of_the_examples_is_recorded() {
    let sandbox = Sandbox::new(&[]);
    let examples = PathBuf::from(REPOSITORY).join("examples").canonicalize().expect("it is there");
    for node in ["web1.example.com", "monitor.example.com", "ldap.example.com"] {
        let facts = examples.join("facts").join(format!("{node}.json"));
        // The facts are read before the compilation, and are in the record by their names.
        let roots = ["data", "manifests", "modules", "site"].map(|name| examples.join(name));
        let roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
        check(&sandbox, &examples, &roots, &["--node", node, "--facts", &facts.to_string_lossy()]);
    }
}

#[test]
fn needs_strace_needs_modules_every_opened_file_of_modules_is_recorded() {
    let sandbox = Sandbox::new(&[(
        "code/production/environment.conf",
        "modulepath = /usr/share/puppet/modules\n",
    )]);
    let specs = PathBuf::from(REPOSITORY).join("tests/spec/catalogs");
    for name in ["base", "db", "network", "openstack", "web"] {
        let text = std::fs::read(specs.join(format!("{name}.pp"))).expect("it is there");
        sandbox.write(&format!("code/production/manifests/{name}.pp"), &text);
    }
    let facts = PathBuf::from(REPOSITORY).join("tests/facts/debian12.json");
    let code = sandbox.path("code");
    for node in NODES {
        let node = format!("{node}.example.com");
        let (code_text, facts) = (code.to_string_lossy(), facts.to_string_lossy());
        let args = ["--environmentpath", &code_text, "--environment", "production"];
        // Edition 8 refuses a type of Debian's apache module.
        let args = [&args[..], &["--edition", "7", "--node", &node, "--facts", &facts]].concat();
        check(&sandbox, &code, &[&code, Path::new(MODULES)], &args);
    }
}
