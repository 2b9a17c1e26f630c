//! Small catalogs, compared with recorded answers of Puppet's compiler.

use std::path::Path;

use kukla_tests::catalog::{Kukla, spec};
use kukla_tests::known_differences::CATALOG_SPECS;

#[test]
fn catalogs_are_as_recorded() -> anyhow::Result<()> {
    let start = || Kukla::start_program(Path::new(env!("CARGO_BIN_EXE_kukla")));
    let comparison = spec::check_all(&spec::specs(|_| true)?, start)?;
    assert!(comparison.cases.len() > 700, "{} cases", comparison.cases.len());
    let faults = CATALOG_SPECS.faults(&comparison.cases, &comparison.differing())?;
    let describe = |fault: &String| {
        let name = comparison.differences.iter().find(|(name, _)| fault.starts_with(*name));
        format!("{fault}\n{}\n", name.map_or("", |(_, difference)| difference))
    };
    assert!(faults.is_empty(), "{}", faults.iter().map(describe).collect::<String>());
    Ok(())
}
