//! A site as a server uses it: no current directory, no terminal, many environments, many threads.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kukla_compiler::Limits;
use kukla_compiler::compile::Compiled;
use kukla_pcore::{Hash, Value};
use kukla_site::settings::{ConfigFile, Settings};
use kukla_site::{
    Defaults, EnvironmentChoice, Main, Member, Node, ServerIdentity, Site, SiteError, SiteOptions,
    Timeout, Warn,
};
use kukla_world::paths::Anchor;

/// A directory of its own, removed at the end of the test.
struct Code(PathBuf);

impl Code {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("kukla-site-{name}-{}", std::process::id()));
        let code = Self(root);
        files.iter().for_each(|(path, text)| code.write(path, text));
        code
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn site(&self, overrides: &[(&str, &str)]) -> Result<Site, SiteError> {
        let mut all = vec![("environmentpath".to_owned(), "envs".to_owned())];
        all.extend(overrides.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let anchor = Anchor::new(&self.0);
        let settings = Settings::load(&ConfigFile::Absent, all, &anchor)?;
        let choice =
            EnvironmentChoice { defaults: Defaults::Nothing, ..EnvironmentChoice::default() };
        let server = ServerIdentity {
            name: "compiler1.example.org".to_owned(),
            address: "2001:db8::1".to_owned(),
        };
        let timeout = Timeout::Unused(Duration::ZERO);
        Site::open(
            settings,
            SiteOptions { anchor, choice, server, timeout, settle: None, warn: Warn::default() },
        )
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn compile(member: &Member) -> Compiled {
    let environment = &member.environment;
    let (snapshot, request) = (&environment.snapshot, member.request());
    snapshot.compile(&Main::Environment, environment.strictness, Limits::default(), &request)
}

fn titles(member: &Member) -> String {
    let catalog = compile(member).catalog.expect("it has a catalog");
    let notices = catalog.resources.iter().filter(|resource| resource.type_.as_str() == "Notify");
    notices.map(|resource| resource.title.to_string()).collect::<Vec<_>>().join(", ")
}

const NAMES: &str = "notify { \"${server_facts['servername']} ${serverip} ${settings::environment} ${facts['a']}\": }";

#[test]
fn environments_are_opened_once_and_anew_when_files_change() {
    let code =
        Code::new("live", &[("envs/a/manifests/x.pp", NAMES), ("envs/b/manifests/x.pp", NAMES)]);
    // A file that was just written counts as changed.
    std::thread::sleep(Duration::from_millis(50));
    let site = code.site(&[("environment", "a")]).expect("it opens");
    let facts: Hash = [(Value::from("a"), Value::Integer(1))].into_iter().collect();
    let mut node = Node::new("n.example.org", Arc::new(facts));
    let member = site.member(node.clone()).expect("there is an environment");
    assert_eq!(titles(&member), "compiler1.example.org 2001:db8::1 a 1");
    node.environment = Some("b".to_owned());
    let other = site.member(node.clone()).expect("there is an environment");
    assert_eq!(titles(&other), "compiler1.example.org 2001:db8::1 b 1");
    let again = site.member(node.clone()).expect("there is an environment");
    assert!(Arc::ptr_eq(&other.environment, &again.environment), "it is shared");
    std::thread::sleep(Duration::from_millis(50));
    code.write("envs/b/manifests/x.pp", "notify { 'new': }");
    let new = site.member(node).expect("there is an environment");
    assert_eq!(titles(&new), "new");
    assert_eq!(
        titles(&other),
        "compiler1.example.org 2001:db8::1 b 1",
        "an old one stays as it was"
    );
}

#[test]
fn errors_name_what_to_change() {
    let code = Code::new("errors", &[("envs/a/manifests/x.pp", "")]);
    let site = code.site(&[]).expect("it opens");
    for name in ["nope", "../envs/a", "", "."] {
        let error = site.environment(name).expect_err("there is none");
        assert_eq!(error.to_string(), format!("there is no environment `{name}` in `envs`"));
    }
    for (name, value, expected) in [
        ("strict", "maybe", "the setting `strict` is `off`, `warning` or `error`, not `maybe`"),
        ("ruby_worker", "x", "the setting `ruby_worker` is `off`, `auto` or `always`, not `x`"),
    ] {
        let error = code.site(&[(name, value)]).expect_err("it has no meaning");
        assert_eq!(error.to_string(), expected);
    }
    let missing = ConfigFile::At(PathBuf::from("none.conf"));
    let error = Settings::load(&missing, Vec::new(), &Anchor::new(&code.0)).expect_err("none");
    assert_eq!(error.to_string(), "cannot read `none.conf`: no such file or directory");
    let error = site.settings().environment_timeout();
    assert!(error.is_ok());
}

#[test]
fn threads_share_a_site() {
    let code = Code::new("threads", &[("envs/a/manifests/x.pp", NAMES)]);
    let site = code.site(&[("environment", "a")]).expect("it opens");
    let all: Vec<String> = std::thread::scope(|scope| {
        let work = || titles(&site.member(Node::new("n", Arc::default())).expect("it is there"));
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert!(all.iter().all(|one| one == "compiler1.example.org 2001:db8::1 a "), "{all:?}");
}

#[test]
fn the_current_directory_does_not_matter() {
    let code = Code::new("anchor", &[("envs/a/manifests/x.pp", "include m")]);
    code.write("modules/m/manifests/init.pp", "class m { notify { 'm': } }");
    let site = code.site(&[("environment", "a"), ("modulepath", "modules")]).expect("it opens");
    let member = site.member(Node::new("n", Arc::default())).expect("it is there");
    assert_eq!(titles(&member), "m");
    assert!(site.vardir().is_absolute());
    assert_eq!(site.anchor().absolute(Path::new("x")), code.0.join("x"));
}
