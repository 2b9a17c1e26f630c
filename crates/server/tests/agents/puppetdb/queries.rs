//! Questions of collectors, of functions and of tools reach PuppetDB, and so do those about facts.

use serde_json::{Value, json};

use super::eventually;
use super::fake::{Does, Fake};
use super::world::{ACCEPT, JSON, World};
use crate::store::tool;

#[test]
fn collectors_and_queries_ask_as_the_terminus_does() {
    let ((first, second), world);
    (world, (first, second)) = World::new("ask", |pki| {
        let (first, second) = (Fake::down(pki, pki), Fake::down(pki, pki));
        let urls = format!("{}, {}", first.url(), second.url());
        let text =
            format!("server_urls = {urls}\nserver_url_timeout = 3\nsticky_read_failover = true\n");
        ((first, second), text)
    });
    let collects = json!({ "collects": true, "asks": true });
    let failed = world.catalog("web.example", &json!({ "collects": true }));
    let urls = format!("{}, {}", first.url(), second.url());
    assert_eq!(failed.status, 500);
    let words = failed.text();
    assert!(
        words.contains(&format!(
            "Could not retrieve resources from the PuppetDB at {}: Failed to execute '/pdb/query/v4/resources?query=%5B%22and%22",
            second.url()
        )) && words.contains(&format!("' on at least 1 of the following 'server_urls': {urls}")),
        "{words}"
    );
    let resource = |node: &str, title: &str, message: Value| {
        json!({ "certname": node, "type": "Notify", "title": title, "exported": true,
            "tags": ["web", "notify"], "file": "/x.pp", "line": 1, "environment": "production",
            "parameters": { "message": message, "tag": ["web"] }, "resource": "00" })
    };
    let rows = json!([
        resource("z.example", "last", json!("z")),
        resource("b.example", "second", json!({ "a": [1, 2.5, null] })),
        resource("web.example", "own", json!("never")),
    ]);
    second.answer("/pdb/query/v4/resources?", &rows);
    second.answer("/pdb/query/v4", &json!([{ "certname": "known.example" }]));
    second.up();
    let answer = world.catalog("web.example", &collects);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let catalog: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let of = |title: &str| {
        let all = catalog["resources"].as_array().expect("a list");
        all.iter().find(|it| it["title"] == title).cloned().unwrap_or_default()
    };
    assert_eq!(of("last")["parameters"]["message"], "z");
    assert_eq!(of("second")["parameters"]["message"], json!({ "a": [1, 2.5, null] }));
    assert_eq!(of("own"), Value::Null);
    assert_eq!(of("rows")["parameters"]["message"], "[{'certname' => 'known.example'}]");
    let asked = second.asked();
    let query =
        asked.iter().find_map(|(target, _)| target.strip_prefix("/pdb/query/v4/resources?query="));
    let query: Value = serde_json::from_str(&unescaped(query.expect("a query"))).expect("JSON");
    let expected = json!([
        "and",
        ["=", "type", "Notify"],
        ["=", "exported", true],
        ["not", ["=", "certname", "web.example"]],
        [
            "and",
            ["=", "tag", "web"],
            ["or", ["not", ["=", "title", "x"]], ["=", ["parameter", "message"], "y"]]
        ]
    ]);
    assert_eq!(query, expected);
    let pql = json!({ "query": "nodes[certname]{}" }).to_string();
    assert!(asked.contains(&("/pdb/query/v4".to_owned(), pql)), "{asked:?}");
    // The one that answered last is asked first, though the other one is back.
    first.answer("/pdb/query/v4/resources?", &json!([]));
    first.answer("/pdb/query/v4", &json!([]));
    first.up();
    let n_asked = second.asked().len();
    assert_eq!(world.catalog("web.example", &collects).status, 200);
    assert!(second.asked().len() > n_asked && first.asked().is_empty());
    // A query that PuppetDB refuses fails the catalog.
    second.next(&[Does::Says(400, "PQL parse\nerror".to_owned())]);
    let refused = world.catalog("web.example", &json!({ "asks": true }));
    assert!(refused.status == 500 && refused.text().contains("[400 Bad Request] PQL parseerror"));
}

#[test]
fn facts_of_a_node_that_sends_none_are_those_of_puppetdb() {
    let (world, fake) = World::one("facts", "");
    fake.answer(
        "/pdb/query/v4/nodes/quiet.example/facts",
        &json!([{ "certname": "quiet.example", "name": "known", "value": "by PuppetDB" }]),
    );
    let get = |node: &str| {
        let path = format!("/puppet/v3/catalog/{node}?environment=production");
        world.request("GET", &path, &[ACCEPT], b"")
    };
    let failed = get("quiet.example");
    assert_eq!(failed.status, 500);
    assert!(
        failed.text().contains("Failed to find facts from PuppetDB at  Failed to execute '/pdb/query/v4/nodes/quiet.example/facts'"),
        "{}", failed.text()
    );
    fake.up();
    let answer = get("quiet.example");
    assert!(answer.status == 200 && answer.text().contains("by PuppetDB"), "{}", answer.text());
    // An unknown node has none.
    assert_eq!(get("unknown.example").status, 200);
    // Those that this server heard itself are used while PuppetDB is down.
    assert_eq!(world.catalog("heard.example", &json!({ "known": "by this server" })).status, 200);
    fake.stop();
    let answer = get("heard.example");
    assert!(answer.status == 200 && answer.text().contains("by this server"), "{}", answer.text());
}

#[test]
fn questions_and_commands_of_tools_are_passed_on() {
    let (world, fake) = World::one("tools", "include_catalog_edges = false\n");
    let get = |path: &str| tool(&world.fixture, "GET", path, &[], None);
    let down = get("/pdb/query/v4/nodes");
    assert!(down.status == 502 && down.text().contains("Failed to execute"), "{}", down.text());
    fake.answer("/pdb/query/v4/nodes/a%20b/facts?query=%5B%22%3D%22%5D&limit=3", &json!([1]));
    fake.answer("/pdb/meta/v1/version", &json!({ "version": "7.12.1" }));
    fake.up();
    eventually("it answers", || get("/pdb/meta/v1/version").status == 200);
    let answer = get("/pdb/query/v4/nodes/a%20b/facts?query=%5B%22=%22%5D&limit=3");
    assert_eq!((answer.status, &*answer.text()), (200, "[1]"));
    assert_eq!(answer.header("X-Records"), Some("7"));
    let posted = tool(&world.fixture, "POST", "/pdb/query/v4", &[JSON], Some(b"{\"query\":\"x\"}"));
    assert_eq!(posted.status, 404, "{}", posted.text());
    assert!(fake.asked().contains(&("/pdb/query/v4".to_owned(), "{\"query\":\"x\"}".to_owned())));
    // The page needs tables of Kukla's own.
    let page = world.fixture.connect(Some("cli.example")).expect("a connection").request(
        "GET",
        "/kukla",
        &[],
        None,
    );
    let page = page.expect("an answer");
    assert!(page.status == 404 && page.text().contains("the store is PuppetDB"), "{}", page.text());
    let payload =
        json!({ "certname": "gone.example", "producer_timestamp": "2026-01-01T00:00:00.000Z" });
    let path = "/pdb/cmd/v1?command=deactivate_node&version=3&certname=gone.example&secondsToWaitForCompletion=20";
    let sent = tool(&world.fixture, "POST", path, &[JSON], Some(payload.to_string().as_bytes()));
    assert!(sent.status == 200 && sent.text().contains("\"processed\":true"), "{}", sent.text());
    assert_eq!(fake.came()[0].payload, payload);
    world.run("edges.example");
    eventually("the run comes", || fake.came().len() == 4);
    let catalog = fake.came().into_iter().find(|it| it.target.contains("replace_catalog"));
    assert_eq!(catalog.expect("a catalog").payload["edges"], json!([]));
}

fn unescaped(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digits = [bytes.next().expect("a digit"), bytes.next().expect("a digit")];
                let digits = std::str::from_utf8(&digits).expect("ASCII");
                u8::from_str_radix(digits, 16).expect("a number")
            }
            other => other,
        });
    }
    String::from_utf8(out).expect("UTF-8")
}
