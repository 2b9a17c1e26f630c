//! Evaluating inside of this process, on one core, beside warm Puppet.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kukla_compiler::{Functions, Limits, Session, Settings};
use kukla_pcore::Hash;
use kukla_tests::Oracle;
use serde_json::json;

use crate::Options;
use crate::clock::{cpu_time, shortest};
use crate::table::{Table, milliseconds};

/// Code that is evaluated again and again; what it defines is evaluated once before.
struct Task {
    name: &'static str,
    definitions: &'static str,
    code: &'static str,
}

const TASKS: &[Task] = &[
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

/// CPU time of each task, Puppet's and ours.
pub(crate) fn tasks(options: &Options, table: &mut Table) -> Result<()> {
    let mut puppet = if options.no_puppet { None } else { Oracle::start_eval().ok() };
    let mut ratios = Vec::new();
    for task in TASKS {
        let ours = our_time(options, task)?;
        table.row(&format!("eval, {}: kukla", task.name), &milliseconds(ours));
        let Some(puppet) = &mut puppet else { continue };
        let theirs = puppet_time(puppet, task)?;
        table.row(&format!("eval, {}: puppet, warm", task.name), &milliseconds(theirs));
        table.ratio("  ratio", theirs, ours);
        ratios.push(theirs.as_secs_f64() / ours.as_secs_f64());
    }
    if !ratios.is_empty() {
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logs / ratios.len() as f64).exp();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        table.row("eval, ratios", &format!("geometric mean {mean:.0} ×, least {least:.0} ×"));
    }
    Ok(())
}

fn our_time(options: &Options, task: &Task) -> Result<Duration> {
    let library = Arc::new(Functions::new(kukla_stdlib::BUILT_IN));
    let mut session = Session::new(library, Settings::default(), Limits::default(), &Hash::new());
    let defined = session.evaluate(task.definitions, "/bench.pp");
    ensure!(defined.value.is_ok(), "{}: {:?}", task.name, defined.value);
    let program = session.program(task.code, "/bench.pp").map_err(anyhow::Error::msg)?;
    let mut result = Ok(());
    let time = shortest(options.seconds / 4.0, || {
        cpu_time(|| {
            if let Err(fault) = session.evaluator().run(&program) {
                result = Err(anyhow::anyhow!("{}: {}", task.name, fault.full_message()));
            }
        })
    });
    result.map(|()| time)
}

fn puppet_time(puppet: &mut Oracle, task: &Task) -> Result<Duration> {
    let question = json!({ "bench": task.code, "definitions": task.definitions, "rounds": 3 });
    let answer = puppet.ask_json(&question)?;
    let seconds = answer["seconds"].as_f64();
    let seconds = seconds.with_context(|| format!("{}: Puppet says {answer}", task.name))?;
    Ok(Duration::from_secs_f64(seconds))
}
