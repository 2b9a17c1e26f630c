//! The pages and pictures of the book that are generated from the program itself.
//!
//! [`generate`] returns each with its path; the caller writes them, or compares them with the existing files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use kukla_compiler::explain::{self, Explanation};

use crate::picture;

/// Generates every page and picture: its path below `root` and its text.
pub(crate) fn generate(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let reference = root.join("docs/src/reference");
    Ok(vec![
        (reference.join("diagnostics.md"), diagnostics()),
        (reference.join("cli.md"), command_line(root)?),
        (reference.join("p.md"), format!("{MARK}{}", kukla_plang::manual::page())),
        (root.join("docs/src/images/validate.svg"), picture::validate(root)?),
    ])
}

const MARK: &str = "<!-- Written by `cargo xtask docs`. Don't edit it here. -->\n\n";

const DIAGNOSTICS: &str = "# Diagnostics

Every diagnostic has a code, which is Puppet's own name of the problem where Puppet has one.
`kukla explain CODE` prints the same text in the terminal.

| code | what it says |
|---|---|
";

fn diagnostics() -> String {
    let rows: String = explain::all().iter().map(row).collect();
    let sections: String = explain::all().iter().map(section).collect();
    format!("{MARK}{DIAGNOSTICS}{rows}{sections}")
}

fn row(explanation: &Explanation) -> String {
    let code = explanation.code;
    format!("| [`{code}`](#{code}) | {} |\n", explanation.title())
}

fn section(explanation: &Explanation) -> String {
    let body: String = explanation.body().lines().map(|line| fence(line) + "\n").collect();
    format!("\n## {}\n\n**{}.**\n\n{body}", explanation.code, explanation.title())
}

/// Cuts the words after a fence down to a language that the book can colour.
fn fence(line: &str) -> String {
    match line.strip_prefix("```").map(|words| words.split(',').next().unwrap_or_default()) {
        Some("pp") => "```puppet".to_owned(),
        Some("epp") => "```erb".to_owned(),
        Some("pdl" | "data_access") => "```text".to_owned(),
        _ => line.to_owned(),
    }
}

const COMMAND_LINE: &str =
    "# Command line\n\nWhat `--help` prints, for `kukla` and each of its commands.\n";

fn command_line(root: &Path) -> Result<String> {
    let mut page = format!("{MARK}{COMMAND_LINE}");
    // Commands that are not written yet, each as a list of words.
    let mut rest = vec![Vec::new()];
    while let Some(words) = rest.pop() {
        let text = help(root, &words)?;
        let title = [&["kukla".to_owned()], words.as_slice()].concat().join(" ");
        page += &help_section(&title, &text);
        let below = commands(&text).map(|name| [words.as_slice(), &[name.to_owned()]].concat());
        let below: Vec<Vec<String>> = below.collect();
        rest.extend(below.into_iter().rev());
    }
    Ok(page)
}

fn help_section(title: &str, help: &str) -> String {
    let lines = help.trim_end().lines().map(|line| format!("{}\n", line.trim_end()));
    format!("\n## {title}\n\n```text\n{}```\n", lines.collect::<String>())
}

/// Returns the names below `Commands:` in a help text.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    let names = list.filter(|line| !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help")
}

/// Returns the output of `kukla [COMMAND…] --help`.
fn help(root: &Path, command: &[String]) -> Result<String> {
    let args: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
    let output = kukla(root, &args)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`kukla --help` failed:\n{errors}");
    String::from_utf8(output.stdout).context("the help is not UTF-8")
}

/// Runs `kukla`, at a fixed width and without colour unless `args` ask for it.
pub(crate) fn kukla(root: &Path, args: &[&str]) -> Result<Output> {
    let mut run = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    run.current_dir(root).args(["run", "--quiet", "--package", "kukla", "--"]).args(args);
    run.env("COLUMNS", "100").env("NO_COLOR", "1").output().context("can't run cargo")
}
