//! Files that never end, that block, that are no files: a command ends, with an error that names the file.

use std::path::Path;
use std::process::Command;

use super::bounded;
use crate::support::Sandbox;

/// Kinds of files, by the commands that make them.
const KINDS: &[(&str, &[&str])] = &[
    ("endless", &["ln", "-s", "/dev/zero"]),
    ("fifo", &["mkfifo"]),
    ("sparse", &["truncate", "-s", "3G"]),
    ("directory", &["mkdir"]),
    ("dangling", &["ln", "-s", "/nonexistent/file"]),
    ("circle", &["ln", "-s", "circle"]),
];

/// Files of an environment that are replaced, and the command that reads them.
const OF_ENVIRONMENT: &[(&str, &[&str])] = &[
    ("manifests/site.pp", &["compile", "--facts", "facts"]),
    ("hiera.yaml", &["lookup", "k", "--facts", "facts"]),
    ("data/common.yaml", &["lookup", "k", "--facts", "facts"]),
    ("data/common.yaml", &["data", "check"]),
    ("data/common.yaml", &["data", "uses", "data/common.yaml", "--facts", "facts"]),
    ("data/common.json", &["lookup", "k", "--facts", "facts"]),
    ("data/common.conf", &["lookup", "k", "--facts", "facts"]),
    ("environment.conf", &["compile", "--facts", "facts"]),
    ("data_access", &["lookup", "k", "--facts", "facts"]),
    // A real Ruby would read the file too, and is killed when its time to start is over, after two minutes.
    ("modules/m/metadata.json", &["doctor", "--set", "ruby_worker=off"]),
    ("modules/m/manifests/init.pp", &["compile", "--facts", "facts", "-e", "include m"]),
    (
        "modules/m/templates/t.erb",
        &["compile", "--facts", "facts", "-e", "notice(template('m/t.erb'))"],
    ),
    ("modules/m/templates/t.epp", &["compile", "--facts", "facts", "-e", "notice(epp('m/t.epp'))"]),
    ("modules/m/files/f", &["compile", "--facts", "facts", "-e", "notice(file('m/f'))"]),
    ("modules/m/functions/f.pp", &["compile", "--facts", "facts", "-e", "notice(m::f())"]),
    (
        "modules/m/lib/puppet/functions/m/g.rb",
        &["compile", "--facts", "facts", "-e", "notice(m::g())"],
    ),
    (
        "modules/m/lib/puppet/parser/functions/h.rb",
        &["compile", "--facts", "facts", "-e", "notice(h())"],
    ),
    ("modules/m/lib/puppet/type/t.rb", &["compile", "--facts", "facts", "-e", "t { 'a': }"]),
    ("modules/m/types/t.pp", &["compile", "--facts", "facts", "-e", "notice(1 =~ M::T)"]),
    ("modules/m/hiera.yaml", &["lookup", "m::k", "--facts", "facts"]),
    ("modules/m/manifests/init.pp", &["xpp", "build"]),
    ("modules/m/manifests/init.pp", &["doctor"]),
    ("modules/m/manifests/init.pp", &["validate"]),
    ("modules/m/templates/t.epp", &["validate"]),
    ("facts/localhost.json", &["compile", "--facts", "facts"]),
];

/// Files that the command line names.
const NAMED: &[&[&str]] = &[
    &["validate", "FILE.pp"],
    &["validate", "FILE.epp"],
    &["dump", "FILE.pp"],
    &["eval", "FILE.pp"],
    &["eval", "-e", "1", "--facts", "FILE.json"],
    &["compile", "FILE.pp"],
    &["compile", "-e", "1", "--facts", "FILE.json"],
    &["compile", "-e", "1", "--facts", "FILE.yaml"],
    &["compile", "-e", "1", "--enc", "FILE.yaml"],
    &["compile", "-e", "1", "--trusted", "FILE.yaml"],
    &["compile", "-e", "1", "--config", "FILE.conf"],
    &["compile", "-e", "1", "--hiera-config", "FILE.yaml"],
    &["lookup", "k", "--hiera-config", "FILE.yaml"],
    &["data", "convert", "FILE.yaml"],
    &["data", "convert", "FILE.json"],
    &["data", "convert", "FILE.pdl"],
    &["data", "check", "--assert", "FILE"],
    &["xpp", "show", "FILE.xpp"],
    &["p", "check", "FILE.p"],
    &["p", "fmt", "FILE.p"],
    &["p", "import", "FILE.conf"],
    &["p", "serve", "FILE.p"],
    &["serve", "--config", "FILE.conf", "--check"],
];

/// A file that must not be read.
const STDIN: &[&[&str]] = &[
    &["validate", "-"],
    &["dump"],
    &["eval", "-"],
    &["compile", "-"],
    &["compile", "/dev/stdin"],
    &["compile", "--jsonl"],
    &["compile", "-e", "1", "--facts", "/dev/stdin"],
];

fn environment() -> Sandbox {
    Sandbox::new(&[
        ("environment.conf", "modulepath = modules\n"),
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: y, path: common.yaml}, {name: j, path: common.json, data_hash: json_data}, {name: h, path: common.conf, data_hash: hocon_data}]\n",
        ),
        ("manifests/site.pp", "notify { 'a': }\n"),
        ("data/common.yaml", "l: 1\n"),
        ("facts/localhost.json", "{}\n"),
        ("modules/m/metadata.json", "{\"name\": \"a-m\"}"),
        ("modules/m/manifests/init.pp", "class m { }\n"),
    ])
}

/// Makes a file of a kind in place of any other.
fn replace(path: &Path, make: &[&str]) {
    let _ = std::fs::remove_file(path);
    std::fs::create_dir_all(path.parent().expect("it is below a directory"))
        .expect("it can be made");
    let circle = path.file_name().expect("it has a name");
    let mut command = Command::new(make[0]);
    command.args(make[1..].iter().map(|arg| if *arg == "circle" { circle } else { arg.as_ref() }));
    assert!(command.arg(path).status().expect("it runs").success(), "{make:?}");
}

#[test]
fn files_of_an_environment_that_are_none() {
    let mut problems = Vec::new();
    for (file, args) in OF_ENVIRONMENT {
        for (kind, make) in KINDS {
            let sandbox = environment();
            replace(&sandbox.path(file), make);
            let what = format!("{file} is {kind}: {args:?}");
            check(&what, &mut sandbox.command(args), &mut problems);
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn files_of_the_command_line_that_are_none() {
    let mut problems = Vec::new();
    for args in NAMED {
        for (kind, make) in KINDS {
            // A program waits for the other end of a named pipe that its user names.
            if *kind == "fifo" {
                continue;
            }
            let sandbox = environment();
            let name = args.iter().find(|arg| arg.starts_with("FILE")).expect("one is named");
            replace(&sandbox.path(name), make);
            let what = format!("{args:?} is {kind}");
            check(&what, &mut sandbox.command(args), &mut problems);
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn standard_input_that_never_ends() {
    let mut problems = Vec::new();
    for args in STDIN {
        let sandbox = environment();
        let mut command = sandbox.command(args);
        command.stdin(std::fs::File::open("/dev/zero").expect("it is there"));
        check(&format!("{args:?}"), &mut command, &mut problems);
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Adds a problem unless the command ends within bounds, and with a message if it fails.
fn check(what: &str, command: &mut Command, problems: &mut Vec<String>) {
    match bounded::run(command) {
        Err(problem) => problems.push(format!("{what}: {problem}")),
        Ok(ended) => {
            let printed = ended.printed();
            if ended.code != Some(0) && printed.trim().is_empty() {
                problems.push(format!("{what}: says nothing"));
            }
            if printed.contains("panicked") || printed.contains("os error") {
                problems.push(format!("{what}: {printed}"));
            }
        }
    }
}

#[test]
fn pipes_are_manifests() {
    let sandbox = environment();
    let manifest = "notify { 'x': } notify { 'y': }";
    for args in [
        &["compile", "--format", "summary", "-"],
        &["compile", "--format", "summary", "/dev/stdin"],
    ] {
        let ran = sandbox.run_with(args, manifest);
        assert!(
            ran.code == 0 && ran.output.contains("2 resources"),
            "{args:?}: {}{}",
            ran.output,
            ran.error
        );
    }
    let kukla = env!("CARGO_BIN_EXE_kukla");
    let script = format!("'{kukla}' compile --format summary <(echo \"{manifest}\")");
    let output = Command::new("bash").arg("-c").arg(script).current_dir(sandbox.path("")).output();
    let output = output.expect("bash runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("2 resources"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    std::fs::write(sandbox.path("empty.pp"), "").expect("it can be written");
    let ran = sandbox.run(&["compile", "--format", "summary", "/dev/null"]);
    assert!(ran.code != 0 || ran.output.contains("0 resources"), "{}{}", ran.output, ran.error);
}

#[test]
fn programs_that_never_end_or_write_too_much() {
    let mut problems = Vec::new();
    for (what, script) in [
        ("writes", "#!/bin/sh\nyes '- x'\n"),
        ("waits", "#!/bin/sh\nsleep 3000\n"),
        ("closes", "#!/bin/sh\nexec >&- 2>&-\nsleep 3000\n"),
        ("errs", "#!/bin/sh\nyes >&2\n"),
        ("fails", "#!/bin/sh\necho 'db is down' >&2; exit 3\n"),
    ] {
        let sandbox = environment();
        sandbox.write("enc", script.as_bytes());
        let made = Command::new("chmod").arg("+x").arg(sandbox.path("enc")).status();
        assert!(made.expect("chmod runs").success());
        let enc = format!("external_nodes={}", sandbox.path("enc").display());
        let args = [
            "compile",
            "--timeout",
            "2",
            "--set",
            "node_terminus=exec",
            "--set",
            &enc,
            "--facts",
            "facts",
        ];
        check(&format!("a classifier that {what}"), &mut sandbox.command(&args), &mut problems);
        let code = format!("notice(generate('{}').length)", sandbox.path("enc").display());
        let args = ["compile", "--timeout", "2", "-e", &code];
        check(&format!("generate that {what}"), &mut sandbox.command(&args), &mut problems);
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
