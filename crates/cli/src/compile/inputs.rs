//! `--inputs`: the record of everything that compilations read, as JSON lines.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context;
use kukla_world::{Answer, Atom, write};
use serde_json::json;

/// The file that records are written to.
#[derive(Debug)]
pub(super) struct InputsFile {
    file: std::fs::File,
    name: String,
}

impl InputsFile {
    /// Creates or replaces the file. Only its owner may read it: it has the names of keys and facts.
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let file = write::private_file(path, b"")
            .and_then(|()| std::fs::OpenOptions::new().append(true).open(path))
            .with_context(|| format!("cannot write `{name}`"))?;
        Ok(Self { file, name })
    }

    /// Adds the record of a node.
    pub(super) fn add(&mut self, lines: &str) -> anyhow::Result<()> {
        self.file
            .write_all(lines.as_bytes())
            .with_context(|| format!("cannot write `{}`", self.name))
    }
}

/// Returns the lines of a node's record.
pub(super) fn lines(node: &str, atoms: &[Atom]) -> String {
    let mut lines = String::new();
    for atom in atoms {
        let answer = match atom.answer {
            Answer::Absent => serde_json::Value::Null,
            Answer::Digest(digest) => json!(digest.to_string()),
            Answer::Volatile => json!("volatile"),
        };
        let mut line = json!({ "node": node, "kind": atom.kind.name(), "name": &*atom.name });
        if let Some(part) = &atom.part {
            line["part"] = json!(&**part);
        }
        line["answer"] = answer;
        // Writing to a `String` can't fail.
        let _ = writeln!(lines, "{line}");
    }
    lines
}
