//! Content of files: keys without a class, values of the wrong type, interpolation, encryption.

use std::collections::BTreeSet;

use kukla_base::Severity;
use kukla_compiler::compile::ClassParameter;
use kukla_lookup::{DataEntry, DataFile, Piece, check_encrypted, pieces};
use kukla_pcore::types::mismatch;
use kukla_pcore::{Type, Value};
use kukla_world::{Disk, MAX_FILE, World};

use super::Check;
use super::levels::{Reached, line_in};
use super::literals::Literals;
use super::options::KeyOptions;
use kukla_base::nearest::nearest;

/// Built-in functions whose files can be read.
const NATIVE: &[&str] = &["yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"];

/// A parsed data file.
pub(super) struct ParsedFile<'a> {
    pub(super) reached: &'a Reached,
    pub(super) data: DataFile,
    pub(super) text: String,
}

impl Check<'_> {
    /// Checks all files.
    pub(super) fn keys(&mut self, files: &[Reached]) {
        let mut read = Vec::new();
        for reached in files.iter().filter(|it| NATIVE.contains(&it.function.as_str())) {
            self.findings.add_file(&reached.path);
            if reached.function == "eyaml_lookup_key" {
                self.findings.redact(&reached.path);
            }
            match DataFile::read(&Disk, &reached.path, &reached.function) {
                Ok(data) => {
                    let bytes = Disk.read(&reached.path, MAX_FILE).map(|opened| opened.bytes);
                    let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
                    read.push(ParsedFile { reached, data, text });
                }
                Err(fault) => {
                    let place = fault.place.as_ref().map(|place| place.line);
                    let line = fault.line.or(place).or_else(|| line_in(&fault.message));
                    let line = line.unwrap_or(1);
                    // The line may contain a secret.
                    self.findings.redact(&reached.path);
                    let message = without_content(&fault.message);
                    self.findings.error("data-unreadable", &reached.path, line, message);
                }
            }
        }
        for file in &read {
            for entry in file.data.entries.iter().filter(|entry| entry.key == "lookup_options") {
                if let Value::Hash(options) = &entry.value {
                    self.options.add(options);
                }
            }
        }
        let keys_of_data: BTreeSet<&str> = read
            .iter()
            .flat_map(|file| file.data.entries.iter().map(|entry| entry.key.as_str()))
            .collect();
        let mut literals = None;
        for file in &read {
            self.file(file, &keys_of_data, &mut literals);
        }
        self.cycles(&read);
    }

    fn file(
        &mut self,
        file: &ParsedFile<'_>,
        keys_of_data: &BTreeSet<&str>,
        literals: &mut Option<Literals>,
    ) {
        let path = &file.reached.path;
        for (key, line) in &file.data.repeated {
            let message = format!("the key `{key}` stands here twice; the last one counts");
            self.findings.error("data-duplicate-key", path, *line, message);
        }
        for entry in &file.data.entries {
            if entry.key == "lookup_options" {
                self.options_of(entry, path);
                continue;
            }
            let options = self.options.get(&entry.key);
            if options.is_secret {
                self.findings.redact(path);
            }
            self.interpolation(file, entry, keys_of_data);
            self.encryption(file, entry);
            if let Some(module) = &file.reached.module
                && !entry.key.starts_with(&format!("{module}::"))
            {
                let message = format!(
                    "`{}` is never found here: keys of a module begin with its name",
                    entry.key
                );
                self.findings.warning("data-unreachable-key", path, entry.line, message);
                continue;
            }
            self.parameter(file, entry, options, literals);
        }
    }

    fn options_of(&mut self, entry: &DataEntry, path: &str) {
        if !matches!(entry.value, Value::Hash(_)) {
            let message = "value of lookup_options must be a hash".to_owned();
            self.findings.error("data-options", path, entry.line, message);
        }
    }

    fn parameter(
        &mut self,
        file: &ParsedFile<'_>,
        entry: &DataEntry,
        options: KeyOptions,
        literals: &mut Option<Literals>,
    ) {
        let path = &file.reached.path;
        let Some((class, name)) = entry.key.rsplit_once("::") else { return };
        let signature = match self.lookups.class(class) {
            Ok(Some(signature)) => signature,
            Ok(None) => return self.no_class(path, entry, literals),
            Err(message) => {
                let message = format!("class `{class}` can't be read: {message}");
                return self.findings.error("data-class", path, entry.line, message);
            }
        };
        let Some(parameter) = signature.parameters.iter().find(|parameter| parameter.name == name)
        else {
            let quoted = quoted(literals, self);
            if quoted.contains(entry.key.as_str()) {
                return;
            }
            let names = signature.parameters.iter().map(|parameter| parameter.name.as_str());
            let help = did_you_mean(&nearest(name, names), |near| format!("{class}::{near}"));
            let message = format!("class `{class}` has no parameter `{name}`");
            let (code, error) = ("data-unknown-key", Severity::Error);
            return self.findings.add(code, error, path, entry.line, message, help);
        };
        let Some(type_) = &parameter.type_ else { return };
        if depends_on_node(entry, options) {
            self.undecided.insert(entry.key.to_string(), type_.clone());
        } else if let Some(message) = mismatch_of(entry, parameter, type_, options) {
            self.findings.error("data-wrong-type", path, entry.line, message);
        }
    }

    /// Reports a key that looks like a parameter of a class that does not exist.
    fn no_class(&mut self, path: &str, entry: &DataEntry, literals: &mut Option<Literals>) {
        if quoted(literals, self).contains(entry.key.as_str()) {
            return;
        }
        let (class, name) = entry.key.rsplit_once("::").unwrap_or_default();
        let classes = self.classes_like(class);
        let help = did_you_mean(&nearest(class, classes.iter().map(String::as_str)), |near| {
            format!("{near}::{name}")
        });
        let message = format!("there is no class `{class}`, and no code looks `{}` up", entry.key);
        let (code, warning) = ("data-unknown-key", Severity::Warning);
        self.findings.add(code, warning, path, entry.line, message, help);
    }

    /// Returns existing classes in modules of a similar name.
    fn classes_like(&self, class: &str) -> Vec<String> {
        let mut problems = Vec::new();
        let environment = self.environment.snapshot.environment();
        let modules = environment.modules(&kukla_world::Disk, &mut problems);
        let first = class.split("::").next().unwrap_or_default();
        let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
        let near = nearest(first, names);
        let mut classes = Vec::new();
        for module in modules.iter().filter(|module| near.contains(&module.name.as_str())) {
            classes_below(&module.path.join("manifests"), &module.name, &mut classes);
        }
        classes
    }

    fn interpolation(
        &mut self,
        file: &ParsedFile<'_>,
        entry: &DataEntry,
        keys_of_data: &BTreeSet<&str>,
    ) {
        let mut texts = Vec::new();
        collect(&entry.value, &mut texts);
        for text in texts {
            let path = &file.reached.path;
            match pieces(text) {
                Err(fault) => {
                    let line = line_of(&file.text, "%{", entry.line);
                    let message = format!("`{}`: {}", entry.key, without_content(&fault.message));
                    self.findings.error("data-interpolation", path, line, message);
                }
                Ok(pieces) => {
                    for piece in pieces {
                        let (Piece::Lookup(key) | Piece::Alias(key)) = piece else { continue };
                        let root = key.split('.').next().unwrap_or_default();
                        if !keys_of_data.contains(root) && !keys_of_data.contains(key) {
                            let line = line_of(&file.text, key, entry.line);
                            let message = format!("`{}`: no data has the key `{key}`", entry.key);
                            self.findings.warning("data-interpolation", path, line, message);
                        }
                    }
                }
            }
        }
    }

    fn encryption(&mut self, file: &ParsedFile<'_>, entry: &DataEntry) {
        if file.reached.function != "eyaml_lookup_key" {
            return;
        }
        if let Err(why) = check_encrypted(&Disk, &entry.value, &file.reached.options) {
            let message = format!("`{}` can't be decrypted: {why}", entry.key);
            let line = line_of(&file.text, "ENC[", entry.line);
            self.findings.error("data-encryption", &file.reached.path, line, message);
        }
    }
}

fn quoted<'a>(literals: &'a mut Option<Literals>, check: &Check<'_>) -> &'a BTreeSet<String> {
    let literals =
        literals.get_or_insert_with(|| Literals::of(check.environment.snapshot.environment()));
    &literals.quoted
}

/// Whether a value is only keys_of_data for a given node.
fn depends_on_node(entry: &DataEntry, options: KeyOptions) -> bool {
    let mut texts = Vec::new();
    collect(&entry.value, &mut texts);
    let is_made = texts.iter().any(|text| text.contains("%{") || text.contains("ENC["));
    options.is_merged || options.is_converted || is_made
}

/// Returns the type mismatch of a value that is the same for all nodes.
fn mismatch_of(
    entry: &DataEntry,
    parameter: &ClassParameter,
    type_: &Type,
    options: KeyOptions,
) -> Option<String> {
    if entry.value.is_undef() && parameter.has_default {
        return None;
    }
    let subject = format!("`{}`", entry.key);
    let error = mismatch::assert_instance(&subject, type_, &entry.value).err()?;
    Some(match options.is_secret {
        true => format!("{subject} has wrong type, expects {}", type_.text()),
        false => error.to_string(),
    })
}

fn did_you_mean(near: &[&str], whole: impl Fn(&str) -> String) -> Option<String> {
    let names: Vec<String> = near.iter().map(|near| format!("`{}`", whole(near))).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

fn classes_below(directory: &std::path::Path, prefix: &str, classes: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.is_dir() {
            classes_below(&path, &format!("{prefix}::{stem}"), classes);
        } else if path.extension().is_some_and(|ending| ending == "pp") {
            classes.push(match stem {
                "init" => prefix.to_owned(),
                stem => format!("{prefix}::{stem}"),
            });
        }
    }
}

/// Collects all texts in a value.
pub(super) fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Hash(hash) => hash.iter().for_each(|(key, value)| {
            collect(key, texts);
            collect(value, texts);
        }),
        _ => (),
    }
}

/// Returns the first line that contains a word, from the line of a key on.
pub(super) fn line_of(text: &str, word: &str, from: u32) -> u32 {
    let skipped = usize::try_from(from.max(1) - 1).unwrap_or(0);
    let found = text.lines().skip(skipped).position(|line| line.contains(word));
    from + found.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

/// Removes quotes of the file, which may be secret, from a message.
pub(super) fn without_content(message: &str) -> String {
    match message.split_once(" at '") {
        Some((start, _)) => start.to_owned(),
        None => message.lines().next().unwrap_or_default().to_owned(),
    }
}
