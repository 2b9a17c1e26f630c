//! `kukla compile` and `kukla doctor`, as their users see them.

use serde_json::Value;

use crate::support::{Ran, Sandbox};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// An environment `production` below `code`, with a module `m`.
pub(crate) fn sandbox(manifest: &str) -> Sandbox {
    Sandbox::new(&[
        ("code/production/environment.conf", "modulepath = modules\n"),
        ("code/production/manifests/site.pp", manifest),
        (
            "code/production/modules/m/manifests/init.pp",
            "class m { notify { 'of the environment': } }",
        ),
        ("other/m/manifests/init.pp", "class m { notify { 'of the command line': } }"),
    ])
}

pub(crate) fn compile(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(&[&["compile", "--environmentpath", "code", "--log-format", "json"], args].concat())
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

fn has(catalog: &Value, type_: &str, title: &str) -> bool {
    let resources = catalog["resources"].as_array().expect("there are some");
    resources.iter().any(|resource| resource["type"] == type_ && resource["title"] == title)
}

/// Returns the message of the only line of level `err`, which is the last.
fn failure(ran: &Ran) -> String {
    failure_with(1, ran)
}

/// Like [`failure`], for a run with this exit status.
fn failure_with(code: i32, ran: &Ran) -> String {
    assert_eq!((ran.code, ran.output.as_str()), (code, ""), "{}", ran.error);
    let lines = lines(&ran.error);
    let n_errors = lines.iter().filter(|line| line["level"] == "err").count();
    let last = lines.last().expect("it says why");
    assert!(n_errors == 1 && last["level"] == "err", "{}", ran.error);
    last["message"].as_str().expect("it is a text").to_owned()
}

#[test]
fn the_examples_compile_for_all_their_nodes() {
    let sandbox = Sandbox::new(&[]);
    let facts = format!("{EXAMPLES}/facts");
    let mut command = sandbox.command(&["compile", "--facts", &facts]);
    let output = command.current_dir(EXAMPLES).output().expect("the command starts");
    let text = String::from_utf8(output.stdout).expect("text is printed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let catalogs = lines(&text);
    let names: Vec<&str> = catalogs.iter().filter_map(|catalog| catalog["name"].as_str()).collect();
    assert_eq!(names, ["ldap.example.com", "monitor.example.com", "web1.example.com"]);
    assert!(has(&catalogs[2], "Class", "Role::Web") && has(&catalogs[2], "Package", "nginx"));
    assert!(!has(&catalogs[0], "Class", "Role::Web") && has(&catalogs[0], "Class", "Role::Base"));
}

#[test]
fn the_catalog_is_all_of_the_output_and_logs_are_lines() {
    let sandbox = sandbox("warning('careful')\nnotify { 'a': }\n@@notify { 'b': }");
    let ran = compile(&sandbox, &["--node", "n1"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    let catalog = &lines(&ran.output)[0];
    assert!(catalog["name"] == "n1" && has(catalog, "Notify", "a"), "{catalog}");
    let log = &lines(&ran.error)[0];
    assert_eq!((&log["level"], &log["message"]), (&"warning".into(), &"careful".into()));
    let log = &lines(&ran.error)[1];
    let site = "@/code/production/manifests/site.pp";
    assert_eq!((&log["file"], &log["line"]), (&site.into(), &3.into()), "{log}");
    assert!(!has(catalog, "Notify", "b"), "exported resources are for others");
}

#[test]
fn a_failure_has_puppets_words() {
    let sandbox = sandbox("notify { 'a': }\nfail('no')");
    let message = failure(&compile(&sandbox, &["--node", "n1"]));
    assert!(
        message.contains(
            "no (file: @/code/production/manifests/site.pp, line: 2, column: 1) on node n1"
        ),
        "{message}"
    );
}

#[test]
fn a_program_takes_the_place_of_the_manifests() {
    let sandbox = sandbox("notify { 'a': }");
    let ran = compile(&sandbox, &["-e", "notify { 'b': }"]);
    let catalog = &lines(&ran.output)[0];
    assert!(has(catalog, "Notify", "b") && !has(catalog, "Notify", "a"));
    let ran = compile(&sandbox, &["-e", ""]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    assert!(!has(&lines(&ran.output)[0], "Notify", "a"), "an empty program is a program");
    sandbox.write("c.pp", b"notify { 'c': }");
    assert!(has(&lines(&compile(&sandbox, &["c.pp"]).output)[0], "Notify", "c"));
}

#[test]
fn the_command_line_wins_over_the_environment() {
    let sandbox = sandbox("include m");
    let ran = compile(&sandbox, &[]);
    assert!(has(&lines(&ran.output)[0], "Notify", "of the environment"), "{}", ran.error);
    let ran = compile(&sandbox, &["--modulepath", "other"]);
    assert!(has(&lines(&ran.output)[0], "Notify", "of the command line"), "{}", ran.error);
    let ran = compile(&sandbox, &["--modulepath", "nowhere"]);
    assert!(failure(&ran).contains("Could not find class ::m"), "{}", ran.error);
}

#[test]
fn settings_that_do_not_exist_are_warned_of() {
    let sandbox = sandbox("");
    let ran = sandbox.run(&["compile", "--environmentpath", "code", "--set", "colour=red"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "warning: there is no setting `colour`\n"));
    assert_eq!(compile(&sandbox, &["--nonsense"]).code, 2);
}

#[test]
fn nodes_are_classified_and_trusted() {
    let sandbox = sandbox("notify { \"${trusted['extensions']['pp_role']} ${colour}\": }");
    sandbox.write("enc.yaml", b"classes: [m]\nparameters:\n  colour: red\n");
    sandbox.write("trusted.json", br#"{"pp_role": "web"}"#);
    let ran = compile(&sandbox, &["--enc", "enc.yaml", "--trusted", "trusted.json"]);
    let catalog = &lines(&ran.output)[0];
    assert!(has(catalog, "Notify", "web red") && has(catalog, "Class", "M"), "{}", ran.error);
}

#[test]
fn the_same_bytes_come_out_with_any_number_of_threads() {
    let sandbox = sandbox(
        "include m\n$facts['list'].each |$n| { notify { \"n${n}\": require => Class['m'] } }",
    );
    for n in 0..12 {
        let facts = format!("{{\"list\": [{n}, 100, 200]}}");
        sandbox.write(&format!("facts/n{n}.json"), facts.as_bytes());
    }
    let run = |n_threads: &str| {
        let args = ["compile", "--environmentpath", "code", "--facts", "facts"];
        let mut command = sandbox.command(&args);
        let output = command.env("RAYON_NUM_THREADS", n_threads).output().expect("it starts");
        let mut catalogs = lines(&String::from_utf8(output.stdout).expect("it is text"));
        for catalog in &mut catalogs {
            catalog["catalog_uuid"] = Value::Null;
            catalog["version"] = Value::Null;
        }
        // As text: objects with their keys in another order would be equal.
        catalogs.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let one = run("1");
    assert_eq!(one.len(), 12);
    assert_eq!(one, run("1"));
    assert_eq!(one, run("7"));
}

#[test]
fn broken_input_is_an_error_with_its_place() {
    let sandbox = sandbox("notify { 'a': }");
    sandbox.write("bad.json", b"{");
    sandbox.write("list.json", b"[1]");
    sandbox.write("bad.yaml", b"a: [");
    let fail = |args: &[&str]| failure(&compile(&sandbox, args));
    assert!(fail(&["--facts", "bad.json"]).contains("`bad.json` is not JSON"));
    assert!(fail(&["--facts", "bad.yaml"]).contains("`bad.yaml` is not YAML"));
    assert!(fail(&["--facts", "list.json"]).contains("`list.json` is not a hash"));
    assert!(fail(&["--enc", "bad.yaml"]).contains("`bad.yaml` is not YAML"));
    assert!(fail(&["--trusted", "bad.json"]).contains("`bad.json` is not JSON"));
    assert!(fail(&["--environment", "none"]).contains("there is no environment `none`"));
    let unread = |args: &[&str]| failure_with(2, &compile(&sandbox, args));
    for (args, file) in [
        (&["--facts", "none.json"][..], "none.json"),
        (&["--enc", "none.yaml"], "none.yaml"),
        (&["--trusted", "none.json"], "none.json"),
        (&["--config", "none.conf"], "none.conf"),
        (&["none.pp"], "none.pp"),
    ] {
        assert_eq!(unread(args), format!("cannot read `{file}`: no such file or directory"));
    }
    assert!(fail(&["-e", "notify {"]).contains("Syntax error"));
    sandbox.write("code/production/modules/m/metadata.json", b"{");
    assert_eq!(compile(&sandbox, &["-e", ""]).code, 0, "modules that are not used do no harm");
}

#[test]
fn code_that_goes_round_in_circles_ends() {
    let sandbox = sandbox("");
    let fail = |code: &str| failure(&compile(&sandbox, &["-e", code]));
    fail("class a inherits b {}\nclass b inherits a {}\ninclude a");
    fail("define d { d { \"${title}x\": } }\nd { 'a': }");
    assert!(fail("include '../m'").contains("../m"));
    let ran = compile(&sandbox, &["-e", "class a { include b }\nclass b { include a }\ninclude a"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
}

#[test]
fn names_are_not_paths() {
    let sandbox = sandbox("notify { 'a': }");
    sandbox.write("secret/manifests/site.pp", b"notify { 'secret': }");
    let ran = compile(&sandbox, &["--environment", "../secret"]);
    assert!(!ran.output.contains("secret") && ran.code == 1, "{} {}", ran.output, ran.error);
}

#[test]
fn old_agents_get_plain_data() {
    let manifest = "notify { 'a': message => Timestamp('2020-01-01') }\nnotify { 'b': message => Sensitive('x') }";
    let sandbox = sandbox(manifest);
    let ran = compile(&sandbox, &["--render-as", "json"]);
    assert!(ran.output.contains(r#"{"__ptype":"Timestamp","__pvalue":"#), "{}", ran.output);
    let ran = compile(&sandbox, &["--render-as", "pson", "--strict", "warning"]);
    assert!(
        ran.output.contains(r#""message":"2020-01-01T00:00:00.000000000 UTC""#),
        "{}",
        ran.output
    );
    assert!(ran.output.contains(r#""sensitive_parameters":["message"]"#), "{}", ran.output);
    let warning = &lines(&ran.error)[0];
    let said = "Notify[a]['message'] contains a Puppet::Pops::Time::Timestamp value. \
                It will be converted to the String '2020-01-01T00:00:00.000000000 UTC'";
    assert_eq!((&warning["message"], &warning["line"]), (&said.into(), &1.into()));
    let message = failure(&compile(&sandbox, &["--render-as", "pson"]));
    let place = "(file: @/code/production/manifests/site.pp, line: 1)";
    assert!(message.starts_with(&format!("Evaluation Error: {said} {place}")), "{message}");
}

#[test]
fn the_slowest_parts_are_told() {
    let sandbox = sandbox("include m\ndefine d { notify { epp('m/t.epp'): } }\nd { 'x': }");
    sandbox.write(
        "code/production/modules/m/templates/t.epp",
        b"<%= upcase(lookup('k', { default_value => 'v' })) %>",
    );
    let ran = sandbox.run(&["compile", "--environmentpath", "code", "--profile"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    for part in [
        "class\n",
        "  m\n",
        "define\n",
        "  d\n",
        "function\n",
        "  upcase\n",
        "template\n",
        "  m/t.epp\n",
        "lookup\n",
        "  k\n",
    ] {
        assert!(ran.error.contains(part), "{part:?} in {}", ran.error);
    }
    let ran = compile(&sandbox, &["--profile"]);
    let parts = lines(&ran.error);
    let define =
        parts.iter().find(|line| line["profile"]["kind"] == "define").expect("it is there");
    assert_eq!((&define["profile"]["name"], &define["profile"]["runs"]), (&"d".into(), &1.into()));
    assert_eq!(lines(&ran.output).len(), 1, "the catalog is all of the output");
}

/// An error in an environment has its place, and the exit status is 1.
#[test]
fn broken_environments_are_errors_with_their_places() {
    let site = "code/production/manifests/site.pp";
    let sandbox = sandbox("include m");
    let fail = |path: &str, text: &[u8], expected: &[&str]| {
        sandbox.write(path, text);
        let message = failure(&compile(&sandbox, &[]));
        assert!(expected.iter().all(|part| message.contains(part)), "{path}: {message}");
    };
    let module = "code/production/modules/m";
    fail(
        &format!("{module}/manifests/init.pp"),
        b"class m {\n  notify { 'a'\n}",
        &["Syntax error", "m/manifests/init.pp, line: 3"],
    );
    fail(&format!("{module}/manifests/init.pp"), b"class m { \xff }", &["m/manifests/init.pp"]);
    fail(&format!("{module}/manifests/init.pp"), b"class other { }", &["m/manifests/init.pp"]);
    fail(
        &format!("{module}/manifests/init.pp"),
        b"class m(Integer $a) { }",
        &["expects a value for parameter 'a'", "site.pp, line: 1"],
    );
    fail(site, b"class a inherits b { }\nclass b inherits a { }\ninclude a", &["site.pp"]);
    fail(site, b"include \"../../secret\"", &["../../secret", "site.pp, line: 1"]);
    fail(site, b"define d { d { \"${title}x\": } }\nd { 'a': }", &["on node localhost"]);
    fail(site, b"function f($n) { f($n + 1) }\nf(1)", &["stack level too deep"]);
    fail(site, b"notify { template('m/none.erb'): }", &["m/none.erb", "site.pp, line: 1"]);
    fail(site, b"notify { lookup('a'): }", &["did not find a value for the name 'a'"]);
    sandbox.write(site, b"notify { lookup('a'): }");
    fail("code/production/hiera.yaml", b"version: [", &["hiera.yaml"]);
    fail(
        "code/production/hiera.yaml",
        b"version: 5\nhierarchy:\n  - name: a\n    path: a.yaml\n",
        &["did not find a value"],
    );
    fail("code/production/data/a.yaml", b"a: [", &["a.yaml"]);
    sandbox.write(site, b"notify { 'fine': }");
    sandbox.write(
        "code/production/environment.conf",
        b"modulepath = nowhere:modules\nmanifest = none\n",
    );
    let ran = compile(&sandbox, &[]);
    assert_eq!(ran.code, 0, "no manifest means an empty catalog: {}", ran.error);
}

#[test]
fn cycles_are_shown_with_their_places() {
    let manifest = "notify { 'a': before => Notify['b'] }\nnotify { 'b': before => Notify['a'] }\n";
    let sandbox = sandbox(manifest);
    let path = "Notify[a] => Notify[b] => Notify[a]";
    let ran = sandbox.run(&["compile", "--environmentpath", "code", "--format", "summary"]);
    assert!(ran.code == 0 && ran.output.ends_with(&format!("  cycle {path}\n")), "{}", ran.output);
    let site = "@/code/production/manifests/site.pp";
    let expected = format!(
        "Warning: dependency cycle: {path}\n  Notify[a] ({site}:1)\n  Notify[b] ({site}:2)\n"
    );
    assert_eq!(ran.error, expected);
    let ran = compile(&sandbox, &[]);
    let line = &lines(&ran.error)[0];
    assert_eq!((ran.code, &line["level"], &line["line"]), (0, &"warning".into(), &1.into()));
    assert!(has(&lines(&ran.output)[0], "Notify", "a"), "it is printed all the same");
}

#[test]
fn pictures_need_no_other_program() {
    let sandbox = sandbox("notify { 'a < b': }");
    let ran = compile(&sandbox, &["--format", "svg"]);
    assert!(ran.code == 0 && ran.output.starts_with("<svg ") && ran.output.ends_with("</svg>\n"));
    assert!(ran.output.contains(">Notify[a &lt; b]</text>"), "{}", ran.output);
    assert!(compile(&sandbox, &["--format", "dot"]).output.starts_with("digraph "));
}

const STRANGE_TYPE: &str = "Puppet::Type.newtype(:strange) do\n  newparam(:name)\n  File.readlines('/etc/list').each { |n| newparam(n) }\nend\n";

const DOCTOR_WITHOUT_RUBY: [&str; 5] =
    ["doctor", "--environmentpath", "code", "--set", "ruby_worker=off"];

#[test]
fn doctor_tells_what_can_not_be_done() {
    let sandbox = sandbox("strange { 'a': size => 1 }\nstrange { 'b': }");
    let doctor = |args: &[&str]| sandbox.run(&[&DOCTOR_WITHOUT_RUBY, args].concat());
    let ran = doctor(&[]);
    assert_eq!((ran.code, ran.output.as_str()), (0, "Ruby worker: off\n"), "{}", ran.error);
    let module = "code/production/modules/m";
    sandbox.write(&format!("{module}/lib/puppet/type/strange.rb"), STRANGE_TYPE.as_bytes());
    sandbox.write(&format!("{module}/metadata.json"), b"{\n");
    sandbox.write(&format!("{module}/templates/a/b.erb"), b"<%= `uptime` %>");
    let ran = doctor(&["--format", "json"]);
    let problems = lines(&ran.output)[0]["findings"].clone();
    let problems = problems.as_array().expect("it is a list");
    let kinds: Vec<&str> = problems.iter().filter_map(|problem| problem["kind"].as_str()).collect();
    assert_eq!(
        (ran.code, kinds),
        (1, vec!["module", "resource type", "template"]),
        "{}",
        ran.output
    );
    assert_eq!((&problems[1]["name"], &problems[1]["line"]), (&"strange".into(), &3.into()));
    assert_eq!(problems[2]["name"], "m/a/b.erb");
    let place = format!(" --> @/{module}/lib/puppet/type/strange.rb:3\n");
    assert!(doctor(&[]).output.contains(&place), "{}", doctor(&[]).output);
    let summary =
        "templates: 0 run natively, 0 by the Ruby worker, 1 cannot run\nRuby worker: off\n";
    assert!(doctor(&[]).output.ends_with(summary), "{}", doctor(&[]).output);
    assert_eq!(doctor(&["--environment", "none"]).code, 2);

    let ran = compile(&sandbox, &["--set", "ruby_worker=off"]);
    assert_eq!((ran.code, lines(&ran.error).len()), (0, 1), "once a type: {}", ran.error);
    assert!(ran.error.contains("the type `Strange` can't be read"), "{}", ran.error);
}

#[test]
fn a_template_sees_facts_and_settings_that_no_manifest_names() {
    let template = "<%= @fact_of_templates_only %> <%= scope['fact_of_scopes_only'] %> \
                    <%= scope['settings::http_connect_timeout'] %>";
    let code = format!("notify {{ inline_template(\"{template}\"): }}");
    let facts = r#"{ "fact_of_templates_only": "one", "fact_of_scopes_only": "two" }"#;
    let sandbox = Sandbox::new(&[("facts.json", facts)]);
    let ran = sandbox.run(&["compile", "--node", "n", "--facts", "facts.json", "-e", &code]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    let catalog: Value = serde_json::from_str(&ran.output).expect("it is JSON");
    assert!(has(&catalog, "Notify", "one two 120"), "{}", ran.output);
}

#[test]
fn a_summary_counts_in_words() {
    let sandbox = sandbox("include m");
    let summary = |code: &str| {
        sandbox.run(&["compile", "--environmentpath", "code", "--format", "summary", "-e", code])
    };
    let ran = summary("notify { 'a': }");
    assert!(ran.output.starts_with("localhost: 1 resource, "), "{}", ran.output);
    let ran = summary("notify { ['a', 'b']: }");
    assert!(ran.output.starts_with("localhost: 2 resources, "), "{}", ran.output);
}

#[cfg(target_os = "linux")]
#[test]
fn facts_from_a_pipe_have_no_name() {
    let sandbox = sandbox("notify { \"${trusted['certname']} ${facts['a']}\": }");
    let ran = sandbox
        .run_with(&["compile", "--environmentpath", "code", "--facts", "/dev/stdin"], "{\"a\": 1}");
    assert!(has(&lines(&ran.output)[0], "Notify", "localhost 1"), "{}", ran.output);
}

#[test]
fn messages_name_their_scope_and_node() {
    let sandbox = sandbox("notice('hello') debug('details') class c { err('wrong') } include c");
    let run = |args: &[&str]| {
        let common = ["compile", "--environmentpath", "code", "--format", "summary"];
        sandbox.run(&[&common, args].concat())
    };
    let ran = run(&["--node", "n1"]);
    let expected = "Notice: Scope(Class[main]): hello\nError: Scope(Class[C]): wrong\n";
    assert_eq!((ran.code, ran.error.as_str()), (0, expected));
    let ran = run(&["--node", "n1", "--debug"]);
    assert!(ran.error.contains("Debug: Scope(Class[main]): details\n"), "{}", ran.error);
    sandbox.write("facts/a.json", b"{}");
    sandbox.write("facts/b.json", b"{}");
    let ran = run(&["--facts", "facts"]);
    assert!(ran.error.contains("a: Notice: Scope(Class[main]): hello\n"), "{}", ran.error);
    assert!(ran.error.contains("b: Error: Scope(Class[C]): wrong\n"), "{}", ran.error);
    let ran = run(&["--facts", "facts", "--log-format", "json"]);
    let nodes: Vec<Value> = lines(&ran.error).iter().map(|line| line["node"].clone()).collect();
    assert_eq!(nodes, ["a", "a", "b", "b"]);
}
