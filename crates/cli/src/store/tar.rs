//! Archives of PuppetDB: tar files, compressed with gzip, with one file for each command.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use kukla_store::{ArchivedCommand, Store, time};
use serde_json::json;

use crate::Exit;
use crate::shell::{Shell, Stream};

/// The size of a block.
const BLOCK: usize = 512;
/// The largest file that is read.
const MOST_FILE: u64 = 256 << 20;
/// The largest name in a block of its own.
const MOST_NAME: u64 = 64 << 10;

/// A file of an archive.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// An archive that can't be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum TarError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is no tar archive, or it is damaged")]
    Damaged,
    #[error("`{0}` has more than {MOST_FILE} bytes")]
    TooLarge(String),
}

/// Reads the regular files of an archive, one after the other. Nothing is written to the disk.
pub(super) struct Reader<R = MultiGzDecoder<BufReader<File>>> {
    source: R,
}

impl Reader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { source: MultiGzDecoder::new(BufReader::new(File::open(path)?)) })
    }
}

impl<R: Read> Reader<R> {
    /// Returns the next regular file.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, TarError> {
        let mut long_name = None;
        loop {
            let mut head = [0; BLOCK];
            self.source.read_exact(&mut head).map_err(|_| TarError::Damaged)?;
            // A block of zeros is the end.
            if head.iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
            if !has_checksum(&head) {
                return Err(TarError::Damaged);
            }
            let n_bytes = octal(&head[124..136]).ok_or(TarError::Damaged)?;
            let name = long_name.take().unwrap_or_else(|| name_of(&head));
            match head[156] {
                b'0' | 0 => {
                    if n_bytes > MOST_FILE {
                        return Err(TarError::TooLarge(name));
                    }
                    return Ok(Some(Entry { name, content: self.content(n_bytes)? }));
                }
                // A long name, as GNU has it and as POSIX does.
                b'L' if n_bytes <= MOST_NAME => {
                    let content = self.content(n_bytes)?;
                    let text = String::from_utf8_lossy(&content);
                    long_name = Some(text.trim_end_matches('\0').to_owned());
                }
                b'x' if n_bytes <= MOST_NAME => long_name = path_of(&self.content(n_bytes)?),
                // Directories, links and what else there may be have no commands.
                _ => {
                    let padded = n_bytes.div_ceil(BLOCK as u64) * BLOCK as u64;
                    let skipped = io::copy(&mut (&mut self.source).take(padded), &mut io::sink())?;
                    if skipped != padded {
                        return Err(TarError::Damaged);
                    }
                }
            }
        }
    }

    fn content(&mut self, n_bytes: u64) -> Result<Vec<u8>, TarError> {
        let padded = n_bytes.div_ceil(BLOCK as u64) * BLOCK as u64;
        let mut content = Vec::new();
        (&mut self.source).take(padded).read_to_end(&mut content)?;
        if content.len() as u64 != padded {
            return Err(TarError::Damaged);
        }
        content.truncate(usize::try_from(n_bytes).map_err(|_| TarError::Damaged)?);
        Ok(content)
    }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn name_of(head: &[u8; BLOCK]) -> String {
    let name = text(&head[..100]);
    match head[257..].starts_with(b"ustar\0") && head[345] != 0 {
        true => format!("{}/{name}", text(&head[345..500])),
        false => name,
    }
}

/// Returns the path of an extended header: lines of `LENGTH path=NAME`.
fn path_of(content: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(content).into_owned();
    text.lines().find_map(|line| Some(line.split_once(" path=")?.1.to_owned()))
}

fn octal(field: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(field).ok()?;
    let digits = digits.trim_matches(|c: char| c == '\0' || c == ' ');
    u64::from_str_radix(digits, 8).ok()
}

fn sum(head: &[u8; BLOCK]) -> u64 {
    let counted = |(at, byte): (usize, &u8)| match at {
        148..156 => u64::from(b' '),
        _ => u64::from(*byte),
    };
    head.iter().enumerate().map(counted).sum()
}

fn has_checksum(head: &[u8; BLOCK]) -> bool {
    octal(&head[148..156]) == Some(sum(head))
}

/// Appends a file.
fn append(out: &mut impl Write, name: &str, content: &[u8]) -> io::Result<()> {
    let mut head = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
    if name.len() > 100 {
        return Err(io::Error::other(format!("`{name}` is too long for an archive")));
    }
    put(0, name);
    put(100, "0000600\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(156, "0");
    put(257, "ustar\x0000");
    let checksum = sum(&head);
    head[148..156].copy_from_slice(format!("{checksum:06o}\0 ").as_bytes());
    out.write_all(&head)?;
    out.write_all(content)?;
    let n_padding = (BLOCK - content.len() % BLOCK) % BLOCK;
    out.write_all(&[0; BLOCK][..n_padding])
}

/// Writes everything that a store has as an archive, as `puppet db export` does. It appears at once when it is complete.
pub(super) fn export(store: &Store, path: &Path, shell: &Shell) -> anyhow::Result<Exit> {
    let named = || format!("cannot write `{}`", path.display());
    if path.exists() {
        anyhow::bail!("`{}` exists", path.display());
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    // Facts and parameters may be secret. One that a killed command left is written anew.
    let _ = std::fs::remove_file(&part);
    let file = File::options().write(true).create_new(true).mode(0o600).open(&part);
    let file = file.with_context(named)?;
    let mut out = GzEncoder::new(BufWriter::new(&file), Compression::default());
    let (mut n_commands, mut n_left, mut failed) = (0_usize, 0_usize, None);
    let metadata = json!({
        "timestamp": time::written(time::now()),
        "command_versions": { "replace_facts": 5, "replace_catalog": 9, "store_report": 8 },
    });
    append(&mut out, "puppetdb-bak/metadata.json", metadata.to_string().as_bytes())
        .with_context(named)?;
    store.export(&mut |command| {
        let ArchivedCommand { name, payload, .. } = command;
        let directory = match name {
            "replace facts" => "facts",
            "replace catalog" => "catalogs",
            "store report" => "reports",
            // Archives have no place for others.
            _ => {
                n_left += 1;
                return true;
            }
        };
        n_commands += 1;
        // Names of nodes may be longer than an archive takes.
        let file = format!("puppetdb-bak/{directory}/{n_commands}.json");
        failed = append(&mut out, &file, payload.to_string().as_bytes()).err();
        failed.is_none()
    })?;
    let finish = || -> io::Result<()> {
        out.write_all(&[0; 2 * BLOCK])?;
        out.finish()?.flush()?;
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    match failed {
        Some(error) => return Err(error).with_context(named),
        None => finish().with_context(named)?,
    }
    let text = format!("{n_commands} commands; {n_left} have no place in an archive\n");
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}
