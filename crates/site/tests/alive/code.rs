//! Environments on disk, and catalogs of their nodes.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kukla_compiler::Limits;
use kukla_compiler::compile::{Compiled, Request};
use kukla_pcore::{Hash, Value};
use kukla_site::settings::{ConfigFile, Settings};
use kukla_site::{
    Defaults, EnvironmentChoice, Main, Node, ServerIdentity, Site, SiteOptions, Timeout, Warn,
};
use kukla_world::paths::Anchor;

/// A directory of its own, removed at the end of the test.
pub(crate) struct Code(pub(crate) PathBuf);

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Code {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-alive-{}-{number}", std::process::id());
        let code = Self(std::env::temp_dir().join(name));
        files.iter().for_each(|(path, text)| code.write(path, text));
        code
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.0.join(path)).expect("it is there");
    }

    pub(crate) fn site(&self, overrides: &[(&str, &str)]) -> Site {
        let mut all = vec![("environmentpath".to_owned(), "envs".to_owned())];
        all.extend(overrides.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let anchor = Anchor::new(&self.0);
        let settings = Settings::load(&ConfigFile::Absent, all, &anchor).expect("they are fine");
        let choice =
            EnvironmentChoice { defaults: Defaults::Nothing, ..EnvironmentChoice::default() };
        let server = ServerIdentity {
            name: "compiler1.example.org".to_owned(),
            address: "2001:db8::1".to_owned(),
        };
        let timeout = Timeout::Unused(Duration::ZERO);
        let options =
            SiteOptions { anchor, choice, server, timeout, settle: None, warn: Warn::default() };
        Site::open(settings, options).expect("it opens")
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A hash of texts.
pub(crate) fn hash(entries: &[(&str, &str)]) -> Arc<Hash> {
    Arc::new(entries.iter().map(|&(key, value)| (Value::from(key), Value::from(value))).collect())
}

/// Compiles the catalog of a node in an environment; `change` changes the request.
pub(crate) fn compile(
    site: &Site,
    environment: &str,
    facts: Arc<Hash>,
    limits: Limits,
    change: impl FnOnce(&mut Request),
) -> Compiled {
    let mut node = Node::new("n.example.org", facts);
    node.environment = Some(environment.to_owned());
    let member = site.member(node).expect("the environment opens");
    let mut request = member.request();
    change(&mut request);
    let environment = &member.environment;
    environment.snapshot.compile(&Main::Environment, environment.strictness, limits, &request)
}

/// The error of a compilation.
pub(crate) fn failure(compiled: Compiled) -> (&'static str, String) {
    let failure = compiled.catalog.expect_err("there is no catalog");
    (failure.fault.code().as_str(), failure.to_string())
}
