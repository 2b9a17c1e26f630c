//! `kukla validate`, as its users see it.

use std::process::Stdio;

use crate::support::Sandbox;
use expect_test::expect;

const FINE: &str = "$a = 1\n";
const BAD: &str = "$a = 1\n}\n";

#[test]
fn valid_files_say_nothing_but_the_count() {
    let sandbox = Sandbox::new(&[("a.pp", FINE), ("b/c.epp", "hello")]);
    let ran = sandbox.run(&["validate"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""));
    assert_eq!(ran.error, "checked 2 files: no errors\n");
}

#[test]
fn errors_are_shown_in_their_source() {
    let sandbox = Sandbox::new(&[("a.pp", FINE), ("b.pp", BAD)]);
    let ran = sandbox.run(&["validate", "."]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.starts_with("error[syntax-error]: Syntax error at '}'\n --> b.pp:2:1\n"));
    assert!(ran.output.contains("\n2 | }\n  | ^"), "{}", ran.output);
    assert!(ran.output.ends_with("  = see: kukla explain syntax-error\n\n"), "{}", ran.output);
    assert_eq!(ran.error, "checked 2 files: 1 error in 1 file\n");
}

#[test]
fn concise_is_what_puppet_prints() {
    let sandbox =
        Sandbox::new(&[("b/../x.pp", BAD), ("end.pp", "class a {\n"), ("t.epp", "<% } %>")]);
    let ran = sandbox.run(&["validate", "--format", "concise", "b/../x.pp", "end.pp", "t.epp"]);
    assert_eq!((ran.code, ran.error.as_str()), (1, ""));
    expect![[r#"
        Error: Could not parse for environment production: Syntax error at '}' (file: @/x.pp, line: 2, column: 1)
        Error: Could not parse for environment production: Syntax error at end of input (file: @/end.pp)
        Error: Syntax error at '}' (file: t.epp, line: 1, column: 4)
    "#]].assert_eq(&ran.output);
}

#[test]
fn concise_has_the_error_first_at_which_puppet_stops() {
    let sandbox = Sandbox::new(&[("x.pp", "$a::b = 1\n}\n")]);
    let first = |format| {
        let ran = sandbox.run(&["validate", "--format", format]);
        ran.output.lines().next().unwrap_or_default().to_owned()
    };
    assert!(first("concise").ends_with("(file: @/x.pp, line: 2, column: 1)"));
    assert!(first("github").contains("line=1"), "the others go by place");
}

#[test]
fn results_come_in_the_order_of_names() {
    let names: Vec<String> = (0..40).map(|n| format!("{n:02}/x.pp")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), BAD)).collect();
    let ran = Sandbox::new(&files).run(&["validate", "--format", "github", "--jobs", "3"]);
    let found: Vec<&str> = ran.output.lines().filter_map(|l| l.split(['=', ',']).nth(1)).collect();
    assert_eq!(found, names);
}

#[test]
fn the_machine_formats_are_printed_for_no_errors_too() {
    let sandbox = Sandbox::new(&[("a.pp", FINE)]);
    let starts = [
        ("json", "{\n  \"version\": 1,"),
        ("github", ""),
        ("sarif", "{\n  \"$schema\""),
        ("junit", "<?xml"),
    ];
    for (format, start) in starts {
        let ran = sandbox.run(&["validate", "--format", format]);
        assert_eq!((ran.code, ran.error.as_str()), (0, ""), "{format}");
        assert!(ran.output.starts_with(start), "{format}: {}", ran.output);
    }
}

#[test]
fn standard_input_is_a_manifest_or_a_template() {
    let sandbox = Sandbox::new(&[]);
    let ran = sandbox.run_with(&["validate", "--format", "concise", "-"], BAD);
    assert_eq!(ran.code, 1);
    expect![[r#"
        Error: Could not parse for environment production: Syntax error at '}' (line: 2, column: 1)
    "#]]
    .assert_eq(&ran.output);
    let ran = sandbox.run_with(&["validate", "--format", "concise", "--epp", "-"], "<% } %>");
    assert_eq!(ran.code, 1);
    expect![[r#"
        Error: Syntax error at '}' (file: <stdin>, line: 1, column: 4)
    "#]]
    .assert_eq(&ran.output);
    assert_eq!(sandbox.run_with(&["validate", "-"], FINE).code, 0);
}

#[test]
fn a_path_that_does_not_exist_is_not_run() {
    let sandbox = Sandbox::new(&[("b.pp", BAD)]);
    let ran = sandbox.run(&["validate", "none.pp", "b.pp"]);
    assert_eq!(ran.code, 2);
    assert!(ran.output.contains("--> b.pp:2:1"), "what exists is checked: {}", ran.output);
    assert!(ran.error.starts_with("error: cannot read `none.pp`: no such file or directory\n"));
}

#[test]
fn wrong_arguments_are_not_run() {
    let sandbox = Sandbox::new(&[]);
    for args in [&["validate", "--format", "xml"][..], &["validate", "--jobs", "0"], &["what"], &[]]
    {
        assert_eq!(sandbox.run(args).code, 2, "{args:?}");
    }
}

#[test]
fn only_manifests_and_templates_are_found_and_nothing_hidden() {
    let sandbox = Sandbox::new(&[
        ("a.rb", BAD),
        (".git/a.pp", BAD),
        (".a.pp", BAD),
        ("a.pp/b.pp", FINE),
        ("x.epp", ""),
    ]);
    assert_eq!(sandbox.run(&["validate"]).error, "checked 2 files: no errors\n");
    assert_eq!(sandbox.run(&["validate", "a.rb"]).code, 1, "a named file is checked in any case");
    assert_eq!(sandbox.run(&["validate", ".git"]).code, 1, "a named directory too");
}

#[test]
fn a_file_is_checked_once_however_often_it_is_named() {
    let sandbox = Sandbox::new(&[("a/b.pp", BAD)]);
    let ran = sandbox.run(&["validate", "a/b.pp", "./a/b.pp", "a", ".", "a/../a/b.pp"]);
    assert_eq!(ran.error, "checked 1 file: 1 error in 1 file\n");
}

#[test]
fn a_file_that_is_not_text_is_an_error() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a.pp", b"$a = '\xff'");
    let ran = sandbox.run(&["validate", "--format", "concise"]);
    assert_eq!(ran.code, 1);
    expect![[r#"
        Error: Could not parse for environment production: invalid byte sequence in UTF-8
    "#]]
    .assert_eq(&ran.output);
    assert_eq!(sandbox.run(&["validate"]).code, 1);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_loops_survived() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new(&[("real/a.pp", BAD), ("tree/x/y.pp", FINE)]);
    symlink("../real", sandbox.path("tree/link")).unwrap();
    symlink("../../tree", sandbox.path("tree/x/loop")).unwrap();
    symlink("nowhere", sandbox.path("tree/dangling")).unwrap();
    let ran = sandbox.run(&["validate", "--format", "github", "tree"]);
    assert_eq!((ran.code, ran.error.as_str()), (1, ""));
    assert!(ran.output.starts_with("::error file=tree/link/a.pp,"), "{}", ran.output);
    assert_eq!(ran.output.lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn directories_full_of_links_to_each_other_are_walked_once() {
    use std::os::unix::fs::symlink;
    let names: Vec<String> = (0..12).map(|n| format!("d{n}")).collect();
    let sandbox = Sandbox::new(&[]);
    for name in &names {
        sandbox.write(&format!("{name}/a.pp"), FINE.as_bytes());
        for other in names.iter().filter(|other| *other != name) {
            symlink(format!("../{other}"), sandbox.path(&format!("{name}/{other}"))).unwrap();
        }
    }
    let ran = sandbox.run(&["validate"]);
    assert_eq!(ran.code, 0);
    let n_files: u32 = ran.error.split(' ').nth(1).unwrap().parse().unwrap();
    assert!((12..=24).contains(&n_files), "{}", ran.error);
}

#[cfg(unix)]
#[test]
fn a_dangling_link_with_the_name_of_a_manifest_is_a_problem() {
    let sandbox = Sandbox::new(&[("a.pp", FINE)]);
    std::os::unix::fs::symlink("nowhere", sandbox.path("b.pp")).unwrap();
    let ran = sandbox.run(&["validate"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("cannot read `b.pp`"), "{}", ran.error);
}

/// Not tested by permissions, since root reads everything.
#[cfg(target_os = "linux")]
#[test]
fn what_can_not_be_read_is_not_run() {
    let sandbox = Sandbox::new(&[("a.pp", BAD)]);
    let ran = sandbox.run(&["validate", "/proc/self/mem", "a.pp"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("error: cannot read `/proc/self/mem`: input/output error\n"));
    assert!(ran.error.ends_with("checked 1 file: 1 error in 1 file\n"), "{}", ran.error);
}

#[test]
fn nobody_reading_the_output_is_no_error() {
    let text = BAD.repeat(2000);
    let sandbox = Sandbox::new(&[("a.pp", &text)]);
    let mut child = sandbox
        .command(&["validate"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("pipe"));
}

#[test]
fn colour_is_chosen_by_option_or_environment() {
    let sandbox = Sandbox::new(&[("b.pp", BAD)]);
    let has_colour = |args: &[&str], (name, value): (&str, &str)| {
        let output = sandbox.command(args).env(name, value).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\x1b')
    };
    assert!(!has_colour(&["validate"], ("X", "")));
    assert!(has_colour(&["validate", "--color", "always"], ("NO_COLOR", "1")));
    assert!(has_colour(&["validate"], ("CLICOLOR_FORCE", "1")));
    assert!(!has_colour(&["validate", "--color=never"], ("CLICOLOR_FORCE", "1")));
    assert!(!has_colour(&["validate", "--format", "concise", "--color", "always"], ("X", "")));
}

#[test]
fn plans_need_no_option() {
    let plan = "plan m::p(TargetSpec $targets) {\n  run_command('x', $targets)\n}\n";
    let sandbox = Sandbox::new(&[
        ("environment.conf", "modulepath = modules\n"),
        ("modules/m/plans/p.pp", plan),
        ("modules/m/manifests/init.pp", "class m { notify { 'x': } }\n"),
        ("plans/q.pp", "plan production::q() { }\n"),
    ]);
    let ran = sandbox.run(&["validate"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""));
    assert_eq!(ran.error, "checked 3 files: no errors\n");
    assert_eq!(sandbox.run(&["xpp", "build", "."]).code, 0);
    // A plan elsewhere is no plan.
    sandbox.write("modules/m/manifests/p.pp", plan.as_bytes());
    assert_eq!(sandbox.run(&["validate"]).code, 1);
}

#[test]
fn the_first_error_is_puppets() {
    let sandbox = Sandbox::new(&[("p.pp", "plan m::p(TargetSpec $targets) { }\n")]);
    let ran = sandbox.run(&["validate"]);
    let concise = sandbox.run(&["validate", "--format", "concise"]);
    let first = concise.output.lines().next().expect("there is an error");
    let message = ran.output.lines().next().and_then(|line| line.split_once("]: "));
    let (_, message) = message.expect("it has a message");
    assert!(first.contains(message), "{first}\n{}", ran.output);
}
