//! Files that are unreadable, broken, huge, cyclic or wrongly encoded: a clear error with file and line, quickly, and
//! without any secret in it.

use std::fmt::Write;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ecow::EcoString;
use kukla_lookup::{DataFile, Fault, Host, Layers, Places, Query, Session, Variable, pdl};
use kukla_pcore::convert::ConvertError;
use kukla_pcore::{Type, Value};
use kukla_world::{Disk, Memory, Opened, Stamp, World};

struct NoVariables;

impl Host for NoVariables {
    fn variable(&mut self, _name: &str) -> Variable {
        Variable::Unknown(None)
    }

    fn convert(&mut self, _type: &Type, _arguments: &[Value]) -> Result<Value, ConvertError> {
        Err(ConvertError::new("nothing is converted here"))
    }
}

/// Files of which one is unreadable.
#[derive(Debug)]
struct Guarded(Memory);

impl World for Guarded {
    fn now(&self) -> i128 {
        Disk.now()
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        Disk.random(n)
    }

    fn run(&self, program: &kukla_world::Program) -> Result<Vec<u8>, kukla_world::RunError> {
        Disk.run(program)
    }

    fn stamp(&self, path: &str) -> Option<Stamp> {
        self.0.stamp(path)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        match path {
            path if path.contains("guarded") => Err(io::ErrorKind::PermissionDenied.into()),
            path if path.contains("huge") => Err(io::ErrorKind::FileTooLarge.into()),
            path => self.0.read(path, limit),
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.0.list(path)
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        self.0.names(path)
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        self.0.resolve(path)
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        self.0.has_entry(path)
    }
}

/// Looks a key up, with this as the only data file.
fn look(name: &str, content: &[u8]) -> Result<Option<Value>, String> {
    let function = if name.ends_with(".json") { "json_data" } else { "yaml_data" };
    let config = format!(
        "version: 5\nhierarchy: [{{ name: one, data_hash: {function}, datadir: data, path: {name} }}]\n"
    );
    let mut files = Memory::default();
    files.insert("/env/hiera.yaml", config);
    files.insert(format!("/env/data/{name}"), content);
    let places = Places { directory: Some("/env".into()), ..Places::default() };
    let layers = Arc::new(Layers::new(Arc::new(Guarded(files)), places));
    let names = [EcoString::from("key")];
    let start = Instant::now();
    let found = Session::new(layers).lookup(&mut NoVariables, &Query::new(&names), None);
    assert!(start.elapsed() < Duration::from_secs(20), "{name} takes {:?}", start.elapsed());
    found
        .map(|found| found.map(|found| found.value))
        .map_err(|fault: Fault| fault.message_with_place())
}

#[track_caller]
fn refused(name: &str, content: &[u8], words: &[&str]) {
    let message = look(name, content).expect_err("it is refused");
    for word in words.iter().chain(&[name]) {
        assert!(message.contains(word), "{word:?} in {message}");
    }
    assert!(!message.contains("hush"), "{message}");
}

#[test]
fn broken_files_are_told_with_their_line() {
    refused("broken.yaml", b"a: 1\nb: [hush-1\nc: 2\n", &["line 2"]);
    refused("tab.yaml", b"a: 1\nb:\n\tc: hush-1\n", &["line 3"]);
    refused("quote.yaml", b"a: 1\nb: 'hush-1\n", &["line 2"]);
    refused("indent.yaml", b"a: hush-1\n b: 2\n", &["line 2"]);
    refused("tag.yaml", b"a: 1\nb: !ruby/object:Object {}\n", &["Object", "line: 2"]);
    refused("alias.yaml", b"a: hush-1\nb:\n  - *nope\n", &["Unknown alias: nope", "line: 3"]);
    let secret = b"{\n \"lookup_options\": {\"key\": {\"convert_to\": \"Sensitive\"}},\n \"key\": \"hush-1\",,\n}";
    refused("broken.json", secret, &["at line 3"]);
    refused("list.yaml", b"- hush-1\n", &["file does not contain a valid yaml hash"]);
}

#[test]
fn wrong_encodings_are_told_with_their_line() {
    refused("latin1.yaml", b"a: 1\nkey: hush-\xe9\n", &["line 2"]);
    refused("utf16.yaml", &[0xff, 0xfe, b'a', 0, b':', 0], &["line 1"]);
    refused("noise.json", b"{\n\n\"key\": \"hush-\xff\"}", &["line 3"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    refused("guarded.yaml", b"key: 1\n", &["Permission denied"]);
    refused("huge.yaml", b"key: 1\n", &["bytes"]);
}

#[test]
fn anchors_do_not_run_for_ever() {
    refused("cyclic.yaml", b"key: &a [*a]\n", &["line: 1"]);
    refused("cyclic2.yaml", b"a: &a\n  b: &b\n    c: *a\nkey: *b\n", &["line: 3"]);
    let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for n in 1..40 {
        let last = format!("*a{}", n - 1);
        let _ = writeln!(laughs, "a{n}: &a{n} [{}]", [last.as_str(); 9].join(", "));
    }
    refused("laughs.yaml", format!("{laughs}key: 1\n").as_bytes(), &["line: "]);
    let deep = "[".repeat(200_000);
    refused("deep.yaml", format!("key: {deep}").as_bytes(), &[]);
    refused("deep.json", format!("{{\"key\": {deep}").as_bytes(), &[]);
}

#[test]
fn pdl_that_is_none_is_an_error_with_a_line() {
    for (text, line) in [
        ("$a = 1\n$b = [1,\n 2\n$c = 3\n", 4),
        ("$a = 'open\n", 1),
        ("$a = 1 where\n", 1),
        ("$a[0] = 1\n", 1),
        ("\n\nnotify { 'x': }\n", 3),
        ("$a = \u{e9}\n", 1),
        ("$a = 99999999999999999999\n", 1),
    ] {
        let error = pdl::parse(text).expect_err(text);
        assert_eq!(error.place().line, line, "{text}: {error}");
    }
    let deep = format!("$a = {}1", "[".repeat(100_000));
    assert!(pdl::parse(&deep).is_err());
}

#[test]
fn no_noise_makes_a_reader_panic() {
    let words: Vec<&str> = "$a|$x::y| = |==|=~|/r/|/|'|\"|${|}|{|[|]|(|)|,|:|=>| where | and |!|in|\n|#|1|-|0x|\\|\u{e9}|true|f("
        .split('|')
        .collect();
    let mut state = 7_u64;
    let mut next = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % n
    };
    for _ in 0..20_000 {
        let length = next(24);
        let text: String = (0..length).map(|_| words[next(words.len())]).collect();
        let _ = pdl::parse(&text);
        let _ = kukla_lookup::pieces(&text.replace("${", "%{"));
    }
}

#[test]
fn what_is_checked_has_lines_too() {
    let mut files = Memory::default();
    files.insert("/a.json", "{\n \"a\": 1,\n \"b\": hush\n}");
    files.insert("/b.json", "{\n \"a\": 1,\n \"a\": 2\n}");
    let fault = DataFile::read(&files, "/a.json", "json_data").expect_err("it is broken");
    assert_eq!(fault.line, Some(3));
    let data = DataFile::read(&files, "/b.json", "json_data").expect("it can be read");
    assert_eq!(data.repeated, [("a".to_owned(), 3)]);
}
