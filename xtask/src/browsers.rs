//! The tests with a browser: puppetboard on Kukla beside the real PuppetDB, and Kukla's own page.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages;
use crate::shell::{cargo, root, run};

/// The version of puppetboard whose pages are compared.
const PUPPETBOARD: &str = "puppetboard==7.0.4";

/// Files of Debian's packages that are needed, and the packages.
const NEEDED: [(&str, &str); 5] = [
    ("/usr/bin/chromium", "chromium"),
    ("/usr/bin/chromedriver", "chromium-driver"),
    ("/usr/share/puppetdb/puppetdb.jar", "puppetdb"),
    ("/usr/lib/postgresql/15/bin/initdb", "postgresql-15"),
    ("/usr/share/doc/python3-venv", "python3-venv"),
];

/// Show the page, and puppetboard on Kukla and on Debian's PuppetDB, to Chromium; `test --peers` does so too
#[derive(Debug, clap::Args)]
pub(crate) struct Browsers {
    /// Folder for pictures of the page; the book's are in `docs/src/images`
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Leave puppetboard out, which needs PuppetDB and PostgreSQL and takes minutes
    #[arg(long)]
    page_only: bool,
}

impl Browsers {
    pub(crate) fn run(&self) -> Result<bool> {
        install()?;
        let program = build()?;
        let page = look(&program, self.pictures.as_deref())?;
        Ok(page && (self.page_only || compare(&program)?))
    }
}

/// Shows everything to a browser.
pub(crate) fn run_all() -> Result<bool> {
    install()?;
    let program = build()?;
    let page = look(&program, None)?;
    Ok(compare(&program)? && page)
}

fn build() -> Result<PathBuf> {
    ensure!(run(cargo().args(["build", "--quiet", "--package", "kukla"]))?, "it does not build");
    Ok(root().join("target/debug/kukla"))
}

fn look(program: &Path, pictures: Option<&Path>) -> Result<bool> {
    let mut command = python3("tests/oracle/page/look.py");
    command.arg(program);
    if let Some(pictures) = pictures {
        command.arg("--pictures").arg(pictures);
    }
    run(&mut command)
}

/// Compares PuppetDB as the store of a server with SQLite.
pub(crate) fn compare_engines() -> Result<bool> {
    install()?;
    run(python3("tests/oracle/puppetdb/engine.py").arg(build()?))
}

/// Compares catalogs of nodes that export to each other with those of Puppet and PuppetDB, and archives with those of
/// PuppetDB.
pub(crate) fn compare_exports() -> Result<bool> {
    install()?;
    let program = build()?;
    let exports = run(python3("tests/oracle/puppetdb/exports.py").arg(&program))?;
    Ok(run(python3("tests/oracle/puppetdb/archive.py").arg(&program))? && exports)
}

fn compare(program: &Path) -> Result<bool> {
    let python = puppetboard()?;
    run(python3("tests/oracle/puppetboard/compare.py").arg(program).arg(python))
}

fn install() -> Result<()> {
    let missing = NEEDED.iter().filter(|(file, _)| !Path::new(file).exists());
    let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    packages::can_install()?;
    packages::install(&missing, &[])
}

/// Installs puppetboard into an environment of its own; returns the program of Python there.
fn puppetboard() -> Result<PathBuf> {
    let directory = root().join("target/puppetboard");
    let python = directory.join("bin/python");
    let has_it = |python: &Path| {
        let mut command = Command::new(python);
        let code = "import importlib.metadata as m; assert m.version('puppetboard') == '7.0.4'";
        command.args(["-c", code]).output().is_ok_and(|output| output.status.success())
    };
    if has_it(&python) {
        return Ok(python);
    }
    let made = run(Command::new("/usr/bin/python3").args(["-m", "venv"]).arg(&directory));
    ensure!(made.context("Python is not there")?, "`python3 -m venv` failed");
    let installed = run(Command::new(&python).args(["-m", "pip", "install", "-q", PUPPETBOARD]));
    ensure!(installed? && has_it(&python), "{PUPPETBOARD} can't be installed");
    Ok(python)
}

fn python3(script: &str) -> Command {
    let mut command = Command::new("/usr/bin/python3");
    command.arg(root().join(script)).current_dir(root());
    command
}
