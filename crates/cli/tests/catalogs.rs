//! Small catalogs, compared with what real Puppet's compiler said.

use std::path::Path;

use kukla_tests::catalog::{Kukla, spec};

#[test]
fn catalogs_are_as_recorded() -> anyhow::Result<()> {
    let start = || Kukla::start_program(Path::new(env!("CARGO_BIN_EXE_kukla")));
    let (found, n_cases) = spec::check_all(&spec::specs(|_| true)?, start)?;
    assert!(n_cases > 700, "{n_cases} cases");
    let known = spec::known_differences()?;
    let new: Vec<String> = found
        .into_iter()
        .filter(|(name, _)| !known.contains(name))
        .map(|(name, difference)| format!("{name}\n{difference}\n"))
        .collect();
    assert!(new.is_empty(), "{}", new.concat());
    Ok(())
}
