//! `kukla compile` with Ruby code that the interpreter does not support, and the machine's own Ruby for it.

use crate::compile::{compile, sandbox};
use crate::support::Sandbox;

/// Creates an environment with a template and a function that the interpreter does not support.
fn beyond_the_interpreter() -> Sandbox {
    let sandbox = sandbox("notice(template('m/a.erb'), m::f('x'))");
    let module = "code/production/modules/m";
    sandbox.write(
        &format!("{module}/templates/a.erb"),
        b"<%= ObjectSpace.respond_to?(:garbage_collect) %> <%= scope['environment'] %>",
    );
    let function = b"require 'objspace'\nPuppet::Functions.create_function(:'m::f') do\n  def f(x) = call_function('upcase', x) + ObjectSpace.memsize_of(x).class.to_s\nend\n";
    sandbox.write(&format!("{module}/lib/puppet/functions/m/f.rb"), function);
    sandbox
}

/// Creates an environment with a template and a function whose code turns out to be unsupported when it runs.
fn beyond_when_run() -> Sandbox {
    let sandbox = sandbox("notice(inline_template('<%= 2 ** -1 %>'), m::f(3))");
    let function =
        b"Puppet::Functions.create_function(:'m::f') do\n  def f(x) = \"f#{x ** -1}\"\nend\n";
    sandbox.write("code/production/modules/m/lib/puppet/functions/m/f.rb", function);
    sandbox
}

/// Creates an environment with Ruby functions that pass blocks to other functions.
fn blocks() -> Sandbox {
    let sandbox = sandbox("notice(m::f([1, 2]), m::g([3]) |$x| { $x + 1 })");
    let module = "code/production/modules/m/lib/puppet/functions/m";
    let function = b"Puppet::Functions.create_function(:'m::f') do\n  def f(list) = call_function('map', list) { |x| x * 2 }\nend\n";
    sandbox.write(&format!("{module}/f.rb"), function);
    let function = b"Puppet::Functions.create_function(:'m::g') do\n  dispatch :g do\n    param 'Array', :list\n    block_param\n  end\n  def g(list, &block) = call_function('map', list, &block)\nend\n";
    sandbox.write(&format!("{module}/g.rb"), function);
    sandbox
}

#[test]
fn without_a_worker_unknown_ruby_code_is_an_error() {
    let sandbox = beyond_the_interpreter();
    let ran = compile(&sandbox, &["--set", "ruby_worker=off"]);
    assert_eq!(ran.code, 1, "{}", ran.error);
    assert!(ran.error.contains("the setting ruby_worker is off"), "{}", ran.error);
    let ran = compile(&sandbox, &["--set", "ruby_worker=sometimes"]);
    assert!(ran.code == 1 && ran.error.contains("not `sometimes`"), "{}", ran.error);
    let ran = compile(&beyond_when_run(), &["--set", "ruby_worker=off"]);
    assert!(ran.code == 1 && ran.error.contains("rational numbers"), "{}", ran.error);
}

#[test]
fn the_interpreter_gives_blocks_to_functions() {
    let ran = compile(&blocks(), &["--set", "ruby_worker=off"]);
    assert!(ran.code == 0 && ran.error.contains("[2, 4] [4]"), "{}", ran.error);
}

mod needs_ruby {
    use super::*;
    use crate::support::assert_runs;

    #[test]
    fn what_the_interpreter_does_not_know_runs_in_a_real_ruby() {
        assert_runs("ruby", &["-v"]);
        let sandbox = beyond_the_interpreter();
        for mode in ["auto", "always"] {
            let ran = compile(&sandbox, &["--set", &format!("ruby_worker={mode}")]);
            assert_eq!(ran.code, 0, "{}", ran.error);
            assert!(ran.error.contains("true production"), "{}", ran.error);
            assert!(ran.error.contains("XInteger"), "{}", ran.error);
        }
        let ran = sandbox.run(&["doctor", "--environmentpath", "code"]);
        assert_eq!(ran.code, 0, "{}", ran.output);
        assert!(
            ran.output
                .contains("function `m::f` needs the Ruby worker: require objspace in line 1"),
            "{}",
            ran.output
        );
    }

    #[test]
    fn what_turns_out_to_be_beyond_the_interpreter_starts_over_in_a_real_ruby() {
        assert_runs("ruby", &["-v"]);
        let sandbox = beyond_when_run();
        let ran = compile(&sandbox, &[]);
        assert!(ran.code == 0 && ran.error.contains("1/2 f1/3"), "{}", ran.error);
    }

    #[test]
    fn ruby_code_gives_blocks_to_functions() {
        assert_runs("ruby", &["-v"]);
        let ran = compile(&blocks(), &["--set", "ruby_worker=always"]);
        assert!(ran.code == 0 && ran.error.contains("[2, 4] [4]"), "{}", ran.error);
    }
}

mod needs_puppet {
    use super::*;
    use crate::support::assert_runs;

    #[test]
    fn what_ruby_tells_of_a_type_is_kept_by_content() {
        let sandbox = sandbox("told { 'a': size => 1 }");
        let file = "code/production/modules/m/lib/puppet/type/told.rb";
        let code = |name: &str| {
            format!(
                "Puppet::Type.newtype(:told) do\n  newparam(:name)\n  ENV.fetch('KUKLA_NONE', '{name}').split.each {{ |n| newparam(n.to_sym) }}\nend\n"
            )
        };
        sandbox.write(file, code("size").as_bytes());
        assert_runs("ruby", &["-e", "require 'puppet'"]);
        let kept = || {
            let entries = std::fs::read_dir(sandbox.path("var/ruby_types"));
            entries.map_or(0, Iterator::count)
        };
        for _ in 0..2 {
            let ran = compile(&sandbox, &["--set", "vardir=var"]);
            assert_eq!((ran.code, kept()), (0, 1), "{}", ran.error);
        }
        sandbox.write(file, code("width").as_bytes());
        let ran = compile(&sandbox, &["--set", "vardir=var"]);
        assert_eq!((ran.code, kept()), (1, 2), "{}", ran.error);
        assert!(ran.error.contains("no parameter named 'size'"), "{}", ran.error);
    }
}
