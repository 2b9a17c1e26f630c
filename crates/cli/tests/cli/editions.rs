//! Editions: the setting, the option, and `kukla doctor --edition`.

use serde_json::{Value, json};

use super::support::Sandbox;

const CLASS: &str = "\
class a (Integer[0, 60 * 24] $minutes = 1) {
  $greatest = max(SemVer('2.0.0'), SemVer('10.0.0'))
  notify { \"v ${greatest}\": }
  notify { 'erb': message => template('a/x.erb') }
}
";

fn environment(more: &[(&str, &str)]) -> Sandbox {
    let files = [
        ("code/e/environment.conf", "modulepath = modules\n"),
        ("code/e/manifests/site.pp", "include a\n"),
        ("code/e/modules/a/manifests/init.pp", CLASS),
        ("code/e/modules/a/templates/x.erb", "<%= {'a' => 1, :b => nil} %>"),
        ("facts/n.example.com.json", r#"{"kernel": "Linux"}"#),
    ];
    Sandbox::new(&[&files, more].concat())
}

const OPTIONS: [&str; 4] = ["--environmentpath", "code", "-E", "e"];

fn catalog(sandbox: &Sandbox, args: &[&str]) -> String {
    let ran = sandbox.run(&[&["compile", "--facts", "facts"], &OPTIONS[..], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.error);
    ran.output
}

#[test]
fn an_edition_is_chosen_by_option_and_files() {
    let sandbox = environment(&[("seven.conf", "[main]\nedition = 7\n")]);
    assert!(catalog(&sandbox, &[]).contains("v 10.0.0"));
    assert!(catalog(&sandbox, &["--edition", "7"]).contains("v 2.0.0"));
    assert!(catalog(&sandbox, &["--config", "seven.conf"]).contains("v 2.0.0"));
    sandbox.write("code/e/environment.conf", b"modulepath = modules\nedition = 7\n");
    assert!(catalog(&sandbox, &[]).contains("v 2.0.0"));
    assert!(catalog(&sandbox, &["--edition", "9"]).contains("v 10.0.0"), "the option counts first");
    let ran = sandbox.run(&["eval", "--edition", "6", "-e", "1"]);
    assert_eq!(ran.code, 2);
    let ran = sandbox.run(&[&["compile", "--edition", "6"], &OPTIONS[..]].concat());
    assert!(ran.error.contains("`7`, `8` or `9`"), "{}", ran.error);
}

#[test]
fn a_ruby_edition_follows_the_edition_or_is_chosen() {
    let sandbox = environment(&[]);
    let old = r#"{\"a\"=>1, :b=>nil}"#;
    let new = r#"{\"a\" => 1, b: nil}"#;
    assert!(catalog(&sandbox, &["--edition", "8"]).contains(old));
    assert!(catalog(&sandbox, &["--edition", "9"]).contains(new));
    assert!(catalog(&sandbox, &["--edition", "9", "--set", "ruby_edition=3.3"]).contains(old));
    assert!(catalog(&sandbox, &["--set", "ruby_edition=3.4"]).contains(new));
}

#[test]
fn a_request_chooses_an_edition() {
    let sandbox = Sandbox::new(&[]);
    let title = |edition: &str| {
        let code = "notify { \"${max(SemVer('2.0.0'), SemVer('10.0.0'))}\": }";
        let line = json!({ "code": code, "edition": edition }).to_string();
        sandbox.run_with(&["compile", "--jsonl"], &format!("{line}\n")).output
    };
    assert!(title("7").contains("Notify[2.0.0]"), "{}", title("7"));
    assert!(title("8").contains("Notify[10.0.0]"), "{}", title("8"));
}

#[test]
fn doctor_lists_what_an_upgrade_breaks() {
    let code = "$h = { File['a'] => 1, Notify['a'] => 2 }\n\
                $s = regsubst('a', 'b', 'c', 'G', 'U')\n\
                notify { \"${facts['osfamily']} ${::ipaddress_eth0}\": }\n\
                node /^(?:n)\\./ { include a }\n";
    let more = [
        ("code/e/manifests/site.pp", code),
        ("code/e/data/common.yaml", "k: \"%{::operatingsystem}\"\n"),
    ];
    let sandbox = environment(&more);
    let doctor = |args: &[&str]| sandbox.run(&[&["doctor"], &OPTIONS[..], args].concat());
    let ran = doctor(&["--edition", "8", "--format", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.error);
    let report: Value = serde_json::from_str(&ran.output).expect("it is JSON");
    let findings = report["findings"].as_array().expect("a list");
    let has = |change: &str, file: &str, line: u32, column: u32| {
        findings.iter().any(|one| {
            one["change"] == change
                && one["file"].as_str().is_some_and(|path| path.ends_with(file))
                && one["line"] == line
                && one["column"] == column
        })
    };
    assert!(has("wide-duplicate-keys", "site.pp", 1, 36), "{}", ran.output);
    assert!(has("regsubst-encoding-deprecated", "site.pp", 2, 6), "{}", ran.output);
    assert!(has("no-legacy-facts", "site.pp", 3, 19), "{}", ran.output);
    assert!(has("no-legacy-facts", "site.pp", 3, 34), "{}", ran.output);
    assert!(has("node-group-names", "site.pp", 4, 6), "{}", ran.output);
    assert!(has("literal-parameter-types", "init.pp", 1, 30), "{}", ran.output);
    assert!(has("no-legacy-facts", "common.yaml", 1, 5), "{}", ran.output);
    assert_eq!(findings.len(), 7, "{}", ran.output);
    let ran = doctor(&["--edition", "9"]);
    assert_eq!(ran.code, 1, "{}", ran.error);
    assert!(ran.output.contains("breaks[regsubst-encoding-removed]"), "{}", ran.output);
    assert!(!ran.output.contains("wide-duplicate-keys"), "{}", ran.output);
    assert!(doctor(&["--edition", "9", "--from", "7"]).output.contains("wide-duplicate-keys"));
}

#[test]
fn doctor_shows_catalogs_that_an_upgrade_changes() {
    let sandbox = environment(&[]);
    let doctor = |args: &[&str]| {
        sandbox.run(&[&["doctor", "--facts", "facts"], &OPTIONS[..], args].concat())
    };
    let ran = doctor(&["--edition", "8"]);
    assert_eq!(ran.code, 0, "{}", ran.output);
    assert!(ran.output.contains("  - Notify[v 2.0.0]\n  + Notify[v 10.0.0]\n"), "{}", ran.output);
    let ran = doctor(&["--edition", "9"]);
    assert!(ran.output.contains("  ~ Notify[erb]\n"), "{}", ran.output);
    assert!(ran.output.ends_with("1 of 1 nodes change\n"), "{}", ran.output);
    sandbox.write("code/e/modules/a/templates/x.erb", b"nothing");
    let ran = doctor(&["--edition", "9"]);
    assert!(ran.output.contains("node `n.example.com`: the same\n"), "{}", ran.output);
    // Agents of edition 8 send no legacy facts.
    sandbox.write("facts/n.example.com.json", br#"{"osfamily": "Debian"}"#);
    sandbox.write("code/e/manifests/site.pp", b"notify { $facts['osfamily']: }");
    assert_eq!(doctor(&["--edition", "8"]).code, 1);
    assert_eq!(doctor(&["--edition", "8", "--set", "include_legacy_facts=true"]).code, 0);
}
