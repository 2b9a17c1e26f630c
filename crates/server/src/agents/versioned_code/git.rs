//! Versions that git has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use kukla_rubytext::digest;
use serde_json::Value;

use super::{CodeError, run, text};

/// Files in which deployment tools say what they have deployed.
const DEPLOY_FILES: [&str; 2] = [".r10k-deploy.json", ".g10k-deploy.json"];

/// The largest file that is compared with its version.
const MOST_BYTES: u64 = 4 << 20;

/// Commits whose lists of files are kept.
const MOST_COMMITS: usize = 64;

/// Identifiers of contents by path.
type Blobs = HashMap<String, String>;

/// Lists of files by directory and commit, which never change.
type Commits = HashMap<(PathBuf, String), Arc<Blobs>>;

static BLOBS: LazyLock<Mutex<Commits>> = LazyLock::new(Mutex::default);

/// Returns the commit of a directory: the deployed one, or else the one that is checked out; empty if there is none.
pub(super) fn id(directory: &Path) -> Result<String, CodeError> {
    if let Some(signature) = DEPLOY_FILES.iter().find_map(|name| signature(&directory.join(name))) {
        return Ok(signature);
    }
    match directory.join(".git").exists() {
        true => Ok(text(&git(directory, &["rev-parse", "HEAD"])?)),
        false => Ok(String::new()),
    }
}

fn signature(file: &Path) -> Option<String> {
    let bytes = crate::files::read_regular(file).ok()?;
    let document: Value = serde_json::from_slice(&bytes).ok()?;
    let signature = document["signature"].as_str()?;
    is_commit(signature).then(|| signature.to_owned())
}

/// Returns whether a text names a commit and nothing else: no branch, no option.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns a file of a commit.
pub(super) fn content(directory: &Path, id: &str, path: &str) -> Result<Vec<u8>, CodeError> {
    if !is_commit(id) {
        return Err(CodeError::Identifier(id.to_owned()));
    }
    git(directory, &["cat-file", "blob", &format!("{id}:./{path}")])
}

/// Returns whether a file is what the commit has at its path: modules of other repositories, and changed files, are not.
pub(super) fn is_current(directory: &Path, id: &str, path: &str) -> bool {
    let Some(blobs) = blobs(directory, id) else { return false };
    let file = directory.join(path);
    let is_small = file.metadata().is_ok_and(|it| it.is_file() && it.len() <= MOST_BYTES);
    match blobs.get(path).filter(|_| is_small) {
        Some(blob) => std::fs::read(&file).is_ok_and(|bytes| blob_id(&bytes) == *blob),
        None => false,
    }
}

fn blob_id(bytes: &[u8]) -> String {
    let mut content = format!("blob {}\0", bytes.len()).into_bytes();
    content.extend_from_slice(bytes);
    digest::sha1(&content)
}

fn blobs(directory: &Path, id: &str) -> Option<Arc<Blobs>> {
    if !is_commit(id) {
        return None;
    }
    let key = (directory.to_owned(), id.to_owned());
    if let Some(blobs) = BLOBS.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Some(Arc::clone(blobs));
    }
    let output = git(directory, &["ls-tree", "-r", "-z", id]).ok()?;
    let lines = output.split(|byte| *byte == 0).filter_map(|line| std::str::from_utf8(line).ok());
    // `100644 blob 5891b5…<tab>modules/demo/files/a.txt`
    let entry = |line: &str| {
        let (head, path) = line.split_once('\t')?;
        let blob = head.strip_prefix("100")?.split(' ').nth(2)?;
        Some((path.to_owned(), blob.to_owned()))
    };
    let blobs = Arc::new(lines.filter_map(entry).collect::<Blobs>());
    let mut all = BLOBS.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MOST_COMMITS {
        all.clear();
    }
    all.insert(key, Arc::clone(&blobs));
    Some(blobs)
}

fn git(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, CodeError> {
    run(Path::new("git"), arguments, Some(directory))
}
