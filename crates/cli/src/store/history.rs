//! `kukla store history`: which facts of a node have changed, and when.

use std::fmt::Write as _;

use kukla_base::render::printable;
use kukla_store::{FactChange, FactPattern, time};
use serde_json::{Value, json};

use crate::Exit;
use crate::exports::store;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream, TextOrJson};
use crate::site;

/// Show changes of a node's facts, the newest first
///
/// The setting `past_facts` says how many changes of each node are kept; by default none are.
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// Name of the node
    #[arg(value_name = "NODE")]
    node: String,
    /// Only this fact or part of a fact, and what is below it; `*` stands for any characters between two dots
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The most changes to show
    #[arg(long, value_name = "N", default_value_t = 1000)]
    most: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Prints changes.
pub(super) fn history(args: &HistoryArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let pattern = args.path.as_deref().map(|path| {
        let wrong = || anyhow::anyhow!("`{}` is no path such as `os.release.*`", printable(path));
        FactPattern::read(path).ok_or_else(wrong)
    });
    let pattern = pattern.transpose()?;
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    let store = store(&site)?;
    let mut changes = Vec::new();
    let is_known = store.each_fact_change(&args.node, &mut |change| {
        if changes.len() < args.most
            && pattern.as_ref().is_none_or(|pattern| pattern.covers(&change.path))
        {
            changes.push(change.clone());
        }
        changes.len() < args.most
    })?;
    if !is_known {
        shell.problem(&format!("`{}` has said nothing", args.node));
        return Ok(Exit::Findings);
    }
    let text = match args.format {
        TextOrJson::Text => changes.iter().map(line).collect(),
        TextOrJson::Json => {
            let all: Vec<Value> =
                changes.iter().map(|change| document(&args.node, change)).collect();
            format!("{:#}\n", Value::Array(all))
        }
    };
    shell.print(Stream::Output, &text)?;
    if changes.is_empty() && site.settings().past_facts()?.most == 0 {
        shell.say("no changes of facts are kept: the setting `past_facts` is 0");
    }
    Ok(Exit::Success)
}

/// Returns a change as a line: `2026-11-18T10:00:00.000Z kernelrelease "6.1" -> "6.12"`.
fn line(change: &FactChange) -> String {
    let value = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_string);
    let mut out = time::written(change.time);
    let (place, before, after) = (change.place(), value(&change.before), value(&change.after));
    let _ = writeln!(out, " {} {} -> {}", printable(&place), printable(&before), printable(&after));
    out
}

fn document(node: &str, change: &FactChange) -> Value {
    let mut document = json!({
        "certname": node, "time": time::written(change.time), "path": change.path,
        "name": change.place(),
    });
    // A value that is null differs from one that is not there.
    for (name, value) in [("old_value", &change.before), ("new_value", &change.after)] {
        if let (Some(value), Some(members)) = (value, document.as_object_mut()) {
            members.insert(name.to_owned(), value.clone());
        }
    }
    document
}
