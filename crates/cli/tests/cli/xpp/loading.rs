//! Kukla itself loads serialized manifests if `xpp` is on.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use kukla_syntax::{Options, parse};
use kukla_xpp::{Encoding, SECTION, encode};

use super::breakage::run_as_nobody;
use super::{CONF, INIT, SITE};
use crate::support::{Ran, Sandbox};

const FILE: &str = ".xpp/modules/a/manifests/init.xpp";
const INDEX: &str = ".xpp/modules/.index";
const TYPE: (&str, &str) = ("modules/a/types/t.pp", "type A::T = Enum['x', 'y']\n");
const USER: (&str, &str) = ("modules/a/manifests/u.pp", "class a::u (A::T $t = 'x') { }\n");

fn built() -> Sandbox {
    let sandbox = Sandbox::new(&[CONF, SITE, INIT, TYPE, USER]);
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    sandbox
}

/// Builds without an index, so that files are loaded.
fn built_without_index() -> Sandbox {
    let sandbox = built();
    fs::remove_file(sandbox.path(INDEX)).expect("it was built");
    sandbox
}

fn classes(sandbox: &Sandbox, setting: &[&str]) -> Ran {
    sandbox.run(&[&["xpp", "classes"], setting].concat())
}

/// Replaces the file for the manifest of [`INIT`] by a different tree, to see whether it is used.
fn forge(sandbox: &Sandbox) {
    forge_as(sandbox, FILE, "class b { }\n");
}

/// Writes the tree of another text into a file that claims to be made from the manifest.
pub(super) fn forge_as(sandbox: &Sandbox, file: &str, text: &str) {
    // Since no comment with the same checksum is known, size and checksum are copied.
    let other = parse(text, &Options::default()).ast;
    let mut bytes = encode(&other, "", &[], Encoding::Flat);
    let right = fs::read(sandbox.path(file)).expect("it was built");
    let start = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an envelope") + 2;
    bytes[start + 8..start + 16].copy_from_slice(&right[start + 8..start + 16]);
    bytes
        .truncate(bytes.windows(4).position(|word| word == SECTION.as_bytes()).expect("a section"));
    bytes[start + 5] = 0;
    let crc = format!("{:08x}", crc32fast::hash(&bytes[start..]));
    bytes[start - 10..start - 2].copy_from_slice(crc.as_bytes());
    sandbox.write(file, &bytes);
}

#[test]
fn what_is_loaded_is_what_is_parsed() {
    let sandbox = built_without_index();
    let (parsed, loaded) = (classes(&sandbox, &[]), classes(&sandbox, &["--xpp"]));
    assert_eq!((parsed.code, loaded.code), (0, 0));
    assert_eq!(parsed.output, loaded.output);
    assert!(parsed.output.contains("Enum['x', 'y']"), "{}", parsed.output);
    assert_eq!(loaded.error, "");
}

#[test]
fn it_is_off_unless_it_is_switched_on() {
    let sandbox = built_without_index();
    forge(&sandbox);
    for (setting, name) in [
        (&[][..], "a"),
        (&["--no-xpp"], "a"),
        (&["--xpp"], "b"),
        (&["--xpp", "--no-xpp"], "a"),
        (&["--no-xpp", "--xpp"], "b"),
    ] {
        let ran = classes(&sandbox, setting);
        assert!(ran.output.contains(&format!("\"name\":\"{name}\"")), "{setting:?} {}", ran.output);
    }
    assert_eq!(sandbox.run(&["validate", INIT.0]).code, 0, "validate never looks at it");
}

#[test]
fn an_edited_manifest_counts_at_once() {
    let sandbox = built();
    sandbox.write(INIT.0, b"class a (Integer $new) { }\n");
    let ran = classes(&sandbox, &["--xpp"]);
    assert_eq!((ran.code, ran.error.as_str()), (0, ""));
    assert!(ran.output.contains("\"new\""), "{}", ran.output);
}

#[test]
fn a_manifest_that_is_gone_is_not_loaded() {
    let sandbox = built();
    fs::remove_file(sandbox.path(INIT.0)).unwrap();
    let ran = classes(&sandbox, &["--xpp"]);
    assert!(!ran.output.contains("\"name\":\"a\""), "{}", ran.output);
}

#[test]
fn what_is_damaged_is_told_and_the_source_is_used() {
    let sandbox = built_without_index();
    let sound = classes(&sandbox, &["--xpp"]).output;
    let bytes = fs::read(sandbox.path(FILE)).unwrap();
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    let other_version =
        String::from_utf8_lossy(&bytes[..70]).replace("version=1", "version=2") + "\n\n";
    for (broken, reason) in [
        (&bytes[..bytes.len() - 1], "the file is damaged: its checksum is wrong"),
        (&changed, "the file is damaged: its checksum is wrong"),
        (b"", "this is not an XPP file: it has no envelope"),
        (other_version.as_bytes(), "unknown version `2`"),
    ] {
        sandbox.write(FILE, broken);
        let ran = classes(&sandbox, &["--xpp"]);
        assert_eq!((ran.code, &ran.output), (0, &sound));
        let said = format!("warning: XPP: cannot load @/{FILE}: {reason}; the source is used\n");
        assert_eq!(ran.error, said);
        assert_eq!(classes(&sandbox, &[]).error, "");
    }
    fs::remove_file(sandbox.path(FILE)).unwrap();
    fs::create_dir(sandbox.path(FILE)).unwrap();
    let ran = classes(&sandbox, &["--xpp"]);
    assert_eq!((ran.code, &ran.output), (0, &sound));
    assert!(ran.error.contains("Is a directory"), "{}", ran.error);
}

mod needs_root {
    use super::*;

    #[test]
    fn what_may_not_be_read_is_told_and_the_source_is_used() {
        let sandbox = built_without_index();
        let sound = classes(&sandbox, &["--xpp"]).output;
        fs::set_permissions(sandbox.path("."), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(sandbox.path(FILE), fs::Permissions::from_mode(0o600)).unwrap();
        let output = run_as_nobody(&sandbox, &["xpp", "classes", "--xpp"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let root = sandbox.path("").display().to_string();
        let output = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.replace(root.trim_end_matches('/'), "@"), sound);
        assert!(
            said.starts_with("warning: XPP: cannot load") && said.lines().count() == 1,
            "{said}"
        );
        assert!(
            said.contains("ermission denied") && said.ends_with("the source is used\n"),
            "{said}"
        );
    }
}

/// Changes the name of a class in the index, to see whether it is used.
fn forge_index(sandbox: &Sandbox) {
    let text = fs::read_to_string(sandbox.path(INDEX)).expect("it was built");
    let (_, body) = text.trim_end().split_once('\n').expect("a line before it");
    let body = body.replace("\"name\":\"a\"", "\"name\":\"forged\"");
    let (size, crc32) = (body.len(), crc32fast::hash(body.as_bytes()));
    sandbox.write(INDEX, format!("kukla-index 1 {size} {crc32:08x}\n{body}\n").as_bytes());
}

fn is_forged(sandbox: &Sandbox, setting: &[&str]) -> bool {
    let ran = classes(sandbox, setting);
    assert_eq!((ran.code, ran.error.as_str()), (0, ""));
    ran.output.contains("\"forged\"")
}

#[test]
fn the_index_says_what_manifests_define() {
    let define = ("modules/a/manifests/d.pp", "define a::d (Integer $x = 1) { }\n");
    let function = ("modules/a/functions/f.pp", "function a::f($y) >> A::T { 'x' }\n");
    let sandbox = Sandbox::new(&[CONF, SITE, INIT, TYPE, USER, define, function]);
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    let text = fs::read_to_string(sandbox.path(INDEX)).unwrap();
    for definition in [
        r#"{"kind":"class","name":"a::u","params":[{"default_literal":"x","default_source":"'x'","name":"t","type":"A::T = Enum['x', 'y']"}]}"#,
        r#"{"kind":"define","name":"a::d","params":[{"default_literal":1,"default_source":"1","name":"x","type":"Integer"}]}"#,
        r#"{"kind":"function","name":"a::f","params":[{"name":"y"}],"returns":"A::T = Enum['x', 'y']"}"#,
        r#"{"kind":"type alias","name":"A::T","type":"Enum['x', 'y']"}"#,
    ] {
        assert!(text.contains(definition), "{definition}\n{text}");
    }
    let (parsed, indexed) = (classes(&sandbox, &[]), classes(&sandbox, &["--xpp"]));
    assert_eq!(parsed.output, indexed.output);
}

#[test]
fn the_index_is_used_while_it_is_current() {
    let sandbox = built();
    forge_index(&sandbox);
    assert!(is_forged(&sandbox, &["--xpp"]));
    assert!(!is_forged(&sandbox, &[]));
    sandbox.write(USER.0, b"class a::u (A::T $t = 'y') { }\n");
    assert!(!is_forged(&sandbox, &["--xpp"]), "a manifest was edited");
    sandbox.write(USER.0, USER.1.as_bytes());
    assert!(is_forged(&sandbox, &["--xpp"]), "and back");
    sandbox.write("modules/a/manifests/new.pp", b"class a::new { }\n");
    assert!(!is_forged(&sandbox, &["--xpp"]), "a manifest was added");
    assert_eq!(sandbox.run(&["xpp", "build", "--module", "a"]).code, 0);
    assert!(!is_forged(&sandbox, &["--xpp"]), "every build makes it anew");
    assert!(fs::read_to_string(sandbox.path(INDEX)).unwrap().contains("a::new"));
}

#[test]
fn a_damaged_index_is_not_used() {
    let sandbox = built();
    let sound = classes(&sandbox, &[]).output;
    let bytes = fs::read(sandbox.path(INDEX)).unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut broken = bytes.clone();
        broken[at] ^= 1;
        for broken in [&broken[..], &bytes[..at]] {
            sandbox.write(INDEX, broken);
            let ran = classes(&sandbox, &["--xpp"]);
            assert_eq!((ran.code, &ran.output, ran.error.as_str()), (0, &sound, ""), "byte {at}");
        }
    }
}

#[test]
fn who_may_not_read_every_manifest_may_not_read_the_index() {
    let sandbox = Sandbox::new(&[CONF, SITE, INIT, TYPE, USER]);
    let mode = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    [SITE.0, INIT.0, TYPE.0].into_iter().for_each(|path| mode(path, 0o644));
    mode(USER.0, 0o640);
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    let metadata = fs::metadata(sandbox.path(INDEX)).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
}
