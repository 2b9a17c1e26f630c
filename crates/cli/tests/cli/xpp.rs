//! `kukla xpp`, as its users see it.

mod breakage;
mod compiling;
mod loading;
mod stamps;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use crate::support::Sandbox;
use expect_test::expect;

const CONF: (&str, &str) = ("environment.conf", "modulepath = site:modules\n");
const SITE: (&str, &str) = ("manifests/site.pp", "node default { }\n");
const INIT: (&str, &str) = ("modules/a/manifests/init.pp", "class a { }\n");
const SUB: (&str, &str) = ("modules/a/manifests/b/c.pp", "define a::b::c { }\n");
const BAD: (&str, &str) = ("modules/a/manifests/bad.pp", "class a::bad { \n");

fn environment() -> Sandbox {
    Sandbox::new(&[CONF, SITE, INIT, SUB])
}

/// Returns the files of the tree, and the number of the tree.
fn tree(sandbox: &Sandbox) -> (Vec<String>, String) {
    let modules = sandbox.path(".xpp/modules");
    let mut files = Vec::new();
    let mut rest = vec![modules.clone()];
    while let Some(directory) = rest.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => rest.push(entry.path()),
                _ => files.push(relative(&entry.path(), &modules)),
            }
        }
    }
    files.retain(|file| file != ".kukla" && file != ".index");
    files.sort();
    let link = fs::read_link(modules).unwrap_or_default();
    (files, link.to_string_lossy().into_owned())
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).expect("it is below").to_string_lossy().into_owned()
}

const ALL: &[&str] =
    &["a/manifests/b/c.xpp", "a/manifests/init.xpp", "environment/manifests/site.xpp"];

#[test]
fn the_tree_has_a_file_for_every_manifest() {
    let sandbox = environment();
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""));
    assert_eq!(ran.error, "3 manifests: 3 built, 0 unchanged\n");
    assert_eq!(tree(&sandbox), (ALL.iter().map(ToString::to_string).collect(), "tree-1".into()));
    assert_eq!(fs::read_dir(sandbox.path("modules/a")).unwrap().count(), 1);
    let ran = sandbox.run(&["xpp", "verify"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""));
    assert_eq!(ran.error, "verified 3 files: all as their manifests say\n");
}

#[test]
fn what_did_not_change_is_not_touched() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    let inode = |file: &str| fs::metadata(sandbox.path(file)).unwrap().ino();
    let site = inode(".xpp/modules/environment/manifests/site.xpp");
    let init = inode(".xpp/modules/a/manifests/init.xpp");
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 0 built, 3 unchanged\n"));
    assert_eq!(tree(&sandbox).1, "tree-1");
    // Same size, different content, and a time that gives no hint.
    sandbox.write(INIT.0, b"class a {}  ");
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 1 built, 2 unchanged\n"));
    assert_eq!(tree(&sandbox).1, "tree-2");
    assert_eq!(inode(".xpp/modules/environment/manifests/site.xpp"), site);
    assert_ne!(inode(".xpp/modules/a/manifests/init.xpp"), init);
    assert!(!sandbox.path(".xpp/tree-1").exists());
}

#[test]
fn files_without_manifest_are_removed() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    fs::remove_file(sandbox.path(SUB.0)).unwrap();
    sandbox.write(".xpp/modules/stray/x.xpp", b"");
    let ran = sandbox.run(&["xpp", "verify"]);
    assert_eq!(ran.code, 1);
    expect![[r#"
        a/manifests/b/c.xpp: left over: there is no such manifest
        stray/x.xpp: left over: there is no such manifest
    "#]]
    .assert_eq(&ran.output);
    let ran = sandbox.run(&["xpp", "build"]);
    let said = "2 manifests: 0 built, 2 unchanged; 2 files removed\n";
    assert_eq!((ran.code, ran.error.as_str()), (0, said));
    assert_eq!(tree(&sandbox).0, ["a/manifests/init.xpp", "environment/manifests/site.xpp"]);
}

#[test]
fn errors_are_listed_and_the_rest_is_built() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    sandbox.write(BAD.0, BAD.1.as_bytes());
    sandbox.write(INIT.0, b"class a { $x = { 1 => 1, 1 => 2 } }\n");
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!(ran.code, 1);
    assert!(ran.output.contains("error[syntax-error]: Syntax error at end of input\n"));
    assert!(ran.output.contains("error[duplicate-key]"), "{}", ran.output);
    let said = "4 manifests: 0 built, 2 unchanged, 2 with diagnostics; 1 file removed\n";
    assert_eq!(ran.error, said);
    assert_eq!(tree(&sandbox).0, ["a/manifests/b/c.xpp", "environment/manifests/site.xpp"]);
}

#[test]
fn check_says_what_is_to_be_done_and_does_nothing() {
    let sandbox = environment();
    let ran = sandbox.run(&["xpp", "build", "--check"]);
    assert_eq!((ran.code, ran.error.as_str()), (1, "3 manifests: 3 to build, 0 unchanged\n"));
    assert!(!sandbox.path(".xpp").exists());
    sandbox.run(&["xpp", "build"]);
    assert_eq!(sandbox.run(&["xpp", "build", "--check"]).code, 0);
    assert_eq!(sandbox.run(&["xpp", "build", "--check", "--encoding", "json"]).code, 1);
    fs::remove_file(sandbox.path(SUB.0)).unwrap();
    sandbox.write(SITE.0, b"node x { }\n");
    let ran = sandbox.run(&["xpp", "build", "--check"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.output, "not built: @/manifests/site.pp\nleft over: a/manifests/b/c.xpp\n");
    assert_eq!(tree(&sandbox).1, "tree-1");
}

#[test]
fn every_encoding_is_kept_and_verified() {
    let sandbox = environment();
    for encoding in ["json", "msgpack", "flat"] {
        let build = ["xpp", "build", "--encoding", encoding];
        let ran = sandbox.run(&build);
        assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 3 built, 0 unchanged\n"));
        let ran = sandbox.run(&build);
        assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 0 built, 3 unchanged\n"));
        assert_eq!(sandbox.run(&["xpp", "verify"]).code, 0, "{encoding}");
        let ran = sandbox.run(&["xpp", "show", ".xpp/modules/a/manifests/init.xpp"]);
        assert_eq!(ran.code, 0);
        assert!(ran.output.contains(&format!("pcore+{encoding};")), "{}", ran.output);
        assert!(ran.output.contains("HostClassDefinition"), "{}", ran.output);
    }
}

#[test]
fn parts_are_built_alone() {
    let sandbox = environment();
    let ran = sandbox.run(&["xpp", "build", "manifests/site.pp"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "1 manifest: 1 built, 0 unchanged\n"));
    let ran = sandbox.run(&["xpp", "build", "--module", "a"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, "2 manifests: 2 built, 0 unchanged\n"));
    assert_eq!(tree(&sandbox).0, ALL);
    fs::remove_file(sandbox.path(SUB.0)).unwrap();
    sandbox.run(&["xpp", "build", "--module", "environment"]);
    assert_eq!(tree(&sandbox).0, ALL);
    sandbox.run(&["xpp", "build", "--module", "a"]);
    assert_eq!(tree(&sandbox).0, ["a/manifests/init.xpp", "environment/manifests/site.xpp"]);
    let ran = sandbox.run(&["xpp", "build", "--module", "none"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("no module `none`"), "{}", ran.error);
    let ran = sandbox.run(&["xpp", "build", "none.pp"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("`@/none.pp` is no manifest"), "{}", ran.error);
}

#[test]
fn clean_removes_what_was_built_and_nothing_else() {
    let sandbox = environment();
    sandbox.run(&["xpp", "build"]);
    sandbox.write(".xpp/mine", b"");
    assert_eq!(sandbox.run(&["xpp", "build", "--clean"]).code, 0);
    assert_eq!(fs::read_dir(sandbox.path(".xpp")).unwrap().count(), 1);
    fs::remove_file(sandbox.path(".xpp/mine")).unwrap();
    sandbox.run(&["xpp", "build"]);
    assert_eq!(sandbox.run(&["xpp", "build", "--clean"]).code, 0);
    assert!(!sandbox.path(".xpp").exists());
    assert_eq!(sandbox.run(&["xpp", "build", "--clean"]).code, 0);
}

#[test]
fn the_first_module_of_a_name_counts() {
    let sandbox = environment();
    sandbox.write("site/a/manifests/init.pp", b"class a { notice(1) }\n");
    sandbox.write("modules/environment/manifests/init.pp", b"class environment { }\n");
    sandbox.write("modules/No/manifests/init.pp", b"class no { }\n");
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!(ran.code, 0);
    let note =
        "note: `@/modules/environment` is left out: its name stands for the environment itself";
    assert_eq!(ran.error, format!("{note}\n2 manifests: 2 built, 0 unchanged\n"));
    assert_eq!(tree(&sandbox).0, ["a/manifests/init.xpp", "environment/manifests/site.xpp"]);
    let ran = sandbox.run(&["xpp", "show", "--format", "pn", ".xpp/modules/a/manifests/init.xpp"]);
    assert!(ran.output.contains("@/site/a/manifests/init.pp\n"), "{}", ran.output);
    assert!(ran.output.contains("notice"), "{}", ran.output);
}

#[test]
fn only_manifests_of_the_environment_are_built() {
    let conf = "modulepath = modules\nmanifest = ../outside\n";
    let sandbox = Sandbox::new(&[
        ("e/environment.conf", conf),
        ("outside/site.pp", ""),
        ("e/manifests/site.pp", ""),
        ("e/functions/environment/f.pp", "function environment::f() { 1 }\n"),
        ("e/.resource_types/x.pp", ""),
        ("e/modules/a/examples/init.pp", "include a\n"),
        ("e/modules/a/types/t.pp", "type A::T = String\n"),
    ]);
    let ran = sandbox.run(&["xpp", "build", "e"]);
    assert_eq!(ran.code, 0, "{}{}", ran.output, ran.error);
    let environment = fs::canonicalize(sandbox.path("e/.xpp/modules")).unwrap();
    let mut files = Vec::new();
    for file in
        ["a/types/t", "environment/functions/environment/f", "environment/.resource_types/x"]
    {
        files.push(environment.join(file).with_extension("xpp").exists());
    }
    assert_eq!(files, [true; 3]);
    assert_eq!(ran.error, "3 manifests: 3 built, 0 unchanged\n");
}

#[test]
fn a_manifest_of_a_module_elsewhere_is_built_alone() {
    let sandbox = Sandbox::new(&[
        ("e/environment.conf", "modulepath = ../lib\n"),
        ("lib/a/manifests/init.pp", "class a { }\n"),
        ("lib/a/manifests/b.pp", "class a::b { }\n"),
    ]);
    let mut command = sandbox.command(&["xpp", "build", "../lib/a/manifests/b.pp"]);
    let status = command.current_dir(sandbox.path("e")).status().unwrap();
    assert!(status.success());
    assert!(sandbox.path("e/.xpp/modules/a/manifests/b.xpp").exists());
    assert!(!sandbox.path("e/.xpp/modules/a/manifests/init.xpp").exists());
    assert!(!sandbox.path("lib/.xpp").exists());
}

#[test]
fn an_environment_is_found_by_its_name() {
    let sandbox =
        Sandbox::new(&[("envs/x/environment.conf", "modulepath=m"), ("o/x/manifests/a.pp", "")]);
    let named = ["xpp", "build", "-E", "x", "--environmentpath", "o:envs"];
    let ran = sandbox.run(&[&named[..], &["--basemodulepath", "none"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.error);
    assert!(sandbox.path("o/x/.xpp/modules").exists());
    let ran = sandbox.run(&["xpp", "build", "-E", "y", "--environmentpath", "o:envs"]);
    assert_eq!(
        (ran.code, ran.error.as_str()),
        (2, "error: there is no environment `y` in `o:envs`\n")
    );
    let ran = sandbox.run(&["xpp", "build", "envs"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("`@/envs` is no environment"), "{}", ran.error);
}

mod needs_root {
    use super::*;

    #[test]
    fn files_belong_to_the_owner_of_their_source() {
        let sandbox = environment();
        let owner = |path: &str| {
            let metadata = fs::metadata(sandbox.path(path)).unwrap();
            (metadata.uid(), metadata.gid())
        };
        sandbox.run(&["xpp", "build"]);
        chown(sandbox.path(INIT.0), Some(1234), Some(4321))
            .expect("this test needs root; `cargo test -- --skip needs_` leaves it out");
        let ran = sandbox.run(&["xpp", "build"]);
        assert_eq!(ran.error, "3 manifests: 0 built, 3 unchanged\n");
        assert_eq!(owner(".xpp/modules/a/manifests/init.xpp"), (1234, 4321));
        sandbox.write(INIT.0, b"class a { notice(1) }\n");
        sandbox.run(&["xpp", "build"]);
        assert_eq!(owner(".xpp/modules/a/manifests/init.xpp"), (1234, 4321));
        assert_eq!(owner(".xpp/modules/environment/manifests/site.xpp"), owner(SITE.0));
    }
}

#[test]
fn files_have_the_mode_of_their_source() {
    let sandbox = environment();
    let mode = |path: &str| fs::metadata(sandbox.path(path)).unwrap().mode() & 0o777;
    let set = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(INIT.0, 0o640);
    set(SITE.0, 0o600);
    set(".", 0o750);
    sandbox.run(&["xpp", "build"]);
    assert_eq!(mode(".xpp/modules/a/manifests/init.xpp"), 0o640);
    assert_eq!(mode(".xpp/modules/environment/manifests/site.xpp"), 0o600);
    assert_eq!(mode(".xpp/modules/a"), 0o750);
    set(SITE.0, 0o644);
    let ran = sandbox.run(&["xpp", "build"]);
    assert_eq!(ran.error, "3 manifests: 0 built, 3 unchanged\n");
    assert_eq!(mode(".xpp/modules/environment/manifests/site.xpp"), 0o644);
}

#[test]
fn owner_group_and_mode_can_be_configured() {
    let sandbox = environment();
    let build = ["xpp", "build", "--owner", "1234", "--group", "4321", "--mode", "640"];
    let ran = sandbox.run(&build);
    if ran.code != 0 {
        assert!(
            ran.error.contains("not permitted"),
            "files can't be given away here: {}",
            ran.error
        );
        return;
    }
    let metadata = |path: &str| fs::metadata(sandbox.path(path)).unwrap();
    let of = |path: &str| {
        let metadata = metadata(path);
        (metadata.uid(), metadata.gid(), metadata.mode() & 0o777)
    };
    assert_eq!(of(".xpp/modules/a/manifests/init.xpp"), (1234, 4321, 0o640));
    assert_eq!(of(".xpp/modules/a/manifests"), (1234, 4321, 0o750));
    assert_eq!(sandbox.run(&build).error, "3 manifests: 0 built, 3 unchanged\n");
    let ran = sandbox.run(&["xpp", "build", "--owner", "root", "--mode", "600"]);
    assert_eq!(ran.error, "3 manifests: 0 built, 3 unchanged\n");
    assert_eq!(of(".xpp/modules/a/manifests/init.xpp").2, 0o600);
    for (wrong, said) in [
        (["--owner", "nobody-of-this-name"], "no user `nobody-of-this-name` in `/etc/passwd`"),
        (["--mode", "999"], "a mode is an octal number"),
        (["--mode", "077"], "the owner must be able to read"),
    ] {
        let ran = sandbox.run(&[&["xpp", "build"], &wrong[..]].concat());
        assert_eq!(ran.code, 2);
        assert!(ran.error.contains(said), "{}", ran.error);
    }
}

#[test]
fn settings_come_from_puppet_conf() {
    let sandbox = Sandbox::new(&[
        (
            "puppet.conf",
            "[main]\nbasemodulepath = $confdir/base\n[server]\nenvironmentpath = $confdir/envs\n",
        ),
        ("envs/x/environment.conf", "modulepath = m*:$basemodulepath\n"),
        ("envs/x/m1/a/manifests/init.pp", "class a { }\n"),
        ("envs/x/m2/b/manifests/init.pp", "class b { }\n"),
        ("base/c/manifests/init.pp", "class c { }\n"),
    ]);
    let conf = sandbox.path("puppet.conf");
    let named = ["xpp", "build", "-E", "x", "--config", conf.to_str().unwrap()];
    let ran = sandbox.run(&named);
    assert_eq!((ran.code, ran.error.as_str()), (0, "3 manifests: 3 built, 0 unchanged\n"));
    for module in ["a", "b", "c"] {
        assert!(sandbox.path(&format!("envs/x/.xpp/modules/{module}/manifests/init.xpp")).exists());
    }
    let ran = sandbox.run(&["xpp", "build", "-E", "x", "--config", "none.conf"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("cannot read `none.conf`"), "{}", ran.error);
}

#[test]
fn what_only_puppet_8_complains_about_is_left_to_puppet() {
    let sandbox = environment();
    sandbox.write(
        "modules/a/types/t.pp",
        b"type A::T = Struct[{ Optional['a'] => String, NotUndef['a'] => Integer }]\n",
    );
    let ran = sandbox.run(&["xpp", "build"]);
    let said = "4 manifests: 3 built, 0 unchanged, 1 left to Puppet 8\n";
    assert_eq!((ran.code, ran.error.as_str()), (0, said));
    assert_eq!(tree(&sandbox).0, ALL);
    assert_eq!(sandbox.run(&["xpp", "build", "--check"]).code, 0);
    assert_eq!(sandbox.run(&["xpp", "verify"]).code, 0);
}
