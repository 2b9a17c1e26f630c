//! Functions that return all data at once: files, and functions of the host.

use std::rc::Rc;
use std::sync::Arc;

use kukla_base::EditionChange;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Value, ruby};
use kukla_syntax::Strict;
use kukla_world::{MAX_FILE, World};

use super::entry::{Answer, FunctionKind};
use super::{At, wrong_type};
use crate::data::{Content, DataHash, Format};
use crate::merge::built_in;
use crate::run::Run;
use crate::{Fault, Key, LogLevel, Miss, Search};

impl Run<'_> {
    pub(super) fn data_hash_value(&mut self, at: &At<'_>, key: &Key) -> Search<Value> {
        if let Some(plain) = self.plain_value(at, key) {
            return plain;
        }
        let cached = at.source.hash.borrow().clone();
        let hash = match cached {
            Some(hash) => hash,
            None => {
                let hash = self.load_data_hash(at)?;
                *at.source.hash.borrow_mut() = Some(Arc::clone(&hash));
                hash
            }
        };
        self.note_key(at, key, &hash);
        let Some(data) = hash.get(key.root()) else {
            self.not_found(key.root());
            return Err(Miss::NotFound);
        };
        if let Some(type_) = hash.wrong_type(key.root()).filter(|_| data.is_wrong) {
            let start = format!("Value for key '{}', in hash returned from", key.root());
            return Err(wrong_type(&at.subject(&start), type_).into());
        }
        let value = match data.interpolates {
            true => self.interpolate(&data.value, true)?,
            false => data.value.clone(),
        };
        let answer = Answer { value, line: data.line, is_secret: false };
        self.found_at(key.root(), &answer, at);
        Ok(answer.value)
    }

    /// Returns the answer if the data is loaded and the value needs no processing.
    fn plain_value(&self, at: &At<'_>, key: &Key) -> Option<Search<Value>> {
        let source = at.source.hash.borrow();
        let hash = source.as_ref()?;
        self.note_key(at, key, hash);
        let data = hash.get(key.root());
        let answer = match data {
            Some(data) if !data.is_plain() => return None,
            Some(data) => {
                Some(Answer { value: data.value.clone(), line: data.line, is_secret: false })
            }
            None => None,
        };
        Some(match answer {
            Some(answer) => {
                self.found_at(key.root(), &answer, at);
                Ok(answer.value)
            }
            None => {
                self.not_found(key.root());
                Err(Miss::NotFound)
            }
        })
    }

    /// Notes a key of a file. Functions of modules have no files of their own: what they read is noted while they run.
    fn note_key(&self, at: &At<'_>, key: &Key, hash: &Arc<DataHash>) {
        if let (Some(location), Some(format)) = (at.location, at.entry.native_format()) {
            self.session.note_key(&location.path, format, hash, key.root());
        }
    }

    fn load_data_hash(&mut self, at: &At<'_>) -> Search<Arc<DataHash>> {
        let hash = match at.entry.native_format() {
            Some(format) => self.native_hash(at, format)?,
            None => self.called_hash(at)?,
        };
        if let Some(module) = at.provider.module() {
            self.check_module_keys(&hash, module, &at.subject("Value returned from"))?;
        }
        Ok(hash)
    }

    fn called_hash(&mut self, at: &At<'_>) -> Search<Arc<DataHash>> {
        let is_validated = self.find_function(at)?;
        let arguments = match at.entry.kind {
            FunctionKind::V4DataHash => Vec::new(),
            _ => vec![at.entry.call_options(at.location)],
        };
        let value = self.call_function(at, arguments)?;
        match &value {
            Value::Hash(hash) => Ok(Arc::new(DataHash::from_hash(hash, is_validated))),
            _ => Err(no_hash(at, &value).into()),
        }
    }

    /// Warns of keys in a module's data that do not start with its name.
    fn check_module_keys(
        &mut self,
        hash: &DataHash,
        module: &str,
        subject: &str,
    ) -> Result<(), Fault> {
        if let Some(odd) = hash.odd_keys().first() {
            return Err(Fault::other(ruby::no_method("start_with?", odd)));
        }
        let prefix = format!("{module}::");
        let is_named = self.session.has(EditionChange::NamedPrunedKeys);
        for (key, _) in hash.iter() {
            if key != crate::LOOKUP_OPTIONS && !key.starts_with(&prefix) {
                let got = if is_named { format!("; got {key}") } else { String::new() };
                self.host.log(LogLevel::Warning, &format!(
                    "Module '{module}': {subject} must use keys qualified with the name of the module{got}"
                ));
            }
        }
        Ok(())
    }

    fn native_hash(&mut self, at: &At<'_>, format: Format) -> Search<Arc<DataHash>> {
        let has_options = matches!(&at.entry.options, Value::Hash(hash) if !hash.is_empty());
        let Some(path) = at.path().filter(|_| !has_options) else {
            return Err(Fault::other(format!(
                "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
                at.entry.function
            ))
            .into());
        };
        match self.load_file(path, format)? {
            Content::Hash(hash) => Ok(hash),
            Content::Other(value) if format == Format::Yaml => self.no_yaml_hash(path, &value),
            Content::Other(Value::Boolean(false)) => Err(no_hash(at, &Value::Undef).into()),
            Content::Other(value) => Err(no_hash(at, &value).into()),
        }
    }

    /// Returns the content of a file, if the node may see the file that was opened.
    pub(crate) fn load_file(&mut self, path: &str, format: Format) -> Search<Content> {
        let layers = Arc::clone(&self.session.layers);
        let (access, session) = (self.access()?, Rc::clone(&self.session));
        let files = &session.files();
        let content = layers.cache.load(files, path, format, &|stamp| match &access {
            Some(access) => access.permits(files, path, stamp),
            None => Ok(true),
        });
        if content.is_err() && session.is_recorded() {
            // The error may depend on any part of the file, so all of it is recorded.
            let _ = files.read(path, MAX_FILE);
        }
        let content = content?;
        if let Some(content) = &content {
            self.session.note_form(path, format, content);
        }
        content.ok_or(Miss::NotFound)
    }

    /// Returns an empty hash for a file without a hash, with a warning; with `strict=error` only for an empty file.
    pub(crate) fn no_yaml_hash(&mut self, path: &str, value: &Value) -> Search<Arc<DataHash>> {
        let message = format!("{path}: file does not contain a valid yaml hash");
        let is_strict = self.session.layers.places.strict == Strict::Error;
        if is_strict && *value != Value::Boolean(false) {
            return Err(Fault::lookup(message).into());
        }
        // The file is read once, so there is one warning.
        if self.session.is_first_warning(&message) {
            self.host.log(LogLevel::Warning, &message);
        }
        Ok(Arc::default())
    }
}

fn no_hash(at: &At<'_>, value: &Value) -> Fault {
    let subject = at.subject("Value returned from");
    Fault::puppet(mismatch::assertion(&subject, &built_in("Hash"), value))
}
