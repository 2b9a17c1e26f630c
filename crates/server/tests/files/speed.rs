//! Time of plugin synchronisation and of reports: `KUKLA_MEASURE=MODULEPATH cargo test --release … speed -- --nocapture`.

use std::path::PathBuf;
use std::time::Instant;

use kukla_server::agents::exchange::AnswerBody;
use kukla_server::agents::files::{Confinement, FileEnvironment, FileRequest, FileServer};
use kukla_server::agents::query::Query;

use crate::tree::Tree;

/// Requests of an agent.
const PLUGINS: &str = "recurse=true&max_files=-1&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&links=follow&checksum_type=sha256&source_permissions=ignore";

#[test]
fn plugins_are_listed_without_reading_them_again() {
    let (tree, given) = (Tree::whole("speed"), std::env::var_os("KUKLA_MEASURE"));
    let own = tree.at("code/environments/production/modules");
    let modulepath = vec![given.as_ref().map_or(own, PathBuf::from)];
    let server = FileServer::new(tree.at("none"), Confinement::Open, std::sync::Arc::new(|_| ()));
    let query = Query::parse(PLUGINS).expect("a query");
    let environment = FileEnvironment { modulepath: &modulepath, codedir: &tree.0 };
    let request = FileRequest { key: "plugins", query: &query, environment, client: "agent" };
    let mut lengths = Vec::new();
    for round in ["first", "second", "third"] {
        let start = Instant::now();
        let answer = server.metadatas(&request).expect("a list");
        let elapsed = start.elapsed();
        let AnswerBody::Bytes(bytes) = answer.body else { panic!("bytes") };
        let files = String::from_utf8_lossy(&bytes).matches("\"relative_path\"").count();
        if given.is_some() {
            let each = elapsed.as_secs_f64() * 1e6 / files as f64;
            eprintln!(
                "{round}: {files} entries, {} bytes, {elapsed:?}, {each:.1} µs each",
                bytes.len()
            );
        }
        lengths.push(bytes.len());
    }
    assert!(lengths.iter().all(|length| *length == lengths[0] && *length > 100));
}
