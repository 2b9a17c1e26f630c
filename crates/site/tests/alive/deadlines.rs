//! Deadlines: a compilation without end fails at its deadline with an error that names it.

use std::time::{Duration, Instant};

use kukla_base::cancel::{Cancel, Reason};
use kukla_compiler::Limits;
use kukla_site::{FactsSource, NodeSelection};

use crate::code::{Code, compile, failure, hash};

/// The time that a compilation has.
const TIME: Duration = Duration::from_millis(400);

/// The tolerance of deadlines: a build without optimization has slower steps, and tests run in parallel.
const LATE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 100 });

const MODULE: &str = "function m::run() { m::ruby() }";

/// Compiles code with a deadline, and says how it ended.
#[track_caller]
fn assert_ends(what: &str, manifest: &str, files: &[(&str, &str)]) {
    let code = Code::new(&[("envs/e/manifests/site.pp", manifest)]);
    files.iter().for_each(|(path, text)| code.write(&format!("envs/e/{path}"), text));
    let site = code.site(&[]);
    // Opening and parsing beforehand are not measured.
    let environment = site.environment("e").expect("it opens");
    let _ = environment.snapshot.ruby();
    let start = Instant::now();
    let limits = Limits { deadline: Some(start + TIME), steps: u64::MAX, ..Limits::default() };
    let compiled = compile(&site, "e", hash(&[]), limits, |_| ());
    let time = start.elapsed();
    let (code, message) = failure(compiled);
    assert_eq!(code, "cancelled", "{what}: {message}");
    assert!(message.contains("stopped at its deadline"), "{what}: {message}");
    assert!(time >= TIME && time <= TIME + LATE, "{what} ends after {time:?}");
    println!("{what}: {:.1} ms late", (time - TIME).as_secs_f64() * 1000.0);
}

const ERB: &str = "modules/m/templates/t.erb";

#[test]
fn a_loop_in_puppet_code() {
    assert_ends("Puppet code", "Integer[1, 1000000000000].each |$n| { $n + 1 }", &[]);
}

#[test]
fn a_recursion_in_puppet_code() {
    let manifest =
        "function f($n) { if $n == 0 { 0 } else { f($n - 1) + f($n - 1) } } notice(f(60))";
    assert_ends("recursion", manifest, &[]);
}

#[test]
fn a_loop_in_a_ruby_function() {
    for (kind, body) in [
        ("while", "n = 0; while true; n += 1; end"),
        ("loop", "loop { }"),
        ("upto", "1.upto(10**15) { }"),
        ("rescue", "begin; while true; end; rescue StandardError; retry; end"),
    ] {
        let text = format!(
            "Puppet::Functions.create_function(:'m::ruby') do\n def ruby()\n {body}\n end\nend\n"
        );
        let files = [
            ("modules/m/functions/run.pp", MODULE),
            ("modules/m/lib/puppet/functions/m/ruby.rb", &text),
        ];
        assert_ends(&format!("Ruby function ({kind})"), "m::run()", &files);
    }
}

#[test]
fn a_loop_in_an_erb_template() {
    assert_ends("ERB", "notice(template('m/t.erb'))", &[(ERB, "<% while true %>a<% end %>")]);
    assert_ends("inline ERB", "notice(inline_template('<% loop { } %>'))", &[]);
}

#[test]
fn a_loop_in_an_epp_template() {
    let template = "<% Integer[1, 1000000000000].each |$n| { %><%= '' %><% } %>";
    assert_ends("EPP", "notice(epp('m/t.epp'))", &[("modules/m/templates/t.epp", template)]);
}

#[test]
fn a_catastrophic_regular_expression() {
    let text = "a".repeat(40);
    // The engine has a limit of steps of its own, so the match is repeated.
    let manifest = format!(
        "Integer[1, 1000000].each |$n| {{ $x = '{text}' =~ /^(a{{1,9}}){{1,9}}(a|aa)*$/ }}"
    );
    assert_ends("regular expression", &manifest, &[]);
}

#[test]
fn a_program_of_generate_with_its_children() {
    let code = Code::new(&[]);
    let mark = code.0.join("mark").display().to_string();
    // The child would leave a mark if it lived on.
    let script = format!("#!/bin/sh\n(sleep 2; touch {mark}) &\nsleep 60\n");
    code.write("run", &script);
    let path = code.0.join("run");
    make_executable(&path);
    let manifest = format!("notice(generate('{}'))", path.display());
    assert_ends("generate", &manifest, &[]);
    std::thread::sleep(Duration::from_millis(2200));
    assert!(!code.0.join("mark").exists(), "the child lives on");
}

#[test]
fn interpolations_in_data_that_double_at_each_level() {
    let mut data = String::from("k0: 'x'\n");
    for n in 1..60 {
        let before = n - 1;
        data += &format!("k{n}: \"%{{lookup('k{before}')}}%{{lookup('k{before}')}}\"\n");
    }
    let hiera = "version: 5\nhierarchy:\n  - name: c\n    path: c.yaml\n    data_hash: yaml_data\n";
    let files = [("data/c.yaml", data.as_str()), ("hiera.yaml", hiera)];
    assert_ends("Hiera", "notice(lookup('k59'))", &files);
}

#[test]
fn a_loop_in_a_function_that_gives_data() {
    let hiera = "version: 5\nhierarchy:\n  - name: c\n    lookup_key: m::data\n";
    let function = "function m::data($key, $options, $context) { Integer[1, 1000000000000].each |$n| { $n + 1 } }";
    let files = [("modules/m/functions/data.pp", function), ("hiera.yaml", hiera)];
    assert_ends("data function", "notice(lookup('a'))", &files);
}

mod needs_ruby {
    use super::*;

    #[test]
    fn a_loop_in_a_real_ruby() {
        // `ObjectSpace` is beyond the interpreter.
        let template = "<% ObjectSpace.count_objects; system('sleep 60'); while true; end %>";
        assert_ends("real Ruby", "notice(template('m/t.erb'))", &[(ERB, template)]);
    }
}

#[test]
fn a_classifier() {
    let code = Code::new(&[("enc", "#!/bin/sh\nsleep 60 & wait\n"), ("envs/e/manifests/x", "")]);
    make_executable(&code.0.join("enc"));
    let enc = code.0.join("enc").display().to_string();
    let site = code.site(&[("node_terminus", "exec"), ("external_nodes", &enc)]);
    let selection = NodeSelection {
        name: Some("n.example.org".to_owned()),
        facts: FactsSource::Nowhere,
        runs_programs: true,
        timeout: Some(TIME),
        ..NodeSelection::default()
    };
    let start = Instant::now();
    let error = site.nodes(&selection).expect_err("it does not end").to_string();
    let time = start.elapsed();
    assert!(error.contains("stopped at its deadline"), "{error}");
    assert!(time >= TIME && time <= TIME + LATE, "it ends after {time:?}");
    println!("classifier: {:.1} ms late", (time - TIME).as_secs_f64() * 1000.0);
}

#[test]
fn a_compilation_that_is_not_wanted_any_more() {
    let code = Code::new(&[(
        "envs/e/manifests/site.pp",
        "Integer[1, 1000000000000].each |$n| { $n + 1 }",
    )]);
    let site = code.site(&[]);
    let cancel = Cancel::new();
    let start = Instant::now();
    let compiled = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(TIME);
            cancel.raise(Reason::Abandoned);
        });
        let limits = Limits { steps: u64::MAX, ..Limits::default() };
        compile(&site, "e", hash(&[]), limits, |request| request.cancel = cancel.clone())
    });
    let (code, message) = failure(compiled);
    assert!(code == "cancelled" && message.contains("the compilation was cancelled"), "{message}");
    assert!(start.elapsed() <= TIME + LATE, "it ends after {:?}", start.elapsed());
}

#[test]
fn a_compilation_that_fills_the_memory() {
    let manifest = "$a = Integer[1, 100000].map |$n| { \"${n}${n}${n}${n}${n}${n}${n}${n}\" } \
                    Integer[1, 1000000].reduce([]) |$all, $n| { $all + [$a.map |$x| { \"${x}${n}\" }] }";
    let code = Code::new(&[("envs/e/manifests/site.pp", manifest)]);
    let site = code.site(&[]);
    let used = kukla_world::resident().expect("there is /proc");
    let memory = Some(used + (200 << 20));
    let limits = Limits { memory, steps: u64::MAX, ..Limits::default() };
    let (code, message) = failure(compile(&site, "e", hash(&[]), limits, |_| ()));
    assert!(code == "cancelled" && message.contains("memory limit"), "{message}");
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, permissions).expect("it is there");
}
