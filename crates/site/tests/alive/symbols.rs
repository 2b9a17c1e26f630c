//! Names that only data has never become symbols, which are never freed.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_compiler::Limits;
use kukla_pcore::{Hash, Value};

use crate::code::{Code, compile, hash};

/// The number of catalogs, each with names of its own. A build without optimization compiles fewer.
const N: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };

const MANIFEST: &str = "
$facts['data'].each |$key, $value| { notify { \"${key} ${value}\": tag => \"t${key}\" } }
create_resources('notify', { \"title ${facts['fresh']}\" => { 'message' => $facts['fresh'] } })
notify { \"splat ${facts['fresh']}\": * => { 'message' => 'a' } }
notice(inline_epp('<%= $known %>', { 'known' => 1, $facts['fresh'] => 2 }))
notice(getvar($facts['fresh']))
notice(getvar(\"m::${facts['fresh']}\"))
notice(defined($facts['fresh']), defined(\"m::${facts['fresh']}\"))
notice(lookup($facts['fresh'], { 'default_value' => 'none' }))
notice(template('m/t.erb'), m::ruby())
Notify <| title == $facts['fresh'] |>
";

/// Programs that must fail, and a part of their messages.
const WRONG: &[(&str, &str)] = &[
    ("create_resources('notify', { 'a' => { $f => 1 } })", "no parameter named 'FRESH'"),
    ("create_resources('m::d', { 'a' => { $f => 1 } })", "has no parameter named 'FRESH'"),
    ("create_resources('class', { 'm' => { $f => 1 } })", "has no parameter named 'FRESH'"),
    ("create_resources($f, { 'a' => {} })", "FRESH"),
    ("notify { 'a': * => { $f => 1 } }", "no parameter named 'FRESH'"),
    ("notify { 'a': } Notify['a'] { * => { $f => 1 } }", "no parameter named 'FRESH'"),
    ("Notify { * => { $f => 1 } } notify { 'a': }", "no parameter named 'FRESH'"),
    ("Resource[$f, 'a'] { noop => true }", "FRESH"),
    ("notice(inline_epp('<%- | $a = 1 | -%>', { $f => 2 }))", "has no parameter named 'FRESH'"),
    ("call($f, 1)", "Unknown function"),
    ("include $f", "FRESH"),
    ("notice(Resource[$f]['a']['b'])", "a"),
];

fn files(name: &str, manifest: &str) -> Vec<(String, String)> {
    let template = "<%= scope.to_hash.size > 0 %><% scope.setvar(@fresh, 1) rescue nil %>";
    let ruby = "Puppet::Functions.create_function(:'m::ruby') do\n def ruby\n \
                closure_scope['facts']['fresh']\n end\nend\n";
    [
        ("manifests/site.pp", manifest),
        ("modules/m/manifests/init.pp", "class m { }"),
        ("modules/m/manifests/d.pp", "define m::d() { }"),
        ("modules/m/templates/t.erb", template),
        ("modules/m/lib/puppet/functions/m/ruby.rb", ruby),
    ]
    .map(|(path, text)| (format!("envs/{name}/{path}"), text.to_owned()))
    .to_vec()
}

/// Facts with names of their own: lower case, as names of functions and classes are too.
fn facts(fresh: &str) -> Arc<Hash> {
    let data = hash(&[(fresh, "value"), (&format!("{fresh}_key"), "a")]);
    let mut facts = Hash::clone(&hash(&[("fresh", fresh), (fresh, "b")]));
    facts.insert(Value::from("data"), Value::Hash(data));
    Arc::new(facts)
}

fn run(site: &kukla_site::Site, n: usize) {
    let fresh = format!("fresh{n}x");
    let given = hash(&[(&format!("{fresh}_parameter"), "a")]);
    let compiled = compile(site, "e", facts(&fresh), Limits::default(), |request| {
        request.node = format!("{fresh}.example.org");
        request.classes = vec![("m".to_owned(), Hash::clone(&given))];
    });
    // The class has no such parameter.
    let message = compiled.catalog.expect_err("there is no catalog").to_string();
    assert!(message.contains(&format!("'{fresh}_parameter'")), "{message}");
    let compiled = compile(site, "e", facts(&fresh), Limits::default(), |_| ());
    let catalog = compiled.catalog.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(catalog.resources.iter().any(|resource| resource.title == format!("title {fresh}")));
    for (code, expected) in WRONG {
        let code = format!("$f = $facts['fresh']\n{code}");
        let environment = site.environment("e").expect("it opens");
        let mut node = kukla_site::Node::new("n", facts(&fresh));
        node.environment = Some("e".to_owned());
        let request = site.member(node).expect("it opens").request();
        let main = kukla_site::Main::Code { text: code.clone(), file: String::new() };
        let (snapshot, strictness) = (&environment.snapshot, environment.strictness);
        let compiled = snapshot.compile(&main, strictness, Limits::default(), &request);
        let message = compiled.catalog.expect_err("there is no catalog").to_string();
        let expected = expected.replace("FRESH", &fresh);
        assert!(message.to_lowercase().contains(&expected.to_lowercase()), "{code}: {message}");
    }
}

/// One test for all: the table of symbols is one for the process, and other tests add to it what their code names.
#[test]
#[ignore = "counts symbols of the process: runs alone, by `symbols_do_not_grow_in_a_process_of_its_own`"]
fn symbols_do_not_grow() {
    let code = Code::new(&[]);
    let site = code.site(&[]);
    files("e", MANIFEST).iter().for_each(|(path, text)| code.write(path, text));
    // Files that were just written count as changed, so each compilation opens the environment.
    (0..3).for_each(|n| run(&site, n));
    let before = Symbol::count();
    (3..N / 10 + 3).for_each(|n| run(&site, n));
    assert_eq!(Symbol::count() - before, 0, "names of facts, titles, keys and parameters");
    // Deploy directories.
    for n in 0..N / 100 {
        let name = format!("deploy{n}y");
        files(&name, MANIFEST).iter().for_each(|(path, text)| code.write(path, text));
        let compiled = compile(&site, &name, facts("other"), Limits::default(), |_| ());
        compiled.catalog.unwrap_or_else(|failure| panic!("{failure}"));
    }
    assert_eq!(Symbol::count() - before, 0, "paths of environments");
}

#[test]
fn symbols_do_not_grow_in_a_process_of_its_own() {
    let this = std::env::current_exe().expect("a test has a program");
    let output = std::process::Command::new(this)
        .args(["--ignored", "--exact", "symbols::symbols_do_not_grow"])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
