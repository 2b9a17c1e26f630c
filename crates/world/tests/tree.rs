//! Directories that are made as a whole, locks, links, watching, clocks and programs that stay.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kukla_world::files::Status;
use kukla_world::tree::{
    Attributes, Configured, DirectoryAttributes, Lock, Spare, Staging, Whole, link_target,
    list_files, point_link, remove, remove_if_empty, rename,
};
use kukla_world::{Coprocess, Watcher, clock, files, write};

static N_FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let n = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kukla-world-{}-{n}", std::process::id()));
        fs::create_dir(&path).expect("the directory is new");
        Self(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn staging(&self, name: &str) -> Staging {
        let like = DirectoryAttributes::like(&self.0, Configured::default());
        Staging::new(self.join(name), like)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the directory is the test's own");
    }
}

fn attributes(path: &Path) -> Attributes {
    Attributes::of(&Status::of(path).expect("the file is there"))
}

#[test]
fn a_staging_is_gone_unless_it_is_renamed() {
    let folder = Folder::new();
    let staging = folder.staging("new");
    assert!(!files::exists(staging.path()), "it exists from its first file on");
    staging.write_plain(Path::new("a/b/file"), b"text").expect("it can be written");
    assert!(files::is_file(&folder.join("new/a/b/file")));
    drop(staging);
    assert!(!files::exists(&folder.join("new")));

    let staging = folder.staging("new");
    staging.write_plain(Path::new("file"), b"text").expect("it can be written");
    rename(staging.path(), &folder.join("done")).expect("it can be renamed");
    drop(staging);
    assert_eq!(fs::read(folder.join("done/file")).expect("it stays"), b"text");
}

#[test]
fn files_have_the_mode_of_their_source_and_are_never_written_twice() {
    let folder = Folder::new();
    let source = folder.join("source");
    fs::write(&source, "").expect("it can be written");
    for mode in [0o600, 0o640, 0o644] {
        fs::set_permissions(&source, fs::Permissions::from_mode(mode)).expect("it is ours");
        let target = format!("{mode:o}");
        let staging = folder.staging("new");
        staging.write(Path::new(&target), b"1", attributes(&source)).expect("it is new");
        let written = staging.path().join(&target);
        assert!(attributes(&written).is_as(attributes(&source)), "{mode:o}");
        let again = staging.write(Path::new(&target), b"2", attributes(&source));
        assert_eq!(again.expect_err("it is there").kind(), std::io::ErrorKind::AlreadyExists);
    }
}

#[test]
fn links_share_the_file() {
    let folder = Folder::new();
    fs::write(folder.join("present"), "text").expect("it can be written");
    let staging = folder.staging("new");
    staging.link(&folder.join("present"), Path::new("a/linked")).expect("it can be linked");
    let inode = |path: PathBuf| fs::metadata(path).expect("it is there").ino();
    assert_eq!(inode(folder.join("present")), inode(folder.join("new/a/linked")));
    let missing = staging.link(&folder.join("missing"), Path::new("b/linked"));
    assert_eq!(missing.expect_err("there is none").kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_link_is_pointed_elsewhere_and_a_directory_makes_way() {
    let folder = Folder::new();
    let (link, spare, aside) = (folder.join("link"), folder.join(".link"), folder.join(".old"));
    let point = |target: &str| {
        point_link(&link, target, Spare { link: &spare, directory: &aside })
            .expect("it can be done");
        assert_eq!(link_target(&link).as_deref(), Some(Path::new(target)));
        assert!(!files::exists(&spare) && link_target(&spare).is_none());
    };
    point("one");
    point("two");
    fs::remove_file(&link).expect("it is there");
    fs::create_dir(&link).expect("it is gone");
    fs::write(link.join("copied"), "").expect("it can be written");
    point("three");
    assert!(files::is_file(&aside.join("copied")));
}

#[test]
fn removing_never_follows_links_and_what_is_missing_is_removed() {
    let folder = Folder::new();
    fs::create_dir(folder.join("kept")).expect("it is new");
    fs::write(folder.join("kept/file"), "").expect("it can be written");
    symlink("kept", folder.join("link")).expect("it is new");
    remove(&folder.join("link")).expect("a link can be removed");
    remove(&folder.join("missing")).expect("nothing is to be removed");
    assert!(
        files::is_file(&folder.join("kept/file")) && link_target(&folder.join("link")).is_none()
    );
    assert!(!remove_if_empty(&folder.join("kept")));
    remove(&folder.join("kept")).expect("a directory can be removed");
    assert!(!files::exists(&folder.join("kept")));
}

#[test]
fn lists_have_links_as_files() {
    let folder = Folder::new();
    fs::create_dir_all(folder.join("a/b")).expect("it is new");
    fs::write(folder.join("a/b/file"), "").expect("it can be written");
    symlink("b", folder.join("a/link")).expect("it is new");
    let mut files = Vec::new();
    list_files(&folder.0, Path::new("a"), &mut files).expect("it can be listed");
    files.sort();
    assert_eq!(files, [Path::new("a/b/file"), Path::new("a/link")]);
}

#[test]
fn one_holds_a_lock_at_a_time_even_if_its_file_was_removed() {
    let folder = Folder::new();
    let path = folder.join(".lock");
    let held = Lock::acquire(&path).expect("it is free");
    let (send, receive) = std::sync::mpsc::channel();
    let waiting = path.clone();
    let thread = std::thread::spawn(move || {
        let lock = Lock::acquire(&waiting).expect("it becomes free");
        send.send(()).expect("the test waits");
        lock
    });
    assert!(receive.recv_timeout(Duration::from_millis(100)).is_err(), "it has to wait");
    // As `kukla xpp clean` does: the waiting thread must not hold a file that nothing leads to.
    remove(&path).expect("it is there");
    drop(held);
    receive.recv_timeout(Duration::from_secs(10)).expect("it is free now");
    assert!(files::is_file(&path));
    drop(thread.join().expect("it ends"));
}

#[test]
fn files_are_read_whole_and_replaced_at_once() {
    let folder = Folder::new();
    let (path, temporary) = (folder.join("file"), folder.join("temporary"));
    for text in ["", "one", "another"] {
        write::replace(&path, &temporary, text.as_bytes()).expect("it can be written");
        let whole = Whole::read(&path).expect("it is there");
        assert_eq!(whole.bytes, text.as_bytes());
        assert_eq!(whole.status.size(), text.len() as u64);
        assert!(!files::exists(&temporary));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_watcher_reports_each_kind_of_change() {
    let folder = Folder::new();
    let (file, moved) = (folder.join("file"), folder.join("moved"));
    let watcher = Watcher::start().expect("the kernel has inotify");
    assert!(watcher.add(&folder.0) && watcher.is_quiet());
    let mode = fs::Permissions::from_mode(0o600);
    let changes: [&dyn Fn() -> std::io::Result<()>; 5] = [
        &|| fs::write(&file, "one"),
        &|| fs::write(&file, "two"),
        &|| fs::set_permissions(&file, mode.clone()),
        &|| fs::rename(&file, &moved),
        &|| fs::remove_file(&moved),
    ];
    for (n, change) in changes.iter().enumerate() {
        change().expect("it can be done");
        assert!(!watcher.is_quiet(), "change {n}");
        assert!(watcher.is_quiet(), "after change {n}");
    }
    assert!(!watcher.add(&folder.join("missing")));
}

#[test]
fn a_coprocess_answers_and_ends_with_its_owner() {
    let (process, mut pipes) = Coprocess::start("cat", &[]).expect("cat is everywhere");
    pipes.input.write_all(b"hello").expect("it listens");
    let mut answer = [0; 5];
    pipes.output.read_exact(&mut answer).expect("it answers");
    assert_eq!(&answer, b"hello");
    drop(process);
    let mut rest = Vec::new();
    pipes.output.read_to_end(&mut rest).expect("its end is closed, though its input is not");
    assert!(rest.is_empty());
    assert!(Coprocess::start("kukla-no-such-program", &[]).is_err());
}

#[test]
fn a_deadline_beyond_the_clock_is_none() {
    assert!(clock::deadline(Duration::from_secs(1)).is_some());
    assert!(clock::deadline(Duration::MAX).is_none());
}
