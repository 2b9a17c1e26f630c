//! Tests from the Markdown of `spec/`.

use anyhow::Result;
use kukla_tests::spec::{self, Test};
use kukla_tests::{View, compare, digests, eval, ours};
use libtest_mimic::{Failed, Trial};

use crate::Selection;

/// Creates one test per heading.
pub(crate) fn trials(folder: &str, selection: &Selection<'_>) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for spec in spec::topics(folder, |topic| selection.topic(topic))? {
        for test in spec.tests {
            let name = format!("{}: {}", spec.topic, test.title);
            trials.push(Trial::test(name, move || check(&test)));
        }
    }
    Ok(trials)
}

/// Creates one test per block of expressions.
pub(crate) fn eval_trials(selection: &Selection<'_>) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for spec in eval::specs(|topic| selection.topic(topic))? {
        for block in spec.blocks {
            let name = format!("{}: {}", spec.topic, block.title);
            trials.push(Trial::test(name, move || {
                block.check().map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    Ok(trials)
}

fn check(test: &Test) -> Result<(), Failed> {
    let Some(recorded) = &test.recorded else {
        return Err(failure(test, "nothing was recorded; run `cargo xtask record`"));
    };
    let ours = ours(&test.case);
    if let Some(difference) = compare(recorded, &ours) {
        return Err(failure(test, &difference.to_string()));
    }
    match &test.json {
        Some(json) if *json != json_digest(&ours) => Err(failure(test, "the JSON dump differs")),
        _ => Ok(()),
    }
}

fn json_digest(view: &View) -> String {
    digests::digest(view.json.as_deref().unwrap_or_default())
}

fn failure(test: &Test, message: &str) -> Failed {
    Failed::from(format!("{message}\n--- source\n{}\n---", test.case.text()))
}
