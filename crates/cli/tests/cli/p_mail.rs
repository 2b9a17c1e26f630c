//! `kukla p` on recorded mails: the guide, and what is refused.

use crate::support::Sandbox;

const GUIDE: &str = include_str!("../../../../docs/src/guides/p-mail.md");
const MAIL: &str =
    "MAIL FROM:<a@example.org>\nRCPT TO:<b@example.com>\nDATA\nFrom: a\nSubject: x\n\ntext\n.\n";

/// Returns the blocks of a kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let fence = format!("```{kind}\n");
    let parts = GUIDE.split(fence.as_str()).skip(1);
    parts.map(|part| part.split_once("```").map_or(part, |(block, _)| block)).collect()
}

/// Files and commands of the guide give what it shows.
#[test]
fn the_guide_about_mails_holds() {
    let sandbox = Sandbox::new(&[("policy.p", blocks("text")[0])]);
    let mut n_runs = 0;
    for block in blocks("console") {
        for step in block.strip_prefix("$ ").unwrap_or(block).split("\n$ ") {
            let (command, output) = step.split_once('\n').unwrap_or((step, ""));
            match command.split(' ').collect::<Vec<_>>().as_slice() {
                ["cat", name] => sandbox.write(name, output.as_bytes()),
                ["kukla", args @ ..] => {
                    let ran = sandbox.run(args);
                    assert_eq!(
                        ran.output.trim_end(),
                        output.trim_end(),
                        "{command}\n{}",
                        ran.error
                    );
                    n_runs += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(n_runs, 2);
}

#[test]
fn mails_are_tested_and_explained() {
    let program = "Smtp := import \"Smtp\";\nif (Smtp.message.headers.have(\"X-Bad\")) { Smtp.tempfail(451, \"later\"); }\nSmtp.accept();\n";
    let sandbox = Sandbox::new(&[
        ("mail.p", program),
        ("mails/good.smtp", MAIL),
        ("mails/good.json", "{\"expect\": {\"verdict\": \"accept\", \"line\": 3}}"),
        ("mails/bad.smtp", &MAIL.replace("Subject", "X-Bad")),
        ("mails/bad.json", "{\"expect\": {\"verdict\": \"tempfail\", \"reason\": \"later\"}}"),
        ("mails/early.smtp", "MAIL FROM:<a@b>\n"),
        ("mails/early.json", "{\"expect\": {\"verdict\": \"fail\"}}"),
    ]);
    let ran = sandbox.run(&["p", "check", "--point", "mail", "mail.p"]);
    assert_eq!(ran.code, 0, "{}", ran.output);
    let ran = sandbox.run(&["p", "test", "mail.p", "--messages", "mails"]);
    assert!(ran.error.contains("3 messages: 3 as expected, 0 not"), "{}{}", ran.output, ran.error);
    sandbox.write("mails/bad.json", b"{\"expect\": {\"verdict\": \"reject\"}}");
    let ran = sandbox.run(&["p", "test", "mail.p", "--messages", "mails"]);
    assert!(ran.code == 1 && ran.output.contains("tempfail: 451 later"), "{}", ran.output);
    let ran = sandbox.run(&["p", "explain", "mail.p", "-m", "mails/bad.smtp"]);
    assert!(ran.output.contains("have(\"X-Bad\")   = true"), "{}", ran.output);
    assert!(ran.output.contains("reply 451 later"), "{}", ran.output);
}

#[test]
fn a_program_gets_messages_of_its_protocol_only() {
    let sandbox = Sandbox::new(&[
        ("mail.p", "Smtp := import \"Smtp\";\nSmtp.accept();\n"),
        ("web.p", "Http := import \"Http\";\nCore.log(Http.request.method);\n"),
        ("any.p", "Core.log(\"any\");\n"),
        ("a.smtp", MAIL),
        ("a.http", "GET / HTTP/1.1\nHost: a\n\n"),
    ]);
    for (program, message) in [("mail.p", "a.http"), ("web.p", "a.smtp")] {
        let ran = sandbox.run(&["p", "run", program, "-m", message]);
        assert!(ran.code == 2 && ran.error.contains("processes messages of"), "{}", ran.error);
    }
    for message in ["a.http", "a.smtp"] {
        assert_eq!(sandbox.run(&["p", "run", "any.p", "-m", message]).code, 0);
    }
    let ran = sandbox.run(&["p", "run", "any.p", "-m", "a.smtp", "--call"]);
    assert!(ran.code == 2 && ran.error.contains("network services"), "{}", ran.error);
    let proxy = ["p", "proxy", "--rules", "mail.p", "--upstream", "http://x"];
    let serve = ["p", "serve", "--rules", "mail.p"];
    let icap = ["p", "icap", "--rules", "mail.p"];
    for door in [&proxy[..], &serve, &icap] {
        let ran = sandbox.run(door);
        assert!(ran.code == 2 && ran.error.contains("SMTP"), "{door:?} {}", ran.error);
    }
}

#[test]
fn records_that_are_no_mails_are_refused() {
    let sandbox = Sandbox::new(&[("any.p", "Core.log(\"any\");\n")]);
    let bad = [
        "EHLO a\n",
        "EHLO a\nRCPT TO:<a@b>\n",
        "MAIL FROM:a@b\n",
        "MAIL FROM:<a@b\n",
        "MAIL FROM:<a@b>X\n",
        "MAIL FROM:<a b@c>\n",
        "MAIL FROM:<a@b..c>\n",
        "MAIL FROM:<\"a@b>\n",
        "MAIL FROM:<a@b> SIZE=x\n",
        "MAIL FROM:<a@b> SIZE=1 SIZE=2\n",
        "MAIL FROM:<a@b>\nMAIL FROM:<a@b>\n",
        "MAIL FROM:<a@b>\nRCPT TO:<>\n",
        "MAIL FROM:<a@b>\nDATA\n\n",
        "MAIL FROM:<a@b>\nEHLO a\n",
        "MAIL FROM:<a@b>\nVRFY a\n",
        "MAIL FROM:<a@b>\nRCPT TO:<a@b>\nDATA\n folded\n\n",
        "MAIL FROM:<a@b>\nRCPT TO:<a@b>\nDATA\nno field\n\n",
        "MAIL FROM:<a@b>\nRCPT TO:<a@b>\nDATA\nA: b\n\n.\nMAIL FROM:<a@b>\n",
    ];
    for text in bad {
        sandbox.write("a.smtp", text.as_bytes());
        let ran = sandbox.run(&["p", "run", "any.p", "-m", "a.smtp"]);
        assert!(
            ran.code == 2 && ran.error.contains("a.smtp"),
            "{text:?}: {}{}",
            ran.output,
            ran.error
        );
    }
}
