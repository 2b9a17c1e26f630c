//! Names with control characters: no format prints them raw.

use std::process::Command;

use super::bounded;
use crate::support::Sandbox;

/// Names: with an escape sequence, lines of their own, commands for GitHub, a bell, C1 controls, text that runs backwards.
const EVIL: &[&str] = &[
    "a\u{1b}[31mred\n::error::pwned\r::error::pwned\u{2028}\u{7}b\u{8}c\u{7f}\u{9b}31mred\u{202e}txet",
    "a\0b",
];

/// Commands; `EVIL` in a file or argument is the name.
const COMMANDS: &[(&str, &[&str])] = &[
    ("file name, concise", &["validate", "--format", "concise", "bad"]),
    ("file name, text", &["validate", "--format", "text", "bad"]),
    ("file name, github", &["validate", "--format", "github", "bad"]),
    ("file name, junit", &["validate", "--format", "junit", "bad"]),
    ("file name, json", &["validate", "--format", "json", "bad"]),
    ("file name, sarif", &["validate", "--format", "sarif", "bad"]),
    ("file name that is not there", &["validate", "EVIL.pp"]),
    ("file name to dump", &["dump", "EVIL.pp"]),
    ("file name to dump as a tree", &["dump", "--format", "tree", "bad/EVIL.pp"]),
    ("file name to evaluate", &["eval", "EVIL.pp"]),
    ("file name to compile", &["compile", "EVIL.pp"]),
    ("facts that are not there", &["compile", "-e", "1", "--facts", "EVIL.json"]),
    ("environment", &["compile", "-e", "1", "--environment", "EVIL"]),
    ("setting", &["compile", "-e", "1", "--set", "EVIL=1"]),
    ("value of a setting", &["compile", "-e", "1", "--set", "strict=EVIL"]),
    ("edition", &["compile", "-e", "1", "--set", "edition=EVIL"]),
    ("node that is not there", &["compile", "-e", "1", "--facts", "facts", "--node", "EVIL"]),
    (
        "node, summary",
        &["compile", "--facts", "evil", "--format", "summary", "-e", "notify { 'a': }"],
    ),
    ("node, tree", &["compile", "--facts", "evil", "--format", "tree", "-e", "notify { 'a': }"]),
    ("node, dot", &["compile", "--facts", "evil", "--format", "dot", "-e", "notify { 'a': }"]),
    ("node, svg", &["compile", "--facts", "evil", "--format", "svg", "-e", "notify { 'a': }"]),
    (
        "node, origins",
        &["compile", "--facts", "evil", "--format", "origins", "-e", "notify { 'a': }"],
    ),
    ("node, json", &["compile", "--facts", "evil", "--format", "json", "-e", "notify { 'a': }"]),
    ("node, warning", &["compile", "--facts", "evil", "--format", "summary", "-e", "warning('x')"]),
    ("node, error", &["compile", "--facts", "evil", "--format", "summary", "-e", "fail('x')"]),
    ("node, lookup", &["lookup", "k", "--facts", "evil"]),
    ("node, explained", &["lookup", "k", "--facts", "evil", "--explain"]),
    ("node, params", &["params", "--facts", "evil"]),
    ("node, params as a page", &["params", "--facts", "evil", "--format", "html"]),
    ("node, uses", &["data", "uses", "data/common.yaml", "--facts", "evil"]),
    ("node, check", &["data", "check", "--facts", "evil"]),
    ("node, check for GitHub", &["data", "check", "--facts", "evil", "--format", "github"]),
    (
        "title, tree",
        &["compile", "--facts", "evil", "--format", "tree", "-e", "notify { $facts['t']: }"],
    ),
    (
        "title, dot",
        &["compile", "--facts", "evil", "--format", "dot", "-e", "notify { $facts['t']: }"],
    ),
    (
        "title, svg",
        &["compile", "--facts", "evil", "--format", "svg", "-e", "notify { $facts['t']: }"],
    ),
    (
        "title, summary",
        &["compile", "--facts", "evil", "--format", "summary", "-e", "notify { $facts['t']: }"],
    ),
    (
        "title, cycle",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "notify { $facts['t']: require => Notify['b'] } notify { 'b': require => Notify[$facts['t']] }",
        ],
    ),
    (
        "title, twice",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "notify { $facts['t']: } notify { $facts['t']: }",
        ],
    ),
    (
        "title, missing",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "notify { 'a': require => Notify[$facts['t']] }",
        ],
    ),
    (
        "tag",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "notify { 'a': tag => $facts['t'] }",
        ],
    ),
    ("class", &["compile", "--facts", "evil", "--format", "summary", "-e", "include $facts['t']"]),
    ("function", &["compile", "--facts", "evil", "--format", "summary", "-e", "call($facts['t'])"]),
    (
        "type",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "create_resources($facts['t'], {})",
        ],
    ),
    (
        "parameter",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "notify { 'a': * => { $facts['t'] => 1 } }",
        ],
    ),
    (
        "mismatch",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "-e",
            "assert_type(Enum['a'], $facts['t'])",
        ],
    ),
    ("failure", &["compile", "--facts", "evil", "--format", "summary", "-e", "fail($facts['t'])"]),
    (
        "failure, pretty",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "--errors",
            "pretty",
            "-e",
            "fail($facts['t'])",
        ],
    ),
    (
        "template",
        &["compile", "--facts", "evil", "--format", "summary", "-e", "template($facts['t'])"],
    ),
    ("file", &["compile", "--facts", "evil", "--format", "summary", "-e", "file($facts['t'])"]),
    ("key", &["compile", "--facts", "evil", "--format", "summary", "-e", "lookup($facts['t'])"]),
    ("key of the command line", &["lookup", "EVIL", "--facts", "facts"]),
    ("explained key", &["lookup", "EVIL", "--facts", "facts", "--explain"]),
    (
        "profile",
        &[
            "compile",
            "--facts",
            "evil",
            "--format",
            "summary",
            "--profile",
            "-e",
            "define d() { notice(inline_epp('x')) } d { $facts['t']: }",
        ],
    ),
    ("parameter of a class", &["params", "--facts", "evil", "c"]),
    (
        "store",
        &[
            "compile",
            "--facts",
            "evil",
            "--storeconfigs",
            "--vardir",
            "var",
            "--format",
            "summary",
            "-e",
            "@@notify { $facts['t']: }",
        ],
    ),
    ("exports", &["exports", "--vardir", "var"]),
    ("explanation", &["explain", "EVIL"]),
    ("rules", &["p", "check", "bad/EVIL.p"]),
    ("data to convert", &["data", "convert", "bad/EVIL.yaml"]),
    ("tree", &["xpp", "show", "bad/EVIL.xpp"]),
    ("request", &["ca", "list", "--cadir", "EVIL"]),
];

fn environment(evil: &str) -> Sandbox {
    let fact = serde_json::json!({ "t": evil, "clientcert": evil, "networking": { "fqdn": evil } });
    let sandbox = Sandbox::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: c, path: common.yaml}, {name: f, path: \"%{facts.t}.yaml\"}]\n",
        ),
        ("data/common.yaml", "l: 1\nc::p: \"%{facts.t}\"\n"),
        ("facts/web1.json", "{\"a\": 1}"),
        ("evil/n.json", &fact.to_string()),
        ("manifests/site.pp", "class c($p) { notify { 'a': message => $p } }\ninclude c\n"),
    ]);
    if !evil.contains('\0') {
        sandbox.write(&format!("bad/{}.pp", evil.replace('/', "_")), b"$a = \x1b[ 1 +\n");
        sandbox.write(&format!("bad/{}.p", evil.replace('/', "_")), b"if (\x1b[");
        sandbox.write(&format!("bad/{}.yaml", evil.replace('/', "_")), b"a: [\x1b[");
        sandbox.write(&format!("bad/{}.xpp", evil.replace('/', "_")), b"\x1b[31m");
    }
    sandbox
}

#[test]
fn no_format_prints_names_raw() {
    let mut problems = Vec::new();
    for evil in EVIL {
        let sandbox = environment(evil);
        for (what, args) in COMMANDS {
            let is_named = args.iter().any(|arg| arg.contains("EVIL"));
            if is_named && evil.contains('\0') {
                continue;
            }
            let args: Vec<String> = args.iter().map(|arg| arg.replace("EVIL", evil)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            check(what, evil, &mut sandbox.command(&args), &mut problems);
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn check(what: &str, evil: &str, command: &mut Command, problems: &mut Vec<String>) {
    match bounded::run(command) {
        Err(problem) => problems.push(format!("{what} {evil:?}: {problem}")),
        Ok(ended) => {
            let printed = ended.printed();
            // JSON is for programs, and has Puppet's bytes: of control characters it escapes the first 32.
            let is_json = printed.starts_with('{');
            let is_raw = |c: char| {
                (c.is_control() && is_json && u32::from(c) < 32 && c != '\n')
                    || !is_json
                        && (c.is_control() && c != '\n' && c != '\t'
                            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
            };
            let is_command = printed.lines().any(|line| line.starts_with("::error::pwned"));
            if printed.contains(is_raw) || is_command || printed.contains("panicked") {
                problems.push(format!("{what} {evil:?}: {printed:?}"));
            }
        }
    }
}
