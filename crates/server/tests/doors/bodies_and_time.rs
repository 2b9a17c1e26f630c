//! Bodies and the clock, as programs at each door see them.

use bumpalo::Bump;
use kukla_plang::Options;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::recorded::{Metadata, Recorded};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_server::icap::IcapMethod;

use crate::origin::{Server, response};
use crate::peers::{adapt, body, client};
use crate::running::{Door, ask};

/// Questions of programs about a message: its clock, and the type, size and beginning of its body.
const CLOCK: &str = "Time := import(\"Time\"); is_now := Time.now() > 1700000000 and Time.current() < 86400 and Time.weekday() > 0;";

fn program(size: &str, start: &str) -> String {
    format!(
        "Http := import(\"Http\"); {CLOCK} body := Http.message.body;
         if (not is_now) {{ Access.deny(\"clock\"); }}
         if (body.type != \"text/plain\") {{ Access.deny(\"type\"); }}
         {size} {start} Access.allow();"
    )
}

const SIZE: &str = "if (body.size != 3000) { Access.deny(\"size\"); }";
const START: &str = "if (body.preview(3) != \"abc\") { Access.deny(\"start\"); }";
const TYPE: &str = "Content-Type: text/plain; charset=utf-8\r\n";

#[test]
fn the_proxy_shows_bodies_of_both_directions() {
    let origin = Server::start(|_| response("200 OK", TYPE, &body(3000)));
    let upstream = [format!("http://{}", origin.address)];
    // With and without the beginning: a program that wants only the size does not hold the body up.
    for (size, start) in [(SIZE, START), (SIZE, ""), ("", START)] {
        let programs = [program(size, start), format!("3:{}", program(size, start))];
        let door = Door::proxy(&[&programs[0], &programs[1]], "", &upstream);
        let got = ask(door.address, "POST /", TYPE, &body(3000));
        assert!(got.line().contains(" 200 ") && got.body == body(3000), "{}", door.log_text());
        let n_before = origin.all().len();
        for (fields, bytes) in
            [(TYPE, &body(3000)[1..]), ("Content-Type: text/html\r\n", &body(3000))]
        {
            let got = ask(door.address, "POST /", fields, bytes);
            assert!(got.line().contains(" 403 "), "{}", got.head);
        }
        assert_eq!(origin.all().len(), n_before);
    }
    // A request without a body has one of no bytes.
    let none = "Http := import(\"Http\"); if (Http.message.body.size == 0) { Access.allow(); } Access.deny(\"size\");";
    let door = Door::proxy(&[none], "", &upstream);
    assert!(ask(door.address, "GET /", "", b"").line().contains(" 200 "));
}

#[test]
fn the_server_of_icap_shows_bodies_of_both_directions() {
    let programs = [program("", START), format!("3:{}", program("", START))];
    let door = Door::icap(&[&programs[0], &programs[1]], "");
    for (path, method) in [("reqmod", IcapMethod::Reqmod), ("respmod", IcapMethod::Respmod)] {
        // Kept connections belong to the runtime of a call.
        let client = || client(&format!("icap://{}/{path}", door.address));
        let answer = adapt(&client(), method, &body(3000)).unwrap();
        assert!(answer.is_none(), "{answer:?}");
        let answer = adapt(&client(), method, &body(3000)[1..]).unwrap();
        assert!(answer.is_some_and(|(is_response, line, _)| is_response && line.contains("403")));
    }
}

/// A proxy that only asks has no body: a program that needs one fails, and the request is denied.
#[test]
fn a_message_without_its_body_fails_closed() {
    for (text, is_allowed) in
        [(program("", ""), true), (program(SIZE, ""), false), (program("", START), false)]
    {
        let compiled =
            Compiled::new(kukla_plang::check(&text, &Options::default()).program.unwrap());
        let message = format!("POST / HTTP/1.1\nHost: a\n{}\n", TYPE.replace('\r', ""));
        let metadata = Metadata::parse("{\"time\": 1800000000, \"body_recorded\": false}").unwrap();
        let recorded = Recorded { metadata, ..Recorded::parse(message.as_bytes()).unwrap() };
        let arena = Bump::new();
        let message = recorded.message(&arena);
        let transaction = Transaction::new(&message, &arena, &compiled.program.limits);
        let outcome = compiled::run(&compiled, transaction, &mut NoServices);
        assert_eq!(outcome.verdict(&compiled.program).is_allowed(), is_allowed, "{text}");
    }
}
