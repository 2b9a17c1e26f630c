//! Evaluation tasks.

/// Code that is evaluated repeatedly; its definitions are evaluated once before.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) definitions: &'static str,
    pub(crate) code: &'static str,
}

/// All tasks.
pub(crate) const TASKS: &[Task] = &[
    Task {
        name: "iteration over 10 000 elements",
        definitions: "",
        code: "Integer[1, 10000].map |$x| { $x * 2 + 1 }.filter |$x| { $x % 3 == 0 }.reduce(0) |$sum, $x| { $sum + $x }",
    },
    Task {
        name: "conditions in a loop",
        definitions: "",
        code: "Integer[1, 10000].map |$x| { if $x % 15 == 0 { 'FizzBuzz' } elsif $x % 5 == 0 { 'Buzz' } else { case $x % 3 { 0: { 'Fizz' } default: { $x } } } }.length",
    },
    Task {
        name: "string building",
        definitions: "",
        code: "Integer[1, 5000].map |$x| { \"item ${x} of ${$x * 2}: ${[$x, 'a']} end\" }.join(', ').length",
    },
    Task {
        name: "string functions",
        definitions: "",
        code: "Integer[1, 2000].map |$x| { \"Web-${x}.example.com\".downcase.regsubst('\\.', '_', 'G').split('_').join('/').capitalize }.length",
    },
    Task {
        name: "matching",
        definitions: "",
        code: "Integer[1, 5000].filter |$x| { \"web${x}.example.com\" =~ /^web(\\d+)5\\.example\\.(com|org)$/ }.length",
    },
    Task {
        name: "hash merging",
        definitions: "",
        code: "Integer[1, 2000].map |$x| { { 'a' => 1, 'b' => $x, 'c' => [3] } + { 'b' => 4, 'd' => $x } }.length",
    },
    Task {
        name: "a hash that grows",
        definitions: "",
        code: "Integer[1, 300].reduce({}) |$memo, $x| { $memo + { \"key${x}\" => $x } }.length",
    },
    Task {
        name: "type checks of deep Structs",
        definitions: "function check(Struct[{ 'name' => String[1], 'ports' => Array[Integer[1, 65535]], Optional['options'] => Hash[String, Variant[Integer, Boolean, Array[String]]], 'ensure' => Enum['present', 'absent'] }] $in) { $in['name'] }",
        code: "Integer[1, 2000].map |$x| { check({ 'name' => \"n${x}\", 'ports' => [80, 443, 8080], 'options' => { 'a' => 1, 'b' => true, 'c' => ['x', 'y'] }, 'ensure' => 'present' }) }.length",
    },
    Task {
        name: "100 000 function calls",
        definitions: "function double(Integer $n) >> Integer { $n * 2 }",
        code: "Integer[1, 100000].each |$x| { double($x) }",
    },
    Task {
        name: "recursion",
        definitions: "function fib(Integer $n) >> Integer { if $n < 2 { $n } else { fib($n - 1) + fib($n - 2) } }",
        code: "fib(18)",
    },
    Task {
        name: "EPP rendering",
        definitions: "",
        code: "inline_epp('<%- | Array $hosts, String $domain | -%><% $hosts.each |$i, $host| { -%>server <%= $host %>.<%= $domain %> weight=<%= $i % 5 + 1 %>;<% if $i % 2 == 0 { %> # even<% } %>\n<% } -%>', { 'hosts' => Integer[1, 2000].map |$x| { \"web${x}\" }, 'domain' => 'example.com' }).length",
    },
];
