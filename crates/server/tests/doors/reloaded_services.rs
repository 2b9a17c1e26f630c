//! The registry changes while a door is in use: services, lists, files that are broken or gone.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::origin::{Got, Server, response};
use crate::running::{Door, ask};

fn marks(name: &'static str) -> Server {
    Server::service(move |got: &Got| {
        let field = format!("\r\nX-Mark: {name}\r\n\r\n");
        Some(got.text().replacen("\r\n\r\n", &field, 1).into_bytes())
    })
}

fn registry(service: &Server, hosts: &str) -> String {
    format!(
        "list = {{ hosts = [{hosts}] }}\n[[service]]\nuri = \"opes://x/mark\"\nkind = \"http\"\nurl = \"http://{}/\"\n",
        service.address
    )
}

/// Replaces a file as editors and deploys do.
fn replace(folder: &Path, text: &str) {
    let new = folder.join("services.new");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(new, folder.join("services.toml")).unwrap();
}

/// Waits until a request is answered as wanted.
fn until(door: &Door, host: &str, wanted: &str, origin: &Server) {
    let start = Instant::now();
    loop {
        let got = ask(door.address, &format!("GET /{host}"), "", b"");
        let seen = match got.line().contains(" 200 ") {
            true => origin.last().field("x-mark").unwrap_or("none").to_owned(),
            false => "denied".to_owned(),
        };
        if seen == wanted {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{seen} instead of {wanted}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn services_and_lists_are_read_again() {
    let origin = Server::start(|_| response("200 OK", "", b"text"));
    let (one, two) = (marks("one"), marks("two"));
    let program = "Http := import(\"Http\");\
        if (not Core.list(\"hosts\").has(Http.request.uri.path)) { Access.deny(\"not on the list\"); }\
        Services.applyOne(Services.findOne(\"opes://x/mark\")); Access.allow();";
    let door =
        Door::proxy(&[program], &registry(&one, "\"/a\""), &[format!("http://{}", origin.address)]);
    until(&door, "a", "one", &origin);
    until(&door, "b", "denied", &origin);
    replace(&door.folder, &registry(&two, "\"/a\", \"/b\""));
    until(&door, "a", "two", &origin);
    until(&door, "b", "two", &origin);
    // One without the service, one that is no TOML, one whose URL is none, and none at all.
    let bad_url = registry(&two, "").replace("http://", "ftp://");
    for text in ["list = { hosts = [] }\n", "list = [\n", &bad_url] {
        let n_before = door.log_text().matches("reload-failed").count();
        replace(&door.folder, text);
        let start = Instant::now();
        while door.log_text().matches("reload-failed").count() == n_before {
            assert!(start.elapsed() < Duration::from_secs(5), "{text}: {}", door.log_text());
            std::thread::sleep(Duration::from_millis(20));
        }
        until(&door, "b", "two", &origin);
    }
    std::fs::remove_file(door.folder.join("services.toml")).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    until(&door, "b", "two", &origin);
    replace(&door.folder, &registry(&one, "\"/b\""));
    until(&door, "b", "one", &origin);
    until(&door, "a", "denied", &origin);
    let log = door.log_text();
    assert!(log.contains("services.toml"), "the file with the mistake has a name: {log}");
}
