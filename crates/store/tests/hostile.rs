//! Hostile queries: no text of a query becomes SQL, and what is too large or nested too deeply is refused.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

#[expect(dead_code, reason = "other tests compare recorded answers")]
mod support;

use kukla_store::Dialect;
use kukla_store::query::{Limits, Request};
use serde_json::{Value, json};
use support::{Engine, Fleet};

/// Texts that mean something to SQL, to regular expressions, to JSON paths, or to formats of times.
const TEXTS: [&str; 24] = [
    "'; DROP TABLE nodes; --",
    "' OR '1'='1",
    "\" OR 1=1 --",
    "x' UNION SELECT certname FROM nodes --",
    "?1",
    "$1",
    ":name",
    "%s%n",
    "\\",
    "\\'",
    "`nodes`",
    "[nodes]",
    "/* */",
    "\u{0}",
    "\u{202e}",
    "𝒳'",
    "a\nb",
    "$.a",
    "$[0]",
    "$**",
    "c0",
    "n.certname",
    "(SELECT 1)",
    "'||(SELECT certname FROM nodes)||'",
];

/// Asks a query, and returns the rows, or the status of a refusal.
fn ask(fleet: &Fleet, entity: &str, query: &Value) -> Result<Vec<Value>, u16> {
    let answer = fleet.get(entity, &[("query", &query.to_string())]);
    match answer {
        Ok(answer) => Ok(serde_json::from_str(&answer.body).expect("JSON")),
        Err(error) => Err(error.status()),
    }
}

#[test]
fn texts_of_sql_are_values() {
    texts_are_values(Engine::Sqlite);
}

#[test]
fn needs_postgresql_texts_of_sql_are_values() {
    texts_are_values(Engine::Postgres);
}

fn texts_are_values(engine: Engine) {
    let fleet = Fleet::new(engine);
    let all = ask(&fleet, "nodes", &json!(["extract", "certname"])).expect("rows").len();
    let mut n_queries = 0;
    for text in TEXTS {
        for (entity, query) in [
            ("nodes", json!(["=", "certname", text])),
            ("nodes", json!(["in", "certname", ["array", [text]]])),
            ("nodes", json!(["=", ["fact", text], text])),
            ("facts", json!(["=", "name", text])),
            ("fact-contents", json!(["=", "path", [text, text]])),
            ("fact-contents", json!(["~>", "path", ["^nosuch$", text]])),
            ("inventory", json!(["=", format!("facts.{text}"), text])),
            (
                "inventory",
                json!(["extract", ["certname", format!("facts.{text}")], ["=", "certname", text]]),
            ),
            ("resources", json!(["=", ["parameter", text], text])),
            ("resources", json!(["=", format!("parameters.{text}"), text])),
            ("resources", json!(["=", "tag", text])),
            (
                "reports",
                json!([
                    "extract",
                    [["function", "to_string", "end_time", text]],
                    ["=", "certname", text]
                ]),
            ),
            ("events", json!(["=", "new_value", text])),
            // Regular expressions that are none are refused.
            ("nodes", json!(["and", ["~", "certname", text], ["=", "certname", "none"]])),
        ] {
            n_queries += 1;
            match ask(&fleet, entity, &query) {
                Ok(rows) => assert!(rows.is_empty(), "{entity} {query}: {rows:?}"),
                Err(status) => assert_eq!(status, 400, "{entity} {query}"),
            }
        }
        for (entity, query) in [
            ("nodes", json!(["=", text, "x"])),
            ("nodes", json!([text, "certname", "x"])),
            ("nodes", json!(["extract", [text]])),
            ("nodes", json!(["extract", [["function", text]]])),
            ("nodes", json!(["extract", [["function", "count", text]]])),
            ("nodes", json!(["extract", [["function", "count"]], ["group_by", text]])),
            ("nodes", json!(["in", "certname", ["extract", text, ["select_nodes"]]])),
            ("nodes", json!(["in", "certname", ["from", text, ["extract", "certname"]]])),
            ("nodes", json!(["subquery", text, ["=", "certname", "x"]])),
            ("nodes", json!(["=", "node_state", text])),
        ] {
            n_queries += 1;
            assert_eq!(ask(&fleet, entity, &query), Err(400), "{entity} {query}");
        }
        for name in
            ["limit", "offset", "order_by", "counts_filter", "summarize_by", "count_by", text]
        {
            n_queries += 1;
            let entity = if name.starts_with("count") || name == "summarize_by" {
                "event-counts"
            } else {
                "nodes"
            };
            let parameters = [("summarize_by", "certname"), (name, text)];
            let parameters = if entity == "nodes" { &parameters[1..] } else { &parameters[..] };
            let error = fleet.get(entity, parameters).expect_err(name);
            assert_eq!(error.status(), 400, "{name}={text}: {error}");
        }
        let order = json!([{"field": text}]).to_string();
        assert_eq!(
            fleet.get("nodes", &[("order_by", &order)]).map_err(|e| e.status()).err(),
            Some(400)
        );
        let pql = format!("nodes {{ certname = {} }}", json!(text));
        let found = fleet.get("", &[("query", &pql)]).map(|answer| answer.body);
        assert!(found.as_deref().is_ok_and(|body| body == "[]"), "{pql}: {found:?}");
        n_queries += 2;
    }
    assert!(n_queries >= 700, "{n_queries}");
    let left = ask(&fleet, "nodes", &json!(["extract", "certname"])).expect("rows").len();
    assert_eq!(left, all);
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}

/// Cuts, doubles and exchanges parts of texts.
fn mutated(numbers: &mut Numbers, text: &str, texts: &[(String, String)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..numbers.below(4) {
        let at = numbers.below(chars.len() + 1);
        let end = (at + numbers.below(12)).min(chars.len());
        let other: Vec<char> = texts[numbers.below(texts.len())].1.chars().collect();
        let from = numbers.below(other.len() + 1);
        let part = &other[from..(from + numbers.below(20)).min(other.len())];
        match numbers.below(3) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..end, part.iter().copied())),
            _ => drop(chars.splice(at..at, "[]{}()\"\\'~!.,?$#ü\0".chars().nth(numbers.below(18)))),
        }
    }
    chars.into_iter().collect()
}

/// Returns recorded queries with their entities.
fn recorded_queries() -> Vec<(String, String)> {
    let recorded = include_str!("puppetdb/recorded.jsonl");
    let requests = recorded.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let queries = requests.filter_map(|request: Value| {
        let path = request["path"].as_str()?.strip_prefix("/pdb/query/v4")?.trim_start_matches('/');
        Some((path.to_owned(), request["parameters"]["query"].as_str()?.to_owned()))
    });
    queries.filter(|(path, _)| !path.contains('/')).collect()
}

#[test]
fn mutated_queries_become_sql_without_their_text() {
    let texts = recorded_queries();
    let limits = Limits::default();
    let mut numbers = Numbers(7);
    let (mut n_compiled, mut n_refused) = (0, 0);
    for _ in 0..20_000 {
        let (entity, text) = &texts[numbers.below(texts.len())];
        let query = [("query".to_owned(), mutated(&mut numbers, text, &texts))];
        for dialect in [Dialect::Sqlite, Dialect::PostgreSql] {
            let compiled = Request::get(&[entity.as_str()], &query, &limits)
                .and_then(|request| request.compile(dialect, &limits));
            match compiled {
                Ok(compiled) => {
                    n_compiled += 1;
                    assert!(compiled.sql.is_ascii(), "{query:?}: {}", compiled.sql);
                    assert_eq!(
                        compiled.sql.matches('?').count(),
                        compiled.parameters.len(),
                        "{query:?}"
                    );
                }
                Err(error) => {
                    n_refused += 1;
                    assert!(matches!(error.status(), 400 | 413), "{query:?}: {error}");
                }
            }
        }
    }
    assert!(n_compiled > 1000 && n_refused > 1000, "{n_compiled} compiled, {n_refused} refused");
}

#[test]
fn large_queries_are_refused() {
    refuse_large_queries(Engine::Sqlite);
}

#[test]
fn needs_postgresql_large_queries_are_refused() {
    refuse_large_queries(Engine::Postgres);
}

/// Mutated queries are answered or refused, and none of them fails in the database.
#[test]
fn needs_postgresql_mutated_queries_never_fail_within_the_database() {
    let fleet = Fleet::new(Engine::Postgres);
    let texts = recorded_queries();
    let mut numbers = Numbers(11);
    let mut counts = [0, 0];
    for _ in 0..3000 {
        let (entity, text) = &texts[numbers.below(texts.len())];
        let query = mutated(&mut numbers, text, &texts);
        match fleet.get(entity, &[("query", &query)]) {
            Ok(_) => counts[0] += 1,
            Err(error) => {
                counts[1] += 1;
                assert!(matches!(error.status(), 400 | 404 | 413), "{entity} {query}: {error}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

fn refuse_large_queries(engine: Engine) {
    let fleet = Fleet::new_empty(engine);
    let nested =
        |n: usize| format!("{}[\"=\",\"certname\",\"a\"]{}", "[\"not\",".repeat(n), "]".repeat(n));
    let status =
        |query: &str| fleet.get("nodes", &[("query", query)]).map_err(|error| error.status()).err();
    assert_eq!(status(&nested(20)), None);
    assert_eq!(status(&nested(70)), Some(413));
    // What JSON itself does not nest is an error of the text.
    assert_eq!(status(&nested(10_000)), Some(400));
    let many: Vec<String> = (0..40_000).map(|n| n.to_string()).collect();
    assert_eq!(status(&json!(["in", "certname", ["array", many]]).to_string()), None);
    let many: Vec<Value> = (0..40_000).map(|_| json!(["=", "certname", "a"])).collect();
    assert_eq!(status(&json!(["or", many]).to_string()), Some(413));
    assert_eq!(status(&format!("[\"=\",\"certname\",\"{}\"]", "a".repeat(2_000_000))), Some(413));
    let parentheses = format!("nodes {{ {}certname = 'a'{} }}", "(".repeat(5000), ")".repeat(5000));
    let error = fleet.get("", &[("query", &parentheses)]).expect_err("too deep");
    assert_eq!(error.status(), 400);
    let marks = format!("nodes {{ {}certname = 'a' }}", "!".repeat(5000));
    assert_eq!(
        fleet.get("", &[("query", &marks)]).map_err(|error| error.status()).err(),
        Some(400)
    );
    let patterns: Vec<Value> = (0..300).map(|_| json!(["~", "certname", "a"])).collect();
    assert_eq!(status(&json!(["or", patterns]).to_string()), Some(413));
    let expression = json!(["~", "certname", "(a{1000}){1000}"]).to_string();
    assert_eq!(status(&expression), Some(400));
}
