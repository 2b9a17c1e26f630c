//! `cargo xtask tidy`: occasional checks by tools that must be installed.

use anyhow::Result;

use crate::shell::{cargo, run, say, succeeds};

/// Find unused dependencies, unsuitable licences, and misspelt words.
///
/// Runs cargo-deny (deny.toml), cargo-shear and typos (typos.toml), and prints how to install missing ones.
/// Exits with 1 if one of them has findings or is missing.
#[derive(Debug, clap::Args)]
pub(crate) struct Tidy {}

/// An external checker.
struct Tool {
    /// The package that `cargo install` installs.
    package: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    finds: &'static str,
}

const TOOLS: [Tool; 3] = [
    Tool {
        package: "cargo-deny",
        program: "cargo-deny",
        arguments: &["--workspace", "check", "licenses", "bans", "sources"],
        finds: "licences, duplicates and origins of dependencies",
    },
    Tool {
        package: "cargo-shear",
        program: "cargo-shear",
        arguments: &[],
        finds: "unused dependencies",
    },
    Tool { package: "typos-cli", program: "typos", arguments: &[], finds: "misspelt words" },
];

impl Tidy {
    #[expect(clippy::unused_self, reason = "every chore is run in the same way")]
    pub(crate) fn run(&self) -> Result<bool> {
        let mut missing = Vec::new();
        let mut is_tidy = true;
        for tool in &TOOLS {
            if !succeeds(tool.program, &["--version"]) {
                missing.push(tool);
                continue;
            }
            say(&format!("== {}: {}", tool.program, tool.finds));
            is_tidy &= run(&mut tool.command())?;
        }
        for tool in &missing {
            say(&format!(
                "missing: {} ({}); `cargo install --locked {}`",
                tool.program, tool.finds, tool.package
            ));
        }
        Ok(is_tidy && missing.is_empty())
    }
}

impl Tool {
    fn command(&self) -> std::process::Command {
        // Cargo starts its subcommands.
        let mut command = match self.program.strip_prefix("cargo-") {
            Some(name) => {
                let mut command = cargo();
                command.arg(name);
                command
            }
            None => {
                let mut command = std::process::Command::new(self.program);
                command.current_dir(crate::shell::root());
                command
            }
        };
        command.args(self.arguments);
        command
    }
}
