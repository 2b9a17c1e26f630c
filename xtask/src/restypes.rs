//! `cargo xtask compare restypes`: resource types, compared with real Puppet.

use anyhow::Result;
use kukla_tests::restypes::{MODULES, Outcome, ask, compare as compare_with, ours};

use crate::shell::say;

/// Compares all types of Debian's modules and of Puppet; `MODULEPATH` names other modules.
pub(crate) fn compare() -> Result<bool> {
    let module_path = std::env::var("MODULEPATH").unwrap_or_else(|_| MODULES.to_owned());
    let outcome = compare_with(&ask(&module_path)?, &ours(&module_path))?;
    let Outcome { n_equal, different, unreadable, broken } = &outcome;
    for line in different.iter().chain(unreadable) {
        say(line);
    }
    for line in broken {
        say(&format!("Puppet: {line}"));
    }
    say(&format!(
        "{n_equal} equal / {} different / {} not readable / {} that Puppet can't load",
        different.len(),
        unreadable.len(),
        broken.len()
    ));
    Ok(different.is_empty() && unreadable.is_empty())
}
