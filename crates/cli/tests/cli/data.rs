//! Data: the order of precedence, and the commands about data.

use serde_json::Value;

use crate::support::{Ran, Sandbox};

const DOCUMENT: &str = include_str!("../../../../docs/src/concepts/data.md");

/// Returns the files of the document, each after a comment with its name.
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

/// All sources of a value in order of precedence; each file has its own name as the value.
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

/// Returns the only title of a notification in the catalog.
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

/// Creates an environment with data of many kinds.
fn site() -> Sandbox {
    Sandbox::new(&[
        ("env/environment.conf", "modulepath = modules\n"),
        ("env/manifests/site.pp", "include ntp\n"),
        (
            "env/modules/ntp/manifests/init.pp",
            "class ntp(Array[String] $servers, Integer $port = 123, Optional[Sensitive[String]] $key = undef) {\n\
             \x20 notify { \"${servers} ${lookup('motd', { default_value => '' })}\": }\n}\n",
        ),
        (
            "env/hiera.yaml",
            "version: 5\nhierarchy:\n\
             \x20 - { name: node, path: \"nodes/%{facts.name}.yaml\" }\n\
             \x20 - { name: os, path: \"os/%{facts.os}.yaml\" }\n\
             \x20 - { name: common, path: common.yaml }\n",
        ),
        (
            "env/data/common.yaml",
            "lookup_options:\n  ntp::servers: { merge: unique }\n  ntp::key: { convert_to: Sensitive }\n\
             ntp::servers: [a]\nntp::key: hush-hush\nmotd: hello\n",
        ),
        ("env/data/os/Debian.yaml", "ntp::servers: [b]\nntp::port: 124\n"),
        ("facts/web.yaml", "name: web\nos: Debian\n"),
        ("facts/db.yaml", "name: db\nos: RedHat\n"),
    ])
}

#[test]
fn lookup_answers_and_explains() {
    let sandbox = site();
    let look = |args: &[&str]| {
        let ran =
            in_env(&sandbox, &[&["lookup"], args, &["--facts", "facts", "--node", "web"]].concat());
        (ran.code, ran.output)
    };
    assert_eq!(look(&["ntp::servers"]), (0, "---\n- b\n- a\n".to_owned()));
    assert_eq!(look(&["ntp::servers", "--render-as", "json"]), (0, "[\"b\",\"a\"]\n".to_owned()));
    assert_eq!(look(&["none", "motd", "--render-as", "s"]), (0, "hello\n".to_owned()));
    assert_eq!(look(&["none", "--default", "x"]), (0, "--- x\n".to_owned()));
    assert_eq!(look(&["none"]), (1, String::new()));
    assert_eq!(look(&["motd", "--type", "Integer"]), (1, String::new()));
    assert_eq!(look(&["motd", "--merge", "nope"]).0, 2);
    assert_eq!(look(&["motd", "--sort-merged-arrays"]).0, 2);
    let (code, story) = look(&["ntp::servers", "--explain", "--places"]);
    assert_eq!(code, 0);
    let ends: Vec<&str> = story.lines().rev().take(3).collect();
    assert_eq!(
        ends,
        [
            "  merged: ntp::servers at @/env/data/common.yaml:4: [\"a\"]",
            "  merged: ntp::servers at @/env/data/os/Debian.yaml:1: [\"b\"]",
            "Values:"
        ]
    );
    let (_, json) = look(&["motd", "--explain", "--render-as", "json"]);
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["values"][0]["file"], "@/env/data/common.yaml");
    assert_eq!(
        (&json["values"][0]["line"], &json["values"][0]["outcome"]),
        (&6.into(), &"found".into())
    );
}

#[test]
fn secrets_are_not_shown_unless_somebody_wants_to_see_them() {
    let sandbox = site();
    let run = |args: &[&str]| {
        let ran = in_env(&sandbox, &[args, &["--facts", "facts", "--node", "web"]].concat());
        format!("{}{}", ran.output, ran.error)
    };
    let key = "ntp::key";
    for args in [
        &["lookup", key][..],
        &["lookup", key, "--explain"],
        &["lookup", key, "--explain", "--places"],
        &["lookup", key, "--explain", "--render-as", "json"],
        &["lookup", key, "--type", "Integer"],
        &["params"],
        &["params", "--format", "json"],
        &["params", "--format", "html"],
        &["lookup", "--audit"],
    ] {
        let text = run(args);
        assert!(!text.contains("hush") && !text.is_empty(), "{args:?}: {text}");
    }
    assert_eq!(run(&["lookup", key, "--reveal"]), "--- hush-hush\n");
    assert!(run(&["lookup", key, "--explain", "--reveal"]).contains("value: \"hush-hush\""));
}

#[test]
fn params_tell_where_values_come_from() {
    let sandbox = site();
    let ran = in_env(&sandbox, &["params", "--facts", "facts", "--node", "web"]);
    let expected = "ntp\n\
        \x20 servers  env/data/os/Debian.yaml:1, env/data/common.yaml:4  Array[String]                Array['b', 'a']\n\
        \x20 port     env/data/os/Debian.yaml:2                          Integer                      124\n\
        \x20 key      env/data/common.yaml:5                             Optional[Sensitive[String]]  Sensitive [value redacted]\n";
    assert_eq!(
        (ran.code, ran.output.replace("['b', 'a']", "Array['b', 'a']").as_str()),
        (0, expected),
        "{}",
        ran.error
    );
    let ran = in_env(
        &sandbox,
        &["params", "ntp", "--facts", "facts", "--node", "db", "--format", "json"],
    );
    let json: Value = serde_json::from_str(&ran.output).expect("it is JSON");
    assert_eq!(json["parameters"][1]["source"], "default");
    assert_eq!(json["parameters"][1]["value"], 123);
    let places = &json["parameters"][1]["places"];
    assert!(
        places[0]["file"].as_str().is_some_and(|file| file.ends_with("/ntp/manifests/init.pp"))
    );
}

#[test]
fn params_hide_what_code_declares_as_sensitive() {
    let site = "class c(Sensitive $key, $open) { }\nclass { 'c': key => Sensitive('hush'), open => 'o' }\n";
    let sandbox = Sandbox::new(&[("env/manifests/site.pp", site), ("env/environment.conf", "")]);
    for format in ["text", "json", "html"] {
        let ran = in_env(&sandbox, &["params", "--node", "web", "--format", format]);
        assert_eq!(ran.code, 0, "{}", ran.error);
        assert!(!ran.output.contains("hush") && ran.output.contains("redacted"), "{}", ran.output);
    }
}

#[test]
fn params_of_a_catalog_that_fails_are_those_so_far() {
    let site = "class c($given, $needed, $usual = 1) { }\nclass { 'c': given => 'g' }\n";
    let sandbox = Sandbox::new(&[("env/manifests/site.pp", site), ("env/environment.conf", "")]);
    let ran = in_env(&sandbox, &["params", "--node", "web"]);
    assert_eq!(ran.code, 1);
    let words = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = ran.output.lines().map(words).collect();
    assert_eq!(lines, ["c", "given declared", "needed default", "usual default"]);
}

#[test]
fn uses_tell_who_reads_a_line() {
    let sandbox = site();
    let uses = |place: &str| in_env(&sandbox, &["data", "uses", place, "--facts", "facts"]).output;
    assert_eq!(uses("env/data/os/Debian.yaml"), "web: ntp::port, ntp::servers\n");
    assert_eq!(uses("env/data/os/Debian.yaml:2"), "web: ntp::port\n");
    assert_eq!(uses("env/data/common.yaml:6"), "db: motd\nweb: motd\n");
    let failed = |place: &str| {
        let ran = in_env(&sandbox, &["data", "uses", place, "--facts", "facts"]);
        assert_eq!((ran.code, ran.output.as_str()), (2, ""), "{}", ran.error);
        ran.error
    };
    assert!(failed("nope.yaml").contains("cannot read `nope.yaml`: no such file or directory"));
    assert!(failed("env/data/common.yaml:999").contains("there is no line 999"));
    assert!(failed("env/data/common.yaml:0").contains("there is no line 0"));
}

#[test]
fn a_lookup_that_is_not_allowed_finds_nothing_and_is_audited() {
    let sandbox = site();
    let rules = "# who may see what\n\
        key 'ntp::key' where $trusted['extensions']['pp_role'] == 'time'\n\
        file 'data/os/*' where $trusted['certname'] == 'web'\n";
    sandbox.write("env/data_access", rules.as_bytes());
    sandbox.write("time.yaml", b"pp_role: time\n");
    let look = |key: &str, node: &str, more: &[&str]| {
        let args = ["lookup", key, "--facts", "facts", "--node", node, "--reveal"];
        let ran = in_env(&sandbox, &[&args[..], more].concat());
        (ran.code, ran.output)
    };
    assert_eq!(look("ntp::key", "web", &[]), (1, String::new()));
    assert_eq!(
        look("ntp::key", "web", &["--trusted", "time.yaml"]),
        (0, "--- hush-hush\n".to_owned())
    );
    assert_eq!(look("ntp::servers", "web", &[]), (0, "---\n- b\n- a\n".to_owned()));
    sandbox.write("facts/db.yaml", b"name: db\nos: Debian\n");
    assert_eq!(look("ntp::servers", "db", &[]), (0, "---\n- a\n".to_owned()));
    // Also by way of another key.
    sandbox.write("env/data/nodes/web.yaml", b"sly: \"%{alias('ntp::key')}\"\n");
    assert_eq!(look("sly", "web", &[]), (0, "--- ''\n".to_owned()));
    let audit = in_env(&sandbox, &["lookup", "--audit", "--facts", "facts"]);
    assert_eq!(
        audit.output,
        "db:\n  denied: ntp::servers (env/data_access:3)\n  denied: ntp::port (env/data_access:3)\n  \
         denied: ntp::key (env/data_access:2)\n  denied: motd (env/data_access:3)\n\
         web:\n  denied: ntp::key (env/data_access:2)\n"
    );
    sandbox.write("env/data_access", b"key 'x' where $facts['role'] == 'y'\n");
    let ran = in_env(&sandbox, &["lookup", "motd"]);
    assert!(ran.code == 1 && ran.error.contains("only `$trusted` can"), "{}", ran.error);
    assert!(ran.error.contains("data_access, line: 1"), "{}", ran.error);
}

#[test]
fn check_finds_what_is_wrong() {
    let sandbox = site();
    let check = |more: &[&str]| {
        let args = ["data", "check", "--format", "concise"];
        in_env(&sandbox, &[&args[..], more].concat())
    };
    let good = check(&["--facts", "facts"]);
    assert_eq!((good.code, good.output.as_str()), (0, ""), "{}", good.error);
    sandbox.write(
        "env/data/nodes/web.yaml",
        b"ntp::server: [x]\nntp::port: lots\nnttp::port: 1\nntp::port: much\nbad: '%{nope(\"x\")}'\n\
          worse: \"%{lookup('nowhere')}\"\nopen: 'a %{b'\n",
    );
    sandbox.write("env/data/dead.yaml", b"a: 1\n");
    sandbox.write("env/data/os/RedHat.yaml", b"a: [1\nb: 2\n");
    sandbox.write("env/modules/ntp/data/none.pdl", b"$x = 1\n");
    sandbox.write("env/modules/ntp/data/init.pdl", b"$porrt = 1\n");
    let ran = check(&[]);
    let lines: Vec<String> = ran.output.lines().map(str::to_owned).collect();
    for (message, place) in [
        ("class `ntp` has no parameter `server`", "nodes/web.yaml, line: 1"),
        (
            "`ntp::port` has wrong type, expects an Integer value, got String",
            "nodes/web.yaml, line: 4",
        ),
        ("there is no class `nttp`", "nodes/web.yaml, line: 3"),
        ("the key `ntp::port` stands here twice", "nodes/web.yaml, line: 4"),
        ("`bad`: Unknown interpolation method 'nope'", "nodes/web.yaml, line: 5"),
        ("`worse`: no data has the key `nowhere`", "nodes/web.yaml, line: 6"),
        ("`open`: `%{` is not closed", "nodes/web.yaml, line: 7"),
        ("no level of any hierarchy reaches this file", "data/dead.yaml, line: 1"),
        ("did not find expected ',' or ']'", "os/RedHat.yaml, line: 1"),
        ("there is no class `ntp::none`", "none.pdl, line: 1"),
        ("class `ntp` has no parameter `porrt`", "init.pdl, line: 1"),
    ] {
        let found = lines.iter().any(|line| line.contains(message) && line.contains(place));
        assert!(found, "{message} ({place}):\n{}", ran.output);
    }
    assert_eq!((ran.code, lines.len()), (1, 11), "{}", ran.output);
    let text = in_env(&sandbox, &["data", "check"]);
    assert!(text.output.contains("did you mean `ntp::servers`?"), "{}", text.output);
    assert!(text.output.contains("did you mean `ntp::port`?"), "{}", text.output);
    assert!(!text.output.contains("kukla explain"), "{}", text.output);
    for format in ["json", "github", "sarif", "junit"] {
        let ran = in_env(&sandbox, &["data", "check", "--format", format]);
        assert!(ran.code == 1 && ran.output.contains("porrt"), "{format}");
    }
}

#[test]
fn check_knows_nodes_and_assertions() {
    let sandbox = site();
    sandbox.write(
        "data.assert",
        b"# what nodes get\nntp::port on web == 124\nntp::port on db missing\nntp::servers on * =~ /x/\n\
          motd on * == 'hello'\nntp::key on web == 'other'\nntp::port on nobody == 1\nnonsense\n",
    );
    sandbox.write("env/data/common.yaml", b"lookup_options: { ntp::key: { convert_to: Sensitive } }\nntp::key: hush-hush\nmotd: hello\n");
    sandbox.write("env/hiera.yaml", b"version: 5\nhierarchy:\n  - { name: os, path: \"os/%{facts.os}.yaml\" }\n  - { name: x, path: \"%{facts.osfamily}.yaml\" }\n  - { name: c, path: common.yaml }\n");
    let args =
        ["data", "check", "--format", "concise", "--facts", "facts", "--assert", "data.assert"];
    let ran = in_env(&sandbox, &args);
    let expected = [
        "data.assert, line: 4",
        "data.assert, line: 6",
        "data.assert, line: 7",
        "data.assert, line: 8",
        "hiera.yaml, line: 4",
        "init.pp, line: 1",
    ];
    let lines: Vec<&str> = ran.output.lines().collect();
    assert_eq!((ran.code, lines.len()), (1, expected.len()), "{}", ran.output);
    for place in expected {
        assert!(lines.iter().any(|line| line.contains(place)), "{place}:\n{}", ran.output);
    }
    assert!(ran.output.contains("`$servers` of class `ntp` has no default and no data on db"));
    assert!(
        ran.output.contains("it is Sensitive [value redacted]") && !ran.output.contains("hush")
    );
}
