//! Rules of a site in P: facts, classes, groups.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kukla_server::agents::ServerOptions;
use serde_json::{Value, json};

use crate::client::Received;
use crate::fixture::Fixture;
use crate::pki::write;

const RULES: &str = r#"
Puppet := import "Puppet";
Http := import "Http";
req := Puppet.request;
if (not Puppet.client.authenticated) { Access.deny("no certificate"); }
if (Puppet.client.certname == "admin.example") { Access.allow(); }
if (Core.set("catalog", "node").has(req.endpoint) and req.node == Puppet.client.certname) {
    if (req.endpoint == "catalog" and Puppet.facts.have("os.family")) {
        if (Puppet.facts.text("os.family") == "Windows") { Access.deny("no Windows here"); }
        if (Puppet.facts.text("os.family") == "Canary") { Route.to("canary"); }
        if (Puppet.facts.text("os.family") == "Far") { Route.to("far"); }
    }
    Access.allow();
}
Access.deny("not yours");
"#;

pub(crate) struct Rules {
    pub(crate) path: PathBuf,
}

impl Rules {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kukla-{name}-{}.p", std::process::id()));
        write(&path, text);
        Self { path }
    }
}

impl Drop for Rules {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

pub(crate) fn start(rules: &Rules, groups: &[&str]) -> Fixture {
    let groups = groups.iter().map(|&group| group.to_owned()).collect();
    let rules = Some(rules.path.clone());
    Fixture::with(|options| ServerOptions { rules, groups, ..options })
}

/// Requests the catalog of a node as a client, with a fact.
fn catalog(fixture: &Fixture, client: Option<&str>, node: &str, family: &str) -> Received {
    request(fixture, client, node, family, "production")
}

fn request(
    fixture: &Fixture,
    client: Option<&str>,
    node: &str,
    family: &str,
    environment: &str,
) -> Received {
    let form = form(node, family, environment);
    let headers =
        [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")];
    let path = format!("/puppet/v3/catalog/{node}?environment=production");
    let mut connection = fixture.connect(client).expect("a connection");
    connection.request("POST", &path, &headers, Some(form.as_bytes())).expect("an answer")
}

/// Returns the body of a request for a catalog.
pub(crate) fn form(node: &str, family: &str, environment: &str) -> String {
    let facts = json!({ "name": node, "values": { "os": { "family": family } } });
    let encoded: String = facts.to_string().bytes().map(|byte| format!("%25{byte:02X}")).collect();
    format!("environment={environment}&facts_format=application/json&facts={encoded}")
}

fn environment_of(received: &Received) -> Value {
    assert_eq!(received.status, 200, "{}", received.text());
    let catalog: Value = serde_json::from_str(&received.text()).expect("JSON");
    catalog["environment"].clone()
}

#[test]
fn rules_see_facts_and_choose_groups() {
    let (rules, stock) = (Rules::new("far", "Access.allow();"), Rules::new("near", RULES));
    // The other compiler takes identities from the first one, on its plain listener.
    let far = {
        let rules = Some(rules.path.clone());
        Fixture::with(|options| ServerOptions { rules, trusts_headers: true, ..options })
    };
    let url = format!("far=http://{}", far.plain);
    let gone = "far=http://127.0.0.1:1";
    let near = start(&stock, &["canary=environment:other", &url, gone]);
    let agent = Some("agent.example");
    let of = |family| catalog(&near, agent, "agent.example", family);
    assert_eq!(environment_of(&of("Debian")), "production");
    assert_eq!(environment_of(&of("Canary")), "other");
    // Both servers of the group are asked in turn; one of them can't be reached.
    for _ in 0..3 {
        assert_eq!(environment_of(&of("Far")), "production");
    }
    let log = far.log.lock().expect("a log").join("\n");
    assert_eq!(log.matches("\"certname\":\"agent.example\"").count(), 3, "{log}");
    // An agent that asks whether it is in the right environment is told to start over.
    let mut connection = near.connect(agent).expect("a connection");
    let accept = [("Accept", "application/json")];
    let path = "/puppet/v3/node/agent.example?environment=production";
    let node = connection.request("GET", path, &accept, None).expect("an answer");
    assert_eq!(node.status, 200, "{}", node.text());
    for (client, node, family, rule) in [
        (agent, "agent.example", "Windows", "no Windows here"),
        (agent, "trusted.example", "Debian", "not yours"),
        (None, "agent.example", "Debian", "no certificate"),
    ] {
        let denied = catalog(&near, client, node, family);
        assert_eq!(denied.status, 403, "{family}: {}", denied.text());
        let line = RULES.lines().position(|line| line.contains(rule)).expect("a line") + 1;
        let log = near.log.lock().expect("a log").join("\n");
        let wanted = format!("\"rule\":\"{rule}\"");
        let event = log.lines().rfind(|line| line.contains(&wanted)).expect("an event").to_owned();
        assert!(event.contains(&format!("\"line\":\"{line}\"")), "{event}");
        assert!(event.contains("kukla-near-"), "{event}");
    }
    // What the rules saw is what is compiled.
    let double = request(&near, agent, "agent.example", "Debian", "other");
    assert_eq!(double.status, 400, "{}", double.text());
}

#[test]
fn rules_see_classes_and_are_read_again() {
    let rules = Rules::new(
        "classes",
        "Puppet := import \"Puppet\";\n\
         if (Puppet.request.endpoint == \"catalog\" and not Puppet.node.classified(\"demo\")) { Access.deny(\"no demo\"); }\n\
         Access.allow();",
    );
    let fixture = start(&rules, &[]);
    let admin = Some("admin.example");
    assert_eq!(catalog(&fixture, admin, "agent.example", "Debian").status, 403);
    // Its catalog fails for another reason: it has the class twice.
    assert_eq!(catalog(&fixture, admin, "encclass.example", "x").status, 500);
    // Rules with errors, and rules for groups that are not there, never count.
    write(&rules.path, "Route.to(\"nowhere\"); Access.allow();");
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(catalog(&fixture, admin, "agent.example", "Debian").status, 403);
    write(&rules.path, "Access.allow();");
    let start = Instant::now();
    while catalog(&fixture, admin, "agent.example", "Debian").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = fixture.log.lock().expect("a log").join("\n");
    assert!(log.contains("reload-failed") && log.contains("nowhere"), "{log}");
}
