//! `--storeconfigs` and `kukla exports`: exported resources.

use serde_json::Value;

use crate::support::{Ran, Sandbox};

const MANIFEST: &str = "\
node /^web/ { @@notify { \"check ${trusted['certname']}\": tag => 'web' } }
node /^mirror/ {
  Notify<<| tag == 'web' |>>
  @@notify { 'mirror is there': tag => 'mirror' }
}
node 'monitor' { Notify<<| tag == 'web' or tag == 'mirror' |>> }
node 'broken' { fail('no') }
node default { }
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(&[("code/production/manifests/site.pp", MANIFEST)]);
    for node in ["mirror", "monitor", "web1", "web2"] {
        sandbox.write(&format!("facts/{node}.json"), b"{}");
    }
    sandbox
}

fn compile(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let common = ["compile", "--environmentpath", "code", "--vardir", "var", "--storeconfigs"];
    sandbox.run(&[&common, args].concat())
}

/// Returns the titles of all notifications, by node.
fn notices(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, 0, "{}", ran.error);
    let catalogs = ran.output.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
    let shown = |catalog: Value| {
        let resources = catalog["resources"].as_array().expect("there are some").clone();
        let of_type = resources.iter().filter(|resource| resource["type"] == "Notify");
        let titles: Vec<&str> = of_type.filter_map(|resource| resource["title"].as_str()).collect();
        format!("{}: {}", catalog["name"].as_str().unwrap_or_default(), titles.join(", "))
    };
    catalogs.map(shown).collect()
}

#[test]
fn what_one_node_exports_another_collects() {
    let sandbox = sandbox();
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), ["monitor: "]);
    assert_eq!(notices(&compile(&sandbox, &["--node", "web1"])), ["web1: "]);
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), ["monitor: check web1"]);
    assert_eq!(notices(&compile(&sandbox, &["--node", "web2"])), ["web2: "]);
    let both = ["monitor: check web1, check web2"];
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), both);
    // A node that stopped exporting is no longer collected from.
    compile(&sandbox, &["--node", "web1", "-e", "notify { 'a': }"]);
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), ["monitor: check web2"]);
}

#[test]
fn all_nodes_at_once_get_what_they_would_get_in_the_end() {
    let expected = [
        "mirror: check web1, check web2",
        "monitor: mirror is there, check web1, check web2",
        "web1: ",
        "web2: ",
    ];
    for n_threads in ["1", "2", "8"] {
        let sandbox = sandbox();
        let args = ["compile", "--environmentpath", "code", "--vardir", "var", "--storeconfigs"];
        let mut command = sandbox.command(&[&args[..], &["--facts", "facts"]].concat());
        let output = command.env("RAYON_NUM_THREADS", n_threads).output().expect("it starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
        let ran = Ran { code: 0, output: text(output.stdout), error: text(output.stderr) };
        assert_eq!(notices(&ran), expected, "{n_threads} threads: {}", ran.error);
        assert_eq!(notices(&compile(&sandbox, &["--facts", "facts"])), expected, "again");
    }
}

#[test]
fn a_node_without_a_catalog_keeps_its_exports() {
    let sandbox = sandbox();
    compile(&sandbox, &["--node", "web1"]);
    assert_eq!(compile(&sandbox, &["--node", "web1", "-e", "fail('no')"]).code, 1);
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), ["monitor: check web1"]);
}

#[test]
fn exports_are_shown_and_forgotten() {
    let sandbox = sandbox();
    let exports = |args: &[&str]| sandbox.run(&[&["exports", "--vardir", "var"], args].concat());
    assert_eq!(exports(&[]).code, 2);
    compile(&sandbox, &["--facts", "facts"]);
    assert_eq!(exports(&[]).output, "    1 mirror\n    1 web1\n    1 web2\n");
    assert_eq!(
        exports(&["web1"]).output,
        "Notify[check web1] web,notify,node,__node_regexp__web,class\n"
    );
    assert_eq!(exports(&["nobody"]).code, 1);
    assert_eq!(exports(&["--forget", "web1"]).code, 0);
    assert_eq!(exports(&["--forget", "web1"]).code, 1);
    let left = ["monitor: mirror is there, check web2"];
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), left);
}

#[test]
fn a_store_that_can_not_be_used_is_an_error() {
    let sandbox = sandbox();
    sandbox.write(
        "var/store.sqlite3",
        "this is no database, whatever it is called".repeat(99).as_bytes(),
    );
    let ran = compile(&sandbox, &["--node", "web1"]);
    assert_eq!((ran.code, ran.output.as_str()), (1, ""));
    assert!(
        ran.error.contains("var/store.sqlite3` can't be read: file is not a database"),
        "{}",
        ran.error
    );
    sandbox.write("file", b"");
    let args = ["compile", "--environmentpath", "code", "--vardir", "file", "--storeconfigs"];
    let ran = sandbox.run(&args);
    assert!(ran.code == 1 && ran.error.contains("file/store.sqlite3"), "{}", ran.error);
}

#[test]
fn many_processes_at_once_lose_nothing() {
    let sandbox = sandbox();
    let names: Vec<String> = (0..8).map(|n| format!("web{n}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let ran = compile(sandbox, &["--node", name]);
                assert_eq!(ran.code, 0, "{}", ran.error);
            });
        }
    });
    let all: Vec<String> = names.iter().map(|name| format!("check {name}")).collect();
    let expected = format!("monitor: {}", all.join(", "));
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), [expected]);
}

/// Runs the command in a shell that sets limits before.
fn limited(sandbox: &Sandbox, limits: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let common = ["compile", "--environmentpath", "code", "--vardir", "var", "--storeconfigs"];
    let program = env!("CARGO_BIN_EXE_kukla");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\""), program]).args(common).args(args);
    let output = command.current_dir(sandbox.path("")).output().expect("a shell starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_disk_without_room_is_told_and_what_was_stored_stays() {
    let sandbox = sandbox();
    let kept = notices(&compile(&sandbox, &["--node", "web1"]));
    let many = "node /^web/ { Integer[1, 9000].each |$n| { @@notify { \"check ${n}\": tag => 'web' } } }\n\
                node 'monitor' { Notify<<| tag == 'web' |>> }\n";
    sandbox.write("code/production/manifests/site.pp", many.as_bytes());
    // Files may not grow beyond 512 KiB.
    let full = "trap '' XFSZ; ulimit -f 1024";
    let (code, output, error) = limited(&sandbox, full, &["--node", "web2"]);
    assert_eq!((code, output.as_str()), (Some(1), ""), "{error}");
    assert!(error.contains("store.sqlite3` can't be changed"), "{error}");
    assert_eq!(kept, ["web1: "]);
    assert_eq!(notices(&compile(&sandbox, &["--node", "monitor"])), ["monitor: check web1"]);
}

#[test]
#[cfg(unix)]
fn a_vardir_that_can_not_be_written_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    notices(&compile(&sandbox, &["--node", "web1"]));
    let protect = |path: &str, mode: u32| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.path(path), mode).expect("it is ours");
    };
    protect("var/store.sqlite3", 0o444);
    protect("var", 0o555);
    // Root can write everywhere.
    let may_write = std::fs::write(sandbox.path("var/probe"), b"").is_ok();
    let ran = compile(&sandbox, &["--node", "web2"]);
    protect("var", 0o755);
    if !may_write {
        assert_eq!((ran.code, ran.output.as_str()), (1, ""), "{}", ran.error);
        assert!(ran.error.contains("store.sqlite3` can't be"), "{}", ran.error);
    }
}
