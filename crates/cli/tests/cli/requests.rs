//! `kukla compile --jsonl`: settings of the command line and of requests.

use serde_json::{Value, json};

use crate::support::Sandbox;

fn answers(sandbox: &Sandbox, args: &[&str], requests: &[Value]) -> Vec<Value> {
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let ran = sandbox.run_with(&[&["compile", "--jsonl"], args].concat(), &lines);
    assert_eq!(ran.code, 0, "{}", ran.error);
    ran.output.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

fn answer(sandbox: &Sandbox, args: &[&str], request: Value) -> Value {
    answers(sandbox, args, &[request]).remove(0)
}

fn error(answer: &Value) -> &str {
    answer["error"].as_str().unwrap_or_default()
}

fn has_notice(answer: &Value, title: &str) -> bool {
    let resources = answer["catalog"]["resources"].as_array();
    let mut resources = resources.into_iter().flatten();
    resources.any(|resource| resource["type"] == "Notify" && resource["title"] == title)
}

#[test]
fn code_needs_no_environment() {
    let sandbox = Sandbox::new(&[("modules/m/manifests/init.pp", "class m { notify { 'm': } }")]);
    let code = "include m\nnotify { \"${facts['a']} ${trusted['certname']}\": }";
    let request = json!({ "id": "x", "code": code, "node": "n", "facts": { "a": 1 } });
    let ran = answer(&sandbox, &[], request);
    assert!(has_notice(&ran, "1 n") && has_notice(&ran, "m"), "{ran}");
    assert_eq!(ran["id"], "x");
    let ran = answer(&sandbox, &[], json!({ "id": 2, "environmentpath": "none" }));
    assert_eq!(error(&ran), "there is no environment `production` in `none`");
}

#[test]
fn unknown_keys_are_errors() {
    let sandbox = Sandbox::new(&[]);
    let ran = answer(&sandbox, &[], json!({ "id": 1, "code": "", "colour": "red" }));
    let start = "unknown key `colour`; known keys: id, node, facts, trusted, parameters, classes, ";
    assert!(error(&ran).starts_with(start), "{ran}");
    assert_eq!(ran["id"], 1);
    let settings = json!({ "code": "$x = 1", "settings": { "colour": "red" } });
    assert_eq!(error(&answer(&sandbox, &[], settings)), "there is no setting `colour`");
    for (request, part) in [
        (json!([1]), "not a JSON object"),
        (json!({ "code": "$x = 1", "settings": 1 }), "`settings` is not an object"),
        (json!({ "code": "$x = 1", "strict": {} }), "`strict`"),
        (json!({ "code": "$x = 1", "strict": "maybe" }), "not `maybe`"),
        (json!({ "code": "$x = 1", "facts": 1 }), "`facts`"),
        (json!({ "code": "$x = 1", "trusted": 1 }), "`trusted`"),
        (json!({ "code": "$x = 1", "parameters": 1 }), "parameters are not a hash"),
        (json!({ "code": "$x = 1", "classes": 1 }), "classes are neither a list nor a hash"),
        (json!({ "code": "$x = 1", "facts": "none.json" }), "cannot read `none.json`"),
    ] {
        let ran = answer(&sandbox, &[], request);
        assert!(error(&ran).contains(part), "{part}: {ran}");
    }
    let ran = sandbox.run_with(&["compile", "--jsonl"], "{\n");
    assert!(ran.output.contains("the request is not JSON"), "{}", ran.output);
}

#[test]
fn settings_come_from_the_command_line_and_from_requests() {
    let sandbox = Sandbox::new(&[("on.conf", "[main]\nstrict_variables = false\nstrict = off\n")]);
    let code = "notify { \"x${none}\": }";
    let request = |more: Value| {
        let mut request = json!({ "id": 1, "code": code });
        for (key, value) in more.as_object().into_iter().flatten() {
            request[key] = value.clone();
        }
        request
    };
    let lenient = |args: &[&str], more: Value| {
        let ran = answer(&sandbox, args, request(more));
        assert!(has_notice(&ran, "x") || error(&ran).contains("Unknown variable"), "{ran}");
        has_notice(&ran, "x")
    };
    assert!(!lenient(&[], json!({})));
    for args in [
        &["--no-strict-variables", "--strict", "off"][..],
        &["--set", "strict_variables=false", "--set", "strict=off"],
        &["--config", "on.conf"],
    ] {
        assert!(lenient(args, json!({})), "{args:?}");
        assert!(!lenient(args, json!({ "strict_variables": true })), "{args:?}");
    }
    assert!(lenient(&[], json!({ "strict_variables": false, "strict": "off" })));
    let settings = json!({ "settings": { "strict_variables": false, "strict": "off" } });
    assert!(lenient(&[], settings));
    let ran =
        answer(&sandbox, &[], request(json!({ "strict_variables": false, "strict": "warning" })));
    assert_eq!(ran["logs"][0]["level"], "warning", "{ran}");
}

#[test]
fn every_request_has_its_own_settings() {
    let sandbox = Sandbox::new(&[
        ("one/m/manifests/init.pp", "class m { notify { \"one ${settings::certname}\": } }"),
        ("two/m/manifests/init.pp", "class m { notify { \"two ${settings::certname}\": } }"),
    ]);
    let request = |modulepath: Value| json!({ "code": "include m", "modulepath": modulepath });
    let mut named = request(json!("two"));
    named["certname"] = json!("p.example.org");
    let requests =
        [request(json!("one")), request(json!(["nowhere", "two"])), named, request(json!("one"))];
    let all = answers(&sandbox, &[], &requests);
    assert!(has_notice(&all[0], "one puppet.example.com"), "{}", all[0]);
    assert!(has_notice(&all[1], "two puppet.example.com"), "{}", all[1]);
    assert!(has_notice(&all[2], "two p.example.org"), "{}", all[2]);
    assert!(has_notice(&all[3], "one puppet.example.com"), "{}", all[3]);
    let ran = answer(&sandbox, &["--modulepath", "two"], json!({ "code": "include m" }));
    assert!(has_notice(&ran, "two puppet.example.com"), "{ran}");
}

#[test]
fn the_server_has_the_name_of_the_setting() {
    let sandbox = Sandbox::new(&[]);
    let code = "notify { \"${server_facts['servername']} ${servername}\": }";
    let ran = answer(&sandbox, &[], json!({ "code": code }));
    assert!(has_notice(&ran, "puppet.example.com puppet.example.com"), "{ran}");
    let ran = answer(&sandbox, &["--set", "certname=p.example.org"], json!({ "code": code }));
    assert!(has_notice(&ran, "p.example.org p.example.org"), "{ran}");
}

#[test]
fn exports_are_stored_if_the_setting_is_on() {
    let sandbox = Sandbox::new(&[]);
    let requests = [
        json!({ "node": "a", "code": "@@notify { 'of a': }" }),
        json!({ "node": "b", "code": "Notify <<| |>>" }),
    ];
    let all = answers(&sandbox, &["--storeconfigs", "--vardir", "var"], &requests);
    assert!(has_notice(&all[1], "of a"), "{}", all[1]);
    let all = answers(&sandbox, &["--vardir", "other"], &requests);
    assert!(!has_notice(&all[1], "of a"), "{}", all[1]);
}
