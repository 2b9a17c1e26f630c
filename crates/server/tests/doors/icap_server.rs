//! The server of ICAP, asked byte by byte.

use std::io::{Read as _, Write as _};

use crate::running::{Door, connect, raw};

const PROGRAM: &str = "Http := import(\"Http\"); \
    if (Http.request.uri.path == \"/deny\") { Access.deny(\"no\"); } \
    if (Http.request.uri.path == \"/edit\") { Http.request.headers.set(\"X-Edited\", \"1\"); } Access.allow();";

fn reqmod(path: &str, fields: &str, body: &str) -> String {
    let head = format!("POST http://app{path} HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\n");
    let kind = if body.is_empty() { "null-body" } else { "req-body" };
    format!(
        "REQMOD icap://x/reqmod ICAP/1.0\r\nHost: x\r\n{fields}Encapsulated: req-hdr=0, {kind}={}\r\n\r\n{head}{body}",
        head.len()
    )
}

#[test]
fn it_says_which_preview_the_program_needs() {
    let ask = |program: &str| {
        let door = Door::icap(&[program], "");
        raw(door.address, b"OPTIONS icap://x/reqmod ICAP/1.0\r\nHost: x\r\n\r\n")
    };
    let text = ask(PROGRAM);
    assert!(text.starts_with("ICAP/1.0 200 OK\r\nMethods: REQMOD\r\n"), "{text}");
    assert!(text.contains("Preview: 0\r\n") && text.contains("Allow: 204, 206\r\n"), "{text}");
    let istag = |text: &str| text.lines().find(|line| line.starts_with("ISTag")).map(str::to_owned);
    let other = ask(
        "Http := import(\"Http\"); if (Http.message.body.preview(9000) contains \"x\") { Access.deny(\"x\"); } Access.allow();",
    );
    assert!(other.contains("Preview: 9000\r\n"), "{other}");
    assert!(istag(&text).is_some() && istag(&text) != istag(&other));
}

#[test]
fn messages_get_204_206_200_or_an_answer() {
    let door = Door::icap(&[PROGRAM], "");
    let text = raw(door.address, reqmod("/", "Allow: 204\r\n", "").as_bytes());
    assert!(text.starts_with("ICAP/1.0 204 "), "{text}");
    // In a preview 204 needs no permission, and the rest of the body is not asked for.
    let text = raw(door.address, reqmod("/", "Preview: 0\r\n", "0\r\n\r\n").as_bytes());
    assert!(text.starts_with("ICAP/1.0 204 ") && !text.contains("100 Continue"), "{text}");
    // Without permission the message comes back.
    let text = raw(door.address, reqmod("/", "", "5\r\nhello\r\n0\r\n\r\n").as_bytes());
    assert!(
        text.starts_with("ICAP/1.0 200 OK") && text.ends_with("5\r\nhello\r\n0\r\n\r\n"),
        "{text}"
    );
    let text = raw(
        door.address,
        reqmod("/edit", "Allow: 204, 206\r\nPreview: 0\r\n", "0\r\n\r\n").as_bytes(),
    );
    assert!(text.starts_with("ICAP/1.0 206 ") && text.contains("X-Edited: 1\r\n"), "{text}");
    assert!(
        text.ends_with("0; use-original-body=0\r\n\r\n") && text.contains("Content-Length: 5"),
        "{text}"
    );
    let text =
        raw(door.address, reqmod("/edit", "Allow: 204\r\n", "5\r\nhello\r\n0\r\n\r\n").as_bytes());
    assert!(
        text.starts_with("ICAP/1.0 200 OK")
            && text.contains("X-Edited: 1\r\n")
            && text.contains("hello"),
        "{text}"
    );
    let text =
        raw(door.address, reqmod("/deny", "Allow: 204\r\nPreview: 0\r\n", "0\r\n\r\n").as_bytes());
    assert!(
        text.contains("Encapsulated: res-hdr=0, res-body=")
            && text.contains("HTTP/1.1 403 Forbidden"),
        "{text}"
    );
}

#[test]
fn a_connection_is_used_again() {
    let door = Door::icap(&[PROGRAM], "");
    let mut stream = connect(door.address);
    for path in ["/", "/edit", "/deny", "/"] {
        stream
            .write_all(reqmod(path, "Allow: 204, 206\r\nPreview: 0\r\n", "0\r\n\r\n").as_bytes())
            .unwrap();
        let mut bytes = [0; 4096];
        let n = stream.read(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
        let status = match path {
            "/" => "204",
            "/edit" => "206",
            _ => "200",
        };
        assert!(text.starts_with(&format!("ICAP/1.0 {status}")), "{path}: {text}");
    }
}

#[test]
fn squid_is_told_to_call_a_service_itself() {
    let registry = "[[service]]\nuri = \"opes://x/av\"\nkind = \"icap\"\nurl = \"icap://127.0.0.1:1/av\"\nnext_service = \"av\"\n";
    let door = Door::icap(&["Services.applyOne(Services.findOne(\"opes://x/av\"));"], registry);
    let text = raw(door.address, reqmod("/", "Allow: 204\r\n", "").as_bytes());
    assert!(
        text.starts_with("ICAP/1.0 204 ") && text.contains("X-Next-Services: av\r\n"),
        "{text}"
    );
}

#[test]
fn malformed_messages_are_refused() {
    let door = Door::icap(&[PROGRAM], "");
    let http = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";
    let with =
        |line: &str, fields: &str, rest: &str| format!("{line}\r\nHost: x\r\n{fields}\r\n{rest}");
    let encapsulated = format!("Encapsulated: req-hdr=0, null-body={}\r\n", http.len());
    let line = "REQMOD icap://x/reqmod ICAP/1.0";
    let cases = [
        with("REQMOD icap://x/reqmod ICAP/9.7", &encapsulated, http),
        with("REQMOD icap://x/reqmod HTTP/1.1", &encapsulated, http),
        with("REQMOD /reqmod ICAP/1.0", &encapsulated, http),
        with("REQMOD icap://x/other ICAP/1.0", &encapsulated, http),
        with("RESPMOD icap://x/reqmod ICAP/1.0", &encapsulated, http),
        with("GET icap://x/reqmod ICAP/1.0", &encapsulated, http),
        with(line, "", http),
        with(line, "Encapsulated: req-hdr=0, null-body=5\r\n", http),
        with(line, "Encapsulated: req-hdr=0, null-body=99999\r\n", http),
        with(line, &format!("{encapsulated}{encapsulated}"), http),
        with(line, &format!("{encapsulated}X: a\r\n folded\r\n"), http),
        with(
            line,
            &format!("Encapsulated: req-hdr=0, req-body={}\r\nPreview: abc\r\n", http.len()),
            &format!("{http}0\r\n\r\n"),
        ),
        with(
            line,
            &format!("Encapsulated: req-hdr=0, req-body={}\r\nPreview: -1\r\n", http.len()),
            &format!("{http}0\r\n\r\n"),
        ),
        with(
            line,
            &format!("Encapsulated: req-hdr=0, req-body={}\r\nPreview: 0\r\n", http.len()),
            &format!("{http}-1\r\n\r\n"),
        ),
        with(
            line,
            &format!("Encapsulated: req-hdr=0, req-body={}\r\n", http.len()),
            &format!("{http}3;x=y\r\nabc\r\n0\r\n\r\n"),
        ),
        with(line, "Encapsulated: req-hdr=0, null-body=18\r\n", "get / HTTP/1.1\r\n\r\n"),
        with(line, "Encapsulated: res-hdr=0, null-body=19\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
        "\r\n".to_owned(),
        "nonsense\r\n\r\n".to_owned(),
    ];
    for case in cases {
        let text = raw(door.address, case.as_bytes());
        assert!(
            text.is_empty() || text.starts_with("ICAP/1.0 4") || text.starts_with("ICAP/1.0 5"),
            "{case:?}: {text}"
        );
    }
}

/// An answer that has the body in it begins when the client was asked for all of the body, not before.
#[test]
fn the_rest_is_asked_for_before_an_answer_begins() {
    let door = Door::icap(&[PROGRAM], "");
    for (preview, rest) in [("", "5\r\nhello\r\n"), ("2\r\nhe\r\n", "3\r\nllo\r\n")] {
        let mut stream = connect(door.address);
        let fields = "Allow: 204\r\nPreview: 2\r\n";
        let asked = reqmod("/edit", fields, &format!("{preview}0\r\n\r\n"));
        stream.write_all(asked.as_bytes()).unwrap();
        let mut bytes = [0; 4096];
        let n = stream.read(&mut bytes).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes[..n]), "ICAP/1.0 100 Continue\r\n\r\n");
        stream.write_all(format!("{rest}0\r\n\r\n").as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("ICAP/1.0 200 OK") && text.contains("X-Edited: 1\r\n"), "{text}");
        assert!(text.ends_with(&format!("{preview}{rest}0\r\n\r\n")), "{text}");
    }
}

/// A proxy that takes no answer loses its connection.
#[test]
fn a_proxy_that_does_not_read_is_let_go() {
    let edits = "Http := import(\"Http\"); Http.response.headers.set(\"X-Edited\", \"1\");";
    let door = Door::icap(&[edits], "");
    let mut stream = connect(door.address);
    stream.set_write_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
    let request = "GET http://app/ HTTP/1.1\r\nHost: app\r\n\r\n";
    let response = "HTTP/1.1 200 OK\r\n\r\n";
    let (one, two) = (request.len(), request.len() + response.len());
    let head = format!(
        "RESPMOD icap://x/respmod ICAP/1.0\r\nHost: x\r\nEncapsulated: req-hdr=0, res-hdr={one}, res-body={two}\r\n\r\n{request}{response}"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [&b"10000\r\n"[..], &[b'x'; 1 << 16], b"\r\n"].concat();
    let start = std::time::Instant::now();
    let failed = (0..20_000).find_map(|_| stream.write_all(&chunk).err());
    let failed = failed.expect("the connection ends");
    assert!(start.elapsed() < std::time::Duration::from_secs(25), "{failed}");
}
