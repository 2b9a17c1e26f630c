//! `cargo xtask compare eval`: values of expressions, Kukla's beside real Puppet's, live.

use anyhow::Result;
use kukla_tests::eval::Modules;
use kukla_tests::oracle::evaluate_all;
use kukla_tests::{eval, evaluable};

use crate::shell::{progress, say};

/// Programs of the seeds from `seed` on; true if all values, logs and errors are the same.
pub(crate) fn generated(seed: u64, count: u64, show: usize) -> Result<bool> {
    let seeds: Vec<u64> = (seed..seed.saturating_add(count)).collect();
    let codes: Vec<String> = seeds.iter().map(|&seed| evaluable::program(seed)).collect();
    let answers =
        evaluate_all(&codes, Modules::None, &|done| progress("programs", done, codes.len()))?;
    let n_values = answers.iter().filter(|answer| answer.get("error").is_none()).count();
    let mut n_different = 0;
    for ((seed, code), answer) in seeds.iter().zip(&codes).zip(&answers) {
        if let Some(difference) = eval::difference(answer, &eval::answer_of(code, Modules::None)) {
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
