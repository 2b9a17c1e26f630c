//! `eyaml_lookup_key`: YAML with encrypted values.

mod key;
mod pkcs7;
#[cfg(test)]
mod tests;

use kukla_world::World;
use std::cell::Cell;

use kukla_pcore::{Hash, Value};
use kukla_rubytext::base64;

use crate::backend::Answer;
use crate::data::{Content, Format};
use crate::run::Run;
use crate::{Fault, Miss, Search};

/// Returns the value of a key, decrypted and interpolated.
pub(crate) fn lookup_key(
    run: &mut Run<'_>,
    key: &str,
    options: &Value,
    path: Option<&str>,
) -> Search<Answer> {
    let Some(path) = path else {
        return Err(Fault::other(
            "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function",
        )
        .into());
    };
    let hash = match run.load_file(path, Format::Yaml)? {
        Content::Hash(hash) => hash,
        Content::Other(value) => run.no_yaml_hash(path, &value)?,
    };
    run.session.note_key(path, Format::Yaml, &hash, key);
    let entry = hash.get(key).ok_or(Miss::NotFound)?;
    let options = match options {
        Value::Hash(options) => (**options).clone(),
        _ => Hash::new(),
    };
    let is_secret = Cell::new(false);
    let value = Decryptor { options: &options, key, path, is_secret: &is_secret }
        .value(run, &entry.value)?;
    Ok(Answer { value, line: entry.line, is_secret: is_secret.get() })
}

struct Decryptor<'a> {
    options: &'a Hash,
    key: &'a str,
    path: &'a str,
    /// Set to true if a part of the value was encrypted.
    is_secret: &'a Cell<bool>,
}

impl Decryptor<'_> {
    fn value(&self, run: &mut Run<'_>, value: &Value) -> Search<Value> {
        stacker::maybe_grow(64 << 10, 1 << 20, || match value {
            Value::String(text) => {
                let text = match is_encrypted(text) {
                    true => Value::from(self.decrypt(run, text)?),
                    false => value.clone(),
                };
                run.interpolate(&text, true)
            }
            Value::Array(items) => {
                let items: Search<Vec<Value>> =
                    items.iter().map(|item| self.value(run, item)).collect();
                Ok(Value::array(items?))
            }
            Value::Hash(hash) => {
                let mut result = Hash::with_capacity(hash.len());
                for (key, value) in hash.iter() {
                    let key = run.interpolate(key, true)?;
                    result.insert(key, self.value(run, value)?);
                }
                Ok(Value::from(result))
            }
            other => Ok(other.clone()),
        })
    }

    /// Replaces all encrypted parts of a text, and removes a final line break.
    fn decrypt(&self, run: &Run<'_>, text: &str) -> Result<String, Fault> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((start, end, scheme, cipher)) = next_token(rest) {
            self.is_secret.set(true);
            out.push_str(&rest[..start]);
            let plain = plain_text(&run.session.files(), self.options, scheme, cipher).map_err(|message| {
                let Self { key, path, .. } = self;
                Fault::lookup(format!(
                    "hiera-eyaml backend error decrypting {text} when looking up {key} in {path}. Error was {message}"
                ))
            })?;
            out.push_str(&plain);
            rest = &rest[end..];
        }
        out.push_str(rest);
        let chomped = out.strip_suffix('\n').unwrap_or(&out);
        Ok(chomped.strip_suffix('\r').unwrap_or(chomped).to_owned())
    }
}

/// Returns the position of the next encrypted part, its scheme and its ciphertext.
fn next_token(text: &str) -> Option<(usize, usize, &str, &str)> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find("ENC[")?;
        let inner = &text[start + 4..];
        from = start + 4;
        let Some(length) = inner.find(']') else { continue };
        let (scheme, cipher) = match inner[..length].split_once(',') {
            Some((scheme, cipher)) => (scheme, cipher),
            None => ("PKCS7", &inner[..length]),
        };
        let is_cipher =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | ' ' | '=' | '\n');
        let is_scheme = scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_scheme && !scheme.is_empty() && !cipher.is_empty() && cipher.chars().all(is_cipher) {
            return Some((start, start + 4 + length + 1, scheme, cipher));
        }
    }
}

/// Whether a line of the text has an encrypted part.
fn is_encrypted(text: &str) -> bool {
    text.lines().any(|line| line.find("ENC[").is_some_and(|start| line[start..].contains(']')))
}

/// Reason why a part can't be decrypted; never contains any of the plaintext.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DecryptError(String);

impl From<String> for DecryptError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// Checks that all encrypted parts of a value can be decrypted with the keys that the options name.
pub fn check_encrypted(
    files: &dyn World,
    value: &Value,
    options: &Value,
) -> Result<(), DecryptError> {
    let empty = Hash::new();
    let options = match options {
        Value::Hash(options) => &**options,
        _ => &empty,
    };
    match value {
        Value::String(text) if is_encrypted(text) => {
            let mut rest = text.as_str();
            let mut n_found = 0;
            while let Some((_, end, scheme, cipher)) = next_token(rest) {
                plain_text(files, options, scheme, cipher)?;
                n_found += 1;
                rest = &rest[end..];
            }
            if n_found == 0 {
                return Err("it is not written as encrypted values are".to_owned().into());
            }
            Ok(())
        }
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| check_encrypted(files, item, &Value::from(options.clone()))),
        Value::Hash(hash) => hash
            .values()
            .try_for_each(|item| check_encrypted(files, item, &Value::from(options.clone()))),
        _ => Ok(()),
    }
}

/// Returns the plaintext of a ciphertext.
fn plain_text(
    files: &dyn World,
    options: &Hash,
    scheme: &str,
    cipher: &str,
) -> Result<String, String> {
    if !scheme.eq_ignore_ascii_case("pkcs7") {
        let scheme = scheme.to_lowercase();
        return Err(format!("cannot load such file -- hiera/backend/eyaml/encryptors/{scheme}"));
    }
    let option = |name: &str| {
        let path = options.get_str(&format!("pkcs7_{name}")).and_then(Value::as_str);
        path.ok_or_else(|| format!("pkcs7_{name} is not defined"))
    };
    let (public_key, private_key) = (option("public_key")?, option("private_key")?);
    let read = |path: &str| crate::data::text(files, path).map_err(|fault| fault.message);
    let private_key = read(private_key)?;
    read(public_key)?;
    let plain = pkcs7::decrypt(&private_key, &base64::decode(cipher))?;
    Ok(String::from_utf8_lossy(&plain).into_owned())
}
