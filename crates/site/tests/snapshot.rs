//! Consistency of a snapshot: a file that was read stays as it was, and a missing one stays missing.

#![expect(
    clippy::disallowed_methods,
    reason = "the test changes files on the disk below a snapshot"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use kukla_compiler::compile::Request;
use kukla_compiler::{Limits, Strictness};
use kukla_site::{Environment, Main, Options, RubyWorker, Snapshot};
use kukla_world::Disk;

/// A directory of its own, removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let root =
            std::env::temp_dir().join(format!("kukla-snapshot-{name}-{}", std::process::id()));
        fs::create_dir_all(&root).expect("it can be made");
        Self(root)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let environment = Environment::open(&self.0, &[], &Disk).expect("it opens");
        let options = Options { ruby_worker: RubyWorker::Off, ..Options::default() };
        Arc::new(Snapshot::new(environment, options, &mut Vec::new()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the titles of all notifications, or the error.
fn titles(snapshot: &Arc<Snapshot>) -> String {
    let request =
        Request { node: "n".into(), environment: "production".into(), ..Request::default() };
    let compiled =
        snapshot.compile(&Main::Environment, Strictness::default(), Limits::default(), &request);
    let catalog = match compiled.catalog {
        Ok(catalog) => catalog,
        Err(failure) => return failure.to_string(),
    };
    let notices = catalog.resources.iter().filter(|resource| resource.type_.as_str() == "Notify");
    notices.map(|resource| resource.title.to_string()).collect::<Vec<_>>().join(", ")
}

/// Everything that a compilation reads, each with another text.
const FILES: [(&str, &str, &str); 12] = [
    ("manifests/site.pp", "include m notify { lookup('a'): }", "notify { 'new': }"),
    ("hiera.yaml", HIERA, "version: 5\nhierarchy: []\n"),
    ("data/common.yaml", "a: data", "a: new"),
    ("modules/m/hiera.yaml", HIERA, "version: 5\nhierarchy: []\n"),
    ("modules/m/data/common.yaml", "m::p: module", "m::p: new"),
    ("modules/m/manifests/init.pp", CLASS, "class m { }"),
    ("modules/m/templates/a.epp", "epp", "new"),
    ("modules/m/templates/b.erb", "erb", "new"),
    ("modules/m/files/c.txt", "file", "new"),
    ("modules/m/functions/f.pp", "function m::f() { 'puppet' }", "function m::f() { 'new' }"),
    ("modules/m/lib/puppet/functions/m/g.rb", RUBY, ""),
    ("modules/m/types/t.pp", "type M::T = String", "type M::T = Integer"),
];

const HIERA: &str = "version: 5\nhierarchy:\n  - name: all\n    path: common.yaml\n";

const CLASS: &str = "class m(M::T $p) {
  notify { [$p, epp('m/a.epp'), template('m/b.erb'), file('m/c.txt'), m::f(), m::g()]: }
}";

const RUBY: &str = "Puppet::Functions.create_function(:'m::g') { def g; 'ruby'; end }";

const FIRST: &str = "module, epp, erb, file, puppet, ruby, data";

#[test]
fn changes_of_what_was_read_are_seen_by_a_new_snapshot_only() {
    for (path, _, new) in FILES {
        let folder = Folder::new("changes");
        FILES.iter().for_each(|(path, text, _)| folder.write(path, text));
        let old = folder.snapshot();
        assert_eq!(titles(&old), FIRST);
        folder.write(path, new);
        assert_eq!(titles(&old), FIRST, "{path} was changed");
        assert_ne!(titles(&folder.snapshot()), FIRST, "{path} was changed");
        fs::remove_file(folder.0.join(path)).expect("it is there");
        assert_eq!(titles(&old), FIRST, "{path} was removed");
        assert_ne!(titles(&folder.snapshot()), FIRST, "{path} was removed");
    }
}

#[test]
fn what_was_missing_stays_so() {
    let site = "notify { 'x': } if defined('m::late') { include m::late }
        if find_file('m/late.txt') { notify { 'file': } }
        notify { lookup('late', { default_value => 'no data' }): }";
    for (path, text) in [
        ("modules/m/manifests/late.pp", "class m::late { notify { 'class': } }"),
        ("modules/m/files/late.txt", ""),
        ("data/late.yaml", "late: data"),
        ("manifests/zz.pp", "notify { 'manifest': }"),
    ] {
        let folder = Folder::new("missing");
        folder.write("manifests/site.pp", site);
        folder.write("modules/m/manifests/init.pp", "class m { }");
        folder.write("hiera.yaml", &HIERA.replace("common", "late"));
        let old = folder.snapshot();
        assert_eq!(titles(&old), "x, no data");
        folder.write(path, text);
        assert_eq!(titles(&old), "x, no data", "{path} was added");
        assert_ne!(titles(&folder.snapshot()), "x, no data", "{path} was added");
    }
}
