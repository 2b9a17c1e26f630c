//! `kukla lookup --audit`: lists the secrets and restricted data that nodes use.

use std::fmt::Write;

use kukla_lookup::{DataUse, Origin, UseKind};
use kukla_site::Member;
use kukla_world::paths::Anchor;
use serde_json::json;

use crate::Exit;
use crate::paths::{current, display};
use crate::shell::{Shell, Stream};

/// Compiles the catalogs and lists their uses.
pub(super) fn run(members: &[Member], is_json: bool, shell: &Shell) -> anyhow::Result<Exit> {
    let (mut lists, mut exit) = (Vec::new(), Exit::Success);
    for member in members {
        let (lookups, compiled) = member.compiled_lookups();
        let uses = lookups.map(|mut lookups| lookups.uses()).unwrap_or_default();
        if let Err(failure) = compiled.catalog {
            shell.problem(&failure.to_string());
            exit = Exit::Findings;
        }
        lists.push((member, uses));
    }
    let text = if is_json { as_json(&lists) } else { as_text(&lists, &current()?) };
    shell.print(Stream::Output, &text)?;
    Ok(exit)
}

const fn word(kind: UseKind) -> &'static str {
    match kind {
        UseKind::Secret => "secret",
        UseKind::Restricted => "restricted",
        UseKind::Denied => "denied",
    }
}

fn as_text(lists: &[(&Member, Vec<DataUse>)], anchor: &Anchor) -> String {
    let mut out = String::new();
    for (Member { node, .. }, uses) in lists {
        let node = &node.name;
        let _ = writeln!(out, "{node}:{}", if uses.is_empty() { " nothing" } else { "" });
        for used in uses {
            let place =
                |origin: &Origin| format!("{}:{}", display(&origin.file, anchor), origin.line);
            let places: Vec<String> = used.origins.iter().map(place).collect();
            let _ = writeln!(out, "  {}: {} ({})", word(used.kind), used.key, places.join(", "));
        }
    }
    out
}

fn as_json(lists: &[(&Member, Vec<DataUse>)]) -> String {
    let place = |origin: &Origin| json!({ "file": origin.file.as_str(), "line": origin.line });
    let entry = |used: &DataUse| {
        json!({
            "key": used.key.as_str(),
            "kind": word(used.kind),
            "places": used.origins.iter().map(place).collect::<Vec<_>>(),
        })
    };
    let nodes: Vec<_> = lists
        .iter()
        .map(|(member, uses)| {
            let uses: Vec<_> = uses.iter().map(entry).collect();
            json!({ "node": member.node.name, "uses": uses })
        })
        .collect();
    format!("{}\n", json!({ "version": 1, "nodes": nodes }))
}
