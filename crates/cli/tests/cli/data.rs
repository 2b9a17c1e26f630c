//! Data: the order in which it is asked, and the commands about it, as their users see them.

use serde_json::Value;

use crate::support::{Ran, Sandbox};

const DOCUMENT: &str = include_str!("../../../../docs/src/concepts/data.md");

/// The files of the document: those behind a comment that names them.
fn files_of_document() -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    for part in DOCUMENT.split("<!-- file: ").skip(1) {
        let (name, rest) = part.split_once(" -->").expect("a comment ends");
        let (_, rest) = rest.split_once("```").expect("a block follows");
        let (_, text) = rest.split_once('\n').expect("a block has lines");
        files.push((name, text.split_once("```").expect("a block ends").0));
    }
    files
}

#[test]
fn the_document_tells_the_truth() {
    let sandbox = Sandbox::new(&files_of_document());
    let mut n_commands = 0;
    for block in DOCUMENT.split("```console\n$ kukla ").skip(1) {
        let (command, rest) = block.split_once('\n').expect("a command is a line");
        let expected = rest.split_once("```").expect("a block ends").0;
        let args: Vec<&str> = command.split(' ').collect();
        let ran = sandbox.run(&args);
        assert_eq!((ran.code, ran.error.as_str()), (0, ""), "{command}");
        assert_eq!(ran.output, expected, "{command}");
        n_commands += 1;
    }
    assert!(n_commands >= 3, "the document has commands");
}

const CLASS: &str = "class ntp(String $server = 'default') { notify { $server: } }";

/// All sources of a value, that of the highest priority first; each file says its own name.
const SOURCES: &[(&str, &str)] = &[
    ("site/ntp/init.pdl", "$server = 'site/ntp/init.pdl'"),
    ("site/ntp/data/init.pdl", "$server = 'site/ntp/data/init.pdl'"),
    ("site/site.pdl", "$ntp::server = 'site/site.pdl'"),
    ("global/common.yaml", "ntp::server: global/common.yaml"),
    ("env/data/common.yaml", "ntp::server: env/data/common.yaml"),
    ("env/modules/ntp/data/init.pdl", "$server = 'env/modules/ntp/data/init.pdl'"),
    ("env/modules/ntp/data/common.yaml", "ntp::server: env/modules/ntp/data/common.yaml"),
    ("env/modules/ntp/data/last.yaml", "ntp::server: env/modules/ntp/data/last.yaml"),
];

const FIXED: &[(&str, &str)] = &[
    ("env/environment.conf", "modulepath = modules\ndatalocation = ../site\n"),
    ("env/modules/ntp/manifests/init.pp", CLASS),
    (
        "env/modules/ntp/hiera.yaml",
        "version: 5\ndefault_hierarchy: [{ name: last, path: last.yaml }]\n",
    ),
    ("env/hiera.yaml", "version: 5\n"),
    ("hiera.yaml", "version: 5\nhierarchy: [{ name: all, path: common.yaml, datadir: global }]\n"),
];

fn in_env(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let shared = ["--environmentpath", ".", "-E", "env", "--hiera-config", "hiera.yaml"];
    sandbox.run(&[args, &shared].concat())
}

/// The only title of a notification in the catalog.
fn notified(ran: &Ran) -> String {
    let catalog: Value =
        serde_json::from_str(&ran.output).unwrap_or_else(|_| panic!("{}", ran.error));
    let resources = catalog["resources"].as_array().expect("there are some");
    let found = resources.iter().find(|resource| resource["type"] == "Notify");
    found.expect("there is one")["title"].as_str().expect("it is a text").to_owned()
}

#[test]
fn every_line_of_the_precedence_comes_before_the_next() {
    for first in 0..=SOURCES.len() {
        let files = [FIXED, &SOURCES[first..]].concat();
        let sandbox = Sandbox::new(&files);
        let compiled = in_env(&sandbox, &["compile", "-e", "include ntp"]);
        let expected = SOURCES.get(first).map_or("default", |(name, _)| name);
        assert_eq!(notified(&compiled), expected);
        let looked_up = in_env(&sandbox, &["lookup", "ntp::server", "--render-as", "s"]);
        match SOURCES.get(first) {
            Some((name, _)) => assert_eq!(looked_up.output, format!("{name}\n")),
            None => assert_eq!((looked_up.code, looked_up.output.as_str()), (1, "")),
        }
    }
}

#[test]
fn a_declared_value_comes_before_all_data() {
    let sandbox = Sandbox::new(&[FIXED, SOURCES].concat());
    let code = "class { 'ntp': server => 'declared' }";
    assert_eq!(notified(&in_env(&sandbox, &["compile", "-e", code])), "declared");
}

#[test]
fn settings_of_data_stand_in_four_places() {
    let class = ("env/modules/ntp/manifests/init.pp", CLASS);
    let sandbox = Sandbox::new(&[
        class,
        ("env/environment.conf", "modulepath = modules\n"),
        ("main/ntp/init.pdl", "$server = 'main'"),
        ("server/ntp/init.pdl", "$server = 'server'"),
        ("env_section/ntp/init.pdl", "$server = 'section of the environment'"),
        ("env/own/ntp/init.pdl", "$server = 'environment.conf'"),
        ("given/ntp/init.pdl", "$server = 'given'"),
        ("library.pdl", "$ntp::server = 'library'"),
    ]);
    let look = |conf: &str, more: &[&str]| {
        let root = sandbox.path("").to_string_lossy().trim_end_matches('/').to_owned();
        sandbox.write("puppet.conf", conf.replace('@', &root).as_bytes());
        let args = ["lookup", "ntp::server", "--render-as", "s", "--config", "puppet.conf"];
        in_env(&sandbox, &[&args[..], more].concat()).output
    };
    let main = "[main]\ndatalocation = @/main\n";
    let server = format!("{main}[server]\ndatalocation = @/server\n");
    let section = format!("{server}[env]\ndatalocation = @/env_section\n");
    assert_eq!(look(main, &[]), "main\n");
    assert_eq!(look(&server, &[]), "server\n");
    assert_eq!(look(&section, &[]), "section of the environment\n");
    sandbox.write("env/environment.conf", b"modulepath = modules\ndatalocation = own\n");
    assert_eq!(look(&section, &[]), "environment.conf\n");
    assert_eq!(look(&section, &["--set", "datalocation=given"]), "given\n");
    sandbox.write("env/environment.conf", b"modulepath = modules\n");
    assert_eq!(look("[main]\ndatalibrary = @/library.pdl\n", &[]), "library\n");
}

#[test]
fn a_variable_of_a_class_is_its_data_before_it_is_evaluated() {
    let client = "class ntp::client($version = $ntp::version) { notify { $version: } }";
    let files = [
        ("env/environment.conf", "modulepath = modules\ndatalocation = site\n"),
        ("env/modules/ntp/manifests/init.pp", "class ntp($version = 'default') { }"),
        ("env/modules/ntp/manifests/client.pp", client),
        ("env/site/ntp/init.pdl", "$version = '4' where $::role == 'x'\n"),
    ];
    let sandbox = Sandbox::new(&files);
    let compile = |code: &str| in_env(&sandbox, &["compile", "-e", code]);
    assert_eq!(notified(&compile("$role = 'x' include ntp::client")), "4");
    assert_eq!(notified(&compile("$role = 'y' include ntp::client")), "default");
    // Without PDL it is unknown, as in Puppet.
    std::fs::remove_file(sandbox.path("env/site/ntp/init.pdl")).expect("it is there");
    let ran = compile("$role = 'x' include ntp::client");
    assert!(
        ran.code == 1 && ran.error.contains("Unknown variable: 'ntp::version'"),
        "{}",
        ran.error
    );
}

#[test]
fn data_may_call_functions_that_do_not_change_the_catalog() {
    let sandbox = |pdl: &str| {
        let sandbox = Sandbox::new(&[
            ("env/environment.conf", "modulepath = modules\ndatalocation = site\n"),
            ("env/modules/ntp/manifests/init.pp", CLASS),
            ("env/modules/ntp/manifests/other.pp", "class ntp::other { }"),
            (
                "env/modules/ntp/functions/sly.pp",
                "function ntp::sly() { include ntp::other\n 'x' }",
            ),
            (
                "env/modules/ntp/functions/declares.pp",
                "function ntp::declares() { notify { 'y': } 'x' }",
            ),
            ("env/modules/ntp/templates/t.epp", "rendered <%= $facts['a'] %>"),
        ]);
        sandbox.write("env/site/ntp/init.pdl", pdl.as_bytes());
        sandbox.write("facts.yaml", b"a: fact\n");
        sandbox
    };
    let compile = |pdl: &str| {
        in_env(&sandbox(pdl), &["compile", "-e", "include ntp", "--facts", "facts.yaml"])
    };
    assert_eq!(notified(&compile("$server = upcase(\"a${a}\")")), "AFACT");
    assert_eq!(notified(&compile("$server = epp('ntp/t.epp')")), "rendered fact");
    for function in ["include('ntp::other')", "ntp::sly()", "ntp::declares()", "tag('x')"] {
        let ran = compile(&format!("# a comment\n$server = {function}"));
        let place = "site/ntp/init.pdl, line: 2";
        assert!(ran.code == 1 && ran.error.contains("cannot be called in data"), "{}", ran.error);
        assert!(ran.error.contains(place), "{}", ran.error);
    }
}
