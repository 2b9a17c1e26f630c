//! `kukla p modules`: lists the modules that programs can use.

use std::fmt::Write as _;

use anyhow::anyhow;
use kukla_plang::module::{Member, Module};
use kukla_plang::modules::ALL;

use crate::Exit;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla p modules             all modules
  kukla p modules Http        all members of one

Signs: `!` may fail, `*` has an effect.";

/// List modules and their members
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Module
    module: Option<String>,
}

/// Lists all modules, or the members of one.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let text = match &args.module {
        None => ALL.iter().map(|module| format!("{:<10}{}\n", module.name, module.doc)).collect(),
        Some(name) => {
            let module = ALL.iter().find(|module| module.name.eq_ignore_ascii_case(name));
            described(module.ok_or_else(|| anyhow!("there is no module `{name}`"))?)
        }
    };
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

fn described(module: &Module) -> String {
    let mut out = format!("{}\n{}\n", module.name, module.doc);
    if !module.is_preset {
        let _ = writeln!(out, "{} := import \"{}\";", module.name, module.name);
    }
    members(&mut out, module.members);
    for object in module.objects {
        let _ = writeln!(out, "\n{}\n{}", object.name, object.doc);
        members(&mut out, object.members);
    }
    out
}

fn members(out: &mut String, members: &[Member]) {
    for member in members {
        let _ = writeln!(out, "\n  {}\n      {}", member.signature(), member.doc);
        if let Some(when) = member.fails {
            let _ = writeln!(out, "      Fails: {when}.");
        }
    }
}
