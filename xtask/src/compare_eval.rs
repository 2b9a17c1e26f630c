//! `cargo xtask compare eval`: values of expressions, compared with real Puppet, live.

use anyhow::{Result, ensure};
use kukla_tests::catalog::{Kukla, ORACLE};
use kukla_tests::eval::{Modules, STDLIB_9};
use kukla_tests::oracle::evaluate_all;
use kukla_tests::{Oracle, calls, environments, eval, evaluable};

use crate::shell::{progress, say};

/// Compares programs of the seeds from `seed` on; true if all values, logs and errors are equal.
pub(crate) fn generated(seed: u64, count: u64, show: usize) -> Result<bool> {
    let seeds = seed..seed.saturating_add(count);
    compare(seeds.map(|seed| (seed, evaluable::program(seed))), Modules::None, show)
}

/// Compares catalogs of generated environments, of the seeds from `seed` on.
pub(crate) fn environments(seed: u64, count: u64, show: usize) -> Result<bool> {
    let (mut oracle, mut kukla) = (Oracle::start_script(ORACLE)?, Kukla::start()?);
    let mut n_different = 0;
    for (n_done, seed) in (1..).zip(seed..seed.saturating_add(count)) {
        let mut case = environments::environment(seed);
        if let Err(difference) = case.compare(&mut oracle, &mut kukla) {
            n_different += 1;
            if n_different <= show {
                say(&format!("{}:\n{}\n{difference:#}", case.title, case.shown()));
            }
        }
        progress("environments", n_done, usize::try_from(count).unwrap_or(usize::MAX));
    }
    say(&format!("{} of {count} environments agree", count.saturating_sub(n_different as u64)));
    Ok(n_different == 0)
}

/// Compares calls of stdlib's functions, of the seeds from `seed` on.
pub(crate) fn stdlib(modules: Modules, seed: u64, count: u64, show: usize) -> Result<bool> {
    ensure!(
        modules.path().is_some(),
        "there is no such stdlib; `{STDLIB_9}` names the folder of version 9"
    );
    let missing = calls::not_native(modules);
    say(&format!("files without a function of ours: {}", missing.join(" ")));
    let names = calls::names(modules);
    let seeds = seed..seed.saturating_add(count);
    compare(seeds.map(|seed| (seed, calls::call(seed, &names))), modules, show)
}

fn compare(
    programs: impl Iterator<Item = (u64, String)>,
    modules: Modules,
    show: usize,
) -> Result<bool> {
    let (seeds, codes): (Vec<u64>, Vec<String>) = programs.unzip();
    let answers = evaluate_all(&codes, modules, &|done| progress("programs", done, codes.len()))?;
    let n_values = answers.iter().filter(|answer| answer.get("error").is_none()).count();
    let types = modules.types();
    let mut n_different = 0;
    for ((seed, code), answer) in seeds.iter().zip(&codes).zip(&answers) {
        let ours = eval::answer_with(code, modules, &types);
        if let Some(difference) = eval::difference(answer, &ours) {
            n_different += 1;
            if n_different <= show {
                say(&format!("seed {seed}:\n{code}\n{difference}"));
            }
        }
    }
    let n_same = codes.len() - n_different;
    say(&format!("{n_same} of {} programs agree ({n_values} of them have a value)", codes.len()));
    Ok(n_different == 0)
}
