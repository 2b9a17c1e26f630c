//! `eyaml_lookup_key`: YAML with encrypted values.

use kukla_pcore::{Hash, Value};

use crate::data::{Content, Format};
use crate::run::Run;
use crate::{Fault, Miss, Search};

/// The value of a key, decrypted and interpolated, and its line.
pub(crate) fn lookup_key(
    run: &mut Run<'_>,
    key: &str,
    options: &Value,
    path: Option<&str>,
) -> Search<(Value, u32)> {
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
    let entry = hash.get(key).ok_or(Miss::NotFound)?;
    let options = match options {
        Value::Hash(options) => (**options).clone(),
        _ => Hash::new(),
    };
    let value = Decryptor { options: &options, key, path }.value(run, &entry.value)?;
    Ok((value, entry.line))
}

struct Decryptor<'a> {
    options: &'a Hash,
    key: &'a str,
    path: &'a str,
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

    /// The text with all that is encrypted replaced, without a line break at its end.
    fn decrypt(&self, _run: &mut Run<'_>, _text: &str) -> Result<String, Fault> {
        let Self { options: _, key, path } = self;
        Err(Fault::lookup(format!(
            "hiera-eyaml backend error decrypting a value when looking up {key} in {path}"
        )))
    }
}

/// Whether there is something encrypted on a line of the text.
fn is_encrypted(text: &str) -> bool {
    text.lines().any(|line| line.find("ENC[").is_some_and(|start| line[start..].contains(']')))
}
