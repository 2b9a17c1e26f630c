//! `fileserver.conf`: mounts that a site adds.
//!
//! ```text
//! [name]
//!   path /srv/files/%h
//!   allow *
//! ```
//! `%h` is the short name of the client, `%H` its whole name, `%d` its domain, `%%` a percent sign.

use std::collections::BTreeMap;
use std::path::Path;

/// Mounts by name. The path of a mount is as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SiteMounts {
    pub(super) paths: BTreeMap<String, String>,
    /// Lines that have no effect, with reasons.
    pub(super) warnings: Vec<String>,
}

/// A file that can't be used, with the line that says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (line: {line})")]
pub(super) struct ConfError {
    line: usize,
    reason: String,
}

/// Mounts that have their directories from modules.
pub(super) const BUILT_IN: [&str; 6] =
    ["locales", "modules", "pluginfacts", "plugins", "scripts", "tasks"];

/// Parses the text of the file.
pub(super) fn parse(text: &str) -> Result<SiteMounts, ConfError> {
    let mut parser = Parser::default();
    for (at, line) in text.lines().enumerate() {
        parser.line(line).map_err(|reason| ConfError { line: at + 1, reason })?;
    }
    match parser.without_path() {
        Some(name) => Err(ConfError {
            line: text.lines().count(),
            reason: format!("Mounts without paths are not usable: add `path` to [{name}]"),
        }),
        None => Ok(parser.mounts),
    }
}

#[derive(Default)]
struct Parser {
    mounts: SiteMounts,
    /// Names of all sections, and whether each has a path.
    sections: BTreeMap<String, bool>,
    current: Option<String>,
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Ok(());
        }
        if let Some(name) = section(trimmed) {
            return self.section(name);
        }
        let (key, value) = trimmed
            .split_once(char::is_whitespace)
            .filter(|(key, _)| key.chars().all(is_word))
            .ok_or_else(|| format!("Invalid entry: '{trimmed}'"))?;
        self.entry(key, without_comment(value))
    }

    fn section(&mut self, name: &str) -> Result<(), String> {
        if self.sections.insert(name.to_owned(), false).is_some() {
            return Err(format!("the mount `{name}` is defined twice"));
        }
        self.current = Some(name.to_owned());
        Ok(())
    }

    fn entry(&mut self, key: &str, value: &str) -> Result<(), String> {
        if value.starts_with('=') {
            return Err("Fileserver configuration file does not use '=' as a separator".to_owned());
        }
        let Some(name) = self.current.clone() else {
            return Err(format!("`{key}` stands before the first [mount]"));
        };
        match (key, value) {
            ("allow", "*") => {}
            ("allow" | "deny", _) => self.mounts.warnings.push(format!(
                "Entry '{key} {value}' of [{name}] is unsupported and will be ignored; use auth.conf"
            )),
            ("path", _) => self.path(name, value),
            _ => return Err(format!("Invalid argument '{key}'")),
        }
        Ok(())
    }

    fn path(&mut self, name: String, value: &str) {
        let warning = if BUILT_IN.contains(&name.as_str()) {
            format!("The '{name}' module can not have a path. Ignoring attempt to set it")
        } else if !value.starts_with('/') || (!value.contains('%') && !Path::new(value).is_dir()) {
            format!("Removing mount \"{name}\": {value} does not exist or is not a directory")
        } else {
            self.mounts.paths.insert(name.clone(), value.to_owned());
            self.sections.insert(name, true);
            return;
        };
        self.sections.insert(name, true);
        self.mounts.warnings.push(warning);
    }

    fn without_path(&self) -> Option<&str> {
        let is_unusable =
            |(name, has_path): &(&String, &bool)| !**has_path && !BUILT_IN.contains(&name.as_str());
        self.sections.iter().find(is_unusable).map(|(name, _)| name.as_str())
    }
}

/// Returns the name of `[name]`.
fn section(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once('[')?;
    let (name, _) = behind.split_once(']')?;
    (!name.is_empty() && name.chars().all(|c| is_word(c) || c == '-')).then_some(name)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn without_comment(value: &str) -> &str {
    value.find('#').filter(|at| *at > 0).map_or(value, |at| &value[..at]).trim()
}

/// Returns the directory of a mount for a client; none if the name of the client can't be part of a path.
pub(super) fn expand(path: &str, client: &str) -> Option<String> {
    let mut out = String::with_capacity(path.len() + client.len());
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        let letter = behind.chars().next();
        let value = match letter {
            Some('%') => "%",
            Some('h') => part(client.split('.').next().unwrap_or(client))?,
            Some('H') => part(client)?,
            Some('d') => part(client.split_once('.').map_or(client, |(_, domain)| domain))?,
            _ => {
                out.push('%');
                rest = behind;
                continue;
            }
        };
        out.push_str(value);
        rest = &behind[1..];
    }
    out.push_str(rest);
    Some(out)
}

/// Returns a part of a name unless it would lead to another directory.
fn part(name: &str) -> Option<&str> {
    let is_harmless = !matches!(name, "" | "." | "..") && !name.contains(['/', '\0']);
    is_harmless.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_have_names_and_paths() {
        let conf = "# c\n[a-1]\n path /tmp # x\n allow *\n[b]\n path /srv/%h\n deny x\n[modules]\n path /x\n[c]\n path /nosuch\n";
        let mounts = parse(conf).expect("valid");
        let paths: Vec<_> = mounts.paths.iter().collect();
        assert_eq!(format!("{paths:?}"), r#"[("a-1", "/tmp"), ("b", "/srv/%h")]"#);
        assert_eq!(mounts.warnings.len(), 3);
    }

    #[test]
    fn mistakes_name_their_line() {
        for (conf, line) in [
            ("path /tmp", 1),
            ("[a]\npath = /tmp", 2),
            ("[a]\npath /tmp\n[a]\n", 3),
            ("[a]\n", 1),
            ("[a]\nowner x\n", 2),
            ("nonsense\n", 1),
        ] {
            assert_eq!(parse(conf).map_err(|error| error.line), Err(line), "{conf}");
        }
    }

    #[test]
    fn paths_depend_on_the_client() {
        assert_eq!(expand("/m/%h/%H/%d/%%/%x", "a.b.c").as_deref(), Some("/m/a/a.b.c/b.c/%/%x"));
        assert_eq!(expand("/m/%h", "../x"), None);
        assert_eq!(expand("/m/%d", "a."), None);
        assert_eq!(expand("/m/%H", ".."), None);
        assert_eq!(expand("/m/%d", "alone").as_deref(), Some("/m/alone"));
    }
}
