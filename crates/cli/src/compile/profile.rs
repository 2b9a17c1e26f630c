//! Output of `--profile`: where the time of compilations went.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use kukla_compiler::{Part, PartKind};
use serde_json::json;

use super::LogFormat;
use crate::shell::{Shell, Stream};

/// Number of parts shown per kind.
const N_SHOWN: usize = 10;

/// Prints the slowest parts of each kind, summed over all nodes.
pub(super) fn print<'a>(
    parts: impl Iterator<Item = &'a Part>,
    format: LogFormat,
    shell: &Shell,
) -> anyhow::Result<()> {
    let mut kinds: BTreeMap<PartKind, Vec<Part>> = BTreeMap::new();
    for part in merged(parts) {
        kinds.entry(part.kind).or_default().push(part);
    }
    let mut out = String::new();
    for (kind, mut parts) in kinds {
        parts.sort_by(|left, right| {
            right.own.cmp(&left.own).then_with(|| left.name.cmp(&right.name))
        });
        if format == LogFormat::Text {
            let _ = writeln!(
                out,
                "{:>10} {:>10} {:>7}  {}",
                "own ms",
                "total ms",
                "runs",
                kind.as_str()
            );
        }
        for part in parts.iter().take(N_SHOWN) {
            line(part, format, &mut out);
        }
    }
    shell.print(Stream::Error, &out)?;
    Ok(())
}

fn merged<'a>(parts: impl Iterator<Item = &'a Part>) -> impl Iterator<Item = Part> {
    let mut all: BTreeMap<(PartKind, &str), Part> = BTreeMap::new();
    for part in parts {
        match all.get_mut(&(part.kind, part.name.as_str())) {
            None => drop(all.insert((part.kind, &part.name), part.clone())),
            Some(sum) => {
                sum.n_runs += part.n_runs;
                sum.total += part.total;
                sum.own += part.own;
            }
        }
    }
    all.into_values()
}

fn line(part: &Part, format: LogFormat, out: &mut String) {
    let Part { kind, name, n_runs, total, own } = part;
    let ms = |time: &Duration| time.as_secs_f64() * 1000.0;
    let _ = match format {
        LogFormat::Text => {
            writeln!(out, "{:>10.3} {:>10.3} {n_runs:>7}  {name}", ms(own), ms(total))
        }
        LogFormat::Json => {
            let message = format!("{} {name} took {:.3} ms of its own", kind.as_str(), ms(own));
            let profile = json!({
                "kind": kind.as_str(), "name": name, "runs": n_runs,
                "own_ms": ms(own), "total_ms": ms(total),
            });
            writeln!(out, "{}", json!({ "level": "info", "message": message, "profile": profile }))
        }
    };
}
