//! Comparison with Puppet's own class information service, recorded from Puppet 7.23.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::classes;
use crate::environment::Environment;
use crate::load::Xpp;
use kukla_world::Pool;
use kukla_world::paths::Anchor;

/// Returns the classes of a module `t` that has these files.
fn classes_of(name: &str, files: &[(&str, &str)]) -> Value {
    let name = format!("kukla-classes-{name}-{}", std::process::id());
    let root: PathBuf = std::env::temp_dir().join(name);
    for (path, text) in files {
        let path = root.join("modules/t").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let environment = Environment::new(&root, "modulepath = modules", &[], &kukla_world::Disk);
    let pool = Pool::new(Some(1));
    let manifests = environment.manifests(&Anchor::new("/"), &pool);
    let classes = classes(&environment, &manifests.list, Xpp::Off, &pool).json;
    fs::remove_dir_all(&root).unwrap();
    let text = classes.to_string().replace(root.to_str().unwrap(), "@");
    text.parse().unwrap()
}

const ALIASES: &[(&str, &str)] = &[
    ("types/rec.pp", "type T::Rec = Variant[String, Array[T::Rec]]\n"),
    ("types/opt.pp", "type T::Opt = Optional[Enum[b, a]]\n"),
    (
        "types/nest.pp",
        "type T::Nest = Struct[{ a => T::Opt, Optional[b] => T::Rec, 'c' => Optional[String], \
         NotUndef['d'] => Any }]\n",
    ),
];

/// A type, and Puppet's text of it.
const TYPES: &[(&str, &str)] = &[
    ("Array[String, 1]", "Array[String, 1]"),
    ("Array[String, 1, 2]", "Array[String, 1, 2]"),
    ("Array[String, default, 3]", "Array[String, 0, 3]"),
    ("Array[1, 2]", "Array[Default, 1, 2]"),
    ("Array[Any]", "Array"),
    ("Array[String, Integer[1,3]]", "Array[String, 1, 3]"),
    ("Array[String, 0, default]", "Array[String, 0]"),
    ("Hash[String, Integer]", "Hash[String, Integer]"),
    ("Hash[Any, Any]", "Hash"),
    ("Hash[String, Integer, 1, default]", "Hash[String, Integer, 1]"),
    ("Hash[1, 2]", "Hash[Default, Default, 1, 2]"),
    ("Hash[String, Any]", "Hash[String, Any]"),
    ("Integer[default, 5]", "Integer[default, 5]"),
    ("Integer[default]", "Integer"),
    ("Integer[-3, 0x10]", "Integer[-3, 16]"),
    ("Integer[default, default]", "Integer"),
    ("Float[1, 2.5]", "Float[1.0, 2.5]"),
    ("Float[1.0]", "Float[1.0]"),
    ("Float[default, 3]", "Float[default, 3.0]"),
    ("String[default, 4]", "String[0, 4]"),
    ("String[0, default]", "String[0]"),
    ("String[2, 2]", "String[2, 2]"),
    ("Collection[1]", "Collection[1]"),
    ("Enum[b, a, b]", "Enum['a', 'b']"),
    ("Enum['A', 'b', true]", "Enum['A', 'b', true]"),
    (r#"Enum['it\'s', "x\ty", 'a\\b', 'é']"#, r#"Enum['a\b', 'it\'s', "x\ty", 'é']"#),
    ("Enum[a, false]", "Enum['a']"),
    ("Variant[String, String]", "String"),
    ("Variant[Variant[String, Integer], Undef]", "Variant[String, Integer, Undef]"),
    ("Variant[Enum[a], Undef]", "Variant[Enum['a'], Undef]"),
    (r"Pattern[/a\/b/]", r"Pattern[/a\/b/]"),
    ("Pattern['x/y', /z/]", r"Pattern[/x\/y/, /z/]"),
    ("Regexp[/a/]", "Regexp[/a/]"),
    ("Regexp", "Regexp"),
    ("Optional", "Optional"),
    ("Optional['x']", "Optional['x']"),
    ("Optional[Optional[String]]", "Optional[Optional[String]]"),
    ("NotUndef[String]", "NotUndef[String]"),
    ("NotUndef[Any]", "NotUndef"),
    ("NotUndef['x']", "NotUndef['x']"),
    (
        "Struct[{ a => Optional[String], 'b' => String, Optional['c'] => Integer, Optional[d] => Optional[Integer], NotUndef[e] => Integer, NotUndef[f] => Any, g => Any, h => Undef, i => Variant[Undef, String] }]",
        "Struct[{'a' => Optional[String], 'b' => String, Optional['c'] => Integer, 'd' => Optional[Integer], 'e' => Integer, NotUndef['f'] => Any, 'g' => Any, 'h' => Undef, 'i' => Variant[Undef, String]}]",
    ),
    ("Struct[{}]", "Struct"),
    ("Tuple[String, Integer]", "Tuple[String, Integer]"),
    ("Tuple[String, 1]", "Tuple[String, 1]"),
    ("Tuple[String, 1, 3]", "Tuple[String, 1, 3]"),
    ("Tuple[String, default, 3]", "Tuple[String, 0, 3]"),
    ("Callable", "Callable"),
    ("Callable[String, Integer]", "Callable[String, Integer]"),
    ("Callable[0, 0]", "Callable[0, 0]"),
    ("Callable[String, 1, 2]", "Callable[String, 1, 2]"),
    ("Callable[[String], Integer]", "Callable[[String], Integer]"),
    ("Callable[[0,0], Integer]", "Callable[[0, 0], Integer]"),
    ("Callable[String, Callable]", "Callable[String, Callable]"),
    ("Sensitive[String]", "Sensitive[String]"),
    ("Sensitive", "Sensitive"),
    ("Sensitive[Any]", "Sensitive"),
    ("Type[String]", "Type[String]"),
    ("Type", "Type"),
    ("Type[T::Opt]", "Type[T::Opt]"),
    ("Boolean[true]", "Boolean[true]"),
    ("Boolean", "Boolean"),
    ("T::Rec", "T::Rec = Variant[String, Array[T::Rec]]"),
    ("T::Opt", "T::Opt = Optional[Enum['a', 'b']]"),
    (
        "T::Nest",
        "T::Nest = Struct[{'a' => T::Opt = Optional[Enum['a', 'b']], Optional['b'] => T::Rec = Variant[String, Array[T::Rec]], 'c' => Optional[String], NotUndef['d'] => Any}]",
    ),
    ("Optional[T::Nest]", "Optional[T::Nest]"),
    ("Array[T::Rec]", "Array[T::Rec]"),
    ("T::None", "TypeReference['T::None']"),
    ("Optional[T::None]", "Optional[TypeReference['T::None']]"),
    ("T::None[String]", "TypeReference['T::None[String]']"),
    ("File", "File"),
    ("File['x']", "File['x']"),
    ("Resource['file', 'x']", "File['x']"),
    ("Resource[File]", "File"),
    ("Class['foo']", "Class[foo]"),
    ("Class", "Class"),
    ("T::Def", "TypeReference['T::Def']"),
    ("Timespan", "Timespan"),
    ("Timestamp", "Timestamp"),
    ("SemVer", "SemVer"),
    ("SemVer['1.x']", "SemVer['1.x']"),
    ("SemVerRange", "SemVerRange"),
    ("URI", "URI"),
    ("Binary", "Binary"),
    ("Runtime", "Runtime"),
    ("Runtime['ruby', 'Foo']", "Runtime[ruby, 'Foo']"),
    ("Data", "Data"),
    ("RichData", "RichData"),
    ("Array[Data]", "Array[Data]"),
    ("Hash[String, Data]", "Hash[String, Data]"),
    ("Iterable[String]", "Iterable[String]"),
    ("Iterator", "Iterator"),
    ("Init[Integer]", "Init[Integer]"),
    ("Default", "Default"),
    ("Undef", "Undef"),
    ("Numeric", "Numeric"),
    ("Scalar", "Scalar"),
    ("ScalarData", "ScalarData"),
    ("CatalogEntry", "CatalogEntry"),
    ("Any", "Any"),
    ("Puppet::LookupKey", "Puppet::LookupKey"),
];

#[test]
fn types_are_written_as_puppet_writes_them() {
    let parameters = TYPES.iter().enumerate().map(|(n, (type_, _))| format!("{type_} $p{n},\n"));
    let class = format!("class t (\n{}) {{ }}\n", parameters.collect::<String>());
    let files = [ALIASES, &[("manifests/init.pp", class.as_str())]].concat();
    let classes = classes_of("types", &files);
    let parameters = &classes["files"][0]["classes"][0]["params"];
    for (n, (type_, expected)) in TYPES.iter().enumerate() {
        assert_eq!(parameters[n]["type"], *expected, "{type_}");
    }
}

/// Returns a default, the text that Puppet takes for it, and its value if that is literal.
fn defaults() -> Vec<(&'static str, &'static str, Option<Value>)> {
    vec![
        ("-1", "-1", None),
        (r#""x""#, r#""x""#, Some(json!("x"))),
        (r#""x${a}y""#, r#""x${a}y""#, None),
        ("[1, undef, { 'k' => default }]", "[1, undef, { 'k' => default }]", None),
        (
            "{ 'z' => 1, a => [true, 1.50] }",
            "{ 'z' => 1, a => [true, 1.50] }",
            Some(json!({"z": 1, "a": [true, 1.5]})),
        ),
        ("{ 1 => 2 }", "{ 1 => 2 }", None),
        ("undef", "undef", None),
        ("default", "default", None),
        ("/re/", "/re/", None),
        ("fail('x')", "fail('x')", None),
        ("$facts['a']['b']", "$facts['a']['b']", None),
        ("1 + 2 * (3)", "1 + 2 * (3", None),
        ("File", "File", None),
        ("0x1F", "0x1F", Some(json!(31))),
        ("1e3", "1e3", Some(json!(1000.0))),
        ("''", "''", Some(json!(""))),
        (r#""""#, r#""""#, Some(json!(""))),
        ("{ }", "{ }", Some(json!({}))),
        ("[]", "[]", Some(json!([]))),
        ("( 1 )", "( 1", None),
        (r#""é${x}""#, r#""é${x}""#, None),
        ("if true { 1 } else { 2 }", "if true { 1 } else { 2", None),
        ("[ 'a', 'b', ]", "[ 'a', 'b', ]", Some(json!(["a", "b"]))),
        ("$facts.dig('a') |$z| { $z }", "$facts.dig('a') |$z| { $z }", None),
    ]
}

#[test]
fn defaults_have_their_text_and_their_value() {
    let defaults = defaults();
    let parameters = defaults.iter().enumerate();
    let parameters = parameters.map(|(n, (text, ..))| format!("$p{n} = {text},\n"));
    let class = format!("class t (\n{}) {{ }}\n", parameters.collect::<String>());
    let classes = classes_of("defaults", &[("manifests/init.pp", &class)]);
    let parameters = &classes["files"][0]["classes"][0]["params"];
    for (n, (text, source, value)) in defaults.iter().enumerate() {
        assert_eq!(parameters[n].get("default_literal"), value.as_ref(), "{text}");
        assert_eq!(parameters[n]["default_source"], *source);
        assert_eq!(parameters[n].get("type"), None);
    }
}

#[test]
fn errors_are_puppets_first() {
    let classes = classes_of(
        "errors",
        &[
            ("manifests/a.pp", "class t::a { }}"),
            ("manifests/b.pp", "class t::b { $a::b = 1  $c::d = 2 }"),
            ("manifests/c.pp", "class t::c { $a::b = 1 }"),
            ("manifests/d.pp", "class t::d { class t::d::inner($x) { } }"),
            ("manifests/e.pp", "class t::e {"),
            ("types/f.pp", "type T::F = String"),
        ],
    );
    let path = |name: &str| format!("@/modules/t/manifests/{name}.pp");
    let expected = json!([
        { "error": "Syntax error at '}' (file: @/modules/t/manifests/a.pp, line: 1, column: 15)",
          "path": path("a") },
        { "error": "Language validation logged 2 errors. Giving up (file: @/modules/t/manifests/b.pp)",
          "path": path("b") },
        { "error": "Illegal attempt to assign to 'a::b'. Cannot assign to variables in other \
                    namespaces (file: @/modules/t/manifests/c.pp, line: 1, column: 14)",
          "path": path("c") },
        { "classes": [
            { "name": "t::d::t::d::inner", "params": [{ "name": "x" }] },
            { "name": "t::d", "params": [] },
          ],
          "path": path("d") },
        { "error": "Syntax error at end of input (file: @/modules/t/manifests/e.pp)",
          "path": path("e") },
    ]);
    assert_eq!(classes["files"], expected);
}
