//! Deploys under load: each revision marks every resource, and a catalog with two marks is a failure.
//!
//! `DEPLOYS=1000 cargo test --release -p kukla-server --test agents deploys -- --nocapture` is the long form.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::client::Connection;
use crate::fixture::Fixture;
use crate::tree::Tree;

const MODULES: usize = 12;
/// Titles with their tags, and five values of each module.
const MARKS: usize = 2 * (1 + 2 * MODULES) + 5 * MODULES;
/// A process that deploys in place must not pause for longer between two files, also on a busy machine.
const SETTLE: Duration = Duration::from_millis(400);
const ACCEPT: &[(&str, &str)] = &[("Accept", "application/json")];
/// Environments, each with its way to deploy.
const ENVIRONMENTS: [(&str, Deployed); 4] = [
    ("inplace", Deployed::InPlace),
    ("renamed", Deployed::ByRename),
    ("linked", Deployed::ByLink),
    ("swapped", Deployed::BySwap),
];

/// Ways to deploy.
#[derive(Clone, Copy)]
enum Deployed {
    /// Each file is overwritten where it is.
    InPlace,
    /// Each file is replaced by a rename, as rsync does it.
    ByRename,
    /// A link leads to another directory.
    ByLink,
    /// The directory with the modules is replaced.
    BySwap,
}

/// Returns the files of a revision.
fn files(revision: usize) -> Vec<(String, String)> {
    let mut files = vec![(
        "hiera.yaml".to_owned(),
        "version: 5\nhierarchy: [{ name: all, path: 'all.yaml' }]\n".to_owned(),
    )];
    let includes: String = (0..MODULES).map(|n| format!("include m{n}\n")).collect();
    files.push((
        "manifests/site.pp".to_owned(),
        format!("notify {{ 'r{revision}:site': }}\n{includes}"),
    ));
    let mut data = String::new();
    for n in 0..MODULES {
        let text = format!(
            "class m{n}($data) {{\n  notify {{ 'r{revision}:class{n}': message => $data }}\n  \
             m{n}::d {{ 'x': }}\n  notify {{ 'e{n}': message => epp('m{n}/t.epp') }}\n  \
             notify {{ 'f{n}': message => m{n}::f() }}\n  notify {{ 'b{n}': message => template('m{n}/t.erb') }}\n}}\n"
        );
        let module = format!("modules/m{n}");
        files.push((format!("{module}/manifests/init.pp"), text));
        let define = format!("define m{n}::d() {{ notify {{ 'r{revision}:define{n}': }} }}\n");
        files.push((format!("{module}/manifests/d.pp"), define));
        files.push((format!("{module}/templates/t.epp"), format!("r{revision}:epp{n}")));
        files.push((format!("{module}/templates/t.erb"), format!("r{revision}:erb{n}")));
        let function = format!("function m{n}::f() {{ 'r{revision}:function{n}' }}\n");
        files.push((format!("{module}/functions/f.pp"), function));
        let _ = writeln!(data, "m{n}::data: 'r{revision}:data{n}'");
    }
    files.push(("data/all.yaml".to_owned(), data));
    files
}

fn write_all(directory: &Path, revision: usize) {
    for (path, text) in files(revision) {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("written");
    }
}

/// Deploys a revision, with pauses in the middle of it.
fn deploy(way: Deployed, environments: &Path, name: &str, revision: usize) {
    let directory = environments.join(name);
    match way {
        Deployed::InPlace | Deployed::ByRename => {
            let mut files = files(revision);
            // Another order each time.
            files.rotate_left(revision % MODULES * 3);
            if revision.is_multiple_of(2) {
                files.reverse();
            }
            for (n, (path, text)) in files.into_iter().enumerate() {
                let path = directory.join(path);
                match way {
                    Deployed::InPlace => std::fs::write(path, text).expect("written"),
                    _ => crate::pki::write(&path, &text),
                }
                if n % 16 == revision % 16 {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
        Deployed::ByLink => {
            let target = environments.join(format!("../{name}-{revision}"));
            write_all(&target, revision);
            std::thread::sleep(Duration::from_millis(60));
            let new = environments.join("../new-link");
            symlink(&target, &new).expect("a link");
            std::fs::rename(&new, &directory).expect("renamed");
            let _ = std::fs::remove_dir_all(
                environments.join(format!("../{name}-{}", revision.wrapping_sub(2))),
            );
        }
        Deployed::BySwap => {
            let new = environments.join("../swap");
            write_all(&new, revision);
            std::fs::rename(directory.join("modules"), directory.join(".old")).expect("renamed");
            std::fs::rename(new.join("modules"), directory.join("modules")).expect("renamed");
            std::fs::rename(new.join("manifests/site.pp"), directory.join("manifests/site.pp"))
                .expect("renamed");
            std::fs::rename(new.join("data/all.yaml"), directory.join("data/all.yaml"))
                .expect("renamed");
            std::fs::remove_dir_all(directory.join(".old")).expect("removed");
        }
    }
}

/// Returns the revisions that a catalog names, and how many marks it has.
fn marks(text: &str) -> (BTreeSet<usize>, usize) {
    let pattern = regex::Regex::new(r#""r([0-9]+):[a-z]"#).expect("valid");
    let revisions = pattern.captures_iter(text).map(|found| found[1].parse().expect("a number"));
    let revisions: Vec<usize> = revisions.collect();
    (revisions.iter().copied().collect(), revisions.len())
}

fn catalog(connection: &mut Connection, environment: &str) -> (u16, String) {
    let path = format!("/puppet/v3/catalog/agent.example?environment={environment}");
    let received = connection.request("GET", &path, ACCEPT, None).expect("an answer");
    (received.status, received.text())
}

struct Seen {
    catalogs: AtomicUsize,
    revisions: [AtomicUsize; 4],
    is_over: AtomicBool,
}

/// Asks for catalogs until the end; every one must be of one revision, and none may be older than one before.
fn ask(fixture: &Fixture, seen: &Seen) {
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let mut last = [0; 4];
    while !seen.is_over.load(Ordering::Relaxed) {
        for (n, (name, _)) in ENVIRONMENTS.iter().enumerate() {
            let (status, text) = catalog(&mut connection, name);
            assert_eq!(status, 200, "{name}: {text}");
            let (revisions, n_marks) = marks(&text);
            assert_eq!((revisions.len(), n_marks), (1, MARKS), "{name}: {revisions:?}");
            let revision = *revisions.first().expect("a revision");
            assert!(revision >= last[n], "{name}: {revision} came after {}", last[n]);
            last[n] = revision;
            seen.revisions[n].fetch_max(revision, Ordering::Relaxed);
            seen.catalogs.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn environments(tree: &Tree) -> PathBuf {
    let environments = tree.at("code/environments");
    std::fs::create_dir_all(&environments).expect("a directory");
    for (name, way) in ENVIRONMENTS {
        match way {
            Deployed::ByLink => deploy(way, &environments, name, 0),
            _ => write_all(&environments.join(name), 0),
        }
    }
    environments
}

#[test]
fn a_catalog_is_of_one_revision_however_often_code_is_deployed() {
    let n_deploys = std::env::var("DEPLOYS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let tree = Tree::empty("deploys");
    let environments = environments(&tree);
    let fixture = Fixture::settling(&tree.at("code"), SETTLE, |options| options);
    let seen = Seen {
        catalogs: AtomicUsize::new(0),
        revisions: Default::default(),
        is_over: AtomicBool::new(false),
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..2).map(|_| scope.spawn(|| ask(&fixture, &seen))).collect();
        for revision in 1..=n_deploys {
            for (name, way) in ENVIRONMENTS {
                deploy(way, &environments, name, revision);
            }
            // Now and then a deploy begins before the one before it has settled.
            if revision % 3 != 0 {
                std::thread::sleep(SETTLE + Duration::from_millis(400));
            }
        }
        let is_last = |revision: &AtomicUsize| revision.load(Ordering::Relaxed) == n_deploys;
        while !seen.revisions.iter().all(is_last) {
            let is_stuck = clients.iter().any(std::thread::ScopedJoinHandle::is_finished);
            assert!(!is_stuck && start.elapsed() < Duration::from_secs(3600), "a client has ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        seen.is_over.store(true, Ordering::Relaxed);
    });
    let log = fixture.log.lock().expect("a log").join("\n");
    let n_opened = log.matches("\"event\":\"deploy\"").count();
    let n_torn = log.matches("\"event\":\"torn\"").count();
    assert!(n_opened >= 4, "{n_opened}");
    println!(
        "{n_deploys} deploys of 4 environments, {} catalogs, none mixed; {n_opened} revisions opened, \
         {n_torn} catalogs compiled again; {:.1} s",
        seen.catalogs.load(Ordering::Relaxed),
        start.elapsed().as_secs_f64(),
    );
}

#[test]
fn a_file_that_is_being_written_holds_a_deploy_back() {
    let tree = Tree::empty("written");
    let environments = environments(&tree);
    let settle = Duration::from_millis(200);
    let fixture = Fixture::settling(&tree.at("code"), settle, |options| options);
    let mut agent = fixture.connect(Some("agent.example")).expect("a connection");
    let mut revisions = || marks(&catalog(&mut agent, "inplace").1).0;
    assert_eq!(revisions(), BTreeSet::from([0]));
    std::thread::sleep(settle);
    let directory = environments.join("inplace");
    let mut files = files(1);
    let (last, text) = files.pop().expect("a file");
    for (path, text) in files {
        std::fs::write(directory.join(path), text).expect("written");
    }
    let (half, rest) = text.split_at(text.len() / 2);
    let mut file = std::fs::File::create(directory.join(last)).expect("created");
    file.write_all(half.as_bytes()).expect("written");
    let start = Instant::now();
    while start.elapsed() < settle * 8 {
        assert_eq!(revisions(), BTreeSet::from([0]), "after {:?}", start.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
    file.write_all(rest.as_bytes()).expect("written");
    drop(file);
    while revisions() != BTreeSet::from([1]) {
        assert!(start.elapsed() < Duration::from_secs(20), "the deploy is never seen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_flush_makes_new_code_count_at_once() {
    let tree = Tree::empty("flush");
    let environments = environments(&tree);
    let fixture = Fixture::with_code(&tree.at("code"), |options| options);
    for (name, _) in ENVIRONMENTS {
        std::fs::write(
            environments.join(name).join("environment.conf"),
            "environment_timeout = unlimited\n",
        )
        .expect("written");
    }
    let mut agent = fixture.connect(Some("agent.example")).expect("a connection");
    let mut admin = fixture.connect(Some("admin.example")).expect("a connection");
    let mut revision = |environment: &str| {
        let (status, text) = catalog(&mut agent, environment);
        assert_eq!(status, 200, "{text}");
        marks(&text).0
    };
    assert_eq!(revision("inplace"), BTreeSet::from([0]));
    std::thread::sleep(Duration::from_millis(300));
    deploy(Deployed::InPlace, &environments, "inplace", 1);
    std::thread::sleep(Duration::from_millis(600));
    // The environment is not looked at until it is flushed, also those files that no catalog has read yet.
    assert_eq!(revision("inplace"), BTreeSet::from([0]));
    let path = "/puppet-admin-api/v1/environment-cache?environment=inplace";
    assert_eq!(admin.request("DELETE", path, &[], None).expect("an answer").status, 204);
    assert_eq!(revision("inplace"), BTreeSet::from([1]));
}
