//! Tests of `auth.conf`: the program decides like an evaluator of the rules that was written for this test only.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::cell::RefCell;
use std::collections::HashMap;

use bumpalo::Bump;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::message::{Message, Request, Tls};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::uri::normalize;
use kukla_plang::{Options, check};
use serde_json::Value;

use super::{program, read};

const CONF: &str = r#"
# Rules in the shapes that Puppet Server's own have.
authorization: {
    version: 1
    rules: [
        {
            match-request: { path: "^/puppet/v3/catalog/([^/]+)$", type: regex, method: [get, post] }
            allow: "$1"
            sort-order: 500
            name: "catalog"
        },
        {
            match-request: { path: "/puppet-ca/v1/certificate/", type: path, method: get }
            allow-unauthenticated: true
            sort-order: 500
            name: "certificate"
        },
        {
            match-request: { path: "/puppet-ca/v1/certificate_status", type: path, method: [get, put, delete] }
            allow: [ { extensions: { pp_cli_auth: "true" } }, { certname: "ca.example.com" } ]
            sort-order: 500
            name: "status"
        },
        {
            match-request: { path: "/puppet/v3/environments", type: path
                             query-params: { environment: [production, test] } }
            allow: "*"
            deny: [ "bad.example.com", "*.evil.org", "/^x[0-9]+$/" ]
            sort-order: 400
            name: "environments"
        },
        {
            match-request { path = "/puppet/v3/file_", type = path }
            allow = [ "*.example.com", { certname: "agent1", extensions: { pp_role: [web, db] } } ]
            sort-order = 500, name = "files"
        }
        {
            match-request: { path: "/puppet/v3/report/(.*)", type: regex, method: put }
            allow: ["$1", "relay-$1.example.com"]
            sort-order: 500
            name: "report"
        }
        {
            match-request: { path: "/", type: path }
            deny: "*"
            sort-order: 999
            name: "deny all"
        }
    ]
}
"#;

struct Case {
    method: &'static str,
    path: String,
    query: &'static str,
    certname: Option<&'static str>,
    extension: Option<(&'static str, &'static str)>,
}

/// Evaluates rules as Puppet Server's documentation describes them; shares no code with the importer.
fn allows(case: &Case, rules: &[Value]) -> bool {
    let mut rules: Vec<&Value> = rules.iter().collect();
    let name = |rule: &Value| rule["name"].as_str().unwrap_or_default().to_owned();
    rules.sort_by_key(|rule| (rule["sort-order"].as_i64(), name(rule)));
    let Some((rule, groups)) = rules.iter().find_map(|rule| Some((rule, fits(case, rule)?))) else {
        return false;
    };
    if rule["allow-unauthenticated"].as_bool() == Some(true) {
        return true;
    }
    let Some(certname) = case.certname else { return false };
    let any =
        |key: &str| entries(&rule[key]).iter().any(|entry| is(entry, certname, case, &groups));
    !any("deny") && any("allow")
}

/// Caches compiled patterns: compiling one takes much longer than using it.
fn pattern(text: &str) -> regex::Regex {
    thread_local!(static KNOWN: RefCell<HashMap<String, regex::Regex>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| match known.get(text) {
        Some(regex) => regex.clone(),
        None => {
            let regex = regex::Regex::new(text).expect("it is a pattern");
            known.insert(text.to_owned(), regex.clone());
            regex
        }
    })
}

fn entries(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(values) => values.clone(),
        value => vec![value.clone()],
    }
}

fn fits(case: &Case, rule: &Value) -> Option<Vec<String>> {
    let request = &rule["match-request"];
    let path = request["path"].as_str().unwrap_or_default();
    let groups = if request["type"] == "regex" {
        let found = pattern(path).captures(&case.path)?;
        found.iter().map(|group| group.map_or(String::new(), |g| g.as_str().to_owned())).collect()
    } else if case.path.starts_with(path) {
        Vec::new()
    } else {
        return None;
    };
    let methods = entries(&request["method"]);
    let has_method =
        methods.iter().any(|m| m.as_str().unwrap_or_default().to_uppercase() == case.method);
    if !methods.is_empty() && !has_method {
        return None;
    }
    if let Some(params) = request["query-params"].as_object() {
        for (name, values) in params {
            let wanted = entries(values);
            let mut pairs = case.query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, value)| key == name && wanted.iter().any(|w| w == value))?;
        }
    }
    Some(groups)
}

fn is(entry: &Value, certname: &str, case: &Case, groups: &[String]) -> bool {
    if let Some(map) = entry.as_object() {
        return map.iter().all(|(key, value)| match key.as_str() {
            "certname" => is(value, certname, case, groups),
            _ => value.as_object().is_some_and(|wanted| {
                wanted.iter().all(|(name, values)| {
                    let has = |value: &Value| {
                        case.extension == value.as_str().map(|v| (name.as_str(), v))
                    };
                    entries(values).iter().any(has)
                })
            }),
        });
    }
    let name = entry.as_str().unwrap_or_default();
    if name == "*" {
        return true;
    }
    if name.len() > 1 && name.starts_with('/') && name.ends_with('/') {
        return pattern(&name[1..name.len() - 1]).is_match(certname);
    }
    if let Some(domain) = name.strip_prefix('*') {
        return certname.to_lowercase().ends_with(&domain.to_lowercase());
    }
    let mut name = name.to_owned();
    if let Some(group) = groups.get(1) {
        name = name.replace("$1", group);
    }
    name.eq_ignore_ascii_case(certname)
}

/// A small pseudo-random generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list[(self.0 >> 33) as usize % list.len()]
    }
}

fn case(dice: &mut Dice) -> Case {
    let names = [
        "agent1",
        "agent2",
        "Agent1",
        "bad.example.com",
        "a.example.com",
        "h.evil.org",
        "x12",
        "ca.example.com",
    ];
    let prefix = dice.pick(&[
        "/puppet/v3/catalog/",
        "/puppet-ca/v1/certificate/",
        "/puppet-ca/v1/certificate_status/",
        "/puppet/v3/environments",
        "/puppet/v3/file_metadata/",
        "/puppet/v3/report/",
        "/other/",
        "/puppet/v3/catalog",
        "//puppet/v3/report/",
    ]);
    let certname = dice.pick(&[
        Some("agent1"),
        Some("agent2"),
        Some("bad.example.com"),
        Some("a.example.com"),
        Some("h.evil.org"),
        Some("x12"),
        Some("ca.example.com"),
        Some("relay-agent1.example.com"),
        None,
    ]);
    Case {
        method: dice.pick(&["GET", "POST", "PUT", "DELETE", "HEAD"]),
        path: format!("{prefix}{}", dice.pick(&names)),
        query: dice.pick(&[
            "",
            "environment=production",
            "environment=dev",
            "environment=dev&environment=test",
            "x=1",
        ]),
        certname,
        extension: dice.pick(&[
            None,
            Some(("pp_cli_auth", "true")),
            Some(("pp_role", "web")),
            Some(("pp_role", "app")),
        ]),
    }
}

/// Returns a path that one of the rules may match.
fn path_of(rules: &[Value], dice: &mut Dice) -> String {
    let index = dice.pick(&(0..rules.len()).collect::<Vec<_>>());
    let path = rules[index]["match-request"]["path"].as_str().unwrap_or_default();
    let path = path.split('(').next().unwrap_or_default();
    let path = path.trim_start_matches('^').trim_end_matches('$').replace("\\", "");
    format!("{path}{}", dice.pick(&["", "/", "agent1", "/agent1", "agent2/x", "?"]))
}

#[test]
fn the_program_decides_as_the_rules_do() {
    // AUTH_CONF names another file to test, such as that of a real server.
    let file = std::env::var("AUTH_CONF").ok();
    let conf = file.map(|path| std::fs::read_to_string(path).expect("it can be read"));
    let conf = conf.as_deref().unwrap_or(CONF);
    let rules = read(conf).expect("it can be read");
    let rules = rules["authorization"]["rules"].as_array().expect("a list").clone();
    let text = program(conf).expect("it can be imported");
    let checked = check(&text, &Options::default());
    assert_eq!(checked.diagnostics, [], "in\n{text}");
    let compiled = Compiled::new(checked.program.expect("it can be run"));
    let n_cases = std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000);
    let mut dice = Dice(7);
    let mut arena = Bump::new();
    let mut n_allowed = 0;
    for _ in 0..n_cases {
        let mut case = case(&mut dice);
        if dice.pick(&[true, false]) {
            case.path = path_of(&rules, &mut dice);
        }
        // Both evaluators see the normalized path.
        case.path = String::from_utf8_lossy(&normalize(case.path.as_bytes())).into_owned();
        let expected = allows(&case, &rules);
        let found = decide(&compiled, &case, &arena);
        assert_eq!(
            found, expected,
            "{} {}?{} {:?} {:?}",
            case.method, case.path, case.query, case.certname, case.extension
        );
        n_allowed += usize::from(found);
        arena.reset();
    }
    assert!(n_allowed > n_cases / 50, "enough is allowed: {n_allowed}");
}

fn decide(compiled: &Compiled, case: &Case, arena: &Bump) -> bool {
    let extensions: Vec<(String, String)> = case
        .extension
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let tls = Tls {
        is_verified: case.certname.is_some(),
        common_name: case.certname.map(str::as_bytes),
        alt_names: &[],
        extensions: &extensions,
    };
    let request = Request {
        method: case.method.as_bytes(),
        path: case.path.as_bytes(),
        query: case.query.as_bytes(),
        tls,
        ..Request::default()
    };
    let message = Message::new(request);
    let transaction = Transaction::new(&message, arena, &compiled.program.limits);
    compiled::run(compiled, transaction, &mut NoServices).verdict(&compiled.program).is_allowed()
}

#[test]
fn what_is_not_known_is_refused() {
    let error = |text: &str| program(text).expect_err("it is refused").to_string();
    assert_eq!(
        error("a: ${?b}"),
        "`b` is not in the file, and environment variables of the server are unknown: \
         write its value instead of the substitution"
    );
    assert_eq!(error("include \"x\""), "line 1: `include` is not supported");
    assert_eq!(error("a: 1"), "there is no list `authorization.rules`");
    assert_eq!(
        error("\na: [1"),
        "line 2: List should have ended with ] or had a comma, instead had token: end of file \
         (if you want end of file to be part of a string value, then double-quote it)"
    );
    let rule =
        |rest: &str| format!("authorization {{ rules: [ {{ name: r, sort-order: 1, {rest} }} ] }}");
    assert_eq!(error(&rule("x: 1")), "rule `r`: `x` is not known");
    let request = "match-request { path: \"/\", type: path }";
    assert_eq!(
        error(&rule(&format!("{request}, allow: \"$1\""))),
        "rule `r`: `$1`: `$` needs a number and a rule of type `regex`"
    );
}
