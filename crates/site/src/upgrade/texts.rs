//! Places of templates, data and configuration that an upgrade affects.

use std::path::{Path, PathBuf};

use kukla_base::EditionChange;
use kukla_pcore::regex::Regex;
use kukla_world::paths::Anchor;
use kukla_world::walk::{Wanted, walk};
use kukla_world::{Disk, Pool, World};

use super::{Upgrade, UpgradeFinding, legacy_facts};

/// Settings that edition 9 removed, of those that `environment.conf` may have.
const REMOVED: &str = "environment_data_provider";

impl Upgrade<'_> {
    /// Adds the places of all files of the environment and its modules that are not manifests.
    pub(super) fn texts(&self, anchor: &Anchor, findings: &mut Vec<UpgradeFinding>) {
        let environment = &self.from.snapshot.environment;
        let modules = self.from.snapshot.modules.iter().map(|module| module.path.clone());
        let roots: Vec<PathBuf> = modules.collect();
        for root in &roots {
            self.below(&root.join("templates"), &[], anchor, findings);
            self.below(&root.join("data"), &[], anchor, findings);
            self.text(&root.join("hiera.yaml"), findings);
        }
        self.below(&environment.directory.join("data"), &environment.modulepath, anchor, findings);
        self.text(&environment.directory.join("hiera.yaml"), findings);
        self.conf(&environment.directory.join("environment.conf"), findings);
    }

    fn below(
        &self,
        directory: &Path,
        skipped: &[PathBuf],
        anchor: &Anchor,
        findings: &mut Vec<UpgradeFinding>,
    ) {
        if !Disk.is_directory(&directory.to_string_lossy()) {
            return;
        }
        let wanted = Wanted { is_wanted: |path| searched(path).is_some(), skipped };
        let walked = walk(directory, &wanted, anchor, &Pool::new(Some(1)));
        walked.files.iter().for_each(|file| self.text(file, findings));
    }

    /// Adds the places of a template or of data.
    fn text(&self, path: &Path, findings: &mut Vec<UpgradeFinding>) {
        let Ok(text) = Disk.read_text(&path.to_string_lossy()) else { return };
        let Some(patterns) = searched(path) else { return };
        let patterns: Vec<Regex> =
            patterns.iter().filter_map(|source| Regex::new(source).ok()).collect();
        for (line, content) in (1..).zip(text.lines()) {
            for regex in &patterns {
                self.facts_of_line(path, line, content, regex, findings);
            }
            let inspected = content.find(".inspect").filter(|_| is_erb(path));
            if let Some(at) = inspected.filter(|_| self.brings(EditionChange::RubyTexts)) {
                let subject = "`inspect` in a template".to_owned();
                let place = (path, line, column(content, at));
                findings.push(finding(EditionChange::RubyTexts, place, subject, None));
            }
            let backend = content.find("hiera3_backend");
            if let Some(at) = backend.filter(|_| self.brings(EditionChange::Hiera3Optional)) {
                let place = (path, line, column(content, at));
                let subject = "`hiera3_backend`".to_owned();
                findings.push(finding(EditionChange::Hiera3Optional, place, subject, None));
            }
        }
    }

    fn facts_of_line(
        &self,
        path: &Path,
        line: u32,
        content: &str,
        regex: &Regex,
        findings: &mut Vec<UpgradeFinding>,
    ) {
        if !self.brings(EditionChange::NoLegacyFacts) {
            return;
        }
        let mut start = 0;
        while let Ok(Some(captures)) = regex.captures(content, start) {
            if let Some(name) = captures.get(1)
                && let Some(fact) = legacy_facts::replacement(name)
            {
                let place = (path, line, column(content, captures.start()));
                let instead = match is_erb(path) {
                    true => legacy_facts::expression(fact).replacen('$', "@", 1),
                    false => format!("%{{facts.{fact}}}"),
                };
                let subject = format!("the legacy fact `{name}`");
                findings.push(finding(EditionChange::NoLegacyFacts, place, subject, Some(instead)));
            }
            start = captures.end().max(start + 1);
            if start >= content.len() || !content.is_char_boundary(start) {
                break;
            }
        }
    }

    /// Adds settings of `environment.conf` that were removed.
    fn conf(&self, path: &Path, findings: &mut Vec<UpgradeFinding>) {
        let Ok(text) = Disk.read_text(&path.to_string_lossy()) else { return };
        for (line, content) in (1..).zip(text.lines()) {
            let is_removed = content.split('=').next().is_some_and(|name| name.trim() == REMOVED);
            if is_removed && self.brings(EditionChange::RemovedSettings) {
                let subject = format!("the setting `{REMOVED}`");
                let place = (path, line, 1);
                findings.push(finding(EditionChange::RemovedSettings, place, subject, None));
            }
        }
    }
}

/// Returns the patterns of facts in a file, by its name; none if it is not searched.
fn searched(path: &Path) -> Option<&'static [&'static str]> {
    match path.extension()?.to_str()? {
        "erb" => Some(&[
            r"@(\w+)",
            r#"scope\[['"](?:::)?(\w+)['"]\]"#,
            r#"lookupvar\(['"](?:::)?(\w+)['"]\)"#,
        ]),
        "yaml" | "yml" | "json" | "eyaml" => Some(&[r"%\{(?:::)?(?:facts\.)?(\w+)\}"]),
        _ => None,
    }
}

fn is_erb(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "erb")
}

/// Returns the column of an offset in a line.
fn column(line: &str, at: usize) -> u32 {
    let before = line.get(..at).map_or(0, |before| before.chars().count());
    u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
}

fn finding(
    change: EditionChange,
    (path, line, column): (&Path, u32, u32),
    subject: String,
    instead: Option<String>,
) -> UpgradeFinding {
    UpgradeFinding { change: change.row(), path: path.to_owned(), line, column, subject, instead }
}
