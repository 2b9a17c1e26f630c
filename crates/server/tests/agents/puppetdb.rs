//! PuppetDB as the store: commands of agents reach it, whatever happens to it.

#[path = "puppetdb/fake.rs"]
mod fake;
#[path = "puppetdb/queries.rs"]
mod queries;
#[path = "puppetdb/routes.rs"]
mod routes;
#[path = "puppetdb/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fake::{Came, Does, Fake};
use kukla_store::puppetdb::{PuppetDb, PuppetDbConf, PuppetDbFiles};
use serde_json::{Value, json};
use world::World;

use crate::pki::Pki;

/// Waits until something is so.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the commands of each node, by their names.
fn by_node(came: &[Came]) -> BTreeMap<String, Vec<String>> {
    let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for came in came {
        let command = came.target.split("command=").nth(1).unwrap_or_default();
        let command = command.split('&').next().unwrap_or_default().to_owned();
        let node = came.payload["certname"].as_str().expect("a name").to_owned();
        nodes.entry(node).or_default().push(command);
    }
    nodes
}

#[test]
fn commands_wait_while_puppetdb_is_down_and_keep_the_order_of_each_node() {
    let (world, fake) = World::one("down", "");
    let nodes: Vec<String> = (0..6).map(|n| format!("n{n}.example")).collect();
    for _ in 0..3 {
        nodes.iter().for_each(|node| world.run(node));
    }
    assert!(world.metric("kukla_puppetdb_queue_commands") >= 54.0);
    eventually("the log names the failure", || world.log().contains("puppetdb-failed"));
    fake.up();
    eventually("all commands come", || fake.came().len() >= 54);
    eventually("the queue is empty", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    let came = fake.came();
    assert_eq!(came.len(), 54, "each command once");
    let run = ["replace_facts", "replace_catalog", "store_report"];
    for (node, commands) in by_node(&came) {
        assert_eq!(commands, [run, run, run].concat(), "{node}");
        let own = came.iter().filter(|it| it.payload["certname"] == node.as_str());
        let times: Vec<&str> =
            own.map(|it| it.payload["producer_timestamp"].as_str().expect("a time")).collect();
        assert!(times.is_sorted(), "{times:?}");
    }
    let catalog = came.iter().find(|it| it.target.contains("replace_catalog")).expect("a catalog");
    assert!(catalog.target.starts_with("/pdb/cmd/v1?version=9&certname=n"), "{}", catalog.target);
    assert!(catalog.target.contains("&producer-timestamp=20"), "{}", catalog.target);
    for field in [
        "content-encoding: gzip",
        "content-type: application/json; charset=utf-8",
        "accept: application/json",
        "x-uncompressed-length: ",
        &format!("host: localhost:{}", fake.address.port()),
    ] {
        assert!(catalog.head.contains(field), "{field}: {}", catalog.head);
    }
    let payload = &catalog.payload;
    assert!(payload.get("data").is_none() && !payload.to_string().contains("hunter2"));
    assert_eq!(payload["producer"], "puppet.example");
    let exported = payload["resources"].as_array().expect("a list").iter();
    assert_eq!(exported.filter(|it| it["exported"] == true).count(), 1);
    eventually("the log says that it is back", || world.log().contains("puppetdb-back"));
}

#[test]
fn a_refused_command_is_set_aside_and_stops_no_other() {
    let (world, fake) = World::one("refused", "");
    fake.refuse("bad.example");
    fake.up();
    for node in ["bad.example", "good.example", "bad.example", "fine.example"] {
        world.run(node);
    }
    eventually("the others come", || fake.came().len() == 6);
    eventually("all are settled", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    assert!((world.metric("kukla_puppetdb_refused_commands_total") - 6.0).abs() < 0.1);
    let directory = world.fixture.directory.join("var/store-queue/refused");
    let files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 6);
    let text = std::fs::read_to_string(&files[0]).expect("read");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&file["certname"], &file["status"], &file["answer"]),
        (&json!("bad.example"), &json!(400), &json!("{\"error\":\"no such thing\"}"))
    );
    assert_eq!(file["payload"]["certname"], "bad.example");
    assert!(world.log().contains("command-refused"));
}

#[test]
fn answers_that_are_no_receipt_are_tried_again() {
    let (world, fake) = World::one("odd", "");
    let says = |status: u16, body: &str| Does::Says(status, body.to_owned());
    fake.next(&[
        says(503, "starting"),
        Does::Half,
        says(200, "<html>a proxy</html>"),
        says(403, "not in the allowlist"),
        says(404, "no route"),
    ]);
    // Several nodes are served at the same time, and each meets another answer.
    for node in ["o1.example", "o2.example", "o3.example", "o4.example"] {
        world.run(node);
    }
    fake.up();
    eventually("all come in the end", || fake.came().len() == 12);
    for (node, commands) in by_node(&fake.came()) {
        assert_eq!(commands, ["replace_facts", "replace_catalog", "store_report"], "{node}");
    }
    eventually("nothing waits", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    assert!(!world.fixture.directory.join("var/store-queue/refused").exists());
}

#[test]
fn a_slow_server_delays_no_agent_and_the_next_server_takes_over() {
    let ((first, second), world);
    (world, (first, second)) = World::new("slow", |pki| {
        let (first, second) = (Fake::down(pki, pki), Fake::down(pki, pki));
        let urls = format!("{}, {}", first.url(), second.url());
        ((first, second), format!("server_urls = {urls}\nserver_url_timeout = 1\n"))
    });
    first.next(&[Does::Sleeps(Duration::from_secs(3))]);
    first.up();
    second.up();
    world.run("slow.example");
    eventually("the second one has all", || second.came().len() == 3);
    assert!(first.came().len() <= 1, "the first one may have what it answered too late");
    // It is asked again after a pause.
    eventually("the first one is used again", || {
        world.run("late.example");
        first.came().iter().any(|came| came.payload["certname"] == "late.example")
    });
}

#[test]
fn a_broadcast_reaches_as_many_servers_as_it_must() {
    let ((first, second, third), world);
    (world, (first, second, third)) = World::new("broadcast", |pki| {
        let all = [(); 3].map(|()| Fake::down(pki, pki));
        let [first, second, third] = all;
        let text = format!(
            "server_urls = {},{}\nsubmit_only_server_urls = {}\ncommand_broadcast = true\n\
             min_successful_submissions = 2\nserver_url_timeout = 3\n",
            first.url(),
            second.url(),
            third.url()
        );
        ((first, second, third), text)
    });
    first.up();
    world.run("one.example");
    eventually("the first one has a command", || !first.came().is_empty());
    std::thread::sleep(Duration::from_millis(1500));
    assert!(world.metric("kukla_puppetdb_queue_commands") >= 3.0, "one server is not enough");
    assert_eq!(first.came().len(), 1, "it gets no command twice, and none out of order");
    third.up();
    eventually("two servers have all", || third.came().len() == 3 && first.came().len() == 3);
    assert!(second.came().is_empty());
    eventually("nothing waits", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    second.up();
    eventually("the second one is used again", || {
        world.run("two.example");
        !second.came().is_empty()
    });
}

#[test]
fn a_server_of_another_authority_gets_nothing() {
    let (world, (fake, strict)) = World::new("stranger", |pki| {
        let other = Pki::new("Other CA");
        // One shows a certificate of another authority, the other one trusts only those of another one.
        let (fake, strict) = (Fake::down(&other, pki), Fake::down(pki, &other));
        let text =
            format!("server_urls = {}, {}\nserver_url_timeout = 3\n", fake.url(), strict.url());
        ((fake, strict), text)
    });
    fake.up();
    strict.up();
    world.run("agent.example");
    eventually("the log says why", || {
        let log = world.log();
        log.contains("UnknownIssuer") && log.contains("UnknownCA")
    });
    assert!(fake.came().is_empty() && strict.came().is_empty());
    let path = world.fixture.directory.join("puppetdb.conf");
    let file = |name: &str| world.fixture.directory.join(name);
    let files = PuppetDbFiles {
        certificate: file("cert.pem"),
        key: file("key.pem"),
        authorities: file("ca.pem"),
        revocations: Some(file("crl.pem")),
        is_leaf_only: false,
    };
    let open = || {
        let conf = PuppetDbConf::read(&path).expect("settings");
        PuppetDb::open(conf, files.clone()).expect("certificates")
    };
    let of_certificates = |puppetdb: &PuppetDb| -> Vec<bool> {
        let versions = puppetdb.versions().into_iter();
        versions.map(|(_, version)| version.expect_err("no answer").is_of_certificates()).collect()
    };
    assert_eq!(of_certificates(&open()), [true, true]);
    fake.stop();
    assert_eq!(of_certificates(&open()), [false, true], "one that is down may come back");
    assert_eq!(world.catalog("c.example", &json!({ "collects": true })).status, 500);
    assert!(fake.asked().is_empty() && strict.asked().is_empty());
}

#[test]
fn facts_and_resources_are_sent_as_puppetdb_conf_says() {
    let lines = "include_unchanged_resources = true\nfact_names_blocklist = secret, os.release\n";
    let (world, fake) = World::one("blocked", lines);
    fake.up();
    let facts = json!({ "secret": "x", "open": [1], "os": { "name": "Debian", "release": "12" } });
    assert_eq!(world.catalog("b.example", &facts).status, 200);
    assert_eq!(world.report("b.example").status, 200);
    eventually("all come", || fake.came().len() == 3);
    let came = fake.came();
    let values = &came[0].payload["values"];
    assert_eq!(values["os"], json!({ "name": "Debian" }));
    assert!(values.get("secret").is_none() && values["open"] == json!([1]), "{values}");
    let resources = came[2].payload["resources"].as_array().expect("a list");
    assert!(resources.iter().any(|it| it["events"] == json!([])), "{resources:?}");
}

#[test]
fn revoked_certificates_and_missing_ones_are_refused() {
    let ((revoked, strict), world);
    (world, (revoked, strict)) = World::new("revoked", |pki| {
        let (revoked, strict) = (Fake::down(pki, pki), Fake::down(pki, pki));
        let text = format!(
            "server_urls = {}, {}\nverify_client_certificate = false\nserver_url_timeout = 3\n",
            revoked.url(),
            strict.url()
        );
        ((revoked, strict), text)
    });
    strict.up();
    assert_eq!(world.catalog("a.example", &json!({ "asks": true })).status, 500);
    eventually("no certificate was shown", || world.log().contains("CertificateRequired"));
    let other = &world.fixture.pki;
    let crl = other.crl(2, &[&other.sign(77, &["puppetdb.example"], &[])]);
    crate::pki::write(&world.fixture.directory.join("crl.pem"), &crl);
    revoked.up();
    eventually("the list is read again", || {
        world.catalog("a.example", &json!({ "asks": true }));
        world.log().contains("Revoked")
    });
    assert!(revoked.asked().is_empty() && strict.asked().is_empty());
}
