//! Kukla itself loads what it built, if it is told to.

use std::fs;

use kukla_syntax::xpp::{Encoding, encode};
use kukla_syntax::{Options, parse};

use super::{CONF, INIT, SITE};
use crate::support::{Ran, Sandbox};

const FILE: &str = ".xpp/modules/a/manifests/init.xpp";
const TYPE: (&str, &str) = ("modules/a/types/t.pp", "type A::T = Enum['x', 'y']\n");
const USER: (&str, &str) = ("modules/a/manifests/u.pp", "class a::u (A::T $t = 'x') { }\n");

fn built() -> Sandbox {
    let sandbox = Sandbox::new(&[CONF, SITE, INIT, TYPE, USER]);
    assert_eq!(sandbox.run(&["xpp", "build"]).code, 0);
    sandbox
}

fn classes(sandbox: &Sandbox, setting: &[&str]) -> Ran {
    sandbox.run(&[&["xpp", "classes"], setting].concat())
}

/// A file for the manifest of [`INIT`] that holds the tree of something else, to see whether it is used.
fn forge(sandbox: &Sandbox) {
    // A comment with the same checksum is not known, so the size and the checksum are copied.
    let other = parse("class b { }\n", &Options::default()).ast;
    let mut bytes = encode(&other, "", &[], Encoding::Flat);
    let right = fs::read(sandbox.path(FILE)).expect("it was built");
    let start = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an envelope") + 2;
    bytes[start + 8..start + 16].copy_from_slice(&right[start + 8..start + 16]);
    bytes.truncate(bytes.windows(4).position(|word| word == b"KUK1").expect("a section"));
    bytes[start + 5] = 0;
    let crc = format!("{:08x}", crc32fast::hash(&bytes[start..]));
    bytes[start - 10..start - 2].copy_from_slice(crc.as_bytes());
    sandbox.write(FILE, &bytes);
}

#[test]
fn what_is_loaded_is_what_is_parsed() {
    let sandbox = built();
    let (parsed, loaded) = (classes(&sandbox, &[]), classes(&sandbox, &["--xpp"]));
    assert_eq!((parsed.code, loaded.code), (0, 0));
    assert_eq!(parsed.output, loaded.output);
    assert!(parsed.output.contains("Enum['x', 'y']"), "{}", parsed.output);
    assert_eq!(loaded.error, "");
}

#[test]
fn it_is_off_unless_it_is_switched_on() {
    let sandbox = built();
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
    let sandbox = built();
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
