//! Tracing and bypass of RFC 4236 by the server of ICAP, and what it logs of messages that it refuses.

use crate::origin::{Got, Server};
use crate::running::{Door, raw};

const PROGRAM: &str = "Http := import(\"Http\"); if (Http.request.uri.path == \"/deny\") { Access.deny(\"no\"); }\n\
    Services.applyOne(Services.findOne(\"opes://x/mark\"));\n\
    Access.allow();";

fn door() -> Door {
    let mark = Server::service(|got: &Got| {
        Some(got.text().replacen("\r\n\r\n", "\r\nX-Mark: 1\r\n\r\n", 1).into_bytes())
    });
    let registry = format!(
        "[[service]]\nuri = \"opes://x/mark\"\nkind = \"http\"\nurl = \"http://{}/\"\n",
        mark.address
    );
    let for_responses = format!("3:{PROGRAM}");
    Door::icap(&[PROGRAM, &for_responses], &registry)
}

fn ask(door: &Door, path: &str, fields: &str, is_response: bool) -> String {
    let head = format!("GET http://app{path} HTTP/1.1\r\nHost: app\r\n{fields}\r\n");
    let response = "HTTP/1.1 200 OK\r\n\r\n";
    let (one, two) = (head.len(), head.len() + response.len());
    let text = match is_response {
        true => format!(
            "RESPMOD icap://x/respmod ICAP/1.0\r\nHost: x\r\nAllow: 204\r\nEncapsulated: req-hdr=0, res-hdr={one}, null-body={two}\r\n\r\n{head}{response}"
        ),
        false => format!(
            "REQMOD icap://x/reqmod ICAP/1.0\r\nHost: x\r\nAllow: 204\r\nEncapsulated: req-hdr=0, null-body={one}\r\n\r\n{head}"
        ),
    };
    raw(door.address, text.as_bytes())
}

#[test]
fn adapted_messages_say_which_services_adapted_them() {
    let door = door();
    for is_response in [false, true] {
        let text = ask(&door, "/", "", is_response);
        for wanted in
            ["X-Mark: 1\r\n", "OPES-System: http://test/\r\n", "OPES-Via: opes://x/mark\r\n"]
        {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert!(!text.contains("X-P-Trace"), "{text}");
        for bypass in ["*", "opes://x/mark", "opes://y/;a=b, opes://x/mark;c", "http://test/"] {
            let text = ask(&door, "/", &format!("OPES-Bypass: {bypass}\r\n"), is_response);
            assert!(text.starts_with("ICAP/1.0 204 "), "{bypass}: {text}");
        }
        let split = "OPES-Bypass: opes://y/\r\nOPES-Bypass: opes://x/mark\r\n";
        assert!(ask(&door, "/", split, is_response).starts_with("ICAP/1.0 204 "));
        let text = ask(&door, "/", "OPES-Bypass: opes://y/\r\n", is_response);
        assert!(text.contains("X-Mark: 1\r\n"), "{text}");
        let text = ask(&door, "/deny", "OPES-Bypass: *\r\n", is_response);
        assert!(text.contains("HTTP/1.1 403 "), "{text}");
    }
}

#[test]
fn a_trace_is_told_on_request() {
    let door = door();
    let trace = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("X-P-Trace: "));
        lines.map(str::to_owned).collect()
    };
    let asks = "X-P-Trace: 1\r\n";
    let applied = "applied \"opes://x/mark\"; adapted \"opes://x/mark\"";
    // Squid's log can have the field of the ICAP answer; the client sees that of the response.
    let words = format!("1 allow at 0.p:3; {applied}");
    let text = ask(&door, "/", asks, false);
    assert_eq!(trace(&text), [words, "1".to_owned()], "{text}");
    let words = format!("3 allow at 1.p:3; {applied}");
    assert_eq!(trace(&ask(&door, "/", asks, true)), [words.clone(), words]);
    for (is_response, words) in [(false, "1 deny at 0.p:1"), (true, "3 deny at 1.p:1")] {
        let text = ask(&door, "/deny", asks, is_response);
        assert_eq!(trace(&text), [words, words], "{text}");
    }
    let bypassed = format!("{asks}OPES-Bypass: *\r\n");
    let text = ask(&door, "/", &bypassed, true);
    let words = "3 allow at 1.p:3; applied \"opes://x/mark\"";
    assert_eq!(trace(&text), [words, words], "{text}");
}

#[test]
fn refused_messages_are_logged() {
    let door = door();
    let text = raw(door.address, b"REQMOD icap://x/reqmod ICAP/9.7\r\nHost: x\r\n\r\n");
    assert!(text.starts_with("ICAP/1.0 505 "), "{text}");
    let text = raw(door.address, b"REQMOD icap://x/nothing ICAP/1.0\r\nHost: x\r\n\r\n");
    assert!(text.starts_with("ICAP/1.0 404 "), "{text}");
    let log = door.log_text();
    for reason in ["the version of the protocol is not supported", "there is no such service"] {
        let wanted = format!("\"reason\":\"{reason}\"");
        let line =
            log.lines().find(|line| line.contains(&wanted)).unwrap_or_else(|| panic!("{log}"));
        assert!(line.contains("\"event\":\"refused\"") && line.contains("\"127.0.0.1\""), "{line}");
    }
}
