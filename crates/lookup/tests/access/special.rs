//! Rules and data that are not regular files.

use std::fs;
use std::io;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kukla_lookup::Session;
use kukla_pcore::Value;
use kukla_world::{Disk, Opened, Stamp, World};

use super::site::{Answer, Node, Site, ask, hash};

fn site() -> Site {
    let site = Site::new();
    site.write("env/hiera.yaml", "version: 5\nhierarchy: [{ name: a, path: common.yaml }]\n");
    site.write("env/data/common.yaml", "pw: LEAK\n");
    site
}

fn node() -> Node {
    Node::new(None, hash(Vec::new()))
}

fn fifo(site: &Site, path: &str) {
    let status = std::process::Command::new("mkfifo").arg(site.path(path)).status();
    assert!(status.expect("mkfifo is there").success());
}

/// Looks up a key, and fails if that takes long.
fn soon(site: &Site) -> Answer {
    let start = Instant::now();
    let answer = site.ask(&node(), "pw");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    answer
}

#[test]
fn without_a_file_everything_is_for_all() {
    assert!(soon(&site()).is_leak());
}

#[test]
fn rules_that_cannot_be_read_close_everything() {
    let dangling = site();
    dangling.link("env/data_access", "nowhere");
    soon(&dangling).is_closed(&["No such file"]);

    let looped = site();
    looped.link("env/data_access", "data_access");
    soon(&looped).is_closed(&["can't be read"]);

    let directory = site();
    fs::create_dir(directory.path("env/data_access")).expect("it can be made");
    soon(&directory).is_closed(&["Is a directory"]);

    let pipe = site();
    fifo(&pipe, "env/data_access");
    soon(&pipe).is_closed(&["a FIFO"]);

    let device = site();
    device.link("env/data_access", "/dev/zero");
    soon(&device).is_closed(&["a device"]);

    let null = site();
    null.link("env/data_access", "/dev/null");
    soon(&null).is_closed(&["a device"]);

    let socket = site();
    let _listener = UnixListener::bind(socket.path("env/data_access")).expect("it can be bound");
    soon(&socket).is_closed(&["a socket"]);

    let latin1 = site();
    fs::write(latin1.path("env/data_access"), b"key 'pw' where true # \xe9\n").expect("written");
    soon(&latin1).is_closed(&["invalid UTF-8 in line 1"]);

    let large = site();
    large.write("env/data_access", &"# many\n".repeat(200_000));
    soon(&large).is_closed(&["more than 1048576 bytes"]);
}

#[test]
fn a_link_to_rules_is_as_good_as_rules() {
    let site = site();
    site.write("shared/rules", "key 'pw' where false\n");
    site.link("env/data_access", "../shared/rules");
    let answer = soon(&site);
    assert!(!answer.is_leak() && answer.found == Ok(None), "{answer:?}");
}

/// A disk that denies some operations; root, who may run the tests, is denied nothing by the system.
#[derive(Debug)]
struct Guarded {
    entry: bool,
    read: bool,
    names: bool,
}

const DENIED: io::ErrorKind = io::ErrorKind::PermissionDenied;

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
        Disk.stamp(path)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        match self.read && path.ends_with("data_access") {
            true => Err(DENIED.into()),
            false => Disk.read(path, limit),
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        Disk.list(path)
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        if self.names { Err(DENIED.into()) } else { Disk.names(path) }
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        Disk.resolve(path)
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        if self.entry { Err(DENIED.into()) } else { Disk.has_entry(path) }
    }
}

#[test]
fn what_is_not_permitted_closes_everything() {
    let site = site();
    let open = Guarded { entry: false, read: false, names: false };
    let look =
        |files: Guarded| ask(&Session::new(site.layers_of(Arc::new(files))), &node(), "pw", None);
    // The directory can't be searched, so the file is unknown.
    look(Guarded { entry: true, ..open }).is_closed(&["permission denied"]);
    site.write("env/data_access", "file 'data/*' where true\n");
    let open = Guarded { entry: false, read: false, names: false };
    look(Guarded { read: true, ..open }).is_closed(&["Permission denied"]);
    let open = Guarded { entry: false, read: false, names: false };
    look(Guarded { names: true, ..open }).is_closed(&["cannot tell which files", "permission"]);
    let open = Guarded { entry: false, read: false, names: false };
    assert!(look(open).is_leak());
}

#[test]
fn names_that_are_not_utf8_close_what_they_could_hide_in() {
    use std::os::unix::ffi::OsStrExt;
    let site = site();
    let name = std::ffi::OsStr::from_bytes(b"\xff.yaml");
    fs::write(site.path("env/data").join(name), "x: 1\n").expect("it can be written");
    site.write("env/data_access", "file 'data/*' where true\n");
    soon(&site).is_closed(&["not UTF-8"]);
}

#[test]
fn data_that_are_no_regular_files_are_errors() {
    for (level, file) in [
        ("path: special.yaml", "env/data/special.yaml"),
        ("data_hash: json_data, path: special.json", "env/data/special.json"),
        ("data_hash: hocon_data, path: special.conf", "env/data/special.conf"),
        ("lookup_key: eyaml_lookup_key, path: special.yaml", "env/data/special.yaml"),
        ("glob: 'special.*'", "env/data/special.yaml"),
        ("data_hash: 'probe::hash', path: special.yaml", "env/data/special.yaml"),
    ] {
        let site = site();
        site.write("env/hiera.yaml", &format!("version: 5\nhierarchy: [{{ name: a, {level} }}]\n"));
        fifo(&site, file);
        let answer = soon(&site);
        assert!(answer.error().contains(&format!("{file}: it is a FIFO")), "{answer:?}");
    }
    let site = site();
    fs::remove_file(site.path("env/data/common.yaml")).expect("it is there");
    site.link("env/data/common.yaml", "/dev/zero");
    let answer = soon(&site);
    assert!(answer.error().contains("common.yaml: it is a device"), "{answer:?}");
}

#[test]
fn configurations_and_pdl_that_are_no_regular_files_are_errors() {
    let config = site();
    fs::remove_file(config.path("env/hiera.yaml")).expect("it is there");
    fifo(&config, "env/hiera.yaml");
    assert!(soon(&config).error().contains("hiera.yaml: it is a FIFO"));
    let mut library = site();
    library.places.datalibrary = Some(library.text("@/lib.pdl").into());
    fifo(&library, "lib.pdl");
    assert!(soon(&library).error().contains("lib.pdl: it is a FIFO"));
}

#[test]
fn large_files_are_not_read() {
    let site = site();
    let file = fs::File::create(site.path("env/data/common.yaml")).expect("it can be made");
    file.set_len(1 << 40).expect("it may have holes");
    let answer = soon(&site);
    assert!(answer.error().contains("more than 268435456 bytes"), "{answer:?}");
    assert_eq!(answer.found.ok().flatten(), None::<Value>);
}
