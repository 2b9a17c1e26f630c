//! Writes the sources of all specs to `corpus/`, where libFuzzer looks for them.

use std::path::Path;

use anyhow::{Context, Result};
use kukla_fuzz::Target;
use kukla_fuzz::seeds::Seeds;

fn main() -> Result<()> {
    let seeds = Seeds::gather()?;
    for target in Target::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name());
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        for (number, seed) in seeds.of(target).iter().enumerate() {
            let path = folder.join(format!("seed-{number:04}"));
            std::fs::write(&path, seed)
                .with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        println!("{}: {} seeds", target.name(), seeds.of(target).len());
    }
    Ok(())
}
