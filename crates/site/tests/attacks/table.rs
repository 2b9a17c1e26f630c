//! Attacks that were written down.

use crate::{Arena, Outcome};

/// A value that is small in memory and endless to walk through.
const VALUE: &str = "$x = Integer[1,40].reduce([1]) |$m, $i| { [$m, $m] }";

/// Uses of a value `$x`.
const USES: &[&str] = &[
    "notice(flatten($x).size)",
    "notice(type($x))",
    "notice(type($x, 'generalized'))",
    "notice(\"${x}\")",
    "$y = Integer[1,40].reduce([1]) |$m, $i| { [$m, $m] } notice($x == $y)",
    "$y = Integer[1,40].reduce([1]) |$m, $i| { [$m, $m] } notice($x in [$y])",
    "notice($x =~ Data)",
    "notice($x =~ Collection)",
    "notice($x =~ type($x))",
    "assert_type(Array[Integer], $x)",
    "assert_type(Array[Data], $x)",
    "notice(unique([$x, $x]))",
    "notice({ $x => 1 })",
    "$x.tree_each |$part| { }",
    "notice(String($x).length)",
    "notice(String($x, '%p').length)",
    "notice(String($x, '%#p').length)",
    "notify { 'a': message => $x }",
    "notify { 'a': message => { 'k' => $x } }",
];

/// Programs in Puppet's language.
const PROGRAMS: &[&str] = &[
    "Integer[1,3000000].reduce([]) |$m, $i| { [$m] }",
    "function f() { f() } f()",
    "function f() { [1].each |$x| { f() } } f()",
    "function f() { inline_template('<%= scope.call_function(\"f\", []) %>') } f()",
];

/// Pieces of Ruby in a template.
const RUBY: &[&str] = &[
    "(1..12).to_a.permutation.to_a.size",
    "x = []; 100_000.times { x = [x] }; x.size",
    "x = []; 100_000.times { x = [x] }; scope.call_function('notice', [x])",
    "scope.function_template(['m/a3.erb'])",
    "scope.call_function('template', ['m/a4.erb'])",
];

/// Runs all of them.
pub(crate) fn run(arena: &mut Arena) {
    let mut programs: Vec<String> = USES.iter().map(|use_| format!("{VALUE} {use_}")).collect();
    programs.extend(PROGRAMS.iter().map(ToString::to_string));
    for (n, ruby) in RUBY.iter().enumerate() {
        arena.write(&format!("modules/m/templates/a{n}.erb"), &format!("<%= ({ruby}) %>"));
        programs.push(format!("# {ruby}\nnotice(template('m/a{n}.erb').length)"));
    }
    for program in &programs {
        match arena.attack(program) {
            Outcome::Limit => (),
            Outcome::Catalog => assert!(is_harmless(program), "{program}"),
            Outcome::Other(text) => panic!("{program}: {text}"),
        }
    }
}

/// Returns true for those that need no limit.
fn is_harmless(program: &str) -> bool {
    program.ends_with("=~ Collection)") || program.contains("x = [x] }; x.size")
}
