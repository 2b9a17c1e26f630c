//! Stored exports are found again, complete, with concurrent readers and writers.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use kukla_catalog::exports::{ExportSearch, Exported, Exports, Filter};
use kukla_pcore::{Hash, Value};
use kukla_store::{Exporter, Store};

/// A directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("kukla-store-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("var/exports.sqlite3")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(path: &Path) -> Store {
    Store::open(path).expect("it can be opened")
}

fn check(title: &str, tag: &str) -> Exported {
    let nested: Hash =
        [("a".into(), Value::array([Value::Integer(1), Value::Float(2.0), Value::Undef]))]
            .into_iter()
            .collect();
    Exported {
        type_: "Monitoring::Check".into(),
        title: title.into(),
        tags: vec!["monitoring::check".into(), tag.into()],
        parameters: vec![
            ("port".into(), Value::Integer(80)),
            ("text".into(), "quoted \"ä\"\n".into()),
            ("nested".into(), Value::hash(nested)),
        ],
    }
}

fn keep(store: &Store, node: &str, resources: &[Exported]) {
    store.replace(&[Exporter { node, resources }]).expect("it can be kept");
}

fn titles(store: &Store, node: &str, filter: Option<&Filter>) -> Vec<String> {
    let search = ExportSearch { type_: "Monitoring::Check", node, filter };
    let found = store.search(&search).expect("it can be searched");
    found.into_iter().map(|stored| format!("{} {}", stored.node, stored.resource.title)).collect()
}

#[test]
fn what_is_kept_is_found_by_others_in_order() {
    let folder = Folder::new();
    let store = open(&folder.file());
    keep(&store, "web2", &[check("z", "web"), check("a", "db")]);
    keep(&store, "web1", &[check("m", "web")]);
    assert_eq!(titles(&store, "monitor", None), ["web1 m", "web2 z", "web2 a"]);
    assert_eq!(titles(&store, "web2", None), ["web1 m"]);
    let tagged = Filter::Tagged(vec!["web".into()]);
    assert_eq!(titles(&store, "monitor", Some(&tagged)), ["web1 m", "web2 z"]);
    let port = Filter::Parameter("port".into(), Value::Integer(81));
    assert!(titles(&store, "monitor", Some(&port)).is_empty());
}

#[test]
fn values_come_back_as_they_were() {
    let folder = Folder::new();
    keep(&open(&folder.file()), "web1", &[check("a", "web")]);
    let found = open(&folder.file()).of_node("web1").expect("it can be read");
    assert_eq!(found, [check("a", "web")]);
}

#[test]
fn a_new_catalog_replaces_all_that_was_exported() {
    let folder = Folder::new();
    let store = open(&folder.file());
    keep(&store, "web1", &[check("a", "web"), check("b", "web")]);
    keep(&store, "web1", &[check("c", "web")]);
    assert_eq!(titles(&store, "monitor", None), ["web1 c"]);
    assert!(store.forget("web1").expect("it can be forgotten"));
    assert!(!store.forget("web1").expect("it can be forgotten"));
    assert!(store.nodes().expect("it can be read").is_empty());
}

#[test]
fn nobody_sees_half_of_an_export() {
    let folder = Folder::new();
    let file = folder.file();
    let all = |n: usize| (0..5).map(|i| check(&format!("{n}-{i}"), "web")).collect::<Vec<_>>();
    keep(&open(&file), "web1", &all(0));
    std::thread::scope(|scope| {
        for writer in 1..=4 {
            let (file, all) = (&file, &all);
            scope.spawn(move || {
                let store = open(file);
                for round in 0..20 {
                    keep(&store, "web1", &all(writer * 100 + round));
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let store = open(&file);
                for _ in 0..100 {
                    let found = titles(&store, "monitor", None);
                    assert_eq!(found.len(), 5, "{found:?}");
                    let first = found[0].split('-').next().map(str::to_owned);
                    assert!(found.iter().all(|title| title.split('-').next() == first.as_deref()));
                }
            });
        }
    });
}

#[test]
fn a_damaged_file_is_said_to_be_one() {
    let folder = Folder::new();
    keep(&open(&folder.file()), "web1", &[check("a", "web")]);
    std::fs::write(
        folder.file(),
        "no database at all, but long enough to look like one".repeat(20),
    )
    .expect("it can be written");
    let error = Store::open(&folder.file()).expect_err("it is damaged").to_string();
    assert!(error.contains("exports.sqlite3` can't be read: file is not a database"), "{error}");
}

#[test]
fn damage_in_the_middle_is_an_error_or_nothing_is_wrong() {
    let folder = Folder::new();
    let resources: Vec<Exported> = (0..200).map(|n| check(&n.to_string(), "web")).collect();
    keep(&open(&folder.file()), "web1", &resources);
    let whole = std::fs::read(folder.file()).expect("it can be read");
    for start in (0..whole.len()).step_by(997) {
        let mut damaged = whole.clone();
        for byte in damaged.iter_mut().skip(start).take(64) {
            *byte ^= 0x5a;
        }
        std::fs::write(folder.file(), &damaged).expect("it can be written");
        // Whatever comes, it comes as a result.
        if let Ok(store) = Store::open(&folder.file()) {
            let search = ExportSearch { type_: "Monitoring::Check", node: "monitor", filter: None };
            let _ = store.search(&search);
            let _ = store.replace(&[Exporter { node: "web1", resources: &resources }]);
        }
    }
}

#[test]
fn a_place_that_is_none_is_named() {
    let folder = Folder::new();
    std::fs::write(folder.0.join("file"), "").expect("it can be written");
    let error = Store::open(&folder.0.join("file/exports.sqlite3")).expect_err("no folder");
    assert!(error.to_string().contains("file/exports.sqlite3` can't be read"), "{error}");
}

#[test]
fn only_the_owner_can_read_the_file_and_links_are_not_followed() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let mode = || {
        let status = std::fs::metadata(folder.file()).expect("it is there");
        status.permissions().mode() & 0o777
    };
    drop(open(&folder.file()));
    assert_eq!(mode(), 0o600);
    let public = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(folder.file(), public).expect("it is ours");
    drop(open(&folder.file()));
    assert_eq!(mode(), 0o600);
    let elsewhere = folder.0.join("elsewhere");
    std::fs::rename(folder.file(), &elsewhere).expect("it can be moved");
    std::os::unix::fs::symlink(&elsewhere, folder.file()).expect("a link can be made");
    let error = Store::open(&folder.file()).expect_err("it is a link").to_string();
    assert!(error.contains("symbolic link"), "{error}");
}
