//! Conditions: data that a certificate does not have is denied, even where the condition is negated.

use kukla_pcore::Value;

use super::site::{Node, Site, hash};

fn is_seen(condition: &str, trusted: Value) -> bool {
    let site = Site::new();
    site.write("env/hiera.yaml", "version: 5\nhierarchy: [{ name: a, path: common.yaml }]\n");
    site.write("env/data/common.yaml", "pw: LEAK\n");
    site.write("env/data_access", &format!("key 'pw' where {condition}\n"));
    site.ask(&Node { facts: hash(Vec::new()), trusted }, "pw").is_leak()
}

fn web() -> Value {
    let extensions = hash(vec![("pp_role", "web".into())]);
    hash(vec![("certname", "web1".into()), ("extensions", extensions)])
}

#[test]
fn what_is_known_decides() {
    for condition in [
        "$trusted['certname'] == 'web1'",
        "$trusted['extensions']['pp_role'] in ['web', 'db']",
        "$trusted['extensions']['pp_role'] != 'db'",
        "!($trusted['extensions']['pp_role'] == 'db')",
        "$trusted['certname'] =~ /^web/ and $trusted['extensions']['pp_role'] == 'web'",
        "$trusted['extensions']['pp_zone'] == 'x' or $trusted['certname'] == 'web1'",
        "$trusted['certname'] == 'web1' or $trusted['extensions']['pp_zone'] == 'x'",
        "$trusted['extensions']['pp_role']",
        "\"${trusted['certname']}.example.com\" == 'web1.example.com'",
        "true",
    ] {
        assert!(is_seen(condition, web()), "{condition}");
    }
}

#[test]
fn what_is_unknown_is_denied() {
    for condition in [
        "$trusted['extensions']['pp_zone'] == 'x'",
        "$trusted['extensions']['pp_zone'] != 'dmz'",
        "!($trusted['extensions']['pp_zone'] == 'dmz')",
        "$trusted['extensions']['pp_zone'] !~ /dmz/",
        "$trusted['extensions']['pp_zone'] == undef",
        "!$trusted['extensions']['pp_zone']",
        "!($trusted['extensions']['pp_zone'] in ['dmz'])",
        "$trusted['extension']['pp_role'] != 'db'",
        "$trusted['certname']['x'] != 'db'",
        "$trusted['certname'] == 'web1' and $trusted['extensions']['pp_zone'] != 'dmz'",
        "!($trusted['certname'] == 'web1' and $trusted['extensions']['pp_zone'] == 'dmz')",
        "!($trusted['certname'] == 'db1' or $trusted['extensions']['pp_zone'] == 'dmz')",
        "'dmz' != $trusted['extensions']['pp_zone']",
        "[$trusted['extensions']['pp_zone']] != ['dmz']",
        "\"${trusted['extensions']['pp_zone']}\" != 'dmz'",
        "{ a => $trusted['extensions']['pp_zone'] } != { a => 'dmz' }",
        "$trusted['extensions'][$trusted['nothing']] != 'db'",
        "false",
    ] {
        assert!(!is_seen(condition, web()), "{condition}");
    }
    for trusted in [Value::Undef, hash(Vec::new()), Value::from("web1")] {
        assert!(!is_seen("$trusted['certname'] != 'db1'", trusted.clone()));
        assert!(!is_seen("!($trusted['certname'] == 'db1')", trusted));
    }
}

#[test]
fn what_cannot_be_compared_is_no_value() {
    for condition in [
        "$trusted['certname'] < 1",
        "$trusted['certname'] =~ 'web'",
        "!($trusted['certname'] > [1])",
        "$trusted['certname'] =~ /^(w|w|w)*$x/",
    ] {
        assert!(!is_seen(condition, web()), "{condition}");
    }
}
