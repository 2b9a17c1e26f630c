//! Quoted words in the code of an environment: keys that may be looked up, and classes that are included.

use kukla_world::files;
use std::collections::BTreeSet;
use std::path::Path;

use kukla_site::Environment;

/// Words in the code of an environment.
#[derive(Debug, Default)]
pub(super) struct Literals {
    /// All quoted texts.
    pub(super) quoted: BTreeSet<String>,
    /// Classes that are included by name.
    pub(super) included: BTreeSet<String>,
    /// Classes that are declared as resources, maybe with parameters.
    pub(super) declared: BTreeSet<String>,
}

impl Literals {
    /// Reads all code of an environment.
    pub(super) fn of(environment: &Environment) -> Self {
        let mut literals = Self::default();
        literals.read_below(&environment.manifest, 0);
        for directory in &environment.modulepath {
            literals.read_below(directory, 0);
        }
        literals.read_below(&environment.directory.join("functions"), 0);
        literals
    }

    fn read_below(&mut self, path: &Path, depth: usize) {
        if path.is_file() {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if matches!(ending, "pp" | "epp" | "erb" | "rb") {
                let bytes = files::read_regular(path).unwrap_or_default();
                self.read(&String::from_utf8_lossy(&bytes), ending == "pp");
            }
            return;
        }
        let Ok(entries) = std::fs::read_dir(path) else { return };
        for entry in entries.flatten().filter(|_| depth < 16) {
            let name = entry.file_name();
            if !matches!(name.to_str(), Some("spec" | "tests" | ".git" | "files" | "examples")) {
                self.read_below(&entry.path(), depth + 1);
            }
        }
    }

    fn read(&mut self, text: &str, is_manifest: bool) {
        for line in text.lines() {
            self.read_quoted(line);
            let code = line.split('#').next().unwrap_or_default().trim();
            if is_manifest {
                self.read_statement(code);
            }
        }
    }

    fn read_quoted(&mut self, line: &str) {
        let mut rest = line;
        while let Some(start) = rest.find(['\'', '"']) {
            let quote = if rest[start..].starts_with('"') { '"' } else { '\'' };
            let inner = &rest[start + 1..];
            let Some(end) = inner.find(quote) else { break };
            if (1..=200).contains(&end) {
                self.quoted.insert(inner[..end].to_owned());
            }
            rest = &inner[end + 1..];
        }
    }

    fn read_statement(&mut self, code: &str) {
        let code = code.rsplit('{').next().map_or(code, str::trim);
        for word in ["include", "contain", "require"] {
            let Some(rest) = code.strip_prefix(word) else { continue };
            if rest.starts_with([' ', '(']) && !rest.contains(['$', '=']) {
                self.included.extend(rest.split([',', ' ', '(', ')', '[', ']']).filter_map(class));
            }
        }
        if let Some((_, name)) = code.split_once("class {").or_else(|| code.split_once("class{")) {
            self.declared.extend(name.split(':').next().and_then(class));
        }
        // `class { 'name':`, whose brace was cut off.
        if let Some((name, rest)) = code.split_once(':')
            && !rest.starts_with(':')
            && code.starts_with(['\'', '"'])
        {
            self.declared.extend(class(name));
        }
    }
}

/// Returns the name of a class, with or without quotes.
fn class(text: &str) -> Option<String> {
    let name = text.trim().trim_matches(['\'', '"', '}', ';']).trim_start_matches("::");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_lowercase())
}
