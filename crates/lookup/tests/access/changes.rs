//! Files that change during a session, and data that other sessions left in caches.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kukla_lookup::Session;
use kukla_pcore::Value;
use kukla_world::{Disk, Opened, Stamp, World};

use super::site::{Node, Site, ask, hash};

fn site(level: &str) -> Site {
    let site = Site::new();
    let config = format!("version: 5\nhierarchy: [{{ name: a, {level} }}]\n");
    site.write("env/hiera.yaml", &config);
    site.write("env/data/secret/all.yaml", "pw: LEAK\n");
    site.write("env/data/open.yaml", "other: 1\n");
    let rules = "file 'data/secret/*' where $trusted['extensions']['pp_role'] == 'db'\n";
    site.write("env/data_access", rules);
    site
}

fn node(role: Option<&str>) -> Node {
    Node::new(role, hash(Vec::new()))
}

#[test]
fn a_file_that_is_renamed_stays_restricted_for_a_session() {
    let site = site("paths: [other.yaml, late.yaml]");
    let session = Session::new(site.layers());
    site.write("env/data/late.yaml", "x: 1\n");
    assert!(!ask(&session, &node(None), "x", None).is_leak());
    let (from, to) = (site.path("env/data/secret/all.yaml"), site.path("env/data/late.yaml"));
    fs::rename(from, to).expect("it can be renamed");
    assert!(!ask(&session, &node(None), "pw", None).is_leak());
}

/// Looks up a public key, so that the rules are read, then writes a file, and looks up a key in it.
fn is_late_leak(level: &str, rules: &str, prepare: impl Fn(&Site), file: &str) -> bool {
    let mut site = site("path: open.yaml");
    site.module("m");
    let config = format!("version: 5\nhierarchy: [{{ name: a, {level} }}]\n");
    site.write("env/modules/m/hiera.yaml", &config);
    prepare(&site);
    site.write("env/data_access", rules);
    let session = Session::new(site.layers());
    let first = ask(&session, &node(None), "other", None);
    assert_eq!(first.found, Ok(Some(Value::from(1))), "{first:?}");
    site.write(file, "m::late: LEAK\n");
    // A session reads the configuration of a module on the first lookup of its keys.
    ask(&session, &node(None), "m::late", None).is_leak()
}

#[test]
fn a_file_that_comes_later_is_restricted() {
    let dots = "path: '../../../data/open/new.yaml'";
    let linked = |site: &Site| site.link("env/data/open", "secret");
    let file = "env/data/secret/new.yaml";
    assert!(is_late_leak(dots, "# none\n", linked, file), "without rules");
    let by_prefix = "file 'data/secret/*' where false\n";
    assert!(!is_late_leak(dots, by_prefix, linked, file), "by the path that it has");
    // The pattern has a star before the link.
    let inner = |site: &Site| {
        site.write("env/data/vault/x.yaml", "");
        site.link("env/data/deep/secret", "../vault");
    };
    let by_name = "path: '../../../data/deep/secret/new.yaml'";
    let rules = "file 'data/*/secret/*' where false\n";
    let file = "env/data/vault/new.yaml";
    assert!(is_late_leak(by_name, "# none\n", inner, file), "without rules");
    assert!(!is_late_leak(by_name, rules, inner, file), "by the name that is asked for");
}

#[test]
fn caches_of_other_sessions_open_nothing() {
    for level in ["path: link.yaml", "lookup_key: eyaml_lookup_key, path: link.yaml"] {
        let site = site(level);
        site.link("env/data/link.yaml", "secret/all.yaml");
        let layers = site.layers();
        for _ in 0..2 {
            let look = |role| ask(&Session::new(layers.clone()), &node(role), "pw", None);
            assert!(look(Some("db")).is_leak());
            assert!(!look(None).is_leak());
        }
    }
}

/// A disk on which a link is redirected to another file just before or just after it is opened.
#[derive(Debug)]
struct Turning {
    link: String,
    to: String,
    is_after: bool,
    is_turned: AtomicBool,
}

impl Turning {
    fn new(site: &Site, to: &str, is_after: bool) -> Arc<Self> {
        let (link, to) = (site.text("@/env/data/link.yaml"), to.to_owned());
        Arc::new(Self { link, to, is_after, is_turned: AtomicBool::new(false) })
    }

    fn turn(&self, path: &str) -> io::Result<()> {
        if path == self.link && !self.is_turned.swap(true, Ordering::Relaxed) {
            fs::remove_file(&self.link)?;
            std::os::unix::fs::symlink(&self.to, &self.link)?;
        }
        Ok(())
    }
}

impl World for Turning {
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
        Disk.stamp(path)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        if !self.is_after {
            self.turn(path)?;
        }
        let opened = Disk.read(path, limit)?;
        self.turn(path)?;
        Ok(opened)
    }

    fn list(&self, path: &str) -> Vec<String> {
        Disk.list(path)
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        Disk.names(path)
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        Disk.resolve(path)
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        Disk.has_entry(path)
    }
}

#[test]
fn the_file_that_is_opened_counts() {
    for level in [
        "path: link.yaml",
        "lookup_key: eyaml_lookup_key, path: link.yaml",
        "data_hash: 'probe::hash', path: link.yaml",
    ] {
        let site = site(level);
        site.link("env/data/link.yaml", "open.yaml");
        let files = Turning::new(&site, "secret/all.yaml", false);
        let session = Session::new(site.layers_of(files.clone()));
        for _ in 0..2 {
            let answer = ask(&session, &node(None), "pw", None);
            assert!(!answer.is_leak(), "{level}: {answer:?}");
        }
        assert!(files.is_turned.load(Ordering::Relaxed), "{level}");
        let session = Session::new(session.layers().clone());
        assert!(!ask(&session, &node(None), "pw", None).is_leak(), "{level}");
    }
}

#[test]
fn what_was_opened_is_not_taken_for_what_is_there_now() {
    let site = site("path: link.yaml");
    site.write("vault/all.yaml", "pw: LEAK\n");
    site.link("env/data/link.yaml", "@/vault/all.yaml");
    let session = Session::new(site.layers_of(Turning::new(&site, "open.yaml", true)));
    let answer = ask(&session, &node(None), "pw", None);
    assert!(answer.error().contains("was replaced while it was read"), "{answer:?}");
    assert!(!answer.is_leak(), "{answer:?}");
}

#[test]
fn another_file_of_the_same_name_is_read_anew() {
    let site = site("path: link.yaml");
    site.link("env/data/link.yaml", "open.yaml");
    let layers = site.layers();
    let look = |key| ask(&Session::new(layers.clone()), &node(None), key, None);
    assert_eq!(look("other").found, Ok(Some(Value::from(1))));
    fs::remove_file(site.path("env/data/link.yaml")).expect("it is there");
    site.link("env/data/link.yaml", "secret/all.yaml");
    assert!(!look("pw").is_leak());
}
