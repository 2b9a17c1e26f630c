//! Builds that fail or are killed, during which readers must see a complete tree.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kukla_xpp::decode;

use super::{CONF, INIT, environment, tree};
use crate::support::Sandbox;

const N_MANIFESTS: usize = 60;
const N_KILLS: usize = 100;

/// Returns the text of manifest `n` in some version of the environment.
fn text(n: usize, version: usize) -> String {
    format!("class a::c{n} {{ notice('version {version}') }}\n")
}

fn write_all(sandbox: &Sandbox, version: usize) {
    for n in 0..N_MANIFESTS {
        sandbox.write(&format!("modules/a/manifests/c{n}.pp"), text(n, version).as_bytes());
    }
}

/// Returns the version that a file was made of; `None` if there is no file.
fn version_of(sandbox: &Sandbox, n: usize, n_versions: usize) -> Option<usize> {
    let bytes = fs::read(sandbox.path(&format!(".xpp/modules/a/manifests/c{n}.xpp"))).ok()?;
    let mut versions = (0..n_versions).rev();
    let version = versions.find(|&version| decode(&bytes, text(n, version)).is_ok());
    Some(version.expect("every file that can be seen is complete"))
}

#[test]
fn a_killed_build_leaves_a_complete_tree() {
    let sandbox = Sandbox::new(&[CONF]);
    write_all(&sandbox, 0);
    let start = Instant::now();
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    let duration = start.elapsed();
    let (is_over, n_read) = (AtomicBool::new(false), AtomicUsize::new(0));
    let n_killed = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let n = n_read.fetch_add(1, Ordering::Relaxed) * 31 % N_MANIFESTS;
                version_of(&sandbox, n, N_KILLS + 1);
            }
        });
        let n_killed = (1..=N_KILLS).filter(|&version| is_killed(&sandbox, version, duration));
        let n_killed = n_killed.count();
        is_over.store(true, Ordering::Relaxed);
        n_killed
    });
    assert!(n_killed > 0, "some builds are still running when they are killed");
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, tree(&sandbox).0.len()), (0, N_MANIFESTS));
    let left = fs::read_dir(sandbox.path(".xpp")).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name() != ".stamps").count();
    assert_eq!(left, 3, "the lock, the link and one tree");
}

/// Kills a build of a new version at some moment, and checks the tree; returns whether it was still running.
fn is_killed(sandbox: &Sandbox, version: usize, duration: Duration) -> bool {
    write_all(sandbox, version);
    let mut command = sandbox.command(&["xpp", "build"]);
    let mut build = command.stderr(Stdio::null()).spawn().expect("the command starts");
    // Multiples of the golden ratio are evenly distributed.
    std::thread::sleep(duration.mul_f64((version as f64 * 0.618_033_988).fract() * 1.2));
    build.kill().expect("it is ours");
    let is_killed = !build.wait().expect("it ends").success();
    let first = version_of(sandbox, 0, version + 1).expect("there is a tree");
    for n in 1..N_MANIFESTS {
        assert_eq!(version_of(sandbox, n, version + 1), Some(first), "file {n}, kill {version}");
    }
    is_killed
}

#[test]
fn builds_at_the_same_time_wait_for_each_other() {
    let sandbox = Sandbox::new(&[CONF]);
    write_all(&sandbox, 0);
    for version in 1..4 {
        let builds: Vec<_> = (0..4)
            .map(|n| {
                let text = text(n, version);
                sandbox.write(&format!("modules/a/manifests/c{n}.pp"), text.as_bytes());
                let mut command = sandbox.command(&["xpp", "build"]);
                command.stderr(Stdio::null()).spawn().expect("the command starts")
            })
            .collect();
        for mut build in builds {
            assert!(build.wait().expect("it ends").success());
        }
        assert_eq!(sandbox.run(&["xpp", "build", "--check"]).code, 0);
        assert_eq!(tree(&sandbox).0.len(), N_MANIFESTS);
    }
}

/// A small disk, if one can be mounted.
struct SmallDisk<'a>(&'a Sandbox);

impl<'a> SmallDisk<'a> {
    fn new(sandbox: &'a Sandbox) -> Option<Self> {
        fs::create_dir(sandbox.path("disk")).expect("it can be made");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "kukla"]).arg(sandbox.path("disk"));
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        is_mounted.then_some(Self(sandbox))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path("disk")).output();
    }
}

mod needs_mount {
    use super::*;

    #[test]
    fn a_full_disk_leaves_the_tree_as_it_was() {
        let sandbox = Sandbox::new(&[]);
        let _disk = SmallDisk::new(&sandbox).expect(
            "this test needs the right to mount; `cargo test -- --skip needs_` leaves it out",
        );
        sandbox.write("disk/environment.conf", b"modulepath = modules\n");
        sandbox.write("disk/modules/a/manifests/init.pp", b"class a { }\n");
        assert_eq!(sandbox.run(&["xpp", "build", "disk"]).code, 0);
        for n in 0..12 {
            let body = format!("class a::c{n} {{ {} }}\n", "notice('x')\n".repeat(1000));
            sandbox.write(&format!("disk/modules/a/manifests/c{n}.pp"), body.as_bytes());
        }
        let ran = sandbox.run(&["xpp", "build", "disk"]);
        assert_eq!(ran.code, 2);
        assert!(ran.error.starts_with("error: can't write `@/disk/.xpp/.new-2/"), "{}", ran.error);
        assert!(ran.error.ends_with(": no space left on device\n"), "{}", ran.error);
        let link = fs::read_link(sandbox.path("disk/.xpp/modules")).unwrap();
        assert_eq!(link.to_str(), Some("tree-1"));
        assert!(sandbox.path("disk/.xpp/modules/a/manifests/init.xpp").exists());
        assert!(!sandbox.path("disk/.xpp/.new-2").exists());
    }
}

/// Runs the command as an unprivileged user.
pub(super) fn run_as_nobody(sandbox: &Sandbox, args: &[&str]) -> Output {
    const NOBODY: u32 = 65534;
    let output = sandbox.command(args).uid(NOBODY).gid(NOBODY).output();
    output.expect("this test needs root; `cargo test -- --skip needs_` leaves it out")
}

mod needs_root {
    use super::*;

    #[test]
    fn without_permission_nothing_is_written() {
        let sandbox = environment();
        let output = run_as_nobody(&sandbox, &["xpp", "build"]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("can't make") && said.contains("permission denied"), "{said}");

        let set = |path: &str, mode| {
            fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        set(".", 0o777);
        set(INIT.0, 0o600);
        let output = run_as_nobody(&sandbox, &["xpp", "build"]);
        assert_eq!(output.status.code(), Some(2), "a manifest can't be read");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.contains("cannot read") && said.contains("init.pp`: permission denied"),
            "{said}"
        );
        assert_eq!(tree(&sandbox).0, ["a/manifests/b/c.xpp", "environment/manifests/site.xpp"]);
    }
}

#[test]
fn directories_in_the_place_of_files_are_replaced() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    let file = sandbox.path(".xpp/modules/a/manifests/init.xpp");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let ran = sandbox.run(&["xpp", "show", ".xpp/modules/a/manifests/init.xpp"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.ends_with("init.xpp`: is a directory\n"), "{}", ran.error);
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 1 built, 2 unchanged\n"));
    assert!(file.is_file());
}

#[test]
fn a_file_in_the_place_of_the_directory_is_left_alone() {
    let sandbox = environment();
    sandbox.write(".xpp", b"mine");
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, ran.error.as_str()), (2, "error: can't make `@/.xpp`: file exists\n"));
    assert_eq!(fs::read(sandbox.path(".xpp")).unwrap(), b"mine");
}

#[test]
fn a_copied_tree_is_used_and_gets_its_link_again() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    fs::remove_file(sandbox.path(".xpp/modules")).unwrap();
    fs::rename(sandbox.path(".xpp/tree-1"), sandbox.path(".xpp/modules")).unwrap();
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 0 built, 3 unchanged\n"));
    fs::remove_file(sandbox.path(INIT.0)).unwrap();
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    assert_eq!(tree(&sandbox).1, "tree-1");
    assert_eq!(tree(&sandbox).0.len(), 2);
}

#[test]
fn damaged_files_are_found_and_made_anew() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    let file = ".xpp/modules/a/manifests/init.xpp";
    let bytes = fs::read(sandbox.path(file)).unwrap();
    let whole = [&bytes[..bytes.len() - 1], &bytes[..70], b"", b"noise"];
    for broken in whole {
        sandbox.write(file, broken);
        assert_eq!(sandbox.run(&["xpp", "verify"]).code, 1);
        assert_eq!(sandbox.run(&["xpp", "show", file]).code, 1);
        let ran = sandbox.run(&["xpp", "build"]);
        assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 1 built, 2 unchanged\n"));
    }
    assert_eq!(fs::read(sandbox.path(file)).unwrap(), bytes);
}
