//! State that code keeps in files below a directory.

#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use kukla_world::{Change, Disk, World};

/// Writes a file below a directory.
fn written(root: &Path, path: &Path) -> io::Result<()> {
    Disk.change(&root.to_string_lossy(), &Change::Write(&path.to_string_lossy(), b"x"))
}

#[test]
fn files_are_private_and_stay_below_the_directory() -> io::Result<()> {
    let directory = std::env::temp_dir().join(format!("kukla-state-{}", std::process::id()));
    let root = directory.join("var");
    fs::create_dir_all(&root)?;
    let file = root.join("a/b");
    written(&root, &file)?;
    assert_eq!(fs::read(&file)?, b"x");
    assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
    symlink(&directory, root.join("out"))?;
    let outside = [root.join("../c"), root.join("out/c"), directory.join("c"), root.clone()];
    for path in outside {
        assert!(written(&root, &path).is_err(), "{}", path.display());
    }
    assert!(!directory.join("c").exists());
    fs::remove_dir_all(directory)
}

#[test]
fn nothing_is_made_below_a_directory_that_does_not_exist() {
    let root = Path::new("/proc/self/nothing");
    assert!(written(root, &root.join("a")).is_err());
}
