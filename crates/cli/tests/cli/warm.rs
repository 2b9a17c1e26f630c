//! `kukla compile --jsonl`: a running process sees changes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::Sandbox;

struct Warm<'a> {
    sandbox: &'a Sandbox,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl<'a> Warm<'a> {
    fn start(sandbox: &'a Sandbox) -> Self {
        let mut command = sandbox.command(&["compile", "--jsonl"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { sandbox, child, questions, answers }
    }

    fn ask(&mut self, more: &Value) -> Value {
        let mut question =
            json!({ "id": 1, "environmentpath": self.sandbox.path("code"), "node": "n" });
        for (key, value) in more.as_object().into_iter().flatten() {
            question[key] = value.clone();
        }
        let questions = self.questions.as_mut().expect("it runs");
        writeln!(questions, "{question}").expect("it reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("it is JSON")
    }

    /// Returns the titles of all notifications in the catalog, or the error.
    fn notices(&mut self, more: &Value) -> String {
        let answer = self.ask(more);
        let Some(resources) = answer["catalog"]["resources"].as_array() else {
            return answer["error"].as_str().unwrap_or_default().to_owned();
        };
        let of_type = resources.iter().filter(|resource| resource["type"] == "Notify");
        of_type.filter_map(|resource| resource["title"].as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl Drop for Warm<'_> {
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.child.wait();
    }
}

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        (
            "code/production/manifests/site.pp",
            "include m\nnotify { lookup('a', { default_value => 'none' }): }",
        ),
        (
            "code/production/modules/m/manifests/init.pp",
            "class m { notify { template('m/t.erb'): } }",
        ),
        ("code/production/modules/m/templates/t.erb", "one"),
    ])
}

#[test]
fn every_kind_of_change_is_seen_at_once() {
    let sandbox = sandbox();
    let mut warm = Warm::start(&sandbox);
    let site = "code/production/manifests/site.pp";
    let module = "code/production/modules/m";
    let nothing = Value::Null;
    // Twice, so that later changes are reported by the kernel and not by the first scan of all files.
    assert_eq!(warm.notices(&nothing), "one, none");
    assert_eq!(warm.notices(&nothing), "one, none");
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(warm.notices(&nothing), "one, none");

    sandbox.write(&format!("{module}/templates/t.erb"), b"two");
    assert_eq!(warm.notices(&nothing), "two, none", "a changed template");
    sandbox.write(
        "code/production/hiera.yaml",
        b"version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n",
    );
    sandbox.write("code/production/data/all.yaml", b"a: data");
    assert_eq!(warm.notices(&nothing), "two, data", "added data");
    sandbox.write("code/production/data/all.yaml", b"a: DATA");
    assert_eq!(warm.notices(&nothing), "two, DATA", "changed data");
    std::fs::remove_file(sandbox.path("code/production/data/all.yaml")).expect("it is there");
    assert_eq!(warm.notices(&nothing), "two, none", "removed data");
    sandbox.write(site, b"include m::new");
    assert!(warm.notices(&nothing).contains("Could not find class ::m::new"), "a changed manifest");
    sandbox.write(&format!("{module}/manifests/new.pp"), b"class m::new { notify { 'new': } }");
    assert_eq!(warm.notices(&nothing), "new", "an added class");
    sandbox.write(&format!("{module}/manifests/new.pp"), b"class m::new { notify { m::f(): } }");
    assert!(warm.notices(&nothing).contains("Unknown function: 'm::f'"));
    sandbox.write(&format!("{module}/functions/f.pp"), b"function m::f() { 'f' }");
    assert_eq!(warm.notices(&nothing), "f", "an added function");
    sandbox.write("code/production/manifests/zz.pp", b"notify { 'zz': }");
    assert_eq!(warm.notices(&nothing), "f, zz", "an added manifest");
    std::fs::remove_dir_all(sandbox.path(module)).expect("it is there");
    assert!(warm.notices(&nothing).contains("Could not find class ::m::new"), "a removed module");
    std::fs::create_dir_all(sandbox.path("other/n/manifests")).expect("it can be made");
    sandbox.write("other/n/manifests/init.pp", b"class n { notify { 'n': } }");
    sandbox.write(site, b"include n");
    sandbox.write(
        "code/production/environment.conf",
        format!("modulepath = {}\n", sandbox.path("other").display()).as_bytes(),
    );
    assert_eq!(warm.notices(&nothing), "n, zz", "a changed module path");
    sandbox.write("other/n/manifests/init.pp", b"class n { notify { 'outside': } }");
    assert_eq!(warm.notices(&nothing), "outside, zz", "a change outside of the environment");
}

#[cfg(unix)]
#[test]
fn an_environment_that_is_a_link_may_lead_elsewhere() {
    let sandbox = Sandbox::new(&[
        ("v1/manifests/site.pp", "notify { 'v1': }"),
        ("v2/manifests/site.pp", "notify { 'v2': }"),
        ("code/x", ""),
    ]);
    let link = sandbox.path("code/production");
    std::os::unix::fs::symlink(sandbox.path("v1"), &link).expect("it can be linked");
    let mut warm = Warm::start(&sandbox);
    for _ in 0..3 {
        assert_eq!(warm.notices(&Value::Null), "v1");
    }
    let new = sandbox.path("code/new");
    std::os::unix::fs::symlink(sandbox.path("v2"), &new).expect("it can be linked");
    std::fs::rename(new, link).expect("it can be renamed");
    assert_eq!(warm.notices(&Value::Null), "v2");
}

#[test]
fn a_timeout_says_how_long_nothing_is_looked_at() {
    let sandbox = sandbox();
    let mut warm = Warm::start(&sandbox);
    let unlimited = json!({ "environment_timeout": "unlimited" });
    let long = json!({ "environment_timeout": 3600 });
    for timeout in [&unlimited, &long] {
        assert_eq!(warm.notices(timeout), "one, none");
    }
    sandbox.write("code/production/modules/m/templates/t.erb", b"two");
    for timeout in [&unlimited, &long] {
        assert_eq!(warm.notices(timeout), "one, none");
    }
    assert_eq!(warm.notices(&Value::Null), "two, none");
    let wrong = warm.notices(&json!({ "environment_timeout": "soon" }));
    assert!(wrong.contains("environment_timeout"), "{wrong}");
}
