//! The other subcommands, as their users see them.

use crate::support::Sandbox;
use expect_test::expect;

const FINE: &str = "$a = 5\n";
const PN: &str = "(= (var \"a\") 5)";
const JSON: &str = r#"{"^":["=",{"^":["var","a"]},5]}"#;

#[test]
fn dump_of_code_or_standard_input_has_no_header() {
    let sandbox = Sandbox::new(&[]);
    let ran = sandbox.run(&["dump", "-e", FINE]);
    assert_eq!((ran.code, ran.output), (0, format!("{PN}\n")));
    let ran = sandbox.run_with(&["dump", "--format", "json"], FINE);
    assert_eq!((ran.code, ran.output), (0, format!("{JSON}\n")));
    assert_eq!(sandbox.run_with(&["dump", "-"], FINE).output, format!("{PN}\n"));
}

#[test]
fn dump_of_manifests_has_the_headers_of_puppet() {
    let sandbox = Sandbox::new(&[("a.pp", FINE), ("b.pp", FINE)]);
    let ran = sandbox.run(&["dump", "a.pp"]);
    assert_eq!((ran.code, ran.output), (0, format!("--- a.pp{PN}\n")));
    let ran = sandbox.run(&["dump", "./b.pp", "a.pp"]);
    assert_eq!((ran.code, ran.output), (0, format!("--- ./b.pp{PN}--- a.pp{PN}\n")));
    let ran = sandbox.run(&["dump", "--format", "json", "a.pp", "b.pp"]);
    assert_eq!((ran.code, ran.output), (0, format!("{JSON}{JSON}\n")));
}

#[test]
fn dump_of_templates_has_a_header_when_there_are_several() {
    let sandbox = Sandbox::new(&[("a.epp", "x"), ("b.epp", "x")]);
    let one = sandbox.run(&["dump", "a.epp"]).output;
    assert!(one.starts_with('('), "{one}");
    let ran = sandbox.run(&["dump", "a.epp", "b.epp"]);
    assert_eq!(ran.output, format!("--- a.epp\n{}--- b.epp\n{one}", one.trim_end()));
    assert_eq!(sandbox.run(&["dump", "--epp", "-e", "x"]).output, one);
}

#[test]
fn dump_of_what_does_not_parse_is_an_error() {
    let sandbox = Sandbox::new(&[("a.pp", FINE), ("b.pp", "}")]);
    let ran = sandbox.run(&["dump", "b.pp", "a.pp"]);
    assert_eq!((ran.code, ran.output), (1, format!("--- a.pp{PN}\n")));
    assert!(ran.error.starts_with("error[syntax-error]: Syntax error at '}'\n --> b.pp:1:1\n"));
    let ran = sandbox.run(&["dump", "none.pp", "a.pp"]);
    assert_eq!((ran.code, ran.output), (2, format!("--- a.pp{PN}\n")));
    assert_eq!(ran.error, "error: cannot read `none.pp`: no such file or directory\n");
    assert_eq!(sandbox.run(&["dump", "-e", "1", "a.pp"]).code, 2);
}

#[test]
fn explain_knows_both_spellings() {
    let sandbox = Sandbox::new(&[]);
    let ran = sandbox.run(&["explain", "syntax-error"]);
    assert_eq!(ran.code, 0);
    assert!(ran.output.starts_with("# "), "raw Markdown for programs: {}", ran.output);
    assert_eq!(sandbox.run(&["explain", "SYNTAX_ERROR"]).output, ran.output);
    let list = sandbox.run(&["explain"]);
    assert!(list.output.lines().any(|line| line.starts_with("syntax-error ")), "{}", list.output);
}

#[test]
fn explain_suggests_what_may_be_meant() {
    let ran = Sandbox::new(&[]).run(&["explain", "sintax-error"]);
    assert_eq!((ran.code, ran.output.as_str()), (2, ""));
    assert_eq!(ran.error, "error: no such code `sintax-error`; did you mean `syntax-error`?\n");
}

#[test]
fn completions_and_manual_pages_are_made() {
    let sandbox = Sandbox::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = sandbox.run(&["completions", shell]);
        assert!(ran.code == 0 && ran.output.contains("validate"), "{shell}");
    }
    assert!(sandbox.run(&["man"]).output.contains(".TH kukla 1"));
    assert_eq!(sandbox.run(&["man", "pages/man1"]).code, 0);
    let pages = std::fs::read_dir(sandbox.path("pages/man1")).unwrap();
    let mut names: Vec<_> = pages.map(|page| page.unwrap().file_name()).collect();
    names.sort();
    expect![[r#"
        [
            "kukla-ca-clean.1",
            "kukla-ca-enable.1",
            "kukla-ca-generate.1",
            "kukla-ca-import.1",
            "kukla-ca-list.1",
            "kukla-ca-prune.1",
            "kukla-ca-revoke.1",
            "kukla-ca-setup.1",
            "kukla-ca-sign.1",
            "kukla-ca.1",
            "kukla-compile.1",
            "kukla-completions.1",
            "kukla-data-check.1",
            "kukla-data-convert.1",
            "kukla-data-uses.1",
            "kukla-data.1",
            "kukla-doctor.1",
            "kukla-dump.1",
            "kukla-eval.1",
            "kukla-explain.1",
            "kukla-exports.1",
            "kukla-lookup.1",
            "kukla-man.1",
            "kukla-p-check.1",
            "kukla-p-diff.1",
            "kukla-p-explain.1",
            "kukla-p-fmt.1",
            "kukla-p-icap.1",
            "kukla-p-import.1",
            "kukla-p-modules.1",
            "kukla-p-proxy.1",
            "kukla-p-repl.1",
            "kukla-p-run.1",
            "kukla-p-serve.1",
            "kukla-p-services.1",
            "kukla-p-test.1",
            "kukla-p.1",
            "kukla-params.1",
            "kukla-serve.1",
            "kukla-store-check.1",
            "kukla-store-compact.1",
            "kukla-store-export.1",
            "kukla-store-history.1",
            "kukla-store-import.1",
            "kukla-store-migrate.1",
            "kukla-store-purge.1",
            "kukla-store-status.1",
            "kukla-store.1",
            "kukla-top.1",
            "kukla-validate.1",
            "kukla-xpp-build.1",
            "kukla-xpp-classes.1",
            "kukla-xpp-show.1",
            "kukla-xpp-verify.1",
            "kukla-xpp.1",
            "kukla.1",
        ]
    "#]]
    .assert_debug_eq(&names);
}

#[test]
fn help_has_examples() {
    let sandbox = Sandbox::new(&[]);
    let commands = [
        "validate",
        "dump",
        "compile",
        "doctor",
        "explain",
        "completions",
        "man",
        "exports",
        "lookup",
        "params",
    ];
    let commands = commands.map(|name| vec![name]).into_iter();
    let below_xpp = ["build", "show", "verify", "classes"].map(|name| vec!["xpp", name]);
    for command in commands.chain(below_xpp) {
        let ran = sandbox.run(&[&command[..], &["--help"]].concat());
        assert!(ran.code == 0 && ran.output.contains("\nExamples:\n"), "{}", ran.output);
    }
    let version = sandbox.run(&["--version"]).output;
    assert_eq!(version, format!("kukla {}\n", env!("CARGO_PKG_VERSION")));
}
