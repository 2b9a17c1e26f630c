//! PDL: every example of the proposal by name, the order of precedence, and errors.

use std::sync::Arc;

use kukla_lookup::pdl::parse;
use kukla_lookup::{Fault, FoundValue, Host, Layers, ModulePlace, Places, Session, Variable};
use kukla_pcore::convert::ConvertError;
use kukla_pcore::{Type, Value, ruby};
use kukla_world::Memory;

/// A host with facts and one function.
struct Facts(&'static [(&'static str, &'static str)]);

impl Host for Facts {
    fn variable(&mut self, name: &str) -> Variable {
        let name = name.strip_prefix("::").expect("data see the top scope");
        match self.0.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => Variable::Value(Value::from(*value)),
            None => Variable::Unknown(None),
        }
    }

    fn call_pure(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
        match (name, arguments) {
            ("upcase", [Value::String(text)]) => Ok(Value::from(text.to_uppercase().as_str())),
            _ => Err(Fault::lookup(format!("the function `{name}` cannot be called in data"))),
        }
    }

    fn convert(&mut self, _: &Type, _: &[Value]) -> Result<Value, ConvertError> {
        Err(ConvertError::new("nothing is converted here"))
    }
}

fn look(
    files: &[(&str, &str)],
    facts: &'static [(&'static str, &'static str)],
    name: &str,
) -> Result<Option<FoundValue>, Fault> {
    let mut memory = Memory::default();
    for (path, text) in files {
        memory.insert(*path, *text);
    }
    let mut places = Places {
        hiera_config: "/etc/hiera.yaml".into(),
        directory: Some("/env".into()),
        datalocation: Some("/site".into()),
        ..Places::default()
    };
    let ntp = ModulePlace { directory: "/modules/ntp".into(), data_provider: None };
    places.modules.insert("ntp".into(), ntp);
    Session::new(Arc::new(Layers::new(Arc::new(memory), places))).parameter(&mut Facts(facts), name)
}

/// Checks the value in Ruby's notation, and its place.
#[track_caller]
fn check(
    files: &[(&str, &str)],
    facts: &'static [(&'static str, &'static str)],
    name: &str,
    expected: &str,
) {
    let shown = match look(files, facts, name) {
        Ok(Some(FoundValue { value, origins, .. })) => {
            let origin = origins.first().map(|at| format!(" at {}:{}", at.file, at.line));
            format!("{}{}", ruby::inspect(&value), origin.unwrap_or_default())
        }
        Ok(None) => "nothing".to_owned(),
        Err(fault) => fault.to_string(),
    };
    assert_eq!(shown, expected);
}

const INIT: &str = "/modules/ntp/data/init.pdl";
const CLIENT: &str = "/modules/ntp/data/client.pdl";

#[test]
fn key_value_pair_of_class_ntp() {
    let files = [(INIT, "$server = \"time.ntp.org\"\n")];
    check(&files, &[], "ntp::server", "\"time.ntp.org\" at /modules/ntp/data/init.pdl:1");
}

#[test]
fn key_value_pair_of_class_ntp_client() {
    check(
        &[(CLIENT, "$iburst = true")],
        &[],
        "ntp::client::iburst",
        "true at /modules/ntp/data/client.pdl:1",
    );
}

const SERVERS: &str = "$server = \"time.apple.com\" where $operatingsystem == \"darwin\"\n\
    $server = \"time.ntp.org\" where $operatingsystem == \"debian\"\n$server = \"time2.ntp.org\"\n";

#[test]
fn server_by_operating_system() {
    let place = "at /modules/ntp/data/init.pdl";
    let check =
        |facts, expected: String| check(&[(INIT, SERVERS)], facts, "ntp::server", &expected);
    check(&[("operatingsystem", "Darwin")], format!("\"time.apple.com\" {place}:1"));
    check(&[("operatingsystem", "Debian")], format!("\"time.ntp.org\" {place}:2"));
    check(&[("operatingsystem", "Solaris")], format!("\"time2.ntp.org\" {place}:3"));
    check(&[], format!("\"time2.ntp.org\" {place}:3"));
}

#[test]
fn iburst_by_hardware_type() {
    let files = [(CLIENT, "$iburst = false where $hardware_type == \"laptop\"\n$iburst = true\n")];
    check(
        &files,
        &[("hardware_type", "laptop")],
        "ntp::client::iburst",
        "false at /modules/ntp/data/client.pdl:1",
    );
    check(
        &files,
        &[("hardware_type", "server")],
        "ntp::client::iburst",
        "true at /modules/ntp/data/client.pdl:2",
    );
}

/// The proposal misses a quote, and breaks the line within the parentheses.
#[test]
fn server_by_hardware_type_and_domain() {
    let files = [(
        CLIENT,
        "$server = \"time.puppetlabs.lan\" where ($hardware_type == \"laptop\" and\n$domain == \"puppetlabs.lan\")\n",
    )];
    let name = "ntp::client::server";
    let found = "\"time.puppetlabs.lan\" at /modules/ntp/data/client.pdl:1";
    check(&files, &[("hardware_type", "laptop"), ("domain", "puppetlabs.lan")], name, found);
    check(&files, &[("hardware_type", "laptop"), ("domain", "example.com")], name, "nothing");
    check(&files, &[("domain", "puppetlabs.lan")], name, "nothing");
}

#[test]
fn site_file_supplants_the_module() {
    let files = [
        (INIT, "$server = \"time.ntp.org\""),
        ("/site/ntp/init.pdl", "$server = \"time.mydomain.com\""),
    ];
    check(&files, &[], "ntp::server", "\"time.mydomain.com\" at /site/ntp/init.pdl:1");
    let files = [("/site/ntp/client.pdl", "$iburst = true")];
    check(&files, &[], "ntp::client::iburst", "true at /site/ntp/client.pdl:1");
}

#[test]
fn site_file_may_keep_the_data_directory() {
    let files = [("/site/ntp/data/init.pdl", "$server = \"time.mydomain.com\"")];
    check(&files, &[], "ntp::server", "\"time.mydomain.com\" at /site/ntp/data/init.pdl:1");
}

#[test]
fn bare_name_in_the_site_library() {
    let files = [
        ("/site/ntp/init.pdl", "$server = \"time.mydomain.com\""),
        ("/site/site.pdl", "$admin_group = \"corp_dev\""),
    ];
    check(&files, &[], "ntp::server", "\"time.mydomain.com\" at /site/ntp/init.pdl:1");
    check(&files, &[], "ntp::admin_group", "\"corp_dev\" at /site/site.pdl:1");
}

#[test]
fn qualified_name_in_the_site_library() {
    let files =
        [("/site/site.pdl", "$ntp::server = \"time.mydomain.com\"\n$admin_group = \"corp_dev\"\n")];
    check(&files, &[], "ntp::server", "\"time.mydomain.com\" at /site/site.pdl:1");
    check(&files, &[], "ntp::admin_group", "\"corp_dev\" at /site/site.pdl:2");
    check(&files, &[], "ntp::client::server", "nothing");
}

const PACKAGES: &str = "[{\"name\"=>\"puppet\", \"ensure\"=>\"installed\"}, \
    {\"name\"=>\"puppetmaster\", \"ensure\"=>\"installed\"}] at /modules/ntp/data/init.pdl:1";

#[test]
fn array() {
    let files = [(
        INIT,
        "$packages = [ \"one\", \"two\", \"three\" ] where $operatingsystem == \"debian\"",
    )];
    let expected = "[\"one\", \"two\", \"three\"] at /modules/ntp/data/init.pdl:1";
    check(&files, &[("operatingsystem", "debian")], "ntp::packages", expected);
}

#[test]
fn array_of_hashes_in_the_style_of_ruby() {
    let text = "$packages = [ { \"name\" => \"puppet\", \"ensure\" => \"installed\" }, { \"name\" =>\n\"puppetmaster\", \"ensure\" => \"installed\" }, ] where $operatingsystem == \"debian\"";
    check(&[(INIT, text)], &[("operatingsystem", "debian")], "ntp::packages", PACKAGES);
}

#[test]
fn array_of_hashes_in_the_style_of_json() {
    let text = "$packages = [ { \"name\":\"puppet\", \"ensure\":\"installed\" }, {\n\"name\":\"puppetmaster\",\"ensure\":\"installed\" }, ] where $operatingsystem == \"debian\"";
    check(&[(INIT, text)], &[("operatingsystem", "debian")], "ntp::packages", PACKAGES);
}

#[test]
fn elements_are_not_assigned() {
    let files = [(INIT, "# no\n$packages[0] = \"foo\" where $operatingsystem == \"debian\"")];
    let expected = "elements cannot be assigned: give `$packages` its whole value (file: /modules/ntp/data/init.pdl, line: 2, column: 1)";
    check(&files, &[], "ntp::packages", expected);
}

#[test]
fn variables_and_functions_in_values() {
    let files = [(
        INIT,
        "$server = $my_puppet_master\n$group = \"g-${site}-$role\"\n$loud = upcase($role)\n$file = create_resources('x')\n",
    )];
    let facts = &[("my_puppet_master", "pm"), ("site", "north"), ("role", "web")];
    check(&files, facts, "ntp::server", "\"pm\" at /modules/ntp/data/init.pdl:1");
    check(&files, facts, "ntp::group", "\"g-north-web\" at /modules/ntp/data/init.pdl:2");
    check(&files, facts, "ntp::loud", "\"WEB\" at /modules/ntp/data/init.pdl:3");
    check(
        &files,
        facts,
        "ntp::file",
        "the function `create_resources` cannot be called in data (file: /modules/ntp/data/init.pdl, line: 4, column: 9)",
    );
    check(
        &files,
        &[],
        "ntp::server",
        "unknown variable: 'my_puppet_master' (file: /modules/ntp/data/init.pdl, line: 1, column: 11)",
    );
}

/// All sources of a value, in order of precedence. Without the first, the next one counts.
#[test]
fn order_of_precedence() {
    let hiera = "version: 5\nhierarchy:\n  - name: C\n    path: c.yaml\n";
    let all = [
        ("/site/ntp/init.pdl", "$server = 1"),
        ("/site/site.pdl", "$server = 2"),
        ("/etc/data/c.yaml", "ntp::server: 3"),
        ("/env/data/c.yaml", "ntp::server: 4"),
        (INIT, "$server = 5"),
        ("/modules/ntp/data/c.yaml", "ntp::server: 6"),
    ];
    let configs = ["/etc/hiera.yaml", "/env/hiera.yaml", "/modules/ntp/hiera.yaml"];
    for first in 0..all.len() {
        let mut files: Vec<(&str, &str)> = configs.iter().map(|path| (*path, hiera)).collect();
        files.extend(&all[first..]);
        check(&files, &[], "ntp::server", &format!("{} at {}:1", first + 1, all[first].0));
    }
    check(&[], &[], "ntp::server", "nothing");
}

#[test]
fn conditions() {
    let holds = |condition: &str| {
        let text = format!("$x = 1 where {condition}");
        let facts = &[("a", "Web1"), ("b", "x")];
        look(&[(INIT, &text)], facts, "ntp::x").map(|found| found.is_some())
    };
    for condition in [
        "$a == 'web1'",
        "$a != 'x'",
        "!($a == 'x')",
        "$a =~ /^Web/",
        "$a !~ /^web/",
        "$a in [x, web1]",
        "'eb' in $a",
        "$a == 'x' or $b == 'x'",
        "$b == 'x' and ($a == 'y' or $a == 'web1')",
        "2 > 1",
        "1 <= 1.0",
        "'a' < 'B'",
        "!$nope",
        "{a => 1} == {a => 1}",
        "'k' in {k => 1}",
        "/eb/ in [$a]",
        "true",
    ] {
        assert_eq!(holds(condition), Ok(true), "{condition}");
    }
    for condition in
        ["$nope", "$a == 'x'", "$a in []", "1 > 2", "$a == 'web1' and $b == 'y'", "false", "undef"]
    {
        assert_eq!(holds(condition), Ok(false), "{condition}");
    }
}

#[test]
fn what_is_no_pdl() {
    for (text, line, column, message) in [
        ("server = 1", 1, 1, "a line must start with `$name =`"),
        ("$a 1", 1, 4, "Syntax error at '1'"),
        ("\n$a = ", 2, 5, "Syntax error at end of line"),
        ("$a = 1 2", 1, 8, "the line goes on where it should end"),
        ("$a = 'x", 1, 6, "Unclosed quote after \"'\" followed by 'x...'"),
        ("$a = [1", 1, 8, "Syntax error at end of line"),
        ("$a = {x 1}", 1, 9, "Syntax error at '1'"),
        ("$a = 1 where", 1, 13, "Syntax error at end of line"),
        ("$a = 1\n$ = 2", 2, 1, "a name must follow `$`"),
        ("$a = 1 ~ 2", 1, 8, "the line goes on where it should end"),
        (
            "$a = 99999999999999999999",
            1,
            6,
            "A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0x56bc75e2d630fffff'",
        ),
    ] {
        let error = parse(text).expect_err(text);
        let place = error.place();
        let actual = (place.line, place.column, error.message());
        assert_eq!(actual, (line, column, message), "{text}");
    }
    assert!(parse(&format!("$a = {}", "[".repeat(100_000))).is_err());
}

#[test]
fn strings_have_escapes_variables_and_any_word() {
    let facts = &[("host", "web"), ("Abc", "capital")];
    for (value, expected) in [
        (r#""a\tb\n\s\$x\"\\""#, r#""a\tb\n $x\"\\""#),
        (r#""\d\u0041""#, r#""du0041""#),
        (r"'\d\\\''", r#""\\d\\'""#),
        ("\"one\ntwo\"", r#""one\ntwo""#),
        ("\"one\\\ntwo\"", r#""one\ntwo""#),
        (r#""$host:8080 $ ${ host }/$Abc/${Abc}""#, r#""web:8080 $ web/capital/capital""#),
        (r#""${host == 'WEB'} ${upcase('x')}""#, r#""true X""#),
        (
            "[Debian, in, class, Foo::bar, -1, 0x1F, 010, 1.5e3]",
            r#"["Debian", "in", "class", "Foo::bar", -1, 31, 8, 1500.0]"#,
        ),
    ] {
        let text = format!("$x = {value}");
        let found = look(&[(INIT, &text)], facts, "ntp::x").expect(value).expect(value);
        assert_eq!(ruby::inspect(&found.value), expected, "{value}");
    }
}

#[test]
fn a_long_chain_of_operators_is_evaluated() {
    let text = format!("$x = 1 where false{}", " or false or true".repeat(4_000));
    check(&[(INIT, &text)], &[], "ntp::x", "1 at /modules/ntp/data/init.pdl:1");
}

#[test]
fn a_fault_names_the_place_of_the_expression() {
    let place = "file: /modules/ntp/data/init.pdl, line";
    for (text, expected) in [
        ("$x = [\n  1,\n  $nope,\n]", format!("unknown variable: 'nope' ({place}: 3, column: 3)")),
        (
            "$x = 1 where 'a' == 'a' and\u{20}1 < 'b'",
            format!("Comparison of: Integer < String, is not possible ({place}: 1, column: 31)"),
        ),
        (
            "$x = 1 where 'a' =~ 'b'",
            format!("a pattern is expected behind `=~` ({place}: 1, column: 18)"),
        ),
    ] {
        check(&[(INIT, text)], &[], "ntp::x", &expected);
    }
}
