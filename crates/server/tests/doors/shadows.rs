//! Shadow programs: they decide beside the program in use, with the answers that services gave to that one.

use crate::origin::{Got, Server, response};
use crate::running::{Door, ask, raw};

/// A service that marks a message.
fn registry() -> (Server, String) {
    let mark = Server::service(|got: &Got| {
        Some(got.text().replacen("\r\n\r\n", "\r\nX-Mark: 1\r\n\r\n", 1).into_bytes())
    });
    let service = |name: &str| {
        format!(
            "[[service]]\nuri = \"opes://x/{name}\"\nkind = \"http\"\nurl = \"http://{}/\"\n",
            mark.address
        )
    };
    let registry = service("mark") + &service("other");
    (mark, registry)
}

/// Returns the counters of messages that the shadow decided alike, differently, and not at all.
fn counters(door: &Door) -> [u64; 3] {
    let text = door.metrics.text();
    ["same", "different", "unknown"].map(|name| {
        let start = format!("kukla_p_shadow_{name}_total ");
        let line = text.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
    })
}

const APPLIES: &str = "Http := import(\"Http\"); Services.applyOne(Services.findOne(\"opes://x/mark\"));\
    if (Http.message.headers.have(\"X-Mark\")) { Access.allow(); } Access.deny(\"no mark\");";

#[test]
fn a_shadow_gets_the_answers_of_services() {
    let origin = Server::start(|_| response("200 OK", "", b"text"));
    let (service, registry) = registry();
    let upstream = [format!("http://{}", origin.address)];
    let other = APPLIES.replace("x/mark", "x/other");
    for (shadow, expected) in [
        (APPLIES, [1, 0, 0]),
        ("Access.deny(\"tomorrow\");", [0, 1, 0]),
        // No service has said what it would answer, and none is asked.
        (other.as_str(), [0, 0, 1]),
    ] {
        let shadow = format!("shadow:{shadow}");
        for programs in [[APPLIES.to_owned(), shadow.clone()], [format!("3:{APPLIES}"), shadow]] {
            let programs = programs.each_ref().map(String::as_str);
            let door = Door::proxy(&programs, &registry, &upstream);
            let n_before = service.all().len();
            let got = ask(door.address, "POST /", "", b"body");
            assert!(got.line().contains(" 200 "), "{}", got.head);
            assert_eq!(counters(&door), expected, "{programs:?}");
            assert_eq!(service.all().len(), n_before + 1, "a shadow calls no service");
        }
    }
}

#[test]
fn the_server_of_icap_has_shadows_for_both_directions() {
    let head = "GET http://app/ HTTP/1.1\r\nHost: app\r\n\r\n";
    let response = "HTTP/1.1 200 OK\r\n\r\n";
    let request = format!(
        "REQMOD icap://x/reqmod ICAP/1.0\r\nHost: x\r\nAllow: 204\r\nEncapsulated: req-hdr=0, null-body={}\r\n\r\n{head}",
        head.len()
    );
    let both = format!(
        "RESPMOD icap://x/respmod ICAP/1.0\r\nHost: x\r\nAllow: 204\r\nEncapsulated: req-hdr=0, res-hdr={}, null-body={}\r\n\r\n{head}{response}",
        head.len(),
        head.len() + response.len()
    );
    let programs = [
        "Access.allow();",
        "shadow:Access.deny(\"no\");",
        "3:Access.allow();",
        "shadow:Access.allow();",
    ];
    let door = Door::icap(&programs, "");
    assert!(raw(door.address, request.as_bytes()).starts_with("ICAP/1.0 204 "));
    assert_eq!(counters(&door), [0, 1, 0]);
    assert!(raw(door.address, both.as_bytes()).starts_with("ICAP/1.0 204 "));
    assert_eq!(counters(&door), [1, 1, 0]);
    assert!(door.log_text().contains("\"event\":\"shadow\""), "{}", door.log_text());
}
