//! Files that change while a session lasts, and what other sessions have left in caches.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kukla_lookup::{Disk, Files, Opened, Session, Stamp};
use kukla_pcore::Value;

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

#[test]
fn a_file_that_comes_later_is_restricted() {
    let site = site("glob: '{secret,linked}/*.yaml'");
    site.link("env/data/linked", "secret");
    let session = Session::new(site.layers());
    let denied = ask(&session, &node(None), "pw", None);
    assert!(!denied.is_leak(), "{denied:?}");
    site.write("env/data/secret/new.yaml", "late: LEAK\n");
    let session = Session::new(session.layers().clone());
    assert!(!ask(&session, &node(None), "late", None).is_leak());
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

/// A disk on which a link is turned to another file just before it is opened.
#[derive(Debug)]
struct Turning {
    link: String,
    to: String,
    is_turned: AtomicBool,
}

impl Files for Turning {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        Disk.stamp(path)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        if path == self.link && !self.is_turned.swap(true, Ordering::Relaxed) {
            fs::remove_file(&self.link)?;
            std::os::unix::fs::symlink(&self.to, &self.link)?;
        }
        Disk.read(path, limit)
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
        let link = site.text("@/env/data/link.yaml");
        let to = "secret/all.yaml".to_owned();
        let files = Arc::new(Turning { link, to, is_turned: AtomicBool::new(false) });
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
