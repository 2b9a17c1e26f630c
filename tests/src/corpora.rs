//! Tests from digests of large corpora: Debian's modules, generated programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use kukla_tests::digests::{Digests, Line, digest};
use kukla_tests::modules::ModuleFile;
use kukla_tests::{Case, Oracle, compare, generator, ours, restypes};
use libtest_mimic::{Failed, Trial};

use crate::Wanted;

const SEEDS_A_TEST: usize = 100;
/// How many resource types Puppet itself has.
const N_OWN_TYPES: usize = 14;

/// One test a Debian module, ignored where it is not installed.
pub(crate) fn modules(wanted: &Wanted<'_>) -> Result<Vec<Trial>> {
    if !wanted.topic("debian") {
        return Ok(Vec::new());
    }
    let mut by_module: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for line in Digests::read("debian-modules.txt")?.lines {
        let module = ModuleFile { name: line.name.clone() }.module().to_owned();
        by_module.entry(module).or_default().push(line);
    }
    let trial = |(module, lines): (String, Vec<Line>)| {
        let installed = lines.iter().any(|line| file(line).path().exists());
        let name = format!("debian: {module}");
        let name = if installed { name } else { format!("{name} (package not installed)") };
        Trial::test(name, move || check_module(&lines)).with_ignored_flag(!installed)
    };
    Ok(by_module.into_iter().map(trial).collect())
}

/// One test for each hundred seeds.
pub(crate) fn generated(wanted: &Wanted<'_>) -> Result<Vec<Trial>> {
    if !wanted.topic("generated") {
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

/// One test for all resource types.
pub(crate) fn resource_types(wanted: &Wanted<'_>) -> Result<Vec<Trial>> {
    if !wanted.topic("resource types") {
        return Ok(Vec::new());
    }
    let check = || {
        let (faults, n_compared) = restypes::check()?;
        // Puppet's own are in our table, whatever is installed.
        if n_compared < N_OWN_TYPES {
            return Err(Failed::from(format!("only {n_compared} types were compared")));
        }
        let faults: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
        verdict(&faults, "cargo xtask compare restypes")
    };
    Ok(vec![Trial::test("resource types: like Puppet's", check)])
}

fn file(line: &Line) -> ModuleFile {
    ModuleFile { name: line.name.clone() }
}

fn check_module(lines: &[Line]) -> Result<(), Failed> {
    let mut puppet: Option<Oracle> = None;
    let mut faults = String::new();
    for line in lines.iter().filter(|line| file(line).path().exists()) {
        let case = file(line).case()?;
        let fault = if digest(&case.bytes) == line.source {
            check_line(line, &case)
        } else {
            check_changed(&mut puppet, &case)
        };
        if let Some(fault) = fault {
            writeln!(faults, "{}: {fault}", line.name)?;
        }
    }
    verdict(&faults, "cargo xtask compare modules")
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

/// Another version of the package: only a Puppet that is here can tell. Without one it is skipped.
fn check_changed(puppet: &mut Option<Oracle>, case: &Case) -> Option<String> {
    if puppet.is_none() {
        *puppet = Oracle::start().ok();
    }
    let view = puppet.as_mut()?.ask(case).ok()?;
    compare(&view, &ours(case)).map(|difference| difference.to_string())
}

fn verdict(faults: &str, command: &str) -> Result<(), Failed> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failed::from(format!("{faults}`{command}` shows the differences"))),
    }
}
