//! Catalogs and data from serialized manifests equal those from the sources.

use std::fs;

use serde_json::{Value, json};

use super::CONF;
use super::loading::forge_as;
use crate::support::{Ran, Sandbox};

const FILES: &[(&str, &str)] = &[
    CONF,
    ("manifests/site.pp", "include a\na::d { 'x': size => 3 }\nnotify { a::f('y'): }\n"),
    ("modules/a/manifests/init.pp", CLASS),
    (
        "modules/a/manifests/d.pp",
        "define a::d (A::Size $size) { notify { \"${title} ${size}\": } }\n",
    ),
    ("modules/a/functions/f.pp", "function a::f(String $x) >> String {\n  \"f ${x}\"\n}\n"),
    ("modules/a/types/size.pp", "type A::Size = Integer[1, 9]\n"),
    ("hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n"),
    ("data/all.yaml", "a::text: data\n"),
];

const CLASS: &str = "\
class a (String $text = 'default') {
  $long = @(\"END\"/L)
    one ${text}, \\
    two äöü
    | END
  file { '/x': content => $long, mode => $facts['m'] ? { undef => '0644', default => '0600' } }
  -> notify { [1, 2].map |$n| { \"n${n}\" }: }
  File <| title == '/x' |> { owner => 'root' }
}
";

const INIT: &str = ".xpp/modules/a/manifests/init.xpp";
const FUNCTION: &str = ".xpp/modules/a/functions/f.xpp";
const TYPE: &str = ".xpp/modules/a/types/size.xpp";
const SITE: &str = ".xpp/modules/environment/manifests/site.xpp";
const ALL: [&str; 4] = [INIT, FUNCTION, TYPE, SITE];

fn built() -> Sandbox {
    let sandbox = Sandbox::new(FILES);
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    assert!(ALL.iter().all(|file| sandbox.path(file).is_file()));
    sandbox
}

fn compile(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(&[&["compile", "--node", "n"], args].concat())
}

/// Returns the bytes of a catalog, without its number and its time.
fn catalog(ran: &Ran) -> String {
    assert_eq!(ran.code, 0, "{}", ran.error);
    let catalog: Value = serde_json::from_str(&ran.output).expect("it is JSON");
    let mut text = ran.output.clone();
    for key in ["catalog_uuid", "version"] {
        text = text.replace(&format!("\"{key}\":{}", catalog[key]), "");
    }
    text
}

#[test]
fn catalogs_are_the_same_byte_for_byte() {
    let sandbox = built();
    let (parsed, loaded) = (compile(&sandbox, &[]), compile(&sandbox, &["--xpp"]));
    assert_eq!(catalog(&parsed), catalog(&loaded));
    assert_eq!((parsed.error.as_str(), loaded.error.as_str()), ("", ""));
    for part in ["one data, two äöü", "x 3", "f y", "n2", "\"owner\":\"root\""] {
        assert!(loaded.output.contains(part), "{part}: {}", loaded.output);
    }
}

#[test]
fn errors_have_the_same_places() {
    let site = ("manifests/site.pp", "include a\na::d { 'x': size => 30 }\n");
    let function = ("modules/a/manifests/init.pp", "class a {\n  notify { $none: }\n}\n");
    for changed in [site, function] {
        let sandbox = Sandbox::new(FILES);
        sandbox.write(changed.0, changed.1.as_bytes());
        assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
        let (parsed, loaded) = (compile(&sandbox, &[]), compile(&sandbox, &["--xpp"]));
        assert_eq!((parsed.code, loaded.code), (1, 1));
        assert_eq!(parsed.error, loaded.error);
    }
}

#[test]
fn files_are_loaded_if_the_setting_is_on() {
    let sandbox = built();
    forge_as(&sandbox, INIT, "class a { notify { 'forged class': } }\n");
    forge_as(&sandbox, FUNCTION, "function a::f($x) { 'forged function' }\n");
    forge_as(&sandbox, TYPE, "type A::Size = Integer[4, 9]\n");
    let forged = |args: &[&str]| {
        let ran = compile(&sandbox, args);
        (ran.output.contains("forged class"), ran.error.contains("Integer[4, 9]"))
    };
    sandbox.write("on.conf", b"[main]\nxpp = true\n");
    sandbox.write("off.conf", b"[main]\nxpp = false\n");
    for args in
        [&[][..], &["--no-xpp"], &["--config", "off.conf"], &["--config", "on.conf", "--no-xpp"]]
    {
        assert_eq!(forged(args), (false, false), "{args:?}");
    }
    for args in [&["--xpp"][..], &["--set", "xpp=true"], &["--config", "on.conf"]] {
        assert_eq!(forged(args), (false, true), "{args:?}");
        let code = ["-e", "include a\nnotify { a::f('y'): }"];
        let ran = compile(&sandbox, &[args, &code].concat());
        assert!(ran.output.contains("forged class"), "{args:?} {}", ran.error);
        assert!(ran.output.contains("forged function"), "{args:?} {}", ran.error);
    }
    forge_as(&sandbox, SITE, "notify { 'forged site': }\n");
    assert!(compile(&sandbox, &["--xpp"]).output.contains("forged site"));
}

#[test]
fn a_changed_manifest_counts_and_nothing_is_said() {
    let sandbox = built();
    sandbox.write("modules/a/manifests/init.pp", b"class a { notify { 'changed': } }\n");
    let ran = compile(&sandbox, &["--xpp"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, ""));
    assert!(ran.output.contains("changed"), "{}", ran.output);
}

#[test]
fn damaged_files_are_warned_of_once_and_sources_are_used() {
    let sandbox = built();
    sandbox.write("facts/one.json", b"{}");
    sandbox.write("facts/two.json", b"{}");
    let sound = catalog(&compile(&sandbox, &[]));
    for file in ALL {
        let bytes = fs::read(sandbox.path(file)).expect("it was built");
        for end in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            sandbox.write(file, &bytes[..end]);
            let ran = compile(&sandbox, &["--xpp"]);
            assert_eq!(catalog(&ran), sound, "{file} {end}");
            let start = format!("warning: XPP: cannot load @/{file}: ");
            assert!(ran.error.starts_with(&start), "{}", ran.error);
            assert!(ran.error.ends_with("; the source is used\n"), "{}", ran.error);
            assert_eq!(ran.error.lines().count(), 1, "{}", ran.error);
            assert_eq!(compile(&sandbox, &[]).error, "", "{file} {end}");
        }
        let many = sandbox.run(&["compile", "--facts", "facts", "--xpp", "--log-format", "json"]);
        assert_eq!((many.code, many.output.lines().count()), (0, 2), "{}", many.error);
        let line: Value = serde_json::from_str(many.error.trim()).expect("there is one line");
        assert_eq!(line["level"], "warning");
        sandbox.write(file, &bytes);
    }
}

#[test]
fn commands_about_data_load_files_too() {
    let sandbox = built();
    let class = "class a (String $text = 'x', String $forged = 'y') { }\n";
    forge_as(&sandbox, INIT, class);
    sandbox.write("manifests/site.pp", b"include a\n");
    let params = |xpp: &str| sandbox.run(&["params", "--node", "n", xpp]).output;
    assert!(params("--xpp").contains("forged") && !params("--no-xpp").contains("forged"));
    sandbox.write("data/all.yaml", b"a::forged: data\n");
    let check = |xpp: &str| sandbox.run(&["data", "check", xpp]).output;
    assert!(check("--no-xpp").contains("a::forged"), "{}", check("--no-xpp"));
    assert!(!check("--xpp").contains("a::forged"), "{}", check("--xpp"));
    forge_as(&sandbox, INIT, "class a { $x = 'forged' }\n");
    let hiera = b"version: 5\nhierarchy:\n  - name: all\n    path: \"%{::a::x}.yaml\"\n";
    sandbox.write("hiera.yaml", hiera);
    sandbox.write("data/forged.yaml", b"k: found\n");
    let lookup = |xpp: &str| sandbox.run(&["lookup", "k", "--compile", "--node", "n", xpp]);
    assert_eq!(
        (lookup("--xpp").code, lookup("--no-xpp").code),
        (0, 1),
        "{}",
        lookup("--xpp").error
    );
    assert_eq!(sandbox.run(&["doctor", "--xpp", "--set", "ruby_worker=off"]).code, 0);
}

#[test]
fn requests_load_files_and_their_logs_have_the_warnings() {
    let sandbox = built();
    forge_as(&sandbox, INIT, "class a { notify { 'forged class': } }\n");
    let bytes = fs::read(sandbox.path(FUNCTION)).expect("it was built");
    sandbox.write(FUNCTION, &bytes[..bytes.len() - 1]);
    let ask = |xpp: bool| {
        let request = json!({ "id": 1, "node": "n", "xpp": xpp });
        let ran = sandbox.run_with(&["compile", "--jsonl"], &format!("{request}\n"));
        serde_json::from_str::<Value>(&ran.output).expect("it is JSON")
    };
    let (parsed, loaded) = (ask(false), ask(true));
    assert!(parsed["catalog"].is_object() && parsed["logs"] == json!([]), "{parsed}");
    assert!(loaded["catalog"].to_string().contains("forged class"), "{loaded}");
    let message = loaded["logs"][0]["message"].as_str().expect("there is one");
    assert!(message.starts_with("XPP: cannot load @/.xpp/modules/a/functions/f.xpp"), "{message}");
}
