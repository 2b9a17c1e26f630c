//! Archives of PuppetDB: tar files that are compressed with gzip, with one file for each command.
//!
//! [`Archive`] reads one, also that of `puppet db export`, and [`Store::pack`] writes one that PuppetDB takes. Nothing is
//! unpacked to the disk: names of files say which command a file has, and nothing else.

mod tar;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::{ArchivedCommand, Store, StoreError, time};
use tar::{Entry, Files};

/// The file that says which versions the commands have.
const METADATA: &str = "puppetdb-bak/export-metadata.json";
/// Folders of an archive with the commands of their files, their names in the metadata, and the versions that are written.
const FOLDERS: [(&str, &str, &str, i64); 4] = [
    ("facts", "replace facts", "replace_facts", 5),
    ("catalogs", "replace catalog", "replace_catalog", 9),
    ("reports", "store report", "store_report", 8),
    ("catalog_inputs", "replace catalog inputs", "replace_catalog_inputs", 1),
];

/// An archive that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// An error of the system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not complete, or something else.
    #[error("it is no tar archive, or it is damaged")]
    Damaged,
    /// A file of it is too large.
    #[error("`{0}` has more than {limit} bytes", limit = tar::MOST_FILE)]
    TooLarge(String),
    /// It does not begin as archives of PuppetDB do.
    #[error("it is no archive of PuppetDB: its first file is not `{METADATA}`")]
    NoMetadata,
    /// Its metadata say nothing of the commands of a folder.
    #[error("its `{METADATA}` has no version of `{0}`")]
    NoVersion(&'static str),
}

/// A command of an archive.
#[derive(Debug)]
pub struct PackedCommand {
    /// The file that has it.
    pub file: String,
    /// `replace facts`
    pub name: &'static str,
    /// Its version.
    pub version: i64,
    /// Its payload, JSON.
    pub payload: Vec<u8>,
}

/// An archive that is read.
#[derive(Debug)]
pub struct Archive<R> {
    files: Files<MultiGzDecoder<BufReader<R>>>,
    /// The versions of commands by their names in the metadata.
    versions: Value,
}

impl<R: Read> Archive<R> {
    /// Reads the beginning of an archive.
    pub fn open(source: R) -> Result<Self, ArchiveError> {
        let mut files = Files::new(MultiGzDecoder::new(BufReader::new(source)));
        let Some(Entry { name, content }) = files.next()? else {
            return Err(ArchiveError::NoMetadata);
        };
        // Those who pack an archive again put the folder itself before its name.
        let metadata: Option<Value> = (name.trim_start_matches("./") == METADATA)
            .then(|| serde_json::from_slice(&content).ok())
            .flatten();
        let versions = metadata.and_then(|mut it| Some(it.get_mut("command_versions")?.take()));
        Ok(Self { files, versions: versions.ok_or(ArchiveError::NoMetadata)? })
    }

    /// Returns the next command.
    #[expect(clippy::should_implement_trait, reason = "it fails")]
    pub fn next(&mut self) -> Result<Option<PackedCommand>, ArchiveError> {
        while let Some(Entry { name: file, content: payload }) = self.files.next()? {
            let Some((name, member)) = kind(&file) else { continue };
            let version = self.versions.get(member).and_then(Value::as_i64);
            let version = version.ok_or(ArchiveError::NoVersion(member))?;
            return Ok(Some(PackedCommand { file, name, version, payload }));
        }
        Ok(None)
    }
}

/// Returns the command that a file has, and its name in the metadata.
fn kind(file: &str) -> Option<(&'static str, &'static str)> {
    if !file.ends_with(".json") {
        return None;
    }
    let folder = file.rsplit('/').nth(1)?;
    let found = FOLDERS.iter().find(|(own, ..)| *own == folder);
    found.map(|(_, name, member, _)| (*name, *member))
}

/// Returns the name of a file, from which PuppetDB reads that of the node: what is above the last `-` and 40 digits, or
/// all of it for facts.
fn file_name(folder: &str, certname: &str, payload: &str) -> String {
    let mut node = String::with_capacity(certname.len());
    for byte in certname.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'-' | b'_' => {
                node.push(char::from(byte));
            }
            // Such names are no Puppet's; none leads to another folder.
            _ => {
                let _ = write!(node, "%{byte:02X}");
            }
        }
    }
    match folder {
        "facts" => format!("puppetdb-bak/{folder}/{node}.json"),
        _ => format!("puppetdb-bak/{folder}/{node}-{}.json", crate::apply::sha1(payload)),
    }
}

/// An archive that can't be written.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The store can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The caller has cancelled it.
    #[error("it was cancelled")]
    Cancelled,
}

/// Numbers of the commands of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Commands in the archive.
    pub commands: usize,
    /// Commands that have no place in one.
    pub left: usize,
}

impl Store {
    fn inactive_nodes(&self) -> Result<HashSet<String>, StoreError> {
        let query =
            "SELECT certname FROM nodes WHERE deactivated IS NOT NULL OR expired IS NOT NULL";
        self.read(|sql| {
            let mut names = HashSet::new();
            sql.each(query, &[], &mut |row| {
                names.extend(row.first().and_then(|cell| cell.text()).map(str::to_owned));
                Ok(())
            })?;
            Ok(names)
        })
    }

    /// Writes everything that the store has of active nodes as an archive, until `is_cancelled`.
    pub fn pack(
        &self,
        out: impl Write,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Packed, PackError> {
        let mut out = GzEncoder::new(out, Compression::fast());
        let versions: serde_json::Map<String, Value> = FOLDERS
            .iter()
            .map(|(.., name, version)| ((*name).to_owned(), (*version).into()))
            .collect();
        let metadata = json!({
            "timestamp": time::written(time::now()), "command_versions": versions,
        });
        tar::append(&mut out, METADATA, metadata.to_string().as_bytes())?;
        let (mut packed, mut failed) = (Packed::default(), None);
        let inactive = self.inactive_nodes()?;
        self.export(&mut |ArchivedCommand { name, mut payload, .. }| {
            let certname = payload["certname"].as_str().unwrap_or_default().to_owned();
            let folder = FOLDERS.iter().find(|(_, command, ..)| *command == name);
            // No archive says that a node is inactive: it would come back.
            let Some((folder, ..)) = folder.filter(|_| !inactive.contains(&certname)) else {
                packed.left += 1;
                return true;
            };
            packed.commands += 1;
            if let Some(members) = payload.as_object_mut() {
                // PuppetDB has no place for lines of data.
                members.shift_remove("data");
            }
            let text = payload.to_string();
            let file = file_name(folder, &certname, &text);
            failed = match is_cancelled() {
                true => Some(PackError::Cancelled),
                false => tar::append(&mut out, &file, text.as_bytes()).err().map(PackError::Io),
            };
            failed.is_none()
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        tar::finish(&mut out)?;
        out.finish()?.flush()?;
        Ok(packed)
    }
}
