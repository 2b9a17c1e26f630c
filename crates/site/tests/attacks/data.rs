//! Attacks by data, and by functions in Ruby.

use std::fmt::Write as _;

use crate::{Arena, Expected};

const HIERA: &str = "version: 5\nhierarchy: [{name: c, path: c.yaml}, {name: j, path: c.json, data_hash: json_data}, {name: h, path: c.conf, data_hash: hocon_data}]\n";

/// Runs all of them.
pub(crate) fn run(arena: &mut Arena) {
    for (expected, name, file, text, program) in attacks() {
        arena.write("hiera.yaml", HIERA);
        arena.write(&format!("data/{file}"), &text);
        arena.check(&name, expected, program);
        arena.remove(&format!("data/{file}"));
    }
    arena.remove("hiera.yaml");
    for (n, (expected, body)) in FUNCTIONS.iter().enumerate() {
        let text = body.replace("NAME", &format!("a{n}"));
        let folder = if body.contains("create_function") {
            "lib/puppet/functions"
        } else {
            "lib/puppet/parser/functions"
        };
        arena.write(&format!("modules/m/{folder}/a{n}.rb"), &text);
        arena.check(body, *expected, &format!("notice(a{n}())"));
    }
}

type Attack = (Expected, String, &'static str, String, &'static str);

/// Returns keys `a0` to `aN`, each of which uses the next one several times.
fn chain(length: usize, times: usize, function: &str) -> String {
    let mut text = String::new();
    for i in 0..length {
        let part = format!("%{{{function}('a{}')}}", i + 1);
        let whole = if function == "alias" {
            format!("[{}]", vec![format!("\"{part}\""); times].join(", "))
        } else {
            format!("\"{}\"", part.repeat(times))
        };
        let _ = writeln!(text, "a{i}: {whole}");
    }
    let _ = writeln!(text, "a{length}: \"x\"");
    text
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn attacks() -> Vec<Attack> {
    use Expected::{Ends, Limit};
    let attack = |expected, name: &str, file, text: String, program| {
        (expected, name.to_owned(), file, text, program)
    };
    let yaml_bomb: String = (0..30).fold("a0: &a0 [x]\n".to_owned(), |mut text, i| {
        let _ = writeln!(text, "a{n}: &a{n} [*a{i}, *a{i}, *a{i}]", n = i + 1);
        text
    });
    let hocon_bomb: String = (0..30).fold("a0 = [x]\n".to_owned(), |mut text, i| {
        let _ = writeln!(text, "a{n} = [${{a{i}}}, ${{a{i}}}, ${{a{i}}}]", n = i + 1);
        text
    });
    let options = "lookup_options: {a0: {convert_to: [Array, true]}}\n";
    vec![
        attack(Limit, "ten lookups", "c.yaml", chain(8, 10, "lookup"), "notice(lookup('a0'))"),
        attack(Limit, "two lookups", "c.yaml", chain(40, 2, "lookup"), "notice(lookup('a0'))"),
        attack(Limit, "hiera", "c.yaml", chain(40, 2, "hiera"), "notice(lookup('a0'))"),
        attack(Limit, "aliases", "c.yaml", chain(40, 2, "alias"), "notice(lookup('a0'))"),
        attack(
            Limit,
            "in JSON",
            "c.json",
            format!("{{\"a0\": {}}}", "[".repeat(1_000_000)),
            "notice(lookup('a0'))",
        ),
        attack(
            Limit,
            "shared aliases as a parameter",
            "c.yaml",
            chain(24, 2, "alias"),
            "notify { 'a': message => lookup('a0') }",
        ),
        attack(Limit, "deep lookups", "c.yaml", chain(3000, 1, "lookup"), "notice(lookup('a0'))"),
        attack(
            Ends,
            "a circle",
            "c.yaml",
            "a: \"%{lookup('b')}\"\nb: \"%{lookup('a')}\"\n".to_owned(),
            "notice(lookup('a'))",
        ),
        attack(
            Ends,
            "a circle of aliases",
            "c.yaml",
            "a: \"%{alias('a')}\"\n".to_owned(),
            "notice(lookup('a'))",
        ),
        attack(Limit, "laughs", "c.yaml", yaml_bomb, "notice(lookup('a30'))"),
        attack(Ends, "laughs in HOCON", "c.conf", hocon_bomb, "notice(lookup('a30'))"),
        attack(
            Ends,
            "a circle in HOCON",
            "c.conf",
            "a = ${b}\nb = ${a}\n".to_owned(),
            "notice(lookup('a'))",
        ),
        attack(
            Ends,
            "depth in HOCON",
            "c.conf",
            format!("a = {}", "[".repeat(200_000)),
            "notice(lookup('a'))",
        ),
        attack(
            Ends,
            "depth in YAML",
            "c.yaml",
            format!("a: {}", "[".repeat(200_000)),
            "notice(lookup('a'))",
        ),
        attack(
            Ends,
            "block depth in YAML",
            "c.yaml",
            (0..3000).fold(String::new(), |text, i| text + &" ".repeat(i) + "a:\n"),
            "notice(lookup('a'))",
        ),
        attack(
            Ends,
            "anchors of themselves",
            "c.yaml",
            "a: &a [*a]\n".to_owned(),
            "notice(lookup('a'))",
        ),
        attack(Ends, "merge keys", "c.yaml", "a: &a {<<: *a}\n".to_owned(), "notice(lookup('a'))"),
        attack(
            Ends,
            "many dots",
            "c.yaml",
            "a: 1\n".to_owned(),
            "$t = Integer[1,20].reduce('a.') |$m, $i| { \"${m}${m}\" } notice(lookup(\"${t}a\", { default_value => 1 }))",
        ),
        attack(
            Limit,
            "converted",
            "c.yaml",
            chain(40, 2, "alias") + options,
            "notice(lookup('a0'))",
        ),
        attack(
            Ends,
            "many options",
            "c.yaml",
            format!("lookup_options: {{'^(a+)+$': {{merge: deep}}}}\n{}b: 1\n", "a".repeat(40)),
            "notice(lookup('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', { default_value => 1 }))",
        ),
        attack(
            Ends,
            "percent signs",
            "c.yaml",
            format!("a: \"{}\"\n", "%{".repeat(100_000)),
            "notice(lookup('a'))",
        ),
        attack(
            Ends,
            "a large key",
            "c.yaml",
            format!("{}: 1\n", "a".repeat(1_000_000)),
            "notice(lookup('a', { default_value => 1 }))",
        ),
    ]
}

/// Functions in Ruby; `NAME` is the function's own name.
const FUNCTIONS: &[(Expected, &str)] = &[
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; call_function('NAME'); end\nend\n",
    ),
    (Expected::Limit, "Puppet::Functions.create_function(:NAME) do\n def NAME; NAME(); end\nend\n"),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; [1].map { NAME() }; end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; loop { }; end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; a = []; loop { a << 'x' * 100000 }; end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; call_function('inline_epp', '<%= NAME() %>'); end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; call_function('inline_template', '<%= scope.call_function(\"NAME\", []) %>'); end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; a = [1]; 60.times { a = [a, a] }; a; end\nend\n",
    ),
    (
        Expected::Ends,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; a = []; 1_000_000.times { a = [a] }; a; end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; f(60); end\n def f(n); n == 0 ? 0 : f(n - 1) + f(n - 1); end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; yield_self { NAME() }; end\nend\n",
    ),
    (
        Expected::Limit,
        "Puppet::Functions.create_function(:NAME) do\n def NAME; begin; NAME(); rescue SystemStackError; loop { }; end; end\nend\n",
    ),
    (
        Expected::Limit,
        "module Puppet::Parser::Functions\n newfunction(:NAME, :type => :rvalue) { |args| function_NAME([1]) }\nend\n",
    ),
    (
        Expected::Limit,
        "module Puppet::Parser::Functions\n newfunction(:NAME, :type => :rvalue) { |args| [1, 2].map { function_NAME([1]) } }\nend\n",
    ),
    (
        Expected::Limit,
        "module Puppet::Parser::Functions\n newfunction(:NAME, :type => :rvalue) { |args| call_function('NAME', []) }\nend\n",
    ),
    (
        Expected::Limit,
        "module Puppet::Parser::Functions\n newfunction(:NAME, :type => :rvalue) { |args| function_inline_template(['<%= scope.function_NAME([]) %>']) }\nend\n",
    ),
    (
        Expected::Limit,
        "module Puppet::Parser::Functions\n newfunction(:NAME, :type => :rvalue) { |args| while true; end }\nend\n",
    ),
    (
        Expected::Limit,
        "module Puppet::Parser::Functions\n newfunction(:NAME, :type => :rvalue) { |args| 'x' * 10**10 }\nend\n",
    ),
];
