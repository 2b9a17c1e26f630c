//! `kukla eval`, as its users see it.

use serde_json::{Value, json};

use crate::support::Sandbox;

#[test]
fn eval_prints_the_value_and_the_log() {
    let sandbox = Sandbox::new(&[("a.pp", "notice('hello')\n[1, 'a', undef]\n")]);
    let ran = sandbox.run(&["eval", "a.pp"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, "[1, 'a', undef]\n"));
    assert_eq!(ran.error, "Notice: hello\n");
    let ran = sandbox.run_with(&["eval", "-"], "1 + 2");
    assert_eq!((ran.code, ran.output.as_str()), (0, "3\n"));
    // Without a terminal there is no interactive mode.
    let ran = sandbox.run_with(&["eval"], "'x'.upcase");
    assert_eq!((ran.code, ran.output.as_str()), (0, "'X'\n"));
}

#[test]
fn eval_says_what_is_wrong() {
    let sandbox = Sandbox::new(&[]);
    let ran = sandbox.run(&["eval", "-e", "1 / 0"]);
    assert_eq!((ran.code, ran.output.as_str()), (1, ""));
    assert!(
        ran.error.contains("Division by 0 (file: command-line-string, line: 1, column: 5)"),
        "{}",
        ran.error
    );
    assert_eq!(sandbox.run(&["eval", "-e", "1 +"]).code, 1);
    assert_eq!(sandbox.run(&["eval", "none.pp"]).code, 2);
    assert_eq!(sandbox.run(&["eval", "-e", "1", "a.pp"]).code, 2);
    assert_eq!(sandbox.run(&["eval", "--format", "xml", "-e", "1"]).code, 2);
}

#[test]
fn eval_knows_facts() {
    let sandbox = Sandbox::new(&[
        ("plain.json", r#"{"os": {"family": "Debian"}, "load": 0.1}"#),
        ("puppet.json", r#"{"name": "n", "values": {"os": {"family": "RedHat"}}}"#),
        ("list.json", "[1]"),
    ]);
    let ask = |file, code| sandbox.run(&["eval", "--facts", file, "-e", code]);
    assert_eq!(ask("plain.json", "$facts['os']['family']").output, "'Debian'\n");
    assert_eq!(ask("plain.json", "$load").output, "0.1\n");
    assert_eq!(ask("puppet.json", "$os['family']").output, "'RedHat'\n");
    assert_eq!(ask("list.json", "1").code, 2);
    assert_eq!(ask("none.json", "1").code, 2);
}

#[test]
fn eval_answers_machines() {
    let sandbox = Sandbox::new(&[]);
    let ran = sandbox.run(&["eval", "--format", "json", "-e", "warning('w')\n$r = /a/"]);
    let answer: Value = serde_json::from_str(&ran.output).expect("it is JSON");
    assert_eq!(answer["value"], json!({ "__ptype": "Regexp", "__pvalue": "a" }));
    assert_eq!(answer["type"], "Regexp[/a/]");
    assert_eq!(answer["logs"][0]["level"], "warning");
    let ran = sandbox.run(&["eval", "--format", "json", "-e", "fail('no')"]);
    let answer: Value = serde_json::from_str(&ran.output).expect("it is JSON");
    assert_eq!(ran.code, 1);
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("no")), "{answer}");
}

#[test]
fn eval_answers_questions_line_by_line() {
    let sandbox = Sandbox::new(&[]);
    let questions =
        "{\"id\": 7, \"code\": \"$a\", \"facts\": {\"a\": 5}}\n\nnonsense\n{\"id\": 8}\n";
    let ran = sandbox.run_with(&["eval", "--jsonl"], questions);
    let answers: Vec<Value> =
        ran.output.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert_eq!((ran.code, answers.len()), (0, 3));
    assert_eq!((&answers[0]["id"], &answers[0]["value"]), (&json!(7), &json!(5)));
    assert!(answers[1]["error"].is_string());
    assert_eq!(answers[2], json!({ "id": 8, "error": "the question has no code" }));
}

#[test]
fn eval_takes_facts_as_other_commands_do() {
    let sandbox = Sandbox::new(&[
        ("facts/one.yaml", "a: 1\n"),
        ("facts/two.json", r#"{"a": 2}"#),
        ("only/one.yml", "a: 3\n"),
    ]);
    let eval = |args: &[&str]| sandbox.run(&[&["eval", "-e", "$a", "--facts"], args].concat());
    assert_eq!(eval(&["facts/one.yaml"]).output, "1\n");
    assert_eq!(eval(&["facts", "--node", "two"]).output, "2\n");
    assert_eq!(eval(&["only"]).output, "3\n");
    let several = eval(&["facts"]);
    let expected = "error: several nodes have facts; choose one with --node\n";
    assert_eq!((several.code, several.error.as_str()), (2, expected));
    assert!(eval(&["facts", "--node", "three"]).error.contains("there are no facts of `three`"));
    let none = eval(&["none.yaml"]);
    let expected = "error: cannot read `none.yaml`: no such file or directory\n";
    assert_eq!((none.code, none.error.as_str()), (2, expected));
}
