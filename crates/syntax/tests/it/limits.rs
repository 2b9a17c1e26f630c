//! Time grows linearly with the length of the text, and no depth overflows the stack.

use std::time::{Duration, Instant};

use kukla_base::Source;
use kukla_syntax::{Checked, Home, Language, Options, check, pn, tree};

/// The stack of the threads that parse deep text: a quarter of the default.
const SMALL_STACK: usize = 512 * 1024;

fn template() -> Options {
    Options { language: Language::Template, ..Options::default() }
}

fn plan() -> Options {
    let home = Home::Module { path: "a/plans/init.pp".to_owned() };
    Options { tasks: true, home, ..Options::default() }
}

/// Returns the minimum of some measurements: the machine may be busy.
fn time(text: &str, options: &Options) -> Duration {
    let measure = |_| {
        let started = Instant::now();
        drop(check(text, options));
        started.elapsed()
    };
    (0..2).map(measure).min().expect("there are two")
}

/// Checks that four times the text does not take much more than four times as long.
#[track_caller]
fn check_growth(options: &Options, text: impl Fn(usize) -> String) {
    const SIZE: usize = 20_000;
    let (small, large) = (text(SIZE), text(4 * SIZE));
    let measure = |_| (time(&small, options), time(&large, options));
    let is_linear =
        |(one, four): &(Duration, Duration)| *four < *one * 10 + Duration::from_millis(50);
    let tries: Vec<_> = (0..4).map(measure).take_while(|times| !is_linear(times)).collect();
    let start: String = small.chars().take(60).collect();
    assert!(tries.len() < 4, "{start:?} and four times as much took {tries:?}");
}

/// Checks linear time for a repeated piece between two others.
#[track_caller]
fn check_repeated(before: &str, piece: &str, after: &str) {
    let text = |size: usize| format!("{before}{}{after}", piece.repeat(size / piece.len()));
    check_growth(&Options::default(), text);
}

/// Checks linear time for two repeated pieces, the second after the first.
#[track_caller]
fn check_nested(open: &str, middle: &str, close: &str) {
    let text = |size: usize| {
        let depth = size / (open.len() + close.len());
        format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
    };
    check_growth(&Options::default(), text);
}

#[test]
fn many_definitions() {
    check_repeated("", "class a { }\n", "");
    check_repeated("", "type A = B\n", "");
    check_repeated("", "node 'a' { }\n", "");
    check_repeated("1 ", "function a::b() { }\n", "");
    check_repeated("class a(", "$a, ", "$b) { }");
}

#[test]
fn names_in_names() {
    check_growth(&Options::default(), |size| {
        let (name, inner) = ("n".repeat(size / 2), "class b { }".repeat(size / 22));
        format!("class {name} {{ {inner} }}")
    });
    check_repeated("node a", ".b", " { }");
    check_repeated("$a", "::b", "");
}

#[test]
fn statements_without_effect() {
    check_repeated("", "1 ", "");
    check_nested("if a { if b { 1 } ", "", " 2 } ");
    check_nested("if a { ", "", " } 1 ");
}

#[test]
fn keys_that_are_there_twice() {
    check_repeated("$a = {", "a => 1, ", "}");
    check_repeated("$a = {", "[1] => 1, ", "}");
    check_growth(&Options::default(), |size| {
        let (values, entries) = ("1,".repeat(size / 4), "a => 1, ".repeat(size / 16));
        format!("$a = {{ a => [{values}], {entries} }}")
    });
    check_nested("{ ", "1", " => 1, c => 2 }");
    check_nested("{ a => 1, a => ", "1", "}");
}

#[test]
fn heredocs() {
    check_repeated("", "@(X)\n", "");
    check_repeated("$a = [", "@(X), ", "]\na\nX\n");
    check_repeated("", "@(", ":)\n");
    check_repeated("@(\"X\")\n", "  ${a}\n", "  | X\n");
    check_repeated("@(X/", "t", ")\nX\n");
    check_growth(&Options::default(), |size| {
        (0..size / 8).map(|number| format!("@(X{number})\n")).collect()
    });
}

#[test]
fn puppet_code_in_puppet_code() {
    check_growth(&Options::default(), |size| {
        let open: String = (0..8).map(|depth| format!("$a = @(X{depth}:pp)\n")).collect();
        let close: String = (0..8).rev().map(|depth| format!("\nX{depth}\n")).collect();
        format!("{open}{}{close}", "1 1 ".repeat(size / 4))
    });
}

#[test]
fn strings() {
    check_repeated("\"\\n", "$ ", "\"");
    check_repeated("\"", "$ \\n", "\"");
    check_repeated("\"", "\\u{", "\"");
    check_repeated("\"", "\\u005cu005c", "\"");
    check_repeated("\"", "${)} ", "\"");
    check_repeated("", "\"${)}\" ", "");
    check_repeated("", "'\\", "");
}

#[test]
fn slashes() {
    check_repeated("", "/\\", "");
    check_repeated("", "{/", "");
    check_repeated("$a = /", "(?<n>a)\\k<n>", "/");
    check_repeated("$a = /", "(?<=a)", "/");
}

#[test]
fn errors() {
    check_repeated("", ") ", "");
    check_repeated("", "a => ( ", "");
    check_repeated("", "if { } ", "");
    check_repeated("", "class a { ) \n", "");
    check_repeated(&"if a { ".repeat(1_000), "1 ", "");
    check_repeated(&"if a { ".repeat(1_000), ") ", "");
    check_repeated(&"if a { ".repeat(1_000), ")\n", "");
    check_repeated("file { 'a': ", "b => [1] ", "}");
    check_repeated(&" ".repeat(50_000), ") ", "");
}

#[test]
fn operators() {
    check_repeated("1 1 ", &format!("{}1 ", "!".repeat(1_900)), "");
    check_repeated("$a = 1", " + 1", "");
    check_repeated("$a", ".b", "");
    check_repeated("A<| a == 1", " or a == 1", " |>");
    let ats = "@".repeat(1_000);
    check_repeated(&format!("{ats}file {{ "), "'a': b => c; ", "}");
}

#[test]
fn numbers() {
    check_repeated("", &format!("{} ", "9".repeat(3_999)), "");
    check_repeated("0", "7", "");
    check_repeated("1", ".1x", "");
}

#[test]
fn plans() {
    check_growth(&plan(), |size| format!("apply(a) {{ A[a] {} }}", "-> A[b] ".repeat(size / 8)));
    check_growth(&plan(), |size| format!("A[a] {}", "-> A[b] ".repeat(size / 8)));
}

#[test]
fn templates() {
    for piece in ["<% %>", "<%= ) %>", "<%# %>", "<%% ", "  <%#- -%>  ", "<%= (1) %>"] {
        check_growth(&template(), |size| piece.repeat(size / piece.len()));
    }
}

/// Parses and prints deep text on a small stack.
fn check_deep(open: &str, middle: &str, close: &str, options: &Options) {
    for depth in [300, 1_300, 20_000] {
        let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
        let options = options.clone();
        let thread = std::thread::Builder::new().stack_size(SMALL_STACK);
        let thread = thread.spawn(move || show(&text, &options)).expect("threads can be had");
        thread.join().expect("deep text is read without a panic");
    }
}

fn show(text: &str, options: &Options) {
    let Checked { ast, diagnostics } = check(text, options);
    pn::pn(&ast);
    pn::json(&ast);
    // Indentation makes the pretty forms of deep trees large.
    if ast.len() < 1_500 {
        pn::pn_pretty(&ast);
        pn::json_pretty(&ast);
    }
    tree::tree(&ast, &Source::new("", text));
    ast.puppet_nodes();
    drop(diagnostics);
}

#[test]
fn deep_brackets() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("{ a => ", "}"), ("a(", ")")] {
        check_deep(open, "1", close, &Options::default());
        check_deep(open, "", "", &Options::default());
        check_deep("", "", close, &Options::default());
    }
    check_deep("[", "$a", "]", &Options::default());
    check_deep("", "[$a] = ", "1 ", &Options::default());
}

#[test]
fn deep_assignments_to_arrays() {
    let text = |depth| format!("{}$a{} = 1", "[".repeat(depth), "]".repeat(depth));
    check_deep("", &text(1_300), "", &Options::default());
}

#[test]
fn deep_keys() {
    let text = |depth| format!("{{ 1 => 2, {}{} => 3 }}", "[".repeat(depth), "]".repeat(depth));
    check_deep("", &text(1_300), "", &Options::default());
}

#[test]
fn deep_operators() {
    for open in ["!", "- ", "*", "@", "@@", "$a = ", "1 + ", "1 ? ", "a -> ", "a in "] {
        check_deep(open, "1", "", &Options::default());
    }
    for close in [" + 1", ".b", "[1]", "(1)", " -> a", " ? { 1 => 2 }", ".b |$x| { }", "{ a: }"] {
        check_deep("", "$a", close, &Options::default());
    }
    check_deep("1 ? { 1 => ", "1", " }", &Options::default());
}

#[test]
fn deep_blocks() {
    for open in ["if a { ", "unless a { ", "class a { ", "define a { ", "a.b |$x| { "] {
        check_deep(open, "1", "} ", &Options::default());
    }
    for open in ["case a { b: { ", "file { a: b => if c { ", "class a($b = if c { "] {
        check_deep(open, "1", "} } ", &Options::default());
    }
    check_deep("", "if a { } ", "elsif b { } ", &Options::default());
    check_deep("apply(a) { ", "1", "}", &plan());
    check_deep("plan a { ", "1", "}", &plan());
    check_deep("<% if a { %>", "", "<% } %>", &template());
}

#[test]
fn deep_strings() {
    check_deep("\"${", "a", "}\"", &Options::default());
    check_deep("\"${\"", "a", "\"}\"", &Options::default());
    check_deep("@(\"X\")\n${", "a", "}\nX\n", &Options::default());
    check_deep("@(X:pp)\n", "a", "\nX\n", &Options::default());
}

#[test]
fn deep_types() {
    check_deep("Array[", "A", "]", &Options::default());
    check_deep("type A = Array[", "A", "]", &Options::default());
}

#[test]
fn deep_regular_expressions() {
    for (open, close) in [("(", ")"), ("[", "]"), ("(?=", ")"), ("(?<=", ")"), ("(?~", ")")] {
        for depth in [1_300, 10_000] {
            let text = format!("$a = /{}a{}/", open.repeat(depth), close.repeat(depth));
            check_deep("", &text, "", &Options::default());
        }
    }
}

#[test]
fn deep_json() {
    for open in ["[", "{\"a\":"] {
        let text = format!("$a = @(X:json)\n{}\nX\n", open.repeat(10_000));
        check_deep("", &text, "", &Options::default());
    }
}

#[test]
fn a_million_levels() {
    for piece in ["(", "[", "{", "!", "- ", "@", "@@", "if a { ", "$a = ", "\"${", "1+", "a."] {
        let text = piece.repeat(300_000);
        let run = move || drop(check(&text, &Options::default()));
        let thread = std::thread::Builder::new().stack_size(SMALL_STACK).spawn(run);
        thread.expect("threads can be had").join().expect("no panic");
    }
}
