//! The index of an environment: the definitions of its manifests, stored beside their trees.
//!
//! ```text
//! kukla-index 1 <bytes of the rest> <CRC-32 of the rest>
//! [{ "path": "/…/a/manifests/init.pp", "size": 91, "crc32": 305419896,
//!    "definitions": [{ "kind": "class", "name": "a", "params": [{ "name": "x", "type": "String" }] }] }]
//! ```
//! Types are written with all aliases of the environment expanded, so one changed manifest may change the entry
//! of any other: the index is used as a whole if every manifest is unchanged, and
//! not at all otherwise. Its answer never differs from that of the manifests.

use std::collections::HashMap;
use std::path::PathBuf;

use kukla_syntax::Ast;
use kukla_world::Pool;
use kukla_xpp::SourceCheck;
use kukla_xpp::tree::{Index, Manifest, Store};
use serde_json::Value;

use crate::classes::{Trees, files};
use crate::environment::Environment;
use crate::load::Xpp;

const HEAD: &str = "kukla-index 1";

/// An environment and its manifests.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// The environment.
    pub environment: &'a Environment,
    /// All its manifests, including a main manifest that lies elsewhere.
    pub manifests: &'a [Manifest],
}

impl Index for Whole<'_> {
    fn manifests(&self) -> &[Manifest] {
        self.manifests
    }

    /// Returns the text of the index; `None` if a manifest can't be read.
    ///
    /// The text lists the checksums of the sources, so the index is ignored if one of them changes meanwhile.
    fn text(&self, known: &HashMap<PathBuf, Ast>, pool: &Pool) -> Option<String> {
        let trees = Trees { environment: self.environment, xpp: Xpp::Off, known };
        let (files, _) = files(&trees, self.manifests, self.manifests, pool);
        if !files.iter().all(|file| file["size"].is_u64())
            || !self.manifests.iter().all(|manifest| manifest.path.to_str().is_some())
        {
            return None;
        }
        let value = Value::Array(files);
        let body = value.to_string();
        // Some floats do not survive a round trip; an index that has one is incomplete.
        let is_exact = serde_json::from_str::<Value>(&body).is_ok_and(|read| read == value);
        is_exact.then(|| {
            let SourceCheck { size, crc32 } = SourceCheck::of(&body);
            format!("{HEAD} {size} {crc32:08x}\n{body}\n")
        })
    }
}

impl Whole<'_> {
    /// Returns the entry of each manifest, sorted by path; `None` if there is no index, or if it is outdated or
    /// damaged.
    pub(crate) fn indexed(&self, pool: &Pool) -> Option<Vec<Value>> {
        let text =
            kukla_world::files::read_text(&Store::new(&self.environment.directory).index()).ok()?;
        let (head, body) = text.strip_suffix('\n')?.split_once('\n')?;
        let SourceCheck { size, crc32 } = SourceCheck::of(body);
        if head != format!("{HEAD} {size} {crc32:08x}") {
            return None;
        }
        let value: Value = serde_json::from_str(body).ok()?;
        let is_current = is_made_of(&value, &self.checks(pool)?);
        match value {
            Value::Array(files) if is_current => Some(files),
            _ => None,
        }
    }

    /// Returns the path, size and checksum of each manifest, sorted by path.
    fn checks(&self, pool: &Pool) -> Option<Vec<(String, SourceCheck)>> {
        let checks = pool.map(self.manifests, |manifest| {
            let text = kukla_world::files::read_text(&manifest.path).ok()?;
            Some((manifest.path.to_str()?.to_owned(), SourceCheck::of(&text)))
        });
        let mut checks = checks.into_iter().collect::<Option<Vec<_>>>()?;
        checks.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(checks)
    }
}

fn is_made_of(files: &Value, checks: &[(String, SourceCheck)]) -> bool {
    let Some(files) = files.as_array() else { return false };
    let is_same = |(file, (path, check)): (&Value, &(String, SourceCheck))| {
        file["path"] == **path
            && file["size"].as_u64() == Some(u64::from(check.size))
            && file["crc32"].as_u64() == Some(u64::from(check.crc32))
    };
    files.len() == checks.len() && files.iter().zip(checks).all(is_same)
}
