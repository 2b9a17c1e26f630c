//! The directories of `tests/agents/files/tree.txt` on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

/// 2020-02-03 04:05:06, the time of all files.
const MODIFIED: u64 = 1_580_702_706;

/// A directory that is removed at the end.
pub(crate) struct Tree(pub(crate) PathBuf);

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Tree {
    /// Makes an empty directory.
    pub(crate) fn empty(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("kukla-{name}-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory");
        Self(path.canonicalize().expect("a path"))
    }

    /// Makes the whole tree.
    pub(crate) fn whole(name: &str) -> Self {
        let tree = Self::empty(name);
        let text = include_str!("../agents/files/tree.txt");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            tree.make(line);
        }
        tree
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn make(&self, line: &str) {
        let (kind, rest) = line.split_once(' ').expect("a kind");
        match kind {
            "file" => {
                let mode_at =
                    rest.char_indices().find(|(at, c)| *c == ' ' && is_mode(&rest[at + 1..]));
                let (at, _) = mode_at.expect("a mode");
                let (path, mode, content) = (&rest[..at], &rest[at + 1..at + 4], &rest[at + 5..]);
                self.file(path, mode, &unescaped(content));
            }
            "big" => {
                let (path, size) = rest.split_once(' ').expect("a size");
                self.file(path, "644", &vec![b'x'; size.parse().expect("a number")]);
            }
            "dir" => {
                let (path, mode) = rest.split_once(' ').expect("a mode");
                fs::create_dir_all(self.at(path)).expect("a directory");
                set_mode(&self.at(path), mode);
            }
            "link" => {
                let (path, target) = rest.split_once(' ').expect("a target");
                std::os::unix::fs::symlink(target, self.place(path)).expect("a link");
            }
            "fifo" => {
                let path = self.place(rest);
                rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU)
                    .expect("a FIFO");
            }
            other => panic!("{other}"),
        }
    }

    fn file(&self, path: &str, mode: &str, content: &[u8]) {
        let path = self.place(path);
        fs::write(&path, content).expect("a file");
        set_mode(&path, mode);
        let file = fs::File::options().append(true).open(&path).expect("a file");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(MODIFIED)).expect("a time");
    }

    fn place(&self, path: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        path
    }
}

fn is_mode(text: &str) -> bool {
    let (mode, rest) = text.split_at_checked(3).unwrap_or(("x", ""));
    mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
        && (rest.is_empty() || rest.starts_with(' '))
}

fn set_mode(path: &Path, mode: &str) {
    let mode = u32::from_str_radix(mode, 8).expect("octal");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Replaces `\n`, `\t`, `\s` and `\xHH`.
pub(crate) fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, behind.first()) {
            (b'\\', Some(b'n')) => out.push(b'\n'),
            (b'\\', Some(b't')) => out.push(b'\t'),
            (b'\\', Some(b's')) => out.push(b' '),
            (b'\\', Some(b'x')) => {
                let digits = std::str::from_utf8(&behind[1..3]).expect("digits");
                out.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
                rest = &behind[2..];
            }
            _ => {
                out.push(byte);
                continue;
            }
        }
        rest = &rest[1..];
    }
    out
}
