//! Tests from digests of large corpora: Debian's modules, generated programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use kukla_tests::digests::{Digests, Line, digest};
use kukla_tests::modules::ModuleFile;
use kukla_tests::soundness::{repeat, warm};
use kukla_tests::{Case, Oracle, compare, generator, ours, restypes};
use libtest_mimic::{Failed, Trial};

use crate::Selection;

const SEEDS_A_TEST: usize = 100;
/// Changes of each node's request: the usual nodes compile in some milliseconds.
const CHANGES: u64 = 16;
/// Number of resource types of Puppet itself; modules have more.
const N_OWN_TYPES: usize = 14;
/// Help for packages of another version than the recorded one.
const RECORD: &str = "run `cargo xtask record digests`";

/// Creates one test per Debian module. They fail if a package is not installed: `--skip 'debian: '` leaves all out.
pub(crate) fn modules(selection: &Selection<'_>) -> Result<Vec<Trial>> {
    if !selection.topic("debian") {
        return Ok(Vec::new());
    }
    let mut by_module: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for line in Digests::read("debian-modules.txt")?.lines {
        let module = ModuleFile { name: line.name.clone() }.module().to_owned();
        by_module.entry(module).or_default().push(line);
    }
    let trial = |(module, lines): (String, Vec<Line>)| {
        Trial::test(format!("debian: {module}"), move || check_module(&lines))
    };
    let types = || check_types(restypes::Origin::Modules);
    let types = Trial::test("debian: resource types of modules", types);
    let records = Trial::test("debian: records of fresh and of warm compilations", check_records);
    let repeats = Trial::test("debian: catalogs that nodes get again", check_repeats);
    Ok(by_module.into_iter().map(trial).chain([types, records, repeats]).collect())
}

/// Creates one test per hundred seeds.
pub(crate) fn generated(selection: &Selection<'_>) -> Result<Vec<Trial>> {
    if !selection.topic("generated") {
        return Ok(Vec::new());
    }
    let lines = Digests::read("generated.txt")?.lines;
    let trial = |lines: &[Line]| {
        let lines = lines.to_vec();
        let (first, last) = (&lines[0].name, &lines[lines.len() - 1].name);
        let name = format!("generated: seeds {first} to {last}");
        Trial::test(name, move || check_seeds(&lines))
    };
    Ok(lines.chunks(SEEDS_A_TEST).map(trial).collect())
}

/// Creates one test for the resource types of Puppet itself, which need no package.
pub(crate) fn resource_types(selection: &Selection<'_>) -> Result<Vec<Trial>> {
    if !selection.topic("resource types") {
        return Ok(Vec::new());
    }
    let check = || check_types(restypes::Origin::Puppet);
    Ok(vec![Trial::test("resource types: like Puppet's", check)])
}

fn check_types(origin: restypes::Origin) -> Result<(), Failed> {
    let (faults, n_compared) = restypes::check(origin)?;
    if n_compared < N_OWN_TYPES {
        return Err(Failed::from(format!("only {n_compared} types were compared")));
    }
    let faults: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
    verdict(&faults, "cargo xtask compare restypes")
}

fn check_records() -> Result<(), Failed> {
    Ok(warm::compare().map(drop)?)
}

fn check_repeats() -> Result<(), Failed> {
    let repeats = repeat::compare(CHANGES)?;
    match repeats.given.min(repeats.compiled).min(repeats.changed) {
        0 => Err(Failed::from(format!("a kind of outcome never occurred: {repeats:?}"))),
        _ => Ok(()),
    }
}

fn file(line: &Line) -> ModuleFile {
    ModuleFile { name: line.name.clone() }
}

fn check_module(lines: &[Line]) -> Result<(), Failed> {
    if !lines.iter().any(|line| file(line).path().exists()) {
        return Err(Failed::from(
            "the package is not installed; `cargo xtask test` installs it on Debian",
        ));
    }
    let mut puppet: Option<Oracle> = None;
    let mut faults = String::new();
    for line in lines {
        if let Some(fault) = check_file(line, &mut puppet)? {
            writeln!(faults, "{}: {fault}", line.name)?;
        }
    }
    verdict(&faults, "cargo xtask compare modules")
}

fn check_file(line: &Line, puppet: &mut Option<Oracle>) -> Result<Option<String>> {
    if !file(line).path().exists() {
        return Ok(Some(format!("is not in the installed version of the package; {RECORD}")));
    }
    let case = file(line).case()?;
    match digest(&case.bytes) == line.source {
        true => Ok(check_line(line, &case)),
        false => check_changed(puppet, &case),
    }
}

fn check_seeds(lines: &[Line]) -> Result<(), Failed> {
    let mut faults = String::new();
    for line in lines {
        let seed: u64 = line.name.parse()?;
        let case = generator::program(seed);
        if digest(&case.bytes) != line.source {
            return Err(Failed::from(
                "the generator has changed; run `cargo xtask record generated`",
            ));
        }
        if let Some(fault) = check_line(line, &case) {
            writeln!(faults, "seed {seed}: {fault}")?;
        }
    }
    let first = lines.first().map_or("1", |line| &line.name);
    verdict(
        &faults,
        &format!("cargo xtask compare generated --seed {first} --count {}", lines.len()),
    )
}

fn check_line(line: &Line, case: &Case) -> Option<String> {
    let differences = line.view.differences(&ours(case));
    (!differences.is_empty()).then(|| format!("{} differs", differences.join(", ")))
}

/// Compares a file of another version of the package with Puppet's current answer.
fn check_changed(puppet: &mut Option<Oracle>, case: &Case) -> Result<Option<String>> {
    let oracle = match puppet {
        Some(oracle) => oracle,
        None => puppet.insert(Oracle::start().with_context(|| {
            format!("the file has changed, and there is no Puppet to ask; {RECORD}")
        })?),
    };
    let view = oracle.ask(case)?;
    Ok(compare(&view, &ours(case)).map(|difference| difference.to_string()))
}

fn verdict(faults: &str, command: &str) -> Result<(), Failed> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failed::from(format!("{faults}`{command}` shows the differences"))),
    }
}
