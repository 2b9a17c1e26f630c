//! `cargo xtask record catalog-specs`: catalogs, as real Puppet makes them.

use anyhow::{Context, Result};
use kukla_tests::catalog::ORACLE;
use kukla_tests::catalog::spec::{self, CatalogCase};
use kukla_tests::oracle::ask_each;

use crate::shell::{progress, say};

/// The small cases of tests/spec/catalog, whole.
pub(crate) fn specs(topics: &[String]) -> Result<bool> {
    let wanted = |topic: &str| topics.is_empty() || topics.iter().any(|part| topic.contains(part));
    let specs = spec::specs(wanted)?;
    let cases: Vec<&CatalogCase> = specs.iter().flat_map(|spec| &spec.cases).collect();
    let done = |n_done| progress("catalog-specs", n_done, cases.len());
    let answers = ask_each(ORACLE, &cases, &|oracle, case| case.ask(oracle), &done)?;
    let mut rest = &answers[..];
    for spec in &specs {
        let (own, others) = rest.split_at(spec.cases.len());
        rest = others;
        std::fs::write(&spec.path, spec.with_answers(own)?)
            .with_context(|| format!("cannot write `{}`", spec.path.display()))?;
    }
    say(&format!("catalog-specs: {} cases in {} files recorded", cases.len(), specs.len()));
    Ok(true)
}
