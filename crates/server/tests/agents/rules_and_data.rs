//! Rules of a site in P on every route: they see the data that a request brings, and fail where there is none.

use kukla_server::agents::versioned_code::VersionedCode;
use kukla_server::agents::{FileOptions, ServerOptions};
use serde_json::{Value, json};

use crate::client::Received;
use crate::fixture::Fixture;
use crate::site_rules::{Rules, start};

const JSON: (&str, &str) = ("Accept", "application/json");
const TYPE: (&str, &str) = ("Content-Type", "application/json");

/// Sends a request as the agent; returns its status and text.
fn send(fixture: &Fixture, method: &str, path: &str, body: Option<&Value>) -> (u16, String) {
    let body = body.map(|body| body.to_string().into_bytes());
    let headers = [JSON, TYPE, ("User-Agent", "Puppet/7.23.0 Ruby/3.1.2")];
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let received = connection.request(method, path, &headers, body.as_deref());
    let received: Received = received.expect("an answer");
    (received.status, received.text())
}

fn denials(fixture: &Fixture) -> Vec<Value> {
    let log = fixture.log.lock().expect("a log");
    let events = log.iter().filter(|line| line.contains("\"event\":\"denied\""));
    events.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A request for a catalog of version 4 names its node and environment in the body; a query that says something else
/// opens no door.
#[test]
fn catalogs_of_version_4_are_decided_by_their_body() {
    let rules = Rules::new(
        "order",
        "Puppet := import \"Puppet\"; req := Puppet.request;\n\
         if (req.node == \"agent.example\" and req.environment == \"production\" and Puppet.facts.text(\"role\") == \"web\") { Access.allow(); }\n\
         Access.deny(\"another order\");",
    );
    let fixture = start(&rules, &[]);
    let order = |node: &str, environment: &str, role: &str| {
        json!({
            "certname": node, "environment": environment,
            "persistence": { "facts": false, "catalog": false },
            "facts": { "values": { "role": role } }, "trusted_facts": { "values": {} },
        })
    };
    let path = "/puppet/v4/catalog?environment=production&node=agent.example";
    let ask = |order: &Value| send(&fixture, "POST", path, Some(order)).0;
    assert_eq!(ask(&order("agent.example", "production", "web")), 200);
    assert_eq!(ask(&order("agent.example", "other", "web")), 403);
    assert_eq!(ask(&order("trusted.example", "production", "web")), 403);
    assert_eq!(ask(&order("agent.example", "production", "db")), 403);
    // What is no order is none for the rules either.
    assert_eq!(ask(&json!({ "certname": "agent.example" })), 400);
    for denial in denials(&fixture) {
        assert_eq!((&denial["rule"], &denial["line"]), (&json!("another order"), &json!("3")));
    }
}

/// The classes of a node are known wherever the path names the node; elsewhere a program that asks for them fails, and
/// so denies.
#[test]
fn classes_are_those_of_the_node_or_unknown() {
    let rules = Rules::new(
        "known",
        "Puppet := import \"Puppet\";\n\
         if (Puppet.node.classified(\"demo\")) { Access.deny(\"has demo\"); }\n\
         Access.allow();",
    );
    let fixture = start(&rules, &[]);
    let facts = |name: &str| json!({ "name": name, "values": { "a": "b" } });
    let query = "?environment=production";
    let node = |name: &str| send(&fixture, "GET", &format!("/puppet/v3/node/{name}{query}"), None);
    assert_eq!(node("agent.example").0, 200);
    assert_eq!(node("encclass.example").0, 403);
    for (name, status) in [("agent.example", 200), ("encclass.example", 403)] {
        let path = format!("/puppet/v3/facts/{name}{query}");
        let (got, text) = send(&fixture, "PUT", &path, Some(&facts(name)));
        assert_eq!(got, status, "{text}");
    }
    let path = format!("/puppet/v3/report/encclass.example{query}");
    assert_eq!(send(&fixture, "PUT", &path, Some(&json!({}))).0, 403);
    // Neither a file nor an environment is a node.
    for path in ["/puppet/v3/file_metadata/plugins", "/puppet/v3/environments"] {
        assert_eq!(send(&fixture, "GET", &format!("{path}{query}"), None).0, 403, "{path}");
        let last = denials(&fixture).pop().expect("a denial");
        let rule = last["rule"].as_str().expect("a text");
        assert!(rule.starts_with("the rules failed"), "{last}");
        assert_eq!(last["line"], "2", "{last}");
    }
}

#[test]
fn facts_that_are_stored_are_decided_about() {
    let rules = Rules::new(
        "facts",
        "Puppet := import \"Puppet\";\n\
         if (Puppet.request.endpoint == \"facts\" and Puppet.facts.number(\"size\") > 3) { Access.deny(\"too large\"); }\n\
         Access.allow();",
    );
    let fixture = start(&rules, &[]);
    let path = "/puppet/v3/facts/agent.example?environment=production";
    let put = |size: u8| {
        let body = json!({ "name": "agent.example", "values": { "size": size } });
        send(&fixture, "PUT", path, Some(&body)).0
    };
    assert_eq!((put(3), put(4)), (200, 403));
    let broken = json!(["no facts"]);
    assert_eq!(send(&fixture, "PUT", path, Some(&broken)).0, 400);
}

/// A node and its catalog are of one group.
#[test]
fn groups_are_for_nodes_and_catalogs() {
    let rules = Rules::new(
        "groups",
        "Puppet := import \"Puppet\"; req := Puppet.request;\n\
         if (req.node == \"agent.example\") { Route.to(\"canary\"); }\n\
         Access.allow();",
    );
    let fixture = start(&rules, &["canary=environment:other"]);
    let path = "/puppet/v3/node/agent.example?environment=production";
    let (status, text) = send(&fixture, "GET", path, None);
    let node: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &node["environment"]), (200, &json!("other")), "{text}");
    let path = path.replace("/node/", "/catalog/");
    let (status, text) = send(&fixture, "GET", &path, None);
    let catalog: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &catalog["environment"]), (200, &json!("other")), "{text}");
}

/// A compiler that has too much to do says when to come again, and the agent gets to know it.
#[test]
fn a_busy_compiler_is_waited_for() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 4096];
            assert!(stream.read(&mut bytes).expect("a request") > 0);
            let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 17\r\nContent-Length: 4\r\n\r\nbusy";
            stream.write_all(busy.as_bytes()).expect("sent");
        }
    });
    let rules = Rules::new("busy", "Route.to(\"far\"); Access.allow();");
    let fixture = start(&rules, &[&format!("far=http://{address}")]);
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let path = "/puppet/v3/catalog/agent.example?environment=production";
    let received = connection.request("GET", path, &[JSON], None).expect("an answer");
    assert_eq!((received.status, received.header("retry-after")), (503, Some("17")));
    assert_eq!(received.text(), "busy");
}

#[test]
fn rules_see_the_head_of_a_request() {
    let rules = Rules::new(
        "head",
        "Http := import \"Http\"; h := Http.request.headers;\n\
         if (h.value(\"User-Agent\") begins_with \"Puppet/7\" and Http.request.version == \"HTTP/1.1\" and Http.request.uri.host == \"localhost\") { Access.allow(); }\n\
         Access.deny(\"an unknown agent\");",
    );
    let fixture = start(&rules, &[]);
    let path = "/puppet/v3/environments";
    assert_eq!(send(&fixture, "GET", path, None).0, 200);
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let headers = [JSON, ("User-Agent", "curl")];
    assert_eq!(connection.request("GET", path, &headers, None).expect("an answer").status, 403);
}

/// A denial in an imported file is logged with the name and the line of that file.
#[test]
fn denials_name_the_imported_file() {
    let part = Rules::new("part", "/* one */\n\nAccess.deny(\"in the part\");\n");
    let name = part.path.file_name().and_then(|name| name.to_str()).expect("a name");
    let rules = Rules::new("whole", &format!("import \"file:{name}\";\nAccess.allow();"));
    let fixture = start(&rules, &[]);
    assert_eq!(send(&fixture, "GET", "/puppet/v3/environments", None).0, 403);
    let last = denials(&fixture).pop().expect("a denial");
    assert_eq!((&last["rule"], &last["line"]), (&json!("in the part"), &json!("3")), "{last}");
    assert!(last["file"].as_str().is_some_and(|file| file.ends_with(name)), "{last}");
}

#[test]
fn rules_see_the_version_of_the_code() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Rules::new("code-id", "#!/bin/sh\necho \"$1-7\"\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&folder.path, mode).expect("a mode");
    let rules = Rules::new(
        "version",
        "Puppet := import \"Puppet\";\n\
         if (Puppet.codeId == \"production-7\") { Access.allow(); }\n\
         Access.deny(\"another version\");",
    );
    let id = folder.path.clone();
    let versioned_code = VersionedCode::Commands { content: id.clone(), id };
    let files = FileOptions { versioned_code, ..FileOptions::default() };
    let path = Some(rules.path.clone());
    let fixture = Fixture::with(|options| ServerOptions { rules: path, files, ..options });
    let catalog = |environment: &str| {
        let path = format!("/puppet/v3/catalog/agent.example?environment={environment}");
        send(&fixture, "GET", &path, None).0
    };
    assert_eq!((catalog("production"), catalog("other")), (200, 403));
}
