//! `cargo xtask record catalogs`: digests of Puppet's catalogs of Debian's modules.

use anyhow::Result;
use kukla_tests::catalog::ORACLE;
use kukla_tests::catalog::answer_cache::AnswerCache;
use kukla_tests::catalog::corpus::{self, Corpus};
use kukla_tests::catalog::digests::{self, Line};
use kukla_tests::{Oracle, modules};

use crate::catalogs::Catalogs;
use crate::shell::{progress, say};

/// Asks Puppet about all catalogs that are not cached below target/ yet, and writes the digests of all.
///
/// With topics, asks only about cases whose names contain one; other records stay.
pub(crate) fn catalogs(facts: &[String], topics: &[String], version: &str) -> Result<bool> {
    let wanted = Catalogs { facts: facts.to_vec(), ..Catalogs::default() };
    let corpus = Corpus::new()?;
    let mut oracle = Oracle::start_script(ORACLE)?;
    for facts in wanted.facts() {
        let cases = corpus::cases(&mut oracle, facts)?;
        let mut cache = AnswerCache::read(facts)?;
        let mut lines = Vec::new();
        let mut recorded = match topics.is_empty() {
            true => Vec::new(),
            false => digests::read(facts)?,
        };
        for (index, case) in cases.iter().enumerate() {
            if !topics.is_empty() && !topics.iter().any(|topic| case.name.contains(topic)) {
                let at = recorded.iter().position(|line| line.name == case.name);
                lines.extend(at.map(|at| recorded.swap_remove(at)));
                continue;
            }
            let answer = cache.ask(&corpus, &mut oracle, case)?;
            if answer.get("unstable").is_none() {
                lines.push(Line::of(&case.name, answer));
            }
            progress(facts, index + 1, cases.len());
        }
        let mut head = vec![
            format!(
                "Catalogs of Puppet {version} for nodes of tests/spec/catalogs and classes of Debian's packages."
            ),
            "Written by `cargo xtask record catalogs`, never by hand.".to_owned(),
            "Columns: digest, whether Ruby is needed, name, digests of resources.".to_owned(),
        ];
        head.extend(modules::packages());
        digests::write(facts, &head, &lines)?;
        tell_recorded(facts, &lines);
    }
    Ok(true)
}

fn tell_recorded(facts: &str, lines: &[Line]) {
    let count = |wanted: &dyn Fn(&&Line) -> bool| lines.iter().filter(wanted).count();
    say(&format!(
        "{facts}: {} cases, {} with a catalog, {} of them with more than 50 resources, {} without Ruby",
        lines.len(),
        count(&|line| line.resources.is_some()),
        count(&|line| line.n_resources() > 50),
        count(&|line| line.resources.is_some() && !line.needs_ruby),
    ));
}
