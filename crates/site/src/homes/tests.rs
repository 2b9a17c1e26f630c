//! Homes of files in made-up trees.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

static N_TREES: AtomicU32 = AtomicU32::new(0);

/// A directory with some files, removed at the end of the test.
struct Tree {
    root: PathBuf,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let n = N_TREES.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kukla-home-{}-{n}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { root }
    }

    /// Returns the home of each file, `-` for anywhere.
    fn check(&self, modulepath: Option<&str>, expected: &[(&str, &str)]) {
        let modulepath = modulepath.map(|path| path.replace('@', self.root.to_str().unwrap()));
        let mut homes = Homes::new(modulepath.as_deref(), &Anchor::new("/"));
        for (file, expected) in expected {
            let home = match homes.home(&self.root.join(file)) {
                Home::Module { path } => path,
                Home::Anywhere => "-".to_owned(),
            };
            assert_eq!(home, *expected, "{file}");
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.root).unwrap();
    }
}

#[test]
fn an_environment_has_modules_and_a_main_manifest() {
    Tree::new(&[("environment.conf", "")]).check(
        None,
        &[
            ("modules/apache/manifests/init.pp", "apache/manifests/init.pp"),
            ("modules/apache/manifests/mod/ssl.pp", "apache/manifests/mod/ssl.pp"),
            ("modules/apache/examples/init.pp", "apache/examples/init.pp"),
            ("modules/lost.pp", "lost.pp"),
            ("manifests/site.pp", "-"),
            ("other/site.pp", "-"),
        ],
    );
}

#[test]
fn environment_conf_tells_the_module_path() {
    let conf = "# ours\nmanifest = site\nmodulepath = site:dist/../lib:$basemodulepath\n[x]\nmodulepath = no\n";
    Tree::new(&[("environment.conf", conf)]).check(
        None,
        &[
            ("site/role/manifests/web.pp", "-"),
            ("lib/role/manifests/web.pp", "role/manifests/web.pp"),
            ("modules/role/manifests/web.pp", "-"),
            ("no/role/manifests/web.pp", "-"),
        ],
    );
}

#[test]
fn the_nearest_environment_counts() {
    let files = [("environment.conf", ""), ("modules/a/fixtures/environment.conf", "modulepath=m")];
    Tree::new(&files).check(
        None,
        &[
            ("modules/a/fixtures/m/b/manifests/init.pp", "b/manifests/init.pp"),
            ("modules/a/fixtures/manifests/init.pp", "-"),
        ],
    );
}

#[test]
fn a_given_module_path_replaces_those_that_are_found() {
    Tree::new(&[("environment.conf", "")]).check(
        Some("@/one:@/two/:@/three/../four"),
        &[
            ("two/a/manifests/init.pp", "a/manifests/init.pp"),
            ("four/a/manifests/init.pp", "a/manifests/init.pp"),
            ("oneself/a/manifests/init.pp", "-"),
            ("modules/a/manifests/init.pp", "-"),
        ],
    );
}

#[test]
fn metadata_names_the_module() {
    let metadata = r#"{"name": "owner-apache", "version": "1.0.0"}"#;
    let files = [("checkout/metadata.json", metadata), ("broken/metadata.json", "{")];
    Tree::new(&files).check(
        None,
        &[
            ("checkout/manifests/init.pp", "apache/manifests/init.pp"),
            ("checkout/manifests/types/a.pp", "apache/manifests/types/a.pp"),
            ("checkout/types/port.pp", "apache/types/port.pp"),
            ("checkout/examples/a.pp", "-"),
            ("broken/manifests/init.pp", "-"),
        ],
    );
}

#[test]
fn puppets_own_module_path_is_known() {
    let mut homes = Homes::new(None, &Anchor::new("/"));
    let home = homes.home(Path::new("/usr/share/puppet/modules/none/manifests/init.pp"));
    assert_eq!(home, Home::Module { path: "none/manifests/init.pp".into() });
}
