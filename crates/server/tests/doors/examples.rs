//! The example programs of the draft, in front of real traffic: what the origin and the client get.
//!
//! Each case runs behind any door; `needs_squid` runs them behind Squid.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::origin::{Got, Server, response};
use crate::peers::CIcap;
use crate::running::{Door, ask};

/// A door with everything that it needs.
pub(crate) trait Running {
    fn address(&self) -> SocketAddr;
}

impl Running for Door {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Starts a door: programs, registry, origin.
pub(crate) type Start<'s> = &'s dyn Fn(&[&str], &str, &Server) -> Box<dyn Running>;

fn proxy(programs: &[&str], services: &str, origin: &Server) -> Box<dyn Running> {
    Box::new(Door::proxy(programs, services, &[format!("http://{}", origin.address)]))
}

fn plain_origin() -> Server {
    Server::start(|got| match got.line().starts_with("HEAD") {
        true => b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
        false => response("200 OK", "", &[b"origin ".as_slice(), &got.body].concat()),
    })
}

/// The registry's entry of a service over HTTP.
fn service(uri: &str, server: &Server, more: &str) -> String {
    format!(
        "[[service]]\nuri = \"{uri}\"\nkind = \"http\"\nurl = \"http://{}/\"\n{more}\n",
        server.address
    )
}

/// Splits a message inside of a callout.
fn inner(got: &Got) -> (String, Vec<u8>) {
    let text = got.text();
    let (head, body) = text.split_once("\r\n\r\n").expect("a message has a head");
    (format!("{head}\r\n"), body.as_bytes().to_vec())
}

/// A service that adds a field to each message.
fn adding(line: &'static str) -> Server {
    Server::service(move |got| {
        let (head, body) = inner(got);
        Some([head.as_bytes(), line.as_bytes(), b"\r\n\r\n", &body].concat())
    })
}

/// A service that closes the connection instead of answering.
fn failing() -> Server {
    Server::start(|_| Vec::new())
}

pub(crate) fn the_german_page_is_translated(start: Start<'_>) {
    let program = r#"
        Http := import("Http");
        if (Http.response.language_is("german")) {
            service := Services.find("opes://services/tran/german/french");
            service.toDialect("southern");
            Services.applyOne(service, Http.request.headers);
        }"#;
    let origin = Server::start(|got| match got.line().contains("/de") {
        true => response("200 OK", "Content-Language: de\r\nX-Kept: 1\r\n", b"Guten Tag"),
        false => response("200 OK", "Content-Language: en\r\n", b"Good day"),
    });
    let translator = Server::service(|got| {
        let (head, body) = inner(got);
        assert!(
            got.head.contains("Content-Type: message/http;msgtype=response\r\n"),
            "{}",
            got.head
        );
        assert_eq!(body, b"Guten Tag");
        let head = head.replace("Content-Language: de", "Content-Language: fr");
        let head: String = head
            .lines()
            .filter(|line| !line.starts_with("Content-Length"))
            .collect::<Vec<_>>()
            .join("\r\n");
        Some(format!("{head}\r\n\r\nBonjour tout le monde").into_bytes())
    });
    let registry = service(
        "opes://services/tran/german/french",
        &translator,
        "parameters = { toDialect = \"string\" }",
    );
    let door = start(&[program], &registry, &origin);
    let fields = "Accept-Language: fr\r\nCookie: secret=1\r\n";
    let page = ask(door.address(), "GET /de", fields, b"");
    assert_eq!(
        (page.text().as_str(), page.field("content-language")),
        ("Bonjour tout le monde", Some("fr"))
    );
    assert_eq!(page.field("x-kept"), Some("1"));
    let call = translator.last();
    assert!(call.head.contains("X-P-Param: toDialect=southern\r\n"), "{}", call.head);
    assert!(
        call.head.contains("X-P-Part: request-header Accept-Language: fr\r\n"),
        "{}",
        call.head
    );
    assert!(!call.head.contains("secret"), "{}", call.head);
    assert_eq!(ask(door.address(), "GET /en", fields, b"").text(), "Good day");
    assert_eq!(translator.all().len(), 1);
}

pub(crate) fn the_failed_service_is_replaced(start: Start<'_>) {
    let program = r#"
        Http := import("Http");
        {
            Http.request.headers.set("X-Tried", "1");
            Services.applyOne(Services.findOne("opes://x/unsafe"));
        } or {
            Services.applyOne(Services.findOne("opes://x/failover"));
        };"#;
    let (origin, unsafe_service, failover) = (plain_origin(), failing(), adding("X-Failover: 1"));
    let registry = service("opes://x/unsafe", &unsafe_service, "")
        + &service("opes://x/failover", &failover, "");
    let door = start(&[program], &registry, &origin);
    let got = ask(door.address(), "POST /a", "", b"the body");
    assert_eq!(got.text(), "origin the body");
    let seen = origin.last();
    assert_eq!(
        (seen.field("x-failover"), seen.field("x-tried")),
        (Some("1"), None),
        "{}",
        seen.head
    );
    assert_eq!(
        (unsafe_service.all().len(), failover.all().len(), seen.text().as_str()),
        (1, 1, "the body")
    );
}

pub(crate) fn a_service_is_tried_three_times_at_most(start: Start<'_>) {
    let program = r#"
        code := {
            Services.applyOne(Services.findOne("opes://x/often"));
        };
        code or code or code;"#;
    let (origin, service_) = (plain_origin(), failing());
    let door = start(&[program], &service("opes://x/often", &service_, ""), &origin);
    assert_eq!(ask(door.address(), "POST /a", "", b"once").text(), "origin once");
    assert_eq!(service_.all().len(), 3);
    let n_calls = AtomicUsize::new(0);
    let second = Server::start(move |got| match n_calls.fetch_add(1, Ordering::Relaxed) {
        0 => b"HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n".to_vec(),
        _ => {
            let (head, body) = inner(got);
            let message = [head.as_bytes(), b"X-Tries: 2\r\n\r\n", &body].concat();
            response("200 OK", "Content-Type: message/http\r\n", &message)
        }
    });
    let door = start(&[program], &service("opes://x/often", &second, ""), &origin);
    assert_eq!(ask(door.address(), "POST /a", "", b"twice").text(), "origin twice");
    assert_eq!((second.all().len(), origin.last().field("x-tries")), (2, Some("2")));
    // With `otherwise` the last failure counts.
    let strict = r#"
        code := { Services.applyOne(Services.findOne("opes://x/often")); };
        try code otherwise try code otherwise try code;"#;
    let failing = failing();
    let door = start(&[strict], &service("opes://x/often", &failing, ""), &origin);
    let n_before = origin.all().len();
    let got = ask(door.address(), "POST /a", "", b"never");
    assert!(got.line().contains("403"), "{}", got.head);
    assert_eq!((failing.all().len(), origin.all().len()), (3, n_before));
}

pub(crate) fn the_checkpoint_recovers(start: Start<'_>) {
    let program = r#"
        Http := import("Http");
        {
            Services.applyOne(Services.findOne("opes://x/careless"));
            /* checkpoint */
            if (!Http.message.headers.have("Content-Length")) {
                Core.interpreter.fail("services did not set CL");
            }
        } or {
            Http.message.headers.set("X-Recovered", "1");
        }"#;
    let origin = plain_origin();
    let careless = Server::service(|got| {
        let (head, _) = inner(got);
        let head: Vec<&str> =
            head.lines().filter(|line| !line.starts_with("Content-Length")).collect();
        Some(format!("{}\r\nX-Careless: 1\r\n\r\nanother body", head.join("\r\n")).into_bytes())
    });
    let door = start(&[program], &service("opes://x/careless", &careless, ""), &origin);
    let got = ask(door.address(), "POST /a", "", b"mine");
    let seen = origin.last();
    // The body and the fields of the service are undone.
    assert_eq!((got.text().as_str(), seen.text().as_str()), ("origin mine", "mine"));
    assert_eq!(
        (seen.field("x-recovered"), seen.field("x-careless")),
        (Some("1"), None),
        "{}",
        seen.head
    );
    assert_eq!(careless.all().len(), 1);
}

pub(crate) fn the_provider_adds_local_content(start: Start<'_>) {
    let program = r#"3:
        interpreter.languageVersion("1.0"); // fails if incompatible

        Http := import("Http");
        lookup(Http);

        // Is the requested web document our home page?
        isHome := request.uri.looksLikeHome();

        // Does the user send us a specific cookie?
        cookie := makeHeader("Cookie", "sew=23");
        haveCookie := request.headers.have(cookie);

        if (isHome and haveCookie) {
            Services := import("Services");
            service := Services.findOne("opes://local.net/add-lcl-content");
            service.clientIp(request.clientIp);
            Services.applyOne(service);
        }"#;
    let origin = Server::start(|_| response("200 OK", "", b"home"));
    let local = Server::service(|got| {
        let (_, body) = inner(got);
        Some([b"HTTP/1.1 200 OK\r\nX-Local: 1\r\n\r\n", &body[..], b" and the weather"].concat())
    });
    let registry =
        service("opes://local.net/add-lcl-content", &local, "parameters = { clientIp = \"ip\" }");
    let door = start(&[program], &registry, &origin);
    assert_eq!(
        ask(door.address(), "GET /", "Cookie: a=b; sew=23\r\n", b"").text(),
        "home and the weather"
    );
    assert!(
        local.last().head.contains("X-P-Param: clientIp=127.0.0.1\r\n"),
        "{}",
        local.last().head
    );
    for (line, cookie) in [("GET /other", "sew=23"), ("GET /", "sew=24")] {
        assert_eq!(ask(door.address(), line, &format!("Cookie: {cookie}\r\n"), b"").text(), "home");
    }
    assert_eq!(local.all().len(), 1);
}

pub(crate) fn the_consumers_referer_is_removed(start: Start<'_>) {
    let program = r#"
        Services := import("Services");
        service := Services.findOne("opes://privacy.net/priv-serv");
        service.action("remove-referer");
        Services.applyOne(service);"#;
    let origin = plain_origin();
    let private = Server::service(|got| {
        assert!(got.head.contains("X-P-Param: action=remove-referer\r\n"), "{}", got.head);
        let (head, body) = inner(got);
        let head: Vec<&str> =
            head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("referer")).collect();
        Some([head.join("\r\n").as_bytes(), b"\r\n\r\n", &body].concat())
    });
    let registry =
        service("opes://privacy.net/priv-serv", &private, "parameters = { action = \"string\" }");
    let door = start(&[program], &registry, &origin);
    let fields = "Referer: http://secret.example/\r\nCookie: kept=1\r\nX-Other: 1\r\n";
    assert_eq!(ask(door.address(), "GET /a", fields, b"").text(), "origin ");
    let seen = origin.last();
    assert_eq!((seen.field("referer"), seen.field("x-other")), (None, Some("1")), "{}", seen.head);
    // The service did not see the cookie, and could not take it away.
    assert_eq!(seen.field("cookie"), Some("kept=1"));
    assert!(!private.last().text().contains("kept=1"));
}

pub(crate) fn a_service_is_for_get_only(start: Start<'_>) {
    let program = r#"
        Http := import("Http");
        serviceFoo := Services.findOne("opes://x/foo");
        code := { Services.applyOne(serviceFoo); };
        if (Http.request.method == "GET") {
            code;
        }
        h := Http.makeHeader("Client-IP");
        hs := Http.request.headers();
        if (hs.have(h)) { code; }"#;
    let (origin, adder) = (plain_origin(), adding("X-Foo: 1"));
    let door = start(&[program], &service("opes://x/foo", &adder, ""), &origin);
    for (line, fields, n_expected) in [
        ("GET /", "", 1),
        ("POST /", "", 0),
        ("POST /", "Client-IP: 1\r\n", 1),
        ("GET /", "Client-IP: 1\r\n", 2),
    ] {
        let n_before = adder.all().len();
        ask(door.address(), line, fields, b"");
        assert_eq!(adder.all().len() - n_before, n_expected, "{line} {fields}");
        assert_eq!(origin.last().head.matches("X-Foo: 1").count(), n_expected);
    }
}

pub(crate) fn echo_of_c_icap_changes_nothing(start: Start<'_>) {
    let program = r#"Services.applyOne(Services.findOne("opes://x/echo"));"#;
    let c_icap = CIcap::start();
    let registry = format!(
        "[[service]]\nuri = \"opes://x/echo\"\nkind = \"icap\"\nurl = \"icap://127.0.0.1:{}/echo\"\n",
        c_icap.port
    );
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let respmod = format!("3:{program}");
    let door = start(&[program, &respmod], &registry, &origin);
    for size in [1, 1024, 5000, 300_000] {
        let body = crate::peers::body(size);
        let got = ask(door.address(), "POST /a", "X-A: b\r\n", &body);
        assert!(
            got.line().contains("200") && got.body == body && origin.last().body == body,
            "{size}: {}",
            got.head
        );
        assert_eq!(origin.last().field("x-a"), Some("b"));
    }
}

#[test]
fn german() {
    the_german_page_is_translated(&proxy);
}

#[test]
fn failover() {
    the_failed_service_is_replaced(&proxy);
}

#[test]
fn retries() {
    a_service_is_tried_three_times_at_most(&proxy);
}

#[test]
fn checkpoint() {
    the_checkpoint_recovers(&proxy);
}

#[test]
fn provider() {
    the_provider_adds_local_content(&proxy);
}

#[test]
fn consumer() {
    the_consumers_referer_is_removed(&proxy);
}

#[test]
fn get_only() {
    a_service_is_for_get_only(&proxy);
}

#[test]
fn echo_needs_c_icap() {
    echo_of_c_icap_changes_nothing(&proxy);
}
