//! `cargo xtask record catalog-specs` and `compare catalog-specs`: the small catalogs of tests/spec/catalog.

use anyhow::{Context, Result, ensure};
use kukla_tests::catalog::spec::{self, CatalogCase};
use kukla_tests::catalog::{Kukla, ORACLE};
use kukla_tests::known_differences::CATALOG_SPECS;
use kukla_tests::oracle::ask_each;

use crate::shell::{progress, say};

/// Records the small cases of tests/spec/catalog.
pub(crate) fn specs(topics: &[String]) -> Result<bool> {
    let wanted = |topic: &str| topics.is_empty() || topics.iter().any(|part| topic.contains(part));
    let mut specs = spec::specs(wanted)?;
    // Only the edition that is asked can answer.
    specs.retain(|spec| spec.edition == kukla_tests::edition());
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

/// Compares our answers with the recorded ones; `keep` lists the differences as known.
pub(crate) fn compare(filter: &[String], keep: bool) -> Result<bool> {
    let wanted = |topic: &str| filter.is_empty() || filter.iter().any(|part| topic.contains(part));
    let comparison = spec::check_all(&spec::specs(wanted)?, Kukla::start)?;
    for (name, difference) in &comparison.differences {
        say(&format!("{name}\n{difference}"));
    }
    let (n_cases, n_different) = (comparison.cases.len(), comparison.differences.len());
    say(&format!("{} of {n_cases} catalogs are as recorded", n_cases - n_different));
    if keep {
        ensure!(filter.is_empty(), "`--keep` is for all catalogs: leave out `--filter`");
        CATALOG_SPECS.write(&comparison.differing())?;
    }
    Ok(n_different == 0)
}
