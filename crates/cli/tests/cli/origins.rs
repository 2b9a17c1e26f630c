//! `kukla compile --format origins`: the origin of each parameter, edge and tag.

use serde_json::Value;

use crate::support::Sandbox;

const SITE: &str = "\
$top = 'of the site'
node default {
  $attributes = { 'mode' => '0640', 'owner' => $facts['kernel'] }
  File { group => 'staff' }
  class { 'm': declared => $top }
  file {
    default: backup => false;
    '/a': ensure => file, * => $attributes;
    '/b': content => $m::from_data, before => File['/c'];
  }
  file { '/c': tag => ['mine', 'one::two'] }
  File['/a'] -> File['/b'] ~> File['/c']
  create_resources('notify', { 'created' => { 'message' => 'hi' } })
  m::declare('by ruby')
  m::item { 'item': value => 3, noop => true }
  ['x', 'y'].each |$n| { notify { \"each ${n}\": message => $n } }
  Notify<| title == 'created' |> { withpath => true }
  notify { 'looked': message => lookup('m::key') }
  notify { 'enc': message => $role }
}
";

const INIT: &str = "\
class m (
  $declared,
  $from_data,
  $default = 'standard',
  $merged = [],
  $nothing = undef,
) {
  tag('tagged')
  contain m::inner
  require m::first
  notify { 'base': message => \"${declared} ${merged} ${nothing}\", subscribe => [] }
}
";

const CHILD: &str = "\
class m::child inherits m {
  Notify['base'] { message => 'overridden', subscribe +> File['/a'] }
  notify { 'child': message => $default }
}
";

const ITEM: &str = "\
define m::item($value, $shown = \"${value}!\") {
  notify { \"item ${title}\": message => $shown }
}
";

const DECLARE: &str = "\
Puppet::Functions.create_function(:'m::declare') do
  def declare(title)
    call_function('create_resources', 'notify', { title => { 'message' => 'm' } })
  end
end
";

const HIERA: &str = "\
version: 5
hierarchy:
  - { name: one node, path: \"nodes/%{trusted.certname}.yaml\" }
  - { name: all nodes, path: common.yaml }
";

const COMMON: &str = "\
lookup_options:
  m::merged: { merge: unique }
m::from_data: a value
m::merged: [b]
m::key: found
";

const ENC: &str =
    "classes: { m::child: , m::classified: { size: 7 } }\nparameters: { role: web }\n";

const FILES: &[(&str, &str)] = &[
    ("env/production/environment.conf", ""),
    ("env/production/manifests/site.pp", SITE),
    ("env/production/modules/m/manifests/init.pp", INIT),
    ("env/production/modules/m/manifests/child.pp", CHILD),
    ("env/production/modules/m/manifests/item.pp", ITEM),
    ("env/production/modules/m/manifests/inner.pp", "class m::inner { }\n"),
    ("env/production/modules/m/manifests/first.pp", "class m::first { }\n"),
    ("env/production/modules/m/manifests/classified.pp", "class m::classified($size) { }\n"),
    ("env/production/modules/m/lib/puppet/functions/m/declare.rb", DECLARE),
    ("env/production/hiera.yaml", HIERA),
    ("env/production/data/common.yaml", COMMON),
    ("env/production/data/nodes/web.yaml", "m::merged: [a]\n"),
    ("facts/web.json", "{ \"kernel\": \"Linux\" }"),
    ("enc.yaml", ENC),
];

/// Returns the lines of a successful run.
fn lines(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let common = ["compile", "--environmentpath", "env", "--vardir", "var", "--format", "origins"];
    let ran = sandbox.run(&[&common, args].concat());
    assert_eq!(ran.code, 0, "{}", ran.error);
    ran.output.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

fn origins() -> Vec<Value> {
    lines(&Sandbox::new(FILES), &["--facts", "facts", "--enc", "enc.yaml"])
}

/// Returns the only line that has all of these values.
fn line<'l>(lines: &'l [Value], wanted: &[(&str, &str)]) -> &'l Value {
    let has_all = |line: &&Value| wanted.iter().all(|(key, value)| line[*key] == *value);
    let found: Vec<&Value> = lines.iter().filter(has_all).collect();
    assert_eq!(found.len(), 1, "{wanted:?}: {found:?}");
    found[0]
}

/// Returns `FILE:LINE:COLUMN` of a text that occurs once in a file.
fn place_of(file: &str, text: &str) -> String {
    let path = |path: &&(&str, &str)| path.0.ends_with(&format!("/{file}"));
    let (_, source) = FILES.iter().find(path).expect("there is such a file");
    assert_eq!(source.matches(text).count(), 1, "`{text}` is not unique in {file}");
    let before = &source[..source.find(text).expect("it is there")];
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{file}:{}:{column}", before.matches('\n').count() + 1)
}

/// Formats kind and place of an origin: `expression site.pp:1:2`.
fn shown(origin: &Value) -> String {
    let kind = origin["origin"].as_str().or(origin["leaf"].as_str()).expect("it has a kind");
    let Some(file) = origin["file"].as_str() else { return kind.to_owned() };
    let file = file.rsplit('/').next().unwrap_or_default();
    format!("{kind} {file}:{}:{}", origin["line"], origin["column"])
}

/// Returns kinds and places of all leaves of a parameter.
fn leaves(line: &Value) -> Vec<String> {
    line["leaves"].as_array().expect("there are some").iter().map(shown).collect()
}

#[test]
fn parameters_have_the_place_that_set_them() {
    let lines = origins();
    for (resource, parameter, kind, file, text) in [
        ("Class[M]", "declared", "expression", "site.pp", "declared =>"),
        ("Class[M]", "default", "parameter_default", "init.pp", "'standard'"),
        ("File[/a]", "ensure", "expression", "site.pp", "ensure =>"),
        ("File[/a]", "mode", "expression", "site.pp", "* =>"),
        ("File[/a]", "owner", "expression", "site.pp", "* =>"),
        ("File[/a]", "backup", "body_default", "site.pp", "backup =>"),
        ("File[/b]", "backup", "body_default", "site.pp", "backup =>"),
        ("File[/c]", "group", "resource_default", "site.pp", "group =>"),
        ("Notify[created]", "message", "call", "site.pp", "create_resources("),
        ("Notify[created]", "withpath", "collector", "site.pp", "withpath =>"),
        ("Notify[by ruby]", "message", "call", "site.pp", "m::declare("),
        ("Notify[base]", "message", "override", "child.pp", "message => 'overridden'"),
        ("M::Item[item]", "value", "expression", "site.pp", "value =>"),
        ("M::Item[item]", "shown", "parameter_default", "item.pp", "\"${value}!\""),
    ] {
        let line = line(&lines, &[("resource", resource), ("parameter", parameter)]);
        let expected = format!("{kind} {}", place_of(file, text));
        assert_eq!(shown(line), expected, "{resource} {parameter}");
    }
    let replaced = line(&lines, &[("resource", "Notify[base]"), ("parameter", "message")]);
    let previous = place_of("init.pp", "message =>");
    assert_eq!(shown(&replaced["previous"]), format!("expression {previous}"));
    let size = line(&lines, &[("resource", "Class[M::Classified]"), ("parameter", "size")]);
    assert_eq!(shown(size), "classifier");
    let noop = line(&lines, &[("resource", "Notify[item item]"), ("parameter", "noop")]);
    assert_eq!((shown(noop).as_str(), &noop["container"]), ("inherited", &"M::Item[item]".into()));
    let main = line(&lines, &[("resource", "Stage[main]"), ("parameter", "name")]);
    assert_eq!(shown(main), "title");
}

#[test]
fn data_has_its_files_lines_and_levels() {
    let lines = origins();
    let merged = line(&lines, &[("resource", "Class[M]"), ("parameter", "merged")]);
    assert_eq!((&merged["origin"], &merged["key"]), (&"data".into(), &"m::merged".into()));
    let place = |at: usize, key: &str| merged["places"][at][key].clone();
    assert_eq!(place(0, "file"), "@/env/production/data/nodes/web.yaml");
    assert_eq!(
        (place(0, "line"), place(0, "level"), place(0, "number")),
        (1.into(), "one node".into(), 1.into())
    );
    assert_eq!(place(1, "file"), "@/env/production/data/common.yaml");
    assert_eq!(
        (place(1, "line"), place(1, "level"), place(1, "number")),
        (4.into(), "all nodes".into(), 2.into())
    );
    assert_eq!(merged["places"][2], Value::Null);
    let first = line(&lines, &[("resource", "Class[M]"), ("parameter", "from_data")]);
    assert_eq!((&first["places"][0]["line"], &first["places"][1]), (&3.into(), &Value::Null));
}

#[test]
fn edges_have_the_place_that_set_them() {
    let lines = origins();
    for (edge, source, target, kind, file, text) in [
        ("before", "File[/a]", "File[/b]", "arrow", "site.pp", "-> File['/b']"),
        ("notify", "File[/b]", "File[/c]", "arrow", "site.pp", "~> File['/c']"),
        ("before", "File[/b]", "File[/c]", "expression", "site.pp", "before =>"),
        ("subscribe", "File[/a]", "Notify[base]", "override", "child.pp", "subscribe +>"),
        ("require", "Class[M::First]", "Class[M]", "call", "init.pp", "require m::first"),
        ("contains", "Class[M]", "Class[M::Inner]", "call", "init.pp", "contain m::inner"),
        ("contains", "Class[M]", "Notify[base]", "declaration", "init.pp", "notify { 'base'"),
        (
            "contains",
            "Node[default]",
            "Notify[each x]",
            "declaration",
            "site.pp",
            "notify { \"each",
        ),
        ("contains", "Node[default]", "Notify[created]", "call", "site.pp", "create_resources("),
        ("contains", "Stage[main]", "Class[M]", "declaration", "site.pp", "class { 'm'"),
        ("contains", "Stage[main]", "Class[M::First]", "call", "init.pp", "require m::first"),
    ] {
        let line = line(&lines, &[("edge", edge), ("source", source), ("target", target)]);
        let expected = format!("{kind} {}", place_of(file, text));
        assert_eq!(shown(line), expected, "{source} {edge} {target}");
    }
    let classified = [("edge", "contains"), ("target", "Class[M::Classified]")];
    assert_eq!(shown(line(&lines, &classified)), "classifier");
    let main = [("edge", "contains"), ("target", "Class[main]")];
    assert_eq!(shown(line(&lines, &main)), "compiler");
}

#[test]
fn tags_have_what_set_them() {
    let lines = origins();
    let tag = |resource: &str, tag: &str| {
        let line = line(&lines, &[("resource", resource), ("tag", tag)]);
        match line["container"].as_str() {
            Some(container) => format!("{} {container}", shown(line)),
            None => shown(line),
        }
    };
    let own = format!("expression {}", place_of("site.pp", "tag =>"));
    assert_eq!(tag("File[/c]", "mine"), own);
    assert_eq!(tag("File[/c]", "one::two"), own);
    assert_eq!(tag("File[/c]", "two"), own);
    assert_eq!(tag("File[/c]", "file"), "type");
    assert_eq!(tag("File[/c]", "node"), "inherited Node[default]");
    assert_eq!(tag("Class[M]", "tagged"), format!("call {}", place_of("init.pp", "tag('tagged')")));
    assert_eq!(tag("Class[M]", "m"), format!("title {}", place_of("site.pp", "'m': declared")));
    assert_eq!(tag("Notify[base]", "tagged"), "inherited Class[M]");
    assert_eq!(tag("Notify[item item]", "m::item"), "inherited M::Item[item]");
}

#[test]
fn chains_end_where_a_value_was_written_first() {
    let lines = origins();
    let ends = |resource: &str, parameter: &str| {
        leaves(line(&lines, &[("resource", resource), ("parameter", parameter)]))
    };
    let literal = |file: &str, text: &str| format!("literal {}", place_of(file, text));
    assert_eq!(ends("Class[M]", "declared"), [literal("site.pp", "'of the site'")]);
    assert_eq!(ends("File[/b]", "content"), ["data"]);
    assert!(ends("File[/a]", "owner").contains(&"fact".to_owned()));
    assert!(ends("Notify[looked]", "message").contains(&"data".to_owned()));
    assert_eq!(ends("Notify[enc]", "message"), ["classifier"]);
    let of_block = [literal("site.pp", "'x'"), literal("site.pp", "'y'")];
    assert_eq!(ends("Notify[each y]", "message"), of_block);
    let standard = format!("default {}", place_of("init.pp", "'standard'"));
    assert_eq!(ends("Notify[child]", "message"), [standard]);
    assert!(ends("Notify[item item]", "message").contains(&literal("site.pp", "3, noop")));
    assert_eq!(ends("Notify[item item]", "noop"), [literal("site.pp", "true }\n  ['x'")]);
    assert_eq!(ends("Class[M::Classified]", "size"), ["classifier"]);
    let counts = &lines.last().expect("there are lines")["counts"];
    assert_eq!(counts["traced"], counts["parameters"]);
    let n = lines.iter().filter(|line| !line["parameter"].is_null()).count();
    assert_eq!(counts["parameters"], n);
}

#[test]
fn what_is_collected_names_its_exporter() {
    let site = "node /^web/ { @@notify { 'w': message => 'm' } }\nnode default { Notify<<| |>> }\n";
    let sandbox = Sandbox::new(&[("env/production/manifests/site.pp", site)]);
    lines(&sandbox, &["--storeconfigs", "--node", "web1"]);
    let lines = lines(&sandbox, &["--storeconfigs", "--node", "monitor"]);
    let message = line(&lines, &[("resource", "Notify[w]"), ("parameter", "message")]);
    assert_eq!((shown(message).as_str(), &message["exporter"]), ("exported", &"web1".into()));
    assert_eq!(leaves(message), ["exported"]);
    let edge = line(&lines, &[("edge", "contains"), ("target", "Notify[w]")]);
    assert_eq!(shown(edge), "exported");
}

#[test]
fn a_variable_that_only_ruby_sets_is_no_end() {
    let files = [
        ("env/production/manifests/site.pp", "include m\n"),
        (
            "env/production/modules/m/manifests/init.pp",
            "class m {\n  m::set()\n  notify { 'a': message => $set_by_ruby }\n}\n",
        ),
        (
            "env/production/modules/m/lib/puppet/functions/m/set.rb",
            "Puppet::Functions.create_function(:'m::set', Puppet::Functions::InternalFunction) do\n  \
             dispatch(:set) { scope_param }\n  def set(scope)\n    scope['set_by_ruby'] = 'x'\n  \
             nil\n  end\nend\n",
        ),
    ];
    let lines = lines(&Sandbox::new(&files), &["--node", "web"]);
    let message = line(&lines, &[("resource", "Notify[a]"), ("parameter", "message")]);
    assert_eq!(leaves(message), ["unknown"]);
    let counts = &lines.last().expect("there are lines")["counts"];
    let n = counts["parameters"].as_u64().expect("it is a number");
    assert_eq!(counts["traced"], n - 1);
}
