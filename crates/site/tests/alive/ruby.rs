//! Ruby code that makes cycles leaves nothing behind.

use kukla_compiler::Limits;
use kukla_world::resident;

use crate::code::{Code, compile, hash};

/// Pieces of Ruby that make cycles, with a text of 100 KB each: one that stays is seen at once.
const CYCLES: &[(&str, &str)] = &[
    ("array", "a = ['x' * 100_000]; a << a"),
    ("hash", "h = { text: 'x' * 100_000 }; h[:self] = h"),
    ("block", "t = 'x' * 100_000; b = lambda { |n| n > 1 ? b.call(n - 1) : t }; b.call(3)"),
    ("array and block", "a = ['x' * 100_000]; a << proc { a }"),
    (
        "object",
        "o = Object.new; o.instance_variable_set(:@text, 'x' * 100_000); o.instance_variable_set(:@me, o)",
    ),
    (
        "method of one object",
        "o = Object.new; def o.me; self; end; o.instance_variable_set(:@t, ['x' * 100_000, o]); o.me",
    ),
    ("struct", "s = Struct.new(:next, :text).new; s.text = 'x' * 100_000; s.next = s"),
    (
        "class",
        "a = ['x' * 100_000]; k = Class.new { define_method(:kept) { a } }; a << k << k.new; k.new.kept",
    ),
    (
        "default of a hash",
        "h = Hash.new { |hash, key| hash[key] = h; 'x' * 100_000 }; h[1]; h[:text] = 'x' * 100_000",
    ),
    (
        "error",
        "begin; raise 'a'; rescue => e; a = [e, 'x' * 100_000]; e.instance_variable_set(:@a, a); end",
    ),
];

/// A function whose object keeps what it has made.
fn function(body: &str) -> String {
    format!(
        "Puppet::Functions.create_function(:'m::cycle') do\n  def cycle\n    @kept ||= []\n    @kept << @kept\n    {body}\n    @kept << proc {{ @kept }}\n    1\n  end\nend\n"
    )
}

fn old_function(body: &str) -> String {
    format!(
        "module Puppet::Parser::Functions\n  newfunction(:m_old, :type => :rvalue) do |args|\n    {body}\n    1\n  end\nend\n"
    )
}

/// The growth of the process in KiB for each call, and the first reason why some could not be run.
fn growth(manifest: &str, body: &str) -> Result<u64, String> {
    let code = Code::new(&[
        ("envs/e/manifests/site.pp", manifest),
        ("envs/e/modules/m/templates/t.erb", &format!("<% {body} %>")),
        ("envs/e/modules/m/lib/puppet/functions/m/cycle.rb", &function(body)),
        ("envs/e/modules/m/lib/puppet/parser/functions/m_old.rb", &old_function(body)),
    ]);
    let site = code.site(&[("ruby_worker", "off")]);
    // The environment is opened once: files that were just written count as changed.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let run = |n: usize| {
        for _ in 0..n {
            let compiled = compile(&site, "e", hash(&[]), Limits::default(), |_| ());
            compiled.catalog.map_err(|failure| failure.to_string())?;
        }
        Ok::<u64, String>(resident().expect("there is /proc"))
    };
    let n = if cfg!(debug_assertions) { 30 } else { 300 };
    let before = run(n / 10)?;
    Ok((run(n)?.saturating_sub(before) / n as u64) >> 10)
}

#[test]
#[ignore = "measures the memory of the process: runs alone, by `compilations_leave_nothing_behind`"]
fn measured() {
    let mut leaks = Vec::new();
    for manifest in ["notice(template('m/t.erb'))", "notice(m::cycle())", "notice(m_old())"] {
        for (name, body) in CYCLES {
            match growth(manifest, body) {
                Ok(0..=20) => (),
                Ok(n) => leaks.push(format!("{manifest} {name}: {n} KiB for each compilation")),
                Err(reason) => println!("{manifest} {name} needs a real Ruby: {reason}"),
            }
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn compilations_leave_nothing_behind() {
    let this = std::env::current_exe().expect("a test has a program");
    let output = std::process::Command::new(this)
        .args(["--ignored", "--exact", "--nocapture", "ruby::measured"])
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 passed"), "{printed}");
    println!("{printed}");
}
