//! Digests of values.

use kukla_base::cancel::walk;
use kukla_base::{Digest, DigestHasher};

use crate::{Hash, Value};

/// Returns the digest of a value. The order of a hash counts: it is visible in catalogs.
pub fn digest(value: &Value) -> Digest {
    let mut hasher = DigestHasher::new();
    add(value, &mut hasher);
    hasher.finish()
}

fn add(value: &Value, hasher: &mut DigestHasher) {
    walk((), || match value {
        Value::Undef => hasher.update(b"u"),
        Value::Boolean(value) => hasher.update(if *value { b"t" } else { b"f" }),
        Value::Integer(number) => {
            hasher.update(b"i");
            hasher.update(&number.to_le_bytes());
        }
        Value::Float(number) => {
            hasher.update(b"d");
            hasher.update(&number.to_bits().to_le_bytes());
        }
        Value::String(text) => add_bytes(b"s", text.as_bytes(), hasher),
        Value::Array(items) => {
            hasher.update(b"a");
            hasher.update(&items.len().to_le_bytes());
            items.iter().for_each(|item| add(item, hasher));
        }
        Value::Hash(hash) => add_hash(hash, hasher),
        Value::Sensitive(inner) => {
            hasher.update(b"x");
            add(inner, hasher);
        }
        Value::Binary(bytes) => add_bytes(b"b", bytes, hasher),
        // The type distinguishes values of different kinds with the same text.
        other => {
            add_bytes(b"o", crate::types::infer(other).text().as_bytes(), hasher);
            add_bytes(b"p", crate::interpolate::text(other).as_bytes(), hasher);
        }
    });
}

fn add_hash(hash: &Hash, hasher: &mut DigestHasher) {
    hasher.update(b"h");
    hasher.update(&hash.len().to_le_bytes());
    for (key, value) in hash.iter() {
        add(key, hasher);
        add(value, hasher);
    }
}

fn add_bytes(tag: &[u8], bytes: &[u8], hasher: &mut DigestHasher) {
    hasher.update(tag);
    hasher.update(&bytes.len().to_le_bytes());
    hasher.update(bytes);
}
