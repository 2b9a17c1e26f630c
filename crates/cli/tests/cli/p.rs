//! `kukla p`, as its users see it.

use crate::support::Sandbox;

const POLICY: &str = "\
Http := import \"Http\"; Net := import \"Net\";
if (Http.request.method == \"GET\" and Net.set(\"10.0.0.0/8\").has(Http.request.clientIp)) {
    Http.request.headers.set(\"X-Seen\", \"yes\");
    Access.allow();
}
Access.deny(\"closed\");
";
const REQUEST: &str = "GET /a HTTP/1.1\nHost: app\n\n";
const INSIDE: &str = r#"{"client_ip": "10.1.2.3", "expect": {"verdict": "allow", "line": 4}}"#;
const OUTSIDE: &str =
    r#"{"client_ip": "192.0.2.1", "expect": {"verdict": "deny", "reason": "closed"}}"#;

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("policy.p", POLICY),
        ("messages/in.http", REQUEST),
        ("messages/in.json", INSIDE),
        ("messages/out.http", REQUEST),
        ("messages/out.json", OUTSIDE),
    ])
}

#[test]
fn check_tells_the_cost_and_every_error() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["p", "check", "policy.p"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""));
    assert!(ran.error.contains("policy.p: at most "), "{}", ran.error);
    sandbox.write("bad.p", b"x := 1 + \"a\";\nAccess.alow();\n");
    let ran = sandbox.run(&["p", "check", "bad.p"]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.contains("bad.p:1:6") && ran.output.contains("bad.p:2:8"), "{}", ran.output);
    assert!(ran.output.contains("did you mean `allow`?"), "{}", ran.output);
    assert_eq!(sandbox.run(&["p", "check", "none.p"]).code, 2);
    let ran = sandbox.run(&["p", "check", "--format", "json", "bad.p"]);
    assert!(ran.code == 1 && ran.output.contains("\"type\""), "{}", ran.output);
    let ran = sandbox.run_with(&["p", "check", "-"], POLICY);
    assert_eq!(ran.code, 0, "{}", ran.error);
    assert_eq!(sandbox.run(&["p", "check", "--max-steps", "3", "policy.p"]).code, 1);
}

#[test]
fn check_knows_the_point_and_strictness() {
    let sandbox = Sandbox::new(&[(
        "r.p",
        "Http := import \"Http\"; Core.log(Core.text(Http.response.status));\n",
    )]);
    assert_eq!(sandbox.run(&["p", "check", "--point", "respmod", "r.p"]).code, 0);
    let ran = sandbox.run(&["p", "check", "--point", "reqmod", "r.p"]);
    assert!(ran.code == 1 && ran.output.contains("wrong-phase"), "{}", ran.output);
}

#[test]
fn run_tells_the_decision_its_line_and_the_changes() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["p", "run", "policy.p", "-m", "messages/in.http"]);
    let expected = "allow\n  at policy.p:4: Access.allow()\nrequest\n+ X-Seen: yes\n";
    assert_eq!((ran.code, ran.output.as_str()), (0, expected));
    let ran = sandbox.run(&["p", "run", "policy.p", "-m", "messages/out.http"]);
    assert_eq!(
        (ran.code, ran.output.as_str()),
        (1, "deny: closed\n  at policy.p:6: Access.deny(\"closed\")\n")
    );
    let ran = sandbox.run(&[
        "p",
        "run",
        "policy.p",
        "-m",
        "messages/out.http",
        "--meta",
        "messages/in.json",
    ]);
    assert_eq!(ran.code, 0);
    assert_eq!(sandbox.run(&["p", "run", "policy.p", "-m", "none.http"]).code, 2);
}

#[test]
fn explain_tells_why() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["p", "explain", "policy.p", "-m", "messages/out.http"]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.contains("Http.request.method == \"GET\""), "{}", ran.output);
    assert!(
        ran.output.contains("   = false\n") && ran.output.contains(" steps of at most "),
        "{}",
        ran.output
    );
}

#[test]
fn test_compares_with_what_is_expected() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["p", "test", "policy.p", "--messages", "messages"]);
    assert_eq!(ran.code, 0, "{}", ran.output);
    assert!(ran.error.contains("2 messages: 2 as expected, 0 not"), "{}", ran.error);
    assert!(ran.output.contains("statements, "), "{}", ran.output);
    sandbox.write("messages/out.json", INSIDE.replace("10.1.2.3", "192.0.2.1").as_bytes());
    let ran =
        sandbox.run(&["p", "test", "policy.p", "--messages", "messages", "--format", "junit"]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.contains("tests=\"2\" failures=\"1\""), "{}", ran.output);
}

#[test]
fn diff_tells_which_decisions_change() {
    let sandbox = sandbox();
    sandbox.write("new.p", POLICY.replace("10.0.0.0/8", "0.0.0.0/0").as_bytes());
    let ran = sandbox.run(&["p", "diff", "policy.p", "new.p", "--messages", "messages"]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.starts_with("out\n- deny: closed\n"), "{}", ran.output);
    assert!(ran.error.contains("2 messages: 1 decision changed"), "{}", ran.error);
    let ran = sandbox.run(&["p", "diff", "policy.p", "policy.p", "--messages", "messages"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""));
}

#[test]
fn messages_may_come_as_a_stream() {
    let sandbox = sandbox();
    sandbox.write("new.p", POLICY.replace("10.0.0.0/8", "0.0.0.0/0").as_bytes());
    let lines = r#"{"name": "out", "client_ip": "192.0.2.1", "message": "GET / HTTP/1.1\nHost: a\n\n"}

{"client_ip": "10.1.2.3", "message": "GET / HTTP/1.1\n\n"}
"#;
    let ran = sandbox.run_with(&["p", "diff", "policy.p", "new.p", "--messages", "-"], lines);
    assert_eq!(ran.code, 1, "{}", ran.error);
    assert!(ran.output.starts_with("out\n- deny: closed\n"), "{}", ran.output);
    assert!(ran.error.contains("2 messages: 1 decision changed"), "{}", ran.error);
    sandbox.write("messages.jsonl", b"{\"message\": \"GET / HTTP/1.1\\n\\n\"}\n{\"message\": 1}\n");
    let ran = sandbox.run(&["p", "diff", "policy.p", "new.p", "--messages", "messages.jsonl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("can't use line 2: `message` is a string"), "{}", ran.error);
}

#[test]
fn fmt_lays_out_and_modules_tell_signatures() {
    let sandbox = Sandbox::new(&[("a.p", "if(true){Access.allow( );}")]);
    let ran = sandbox.run(&["p", "modules", "Access"]);
    assert!(ran.code == 0 && ran.output.contains("deny"), "{}", ran.output);
    let ran = sandbox.run_with(&["p", "fmt", "-"], "if(true){Access.allow( );}");
    assert_eq!(ran.code, 0, "{}", ran.error);
    assert!(ran.output.contains("if (true) {\n    Access.allow();\n}"), "{}", ran.output);
}

#[test]
fn import_makes_a_program_of_auth_conf() {
    let sandbox = Sandbox::new(&[(
        "auth.conf",
        "authorization: { version: 1, rules: [ { match-request: { path: \"/a\", type: path, method: get }\n\
         allow: \"*\", sort-order: 500, name: \"a\" } ] }\n",
    )]);
    let ran = sandbox.run(&["p", "import", "auth.conf"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    let checked = sandbox.run_with(&["p", "check", "-"], &ran.output);
    assert_eq!(checked.code, 0, "{}", checked.output);
}

#[test]
fn repl_answers_line_by_line() {
    let ran =
        Sandbox::new(&[]).run_with(&["p", "repl"], "x := 20 + 1;\nx * 2\nHttp.request.method\n");
    assert_eq!((ran.code, ran.output.as_str()), (0, "42\n\"GET\"\n"));
}

#[test]
fn files_are_imported_from_the_folder_of_the_program() {
    let sandbox = sandbox();
    sandbox.write(
        "policies/main.p",
        b"L := import \"file:lib.p\";\nif (L.isOpen) { Access.allow(); }\n",
    );
    sandbox.write("policies/lib.p", b"isOpen := true;\n");
    let ran = sandbox.run(&["p", "run", "policies/main.p", "-m", "messages/in.http"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    sandbox.write("policies/lib.p", b"\nisOpen := 1 + \"\";\n");
    let ran = sandbox.run(&["p", "check", "policies/main.p"]);
    assert!(ran.code == 1 && ran.output.contains("policies/lib.p:2:11"), "{}", ran.output);
    sandbox.write("policies/main.p", b"import \"file:../messages/in.http\";\n");
    assert_eq!(sandbox.run(&["p", "check", "policies/main.p"]).code, 1);
}

#[test]
fn services_have_canned_answers() {
    let sandbox = sandbox();
    let scan = "Services.applyOne(Services.findOne(\"opes://av/scan\"));\nAccess.allow();\n";
    sandbox.write("scan.p", scan.as_bytes());
    sandbox.write(
        "services.toml",
        b"[[service]]\nuri = \"opes://av/scan\"\nkind = \"canned\"\nanswers = [{ headers = { \"X-Scan\" = \"clean\" } }]\n",
    );
    let run = ["p", "run", "scan.p", "-m", "messages/in.http", "--services", "services.toml"];
    let ran = sandbox.run(&run);
    assert!(ran.code == 0 && ran.output.contains("+ X-Scan: clean"), "{}{}", ran.output, ran.error);
    let ran = sandbox.run(&[&run[..], &["--service", "opes://av/scan=fails"]].concat());
    assert!(ran.code == 1 && ran.output.contains("the service failed"), "{}", ran.output);
    sandbox.write("adapted.http", b"GET /a HTTP/1.1\nX-By: file\n\n");
    let ran = sandbox.run(&[&run[..5], &["--service", "opes://av/scan=adapted.http"]].concat());
    assert!(ran.code == 0 && ran.output.contains("+ X-By: file"), "{}{}", ran.output, ran.error);
    let ran = sandbox.run(&["p", "check", "--services", "services.toml", "scan.p"]);
    assert_eq!(ran.code, 0, "{}", ran.output);
    sandbox.write("other.p", scan.replace("av/scan", "av/none").as_bytes());
    assert_eq!(sandbox.run(&["p", "check", "--services", "services.toml", "other.p"]).code, 1);
}

#[test]
fn serve_refuses_forms_of_certificates_that_a_proxy_does_not_pass_on() {
    let sandbox = Sandbox::new(&[("good.p", "Access.allow();")]);
    let serve = |options: &[&str]| {
        let arguments = ["p", "serve", "--rules", "good.p", "--forward-auth", "127.0.0.1:0"];
        sandbox.run(&[&arguments[..], options].concat())
    };
    let ran = serve(&["--cert-headers"]);
    assert_eq!(ran.code, 2, "{}", ran.error);
    assert!(ran.error.contains("cert, dn"), "{}", ran.error);
    for proxy in ["traefik", "caddy"] {
        let ran = serve(&["--from", proxy, "--cert-headers", "dn"]);
        assert_eq!(ran.code, 2, "{}", ran.error);
        assert!(ran.error.contains("`--cert-headers cert`"), "{}", ran.error);
    }
}

#[test]
fn serve_refuses_what_does_not_check() {
    let sandbox = Sandbox::new(&[("bad.p", "Access.allow(")]);
    let ran = sandbox.run(&["p", "serve", "--rules", "bad.p", "--forward-auth", "127.0.0.1:0"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("`bad.p` can't go live"), "{}", ran.error);
}
