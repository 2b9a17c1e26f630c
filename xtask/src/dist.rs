//! `cargo xtask dist`: builds the published and measured program, with profile-guided optimisation.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use kukla_tests::digests::digest;
use kukla_tests::modules;

use crate::shell::{cargo, output_of, root, run, say, succeeds};
use crate::{gain, packages};

/// Build the program that we publish and measure, target/dist/kukla.
///
/// Builds Kukla with counters in its code, runs the benchmarks without Puppet, and builds it again with the counts, so
/// that the optimiser knows the hot code. That takes 10 to 20 minutes on two cores. Needs Debian's `llvm-19` (or
/// `rustup component add llvm-tools`) and its puppet-module-* packages, and installs them where that is possible.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Dist {
    /// Build without counts: faster build, slower program
    #[arg(long)]
    no_profile: bool,
    /// Measure catalogs with the profiles `release` and `dist` afterwards
    #[arg(long)]
    measure: bool,
}

/// The profiled runs: work that users wait for. Each list is one run of the benchmark.
///
/// The optimiser takes code with relatively low counts for cold; so loading, which is fast, runs for longer.
const RUNS: [&[&str]; 5] = [
    &["--catalogs"],
    &["--erb"],
    &["--eval", "--seconds", "0.1"],
    &["--data", "--seconds", "0.1"],
    &["--loading", "--seconds", "1.5"],
];

/// Package that has `llvm-profdata`, and the names of the program, apart from the one of Rust's own toolchain.
const LLVM: &str = "llvm-19";
const MERGERS: [&str; 2] = ["llvm-profdata-19", "llvm-profdata"];
/// Oldest LLVM that reads the counts of a current rustc. Debian 12's own `llvm` is 14 and does not.
const OLDEST: u32 = 19;

impl Dist {
    pub(crate) fn run(&self) -> Result<bool> {
        let start = Instant::now();
        if !self.build()? {
            return Ok(false);
        }
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        say(&format!("built in {minutes:.1} min: {}", program("kukla").display()));
        if self.measure { gain::measure() } else { Ok(true) }
    }

    fn build(&self) -> Result<bool> {
        let host = host()?;
        if self.no_profile {
            say("building without counts");
            return Ok(build(&host, &root().join("target"), &[])? && publish(&host)?);
        }
        let merger = merger()?;
        ensure_modules()?;
        let Some(profile) = count(&host, &merger)? else { return Ok(false) };
        say("3/3 building with the counts");
        // Some functions of dependencies are never run, which is no reason for a warning.
        let profile_use = format!("-Cprofile-use={}", profile.display());
        let flags = [&*profile_use, "-Cllvm-args=-no-pgo-warn-mismatch"];
        Ok(build(&host, &root().join("target"), &flags)? && publish(&host)?)
    }
}

/// Returns the path of a program that `dist` builds.
pub(crate) fn program(name: &str) -> PathBuf {
    root().join("target/dist").join(name)
}

/// Builds the programs if they are missing, and warns if they are older than their sources.
pub(crate) fn ensure_built() -> Result<bool> {
    let programs = ["kukla", "kukla-bench"].map(program);
    if programs.iter().any(|program| !program.exists()) {
        say("target/dist/kukla is missing");
        return Dist::default().run();
    }
    if is_outdated(&programs[0])? {
        say("target/dist/kukla is older than its sources: `cargo xtask dist` builds it again");
    }
    Ok(true)
}

fn is_outdated(program: &Path) -> Result<bool> {
    let built = program.metadata()?.modified()?;
    let newer =
        output_of("git", &["-C", &root().display().to_string(), "log", "-1", "--format=%ct"])?;
    let seconds: u64 = newer.trim().parse().unwrap_or_default();
    let committed = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    Ok(committed > built)
}

/// Builds with counters and runs; returns the merged counts, or nothing if a step failed.
fn count(host: &str, merger: &str) -> Result<Option<PathBuf>> {
    let target = root().join("target/counting");
    let counts = target.join("counts");
    if counts.exists() {
        std::fs::remove_dir_all(&counts).context("cannot remove old counts")?;
    }
    say("1/3 building with counters");
    if !build(host, &target, &[&format!("-Cprofile-generate={}", counts.display())])? {
        return Ok(None);
    }
    let programs = target.join(host).join("dist");
    for (index, arguments) in RUNS.iter().enumerate() {
        say(&format!("2/3 counting {}/{}: {}", index + 1, RUNS.len(), arguments.join(" ")));
        let mut bench = Command::new(programs.join("kukla-bench"));
        bench.args(*arguments).arg("--no-puppet").current_dir(root());
        if !run(bench.env("KUKLA", programs.join("kukla")))? {
            return Ok(None);
        }
    }
    merge(merger, &counts, &target)
}

/// Merges counts into a file whose name holds its digest: Cargo looks at the flags, not at the file.
fn merge(merger: &str, counts: &Path, target: &Path) -> Result<Option<PathBuf>> {
    let merged = target.join("new.profdata");
    let mut merge = Command::new(merger);
    merge.args(["merge", "--sparse", "--output"]).arg(&merged).arg(counts);
    if !run(&mut merge)? {
        return Ok(None);
    }
    let name = format!("kukla-{}.profdata", digest(std::fs::read(&merged)?));
    let profile = target.join(name);
    std::fs::rename(&merged, &profile).context("cannot rename the merged counts")?;
    Ok(Some(profile))
}

/// Builds both programs with these flags.
///
/// One build for both, so that they share the features of their dependencies, and counts fit. With `--target` flags
/// reach neither build scripts nor macros.
fn build(host: &str, target: &Path, flags: &[&str]) -> Result<bool> {
    let mut command = cargo();
    command.args(["build", "--profile=dist", "--package=kukla", "--package=kukla-bench"]);
    command.args(["--target", host, "--target-dir"]).arg(target);
    let own = std::env::var("RUSTFLAGS").unwrap_or_default();
    command.env("RUSTFLAGS", [&[own.as_str()], flags].concat().join(" ").trim());
    run(&mut command)
}

/// Copies the built programs to their place, under temporary names first.
fn publish(host: &str) -> Result<bool> {
    let built = root().join("target").join(host).join("dist");
    for name in ["kukla", "kukla-bench"] {
        let (to, new) = (program(name), program(&format!("{name}.new")));
        std::fs::create_dir_all(to.parent().context("a program has a folder")?)?;
        std::fs::copy(built.join(name), &new)
            .and_then(|_| std::fs::rename(&new, &to))
            .with_context(|| format!("cannot write `{}`", to.display()))?;
    }
    Ok(true)
}

/// Returns Rust's name of this machine, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String> {
    let text = output_of("rustc", &["-vV"])?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

/// Returns a program that merges counts, installed if possible.
fn merger() -> Result<String> {
    if let Some(merger) = installed_merger()? {
        return Ok(merger);
    }
    if let Err(reason) = packages::can_install() {
        bail!(
            "no `llvm-profdata`, and Debian's `{LLVM}` can't be installed: {reason:#}; \
             `rustup component add llvm-tools` has it too, `--no-profile` builds without counts"
        );
    }
    packages::install(&[LLVM], &[])?;
    installed_merger()?.context("`llvm-profdata-19` does not run")
}

fn installed_merger() -> Result<Option<String>> {
    let sysroot = output_of("rustc", &["--print", "sysroot"])?;
    let own = Path::new(sysroot.trim()).join(format!("lib/rustlib/{}/bin/llvm-profdata", host()?));
    let own = own.display().to_string();
    let mergers = std::iter::once(own.as_str()).chain(MERGERS);
    Ok(mergers.map(str::to_owned).find(|merger| {
        succeeds(merger, &["merge", "--help"])
            && output_of(merger, &["merge", "--version"])
                .is_ok_and(|version| major(&version).is_some_and(|major| major >= OLDEST))
    }))
}

/// Returns the major version of LLVM in the output of `llvm-profdata merge --version`.
fn major(version: &str) -> Option<u32> {
    let (_, number) = version.split_once("version ")?;
    number.split('.').next()?.trim().parse().ok()
}

/// Installs the modules that the profiled runs compile.
fn ensure_modules() -> Result<()> {
    if !modules::packages().is_empty() {
        return Ok(());
    }
    if let Err(reason) = packages::can_install() {
        bail!(
            "the runs that are counted need Debian's puppet-module-* packages, which can't be installed: {reason:#}; \
             `--no-profile` builds without counts"
        );
    }
    packages::install(&[], &[packages::MODULES])?;
    ensure!(!modules::packages().is_empty(), "no puppet-module-* package is installed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn version_of_a_merger() {
        assert_eq!(major("Debian LLVM version 14.0.6\n  \n  Optimized build."), Some(14));
        assert_eq!(major("LLVM (http://llvm.org/):\n  LLVM version 22.1.0-rust-1.95.0"), Some(22));
        assert_eq!(major("llvm-profdata"), None);
    }
}
