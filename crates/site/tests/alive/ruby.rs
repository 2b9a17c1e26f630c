//! Ruby code that makes cycles leaves nothing behind.

use kukla_compiler::Limits;
use kukla_world::resident;

use crate::code::{Code, compile, hash};

const TEMPLATE: &str = "<% a = []; b = [a, 'text' * 1000]; a << b; h = {}; h[:self] = h; h[:proc] = lambda { h } %>\
<% o = Object.new; def o.me; self; end; s = Struct.new(:next).new; s.next = s %>\
<% k = Class.new { define_method(:kept) { a } }; x = k.new %><%= b.size %>";

const FUNCTION: &str = "Puppet::Functions.create_function(:'m::cycle') do
  def cycle(n)
    @kept ||= []
    @kept << @kept
    block = proc { |x| block.call(x) if x > 1; @kept }
    @kept << block << ('text' * 1000)
    n
  end
end
";

const OLD: &str = "module Puppet::Parser::Functions
  newfunction(:m_old, :type => :rvalue) do |args|
    a = [args]
    a << a
    args[0]
  end
end
";

#[test]
#[ignore = "measures the memory of the process: runs alone, by `compilations_leave_nothing_behind`"]
fn measured() {
    let manifest =
        "Integer[1, 5].each |$n| { notice(template('m/t.erb'), m::cycle($n), m_old($n)) }";
    let code = Code::new(&[
        ("envs/e/manifests/site.pp", manifest),
        ("envs/e/modules/m/templates/t.erb", TEMPLATE),
        ("envs/e/modules/m/lib/puppet/functions/m/cycle.rb", FUNCTION),
        ("envs/e/modules/m/lib/puppet/parser/functions/m_old.rb", OLD),
    ]);
    let site = code.site(&[("ruby_worker", "off")]);
    // The environment is opened once: files that were just written count as changed.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let run = |n: usize| {
        for _ in 0..n {
            let compiled = compile(&site, "e", hash(&[]), Limits::default(), |_| ());
            compiled.catalog.unwrap_or_else(|failure| panic!("{failure}"));
        }
        resident().expect("there is /proc")
    };
    let n = if cfg!(debug_assertions) { 500 } else { 5_000 };
    let before = run(n / 5);
    let after = run(n);
    println!("{} KiB, after {n} more {} KiB", before >> 10, after >> 10);
    // A cycle that stays has 1 KB at least, and there are fifteen for each compilation.
    assert!(after < before + n as u64 * 1_000, "{before} {after}");
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
