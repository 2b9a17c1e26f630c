//! Queries of the store: a query that is read becomes SQL without any text of it.

use kukla_store::Dialect;
use kukla_store::query::{Limits, Request};

/// Entities that are asked with a query as JSON; PQL names its own.
const ENTITIES: [&str; 9] =
    ["nodes", "facts", "fact-contents", "fact-paths", "inventory", "resources", "reports", "events", "event-counts"];

/// Reads a query at the root and at entities, and writes it for both dialects.
pub(crate) fn run(text: &str) {
    let limits = Limits { size: 2_000, ..Limits::default() };
    let parameter = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let query = [parameter("query", text)];
    if let Ok(request) = Request::get(&[""], &query, &limits) {
        check(&request, &limits);
    }
    for entity in ENTITIES {
        let counts = [parameter("summarize_by", "certname"), parameter("counts_filter", text)];
        let parameters = if entity == "event-counts" { &counts[..] } else { &query[..] };
        if let Ok(request) = Request::get(&[entity], parameters, &limits) {
            check(&request, &limits);
        }
        if let Ok(request) = Request::post(&[entity], text, &limits) {
            check(&request, &limits);
        }
    }
}

fn check(request: &Request, limits: &Limits) {
    for dialect in [Dialect::Sqlite, Dialect::PostgreSql] {
        let Ok(compiled) = request.compile(dialect, limits) else { continue };
        assert!(compiled.sql.is_ascii(), "a text of the query in {}", compiled.sql);
        let n_places = compiled.sql.matches('?').count();
        assert_eq!(n_places, compiled.parameters.len(), "{}", compiled.sql);
    }
}
