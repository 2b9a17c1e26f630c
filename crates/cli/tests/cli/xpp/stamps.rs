//! Builds that skip unchanged manifests by their stamps, and changes that must not escape them.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::{INIT, environment, tree};
use crate::support::{Ran, Sandbox};

const STAMPS: &str = ".xpp/.stamps";
const FILE: &str = ".xpp/modules/a/manifests/init.xpp";
const UNCHANGED: &str = "3 manifests: 0 built, 3 unchanged\n";

fn build(sandbox: &Sandbox) -> String {
    let Ran { code, output, error } = sandbox.run(&["xpp", "build"]);
    assert_eq!((code, output.as_str()), (0, ""));
    error
}

/// Creates an environment with a tree, and with manifests that are old enough to be trusted by their stamps.
fn remembered() -> Sandbox {
    let sandbox = environment();
    assert_eq!(build(&sandbox), "3 manifests: 3 built, 0 unchanged\n");
    assert!(!sandbox.path(STAMPS).exists(), "they were written a moment ago");
    std::thread::sleep(Duration::from_millis(3_100));
    assert_eq!(build(&sandbox), UNCHANGED);
    assert_eq!(stamps(&sandbox).lines().count(), 4);
    sandbox
}

fn stamps(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path(STAMPS)).expect("there are stamps")
}

/// Writes a file in place, and restores its modification time.
fn write_secretly(sandbox: &Sandbox, path: &str, bytes: &[u8]) {
    let path = sandbox.path(path);
    let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
    fs::write(&path, bytes).expect("it can be written");
    set_modified(&path, modified.expect("it has a time"));
}

fn set_modified(path: &std::path::Path, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("it can be written");
    file.set_modified(time).expect("its time can be set");
}

#[test]
fn what_is_remembered_stays_so() {
    let sandbox = remembered();
    let before = stamps(&sandbox);
    assert_eq!(build(&sandbox), UNCHANGED);
    assert_eq!((stamps(&sandbox), tree(&sandbox).1), (before, "tree-1".to_owned()));
    // Another encoding, and back: a stamp is valid for one encoding only.
    let ran = sandbox.run(&["xpp", "build", "--encoding", "json"]);
    assert_eq!(ran.error, "3 manifests: 3 built, 0 unchanged\n");
    assert_eq!(build(&sandbox), "3 manifests: 3 built, 0 unchanged\n");
    assert_eq!(build(&sandbox), UNCHANGED);
    assert_eq!(sandbox.run(&["xpp", "verify"]).code, 0);
    sandbox.run(&["xpp", "build", "--clean"]);
    assert!(!sandbox.path(".xpp").exists());
}

#[test]
fn secret_changes_are_seen() {
    let sandbox = remembered();
    let mut bytes = fs::read(sandbox.path(FILE)).expect("there is a file");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    write_secretly(&sandbox, FILE, &bytes);
    assert_eq!(build(&sandbox), "3 manifests: 1 built, 2 unchanged\n");
    write_secretly(&sandbox, INIT.0, b"class a {}  ");
    assert_eq!(build(&sandbox), "3 manifests: 1 built, 2 unchanged\n");
    fs::remove_file(sandbox.path(FILE)).expect("it can be removed");
    assert_eq!(build(&sandbox), "3 manifests: 1 built, 2 unchanged\n");
    assert_eq!(sandbox.run(&["xpp", "verify"]).code, 0);
}

#[test]
fn times_alone_change_nothing() {
    let sandbox = remembered();
    let later = SystemTime::now() - Duration::from_secs(86_400);
    set_modified(&sandbox.path(INIT.0), later);
    assert_eq!((build(&sandbox), tree(&sandbox).1), (UNCHANGED.to_owned(), "tree-1".to_owned()));
    assert_eq!(stamps(&sandbox).lines().count(), 3, "that one was touched a moment ago");
}

#[test]
fn damaged_stamps_are_not_believed() {
    let sandbox = remembered();
    let good = stamps(&sandbox);
    for bad in
        ["", "kukla-stamps 1 0 00000000\n", &good[..good.len() - 1], &good.replace("flat", "json")]
    {
        fs::write(sandbox.path(STAMPS), bad).expect("it can be written");
        assert_eq!(build(&sandbox), UNCHANGED);
        assert_eq!(stamps(&sandbox), good);
    }
    fs::write(sandbox.path(STAMPS), [0xff; 9]).expect("it can be written");
    sandbox.write(INIT.0, b"class a {}  ");
    assert_eq!(build(&sandbox), "3 manifests: 1 built, 2 unchanged\n");
}
