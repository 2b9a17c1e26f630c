//! Rules that protect nothing are errors, and while there is one, all data is denied.

use kukla_pcore::Value;

use super::site::{Node, Site, hash};

/// Creates a site with rules, and with data files that are read and files that are not.
fn site(rules: &str) -> Site {
    let mut site = Site::new();
    site.write(
        "env/hiera.yaml",
        "version: 5\nhierarchy:\n  - { name: a, paths: ['secret/all.yaml', 'late/%{facts.role}.yaml'] }\n",
    );
    site.write("env/data/secret/all.yaml", "pw: LEAK\nother: 1\n");
    site.write("env/manifests/site.pp", "");
    site.write("env/README.md", "");
    site.write("out/x.yaml", "");
    site.write("pdl/db/init.pdl", "");
    site.write("global/x.yaml", "");
    site.write(
        "hiera.yaml",
        "version: 5\nhierarchy: [{ name: g, datadir: global, path: none.yaml }]\n",
    );
    for empty in ["env/data/empty", "env/data/late", "env/elsewhere", "pdl/later"] {
        std::fs::create_dir_all(site.path(empty)).expect("it can be made");
    }
    site.places.datalocation = Some(site.text("@/pdl").into());
    site.write("env/data_access", rules);
    site
}

fn ask(rules: &str, key: &str) -> super::site::Answer {
    site(rules).ask(&Node::new(None, hash(vec![("role", Value::from("x"))])), key)
}

/// Expects that every key is denied, with the line and a reason.
#[track_caller]
fn refused(rule: &str, words: &[&str]) {
    let rules = format!("# rules\nkey 'fine' where false\n{rule}\n");
    for key in ["pw", "other", "nothing"] {
        ask(&rules, key).is_closed(&[words, &["line: 3"]].concat());
    }
}

#[track_caller]
fn accepted(rule: &str) {
    let answer = ask(rule, "other");
    assert_eq!(answer.error(), "", "{rule}");
}

/// Expects that a pattern of files is refused.
#[track_caller]
fn refused_file(pattern: &str, words: &[&str]) {
    refused(&format!("file \"{pattern}\" where $trusted['certname'] == 'x'"), words);
}

#[track_caller]
fn refused_key(pattern: &str, words: &[&str]) {
    refused(&format!("key \"{pattern}\" where $trusted['certname'] == 'x'"), words);
}

#[test]
fn the_reproductions() {
    refused_file("./data/secret/*.yaml", &["no `.`"]);
    refused_file(
        "secret/*.yaml",
        &["there is no directory `secret`", "did you mean `data/secret/*.yaml`?"],
    );
    refused_file("data/secret/", &["write `data/secret/*`"]);
    refused_file("data/secret/{all,x}.yaml", &["`{` means nothing in a pattern"]);
    refused_file("data/secret/[a-z]*.yaml", &["`[` means nothing in a pattern"]);
    refused_key("db::hash.pw", &["rules are about top-level keys; write `db::hash`"]);
    refused_key("db::[", &["`[` means nothing in a pattern"]);
    refused("key \"db::*\"", &["`where` is missing"]);
    // An absolute path in the environment is unambiguous, and accepted.
    let answer = ask("file '@/env/data/secret/*.yaml' where false", "pw");
    assert!(!answer.is_leak(), "{answer:?}");
}

#[test]
fn files_that_are_nowhere() {
    refused_file("data/secrt/*.yaml", &["there is no directory `data/secrt`"]);
    refused_file("data/secret/al.yaml", &["there is no such file"]);
    refused_file("data/secret", &["write `data/secret/*`"]);
    refused_file("data/secret/*.yml", &["no level of a hierarchy"]);
    refused_file("data//secret/*.yaml", &["no `//`"]);
    refused_file("data/./secret/*.yaml", &["no `.`"]);
    refused_file("data/../data/secret/*.yaml", &["no `..`"]);
    refused_file("../env/data/secret/*.yaml", &["no `..`"]);
    refused_file("DATA/secret/*.yaml", &["there is no directory `DATA/secret`"]);
    refused_file("env/data/secret/*.yaml", &["there is no directory"]);
    refused_file("elsewhere/*.yaml", &["no level of a hierarchy"]);
    refused_file("data/secret/all.yaml/*", &["there is no directory"]);
    refused_file("@/out/*.yaml", &["outside of the environment"]);
    refused_file("/*", &["outside of the environment"]);
    refused_file("/etc/*", &["outside of the environment"]);
    refused_file("//env/data/secret/*", &["no `//`"]);
    refused_file("https://example.com/*", &["no `//`"]);
    refused_file("data/secret/*.yaml ", &["begins or ends with a space"]);
    refused_file("", &["the pattern is empty"]);
    refused_file("   ", &["the pattern is empty"]);
}

#[test]
fn languages_of_patterns_that_are_not_known() {
    for (pattern, sign) in [
        ("data/secret/al?.yaml", "?"),
        ("data/**/all.yaml", "**"),
        ("data/secret/**", "**"),
        ("data/secret/all].yaml", "]"),
        ("data/secret\\\\all.yaml", "\\"),
        ("data/secret/${facts}.yaml", "{"),
        ("data/secret/a\tb*", "\\t"),
        ("data/secret/\\n*", "\\"),
    ] {
        refused_file(pattern, &[&format!("`{sign}`")]);
    }
    for (pattern, sign) in [
        ("db::{a,b}", "{"),
        ("db::[a-z]*", "["),
        ("db::a?", "?"),
        ("db::**", "**"),
        ("^db::", "^"),
        ("/^db::/", "^"),
        ("db::(a|b)", "("),
        ("$db::pw", "$"),
        ("db::a,db::b", ","),
        ("db::%{x}", "{"),
        ("'db::pw'", "'"),
        ("db::pw\\0", "\\"),
    ] {
        refused_key(pattern, &[&format!("`{sign}`")]);
    }
}

#[test]
fn keys_that_there_cannot_be() {
    refused_key("db.*", &["write `db`"]);
    refused_key("*.pw", &["top-level keys"]);
    refused_key("::db::pw", &["write `db::pw`"]);
    refused_key("db::", &["write `db::*`"]);
    refused_key(" db::pw", &["begins or ends with a space"]);
    refused_key("", &["the pattern is empty"]);
    refused_key(&"a".repeat(5000), &["more than 4096 bytes"]);
}

#[test]
fn conditions_that_are_none() {
    refused("key 'pw'", &["`where` is missing"]);
    refused("file 'data/secret/*'", &["`where` is missing"]);
    refused("key 'pw' where", &["Syntax error at end of line"]);
    refused("key 'pw' where db", &["nothing of `$trusted`"]);
    refused("key 'pw' where 'a' == 'a'", &["nothing of `$trusted`"]);
    refused("key 'pw' where $facts['a'] == 'b'", &["only `$trusted` can"]);
    refused("key 'pw' where $trusted['certname'] == $clientcert", &["only `$trusted` can"]);
    refused("key 'pw' where \"${facts['a']}\" == $trusted['certname']", &["only `$trusted` can"]);
    refused("key 'pw' where $trusted[$facts['a']] == 'b'", &["only `$trusted` can"]);
    refused("key 'pw' where fact('role') == $trusted['certname']", &["`fact` cannot be called"]);
    refused("key 'pw' where getvar('facts.role') == 'db' or $trusted['a']", &["`getvar` cannot"]);
    refused(
        "key 'pw' where lookup('role') == $trusted['certname']",
        &["`lookup` cannot be called"],
    );
    refused("key 'pw' when true", &["where it should end"]);
    refused("keys 'pw' where true", &["`key` or `file`"]);
    refused("key pw where true", &["in quotes"]);
    refused("key 'pw where true", &["Unclosed quote"]);
    refused("\u{feff}key 'pw' where true", &["must start with `key` or `file`"]);
}

#[test]
fn rules_that_fit_something() {
    for rule in [
        "",
        "# nothing\n\n",
        "key 'db::*' where false",
        "key 'db::*' where false\nkey 'db::*' where false",
        "key '*' where true",
        "key 'with space-and_more/x@y+z' where false",
        "key 'Schlüssel' where false",
        "key 'later::pw' where $trusted['extensions']['pp_role'] == 'db'",
        "file 'data/secret/*' where true",
        "file 'data/secret/*.yaml' where true",
        "file 'data/secret/all.yaml' where true",
        "file '*secret*' where true",
        "file '*' where true",
        "file 'data/*/all.yaml' where true",
        "file 'README.md' where false",
        "file 'data/late/*.yaml' where false",
        "file 'data/empty/*.yaml' where false",
        "file '@/env/data/secret/*' where true",
        "file '@/pdl/db/*' where false",
        "file '@/pdl/later/*.pdl' where false",
        "file '@/global/*' where false",
    ] {
        accepted(rule);
    }
}
