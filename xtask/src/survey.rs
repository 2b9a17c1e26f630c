//! Comparison of real Puppet and Kukla on many sources.

use std::collections::BTreeMap;

use anyhow::Result;
use kukla_tests::oracle::ask_all;
use kukla_tests::reduce::reduce;
use kukla_tests::{Case, Difference, Oracle, View, compare, ours};

use crate::shell::{progress, say};

/// Result of a survey.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Number of sources.
    pub(crate) n_cases: usize,
    /// Number of sources that Puppet finds valid.
    pub(crate) n_valid: usize,
    /// The sources on which the two differ.
    pub(crate) findings: Vec<Finding>,
}

/// A source on which the two differ.
#[derive(Debug)]
pub(crate) struct Finding {
    name: String,
    case: Case,
    difference: Difference,
}

/// Compares all of these sources.
pub(crate) fn survey(what: &str, cases: Vec<(String, Case)>) -> Result<Survey> {
    let (names, cases): (Vec<String>, Vec<Case>) = cases.into_iter().unzip();
    let views = ask_all(&cases, &|done| progress(what, done, cases.len()))?;
    let n_valid = views.iter().filter(|view| view.is_valid()).count();
    let (n_cases, looked) = (cases.len(), names.into_iter().zip(cases).zip(views));
    // A panic is a finding like any other; its message would disturb the output.
    std::panic::set_hook(Box::new(|_| ()));
    let findings = looked.filter_map(|((name, case), view)| finding(name, case, &view)).collect();
    drop(std::panic::take_hook());
    Ok(Survey { n_cases, n_valid, findings })
}

fn finding(name: String, case: Case, puppet: &View) -> Option<Finding> {
    let difference = compare(puppet, &ours(&case))?;
    Some(Finding { name, case, difference })
}

impl Survey {
    /// Prints the causes, most frequent first, each with its smallest example.
    pub(crate) fn tell(&self, most: usize) -> Result<()> {
        let Self { n_cases, n_valid, findings } = self;
        let n_same = n_cases - findings.len();
        say(&format!("{n_same} of {n_cases} sources agree ({n_valid} of them valid for Puppet)"));
        if findings.is_empty() {
            return Ok(());
        }
        let mut causes: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in findings {
            causes.entry(&finding.difference.cause).or_default().push(finding);
        }
        let mut causes: Vec<_> = causes.into_values().collect();
        causes.sort_by_key(|same| std::cmp::Reverse(same.len()));
        let mut puppet = Oracle::start()?;
        for same in causes.iter().take(most) {
            tell_cause(same, &mut puppet)?;
        }
        if causes.len() > most {
            say(&format!("… and {} causes more (`--show` tells more)", causes.len() - most));
        }
        Ok(())
    }
}

fn tell_cause(same: &[&Finding], puppet: &mut Oracle) -> Result<()> {
    let Some(example) = same.iter().min_by_key(|finding| finding.case.bytes.len()) else {
        return Ok(());
    };
    let (case, difference) = reduced(example, puppet)?;
    let strict = case.strict_word();
    let options =
        format!("epp={} tasks={} strict={strict} file={:?}", case.template, case.tasks, case.file);
    say(&format!("\n{} × {difference}  in {} ({options}), made small:", same.len(), example.name));
    for line in case.text().lines() {
        say(&format!("    | {}", line.escape_debug()));
    }
    Ok(())
}

/// Reduces an example while its cause stays the same.
fn reduced(example: &Finding, puppet: &mut Oracle) -> Result<(Case, Difference)> {
    let mut best = (example.case.clone(), example.difference.clone());
    std::panic::set_hook(Box::new(|_| ()));
    reduce(&example.case.text(), |text| {
        let case = example.case.with_bytes(text.as_bytes().to_vec());
        let Ok(view) = puppet.ask(&case) else { return false };
        match compare(&view, &ours(&case)) {
            Some(difference) if difference.cause == example.difference.cause => {
                best = (case, difference);
                true
            }
            _ => false,
        }
    });
    drop(std::panic::take_hook());
    Ok(best)
}
