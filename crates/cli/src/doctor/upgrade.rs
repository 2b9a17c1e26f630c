//! `kukla doctor --edition`: what an upgrade changes or breaks.

use std::fmt::Write;
use std::sync::Arc;

use kukla_base::Edition;
use kukla_base::edition::Impact;
use kukla_site::settings::Settings;
use kukla_site::{OpenEnvironment, Site, UpgradeFinding};
use kukla_world::Pool;
use serde_json::json;

use super::Args;
use super::catalogs::{self, CatalogChange};
use crate::Exit;
use crate::paths::current;
use crate::shell::{Shell, Stream, TextOrJson};
use crate::site;

/// The site in both editions.
pub(super) struct Sides {
    pub(super) from: Site,
    pub(super) to: Site,
}

/// Examines an upgrade to the edition `to`.
pub(super) fn run(args: &Args, to: Edition, shell: &Shell) -> anyhow::Result<Exit> {
    let from = args.from.unwrap_or_else(|| edition_before(args, to));
    let open = |edition| site::open_in(&args.settings, edition, shell);
    let sides = Sides { from: open(from)?, to: open(to)? };
    let environments = sides.environments()?;
    let [before, after] = &environments;
    let findings = before.upgrade_findings(after, &current()?, &Pool::new(None));
    let settings = changed_settings(sides.from.settings(), sides.to.settings());
    let nodes = match args.nodes.facts {
        Some(_) => catalogs::changes(&sides, &args.nodes)?,
        None => Vec::new(),
    };
    let report = Report { from, to, findings, settings, nodes };
    let text = match args.format {
        TextOrJson::Text => report.text(),
        TextOrJson::Json => format!("{}\n", report.json()),
    };
    shell.print(Stream::Output, &text)?;
    Ok(if report.breaks() { Exit::Findings } else { Exit::Success })
}

/// Returns the edition that the site has now: that of its settings, or the one before the target.
fn edition_before(args: &Args, to: Edition) -> Edition {
    let configured = current().ok().and_then(|anchor| args.settings.configured_edition(&anchor));
    let before = match to {
        Edition::Seven | Edition::Eight => Edition::Seven,
        Edition::Nine => Edition::Eight,
    };
    configured.filter(|configured| *configured < to).unwrap_or(before)
}

impl Sides {
    fn environments(&self) -> anyhow::Result<[Arc<OpenEnvironment>; 2]> {
        let open = |site: &Site| site.environment(&site.default_environment());
        Ok([open(&self.from)?, open(&self.to)?])
    }
}

/// Returns name, old and new value of settings whose defaults differ.
fn changed_settings(from: &Settings, to: &Settings) -> Vec<[String; 3]> {
    let text = |settings: &Settings, name: &str| {
        settings.text(name).unwrap_or_else(|| "(none)".to_owned())
    };
    let mut names: Vec<&str> = from.all().chain(to.all()).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let rows = names.into_iter().map(|name| [name.to_owned(), text(from, name), text(to, name)]);
    rows.filter(|[_, old, new]| old != new).collect()
}

struct Report {
    from: Edition,
    to: Edition,
    findings: Vec<UpgradeFinding>,
    settings: Vec<[String; 3]>,
    nodes: Vec<CatalogChange>,
}

impl Report {
    /// Whether code that compiles now fails afterwards.
    fn breaks(&self) -> bool {
        let is_broken = |finding: &UpgradeFinding| finding.change.impact == Impact::Breaks;
        self.findings.iter().any(is_broken) || self.nodes.iter().any(CatalogChange::is_broken)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            let UpgradeFinding { change, path, line, column, subject, instead } = finding;
            let _ = writeln!(out, "{}[{}]: {subject}", change.impact.as_str(), change.code);
            let _ = writeln!(out, " --> {}:{line}:{column}", path.display());
            let _ = writeln!(out, "  = since edition {}: {}", change.since, change.summary);
            let help = instead.as_ref().map(|instead| format!("write `{instead}`"));
            let _ = writeln!(out, "  = help: {}", help.as_deref().unwrap_or(change.advice));
        }
        for [name, old, new] in &self.settings {
            let _ = writeln!(out, "setting `{name}`: {old} becomes {new}");
        }
        self.nodes.iter().for_each(|node| out.push_str(&node.text()));
        let count = |impact| self.findings.iter().filter(|one| one.change.impact == impact).count();
        let _ = writeln!(
            out,
            "edition {} to {}: {} places break, {} change catalogs, {} have other messages",
            self.from,
            self.to,
            count(Impact::Breaks),
            count(Impact::Changes),
            count(Impact::Messages)
        );
        if !self.nodes.is_empty() {
            let n_changed = self.nodes.iter().filter(|node| !node.is_same()).count();
            let _ = writeln!(out, "{n_changed} of {} nodes change", self.nodes.len());
        }
        out
    }

    fn json(&self) -> serde_json::Value {
        let finding = |one: &UpgradeFinding| {
            json!({
                "change": one.change.code,
                "impact": one.change.impact.as_str(),
                "since": one.change.since.as_str(),
                "file": one.path.to_string_lossy(),
                "line": one.line,
                "column": one.column,
                "subject": one.subject,
                "instead": one.instead,
                "summary": one.change.summary,
                "advice": one.change.advice,
            })
        };
        let setting =
            |[name, old, new]: &[String; 3]| json!({ "name": name, "from": old, "to": new });
        json!({
            "version": 1,
            "from": self.from.as_str(),
            "to": self.to.as_str(),
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "settings": self.settings.iter().map(setting).collect::<Vec<_>>(),
            "nodes": self.nodes.iter().map(CatalogChange::json).collect::<Vec<_>>(),
        })
    }
}
