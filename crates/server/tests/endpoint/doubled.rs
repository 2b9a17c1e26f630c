//! Fields that are missing, empty or repeated, and bodies of unclear length: 400, with the field and what to change.

use kukla_server::forwarded::Proxy;

use crate::support::{EndpointOptions, RunningEndpoint};

fn served(proxy: Proxy) -> RunningEndpoint {
    RunningEndpoint::new("Access.allow();", EndpointOptions { proxy, ..EndpointOptions::default() })
}

/// Sends these fields, and expects a 400 whose text has these parts.
#[track_caller]
fn refused(served: &RunningEndpoint, line: &str, fields: &[(&str, &str)], parts: &[&str]) {
    let (status, text) = served.ask(line, fields);
    assert_eq!(status, 400, "{fields:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{fields:?}: no `{part}` in {text}");
    }
}

#[test]
fn nginx() {
    let served = served(Proxy::Nginx);
    let (method, uri) = (("X-Original-Method", "GET"), ("X-Original-URI", "/"));
    let question = "GET /p/authz";
    let advice = "with nginx, set it by `proxy_set_header X-Original-URI $request_uri;`";
    refused(&served, question, &[method], &["missing header `X-Original-URI`; ", advice]);
    refused(&served, question, &[uri], &["missing header `X-Original-Method`", "$request_method"]);
    let empty = ("X-Original-URI", "");
    refused(&served, question, &[method, empty], &["empty header `X-Original-URI`"]);
    let empty = ("X-Original-Method", "");
    refused(&served, question, &[empty, uri], &["empty header `X-Original-Method`"]);
    for (field, value) in [
        ("X-Original-URI", "/other"),
        ("X-Original-Method", "PUT"),
        ("x-original-uri", "/"),
        ("Host", "other"),
    ] {
        let fields = [method, uri, (field, value)];
        let name = if field == "x-original-uri" { "X-Original-URI" } else { field };
        refused(&served, question, &fields, &[&format!("header `{name}` is there twice")]);
    }
    for name in ["X-Real-IP", "X-Forwarded-Proto"] {
        let value = if name == "X-Real-IP" { "192.0.2.1" } else { "https" };
        let fields = [method, uri, (name, value), (name, value)];
        refused(&served, question, &fields, &[&format!("header `{name}` is there twice")]);
    }
    let fields = [method, uri, ("X-Forwarded-Proto", "https, http")];
    refused(&served, question, &fields, &["`X-Forwarded-Proto`", "$scheme"]);
    assert_eq!(served.ask(question, &[method, uri]).0, 200, "once is right");
}

#[test]
fn traefik_and_caddy() {
    for proxy in [Proxy::Traefik, Proxy::Caddy] {
        let served = served(proxy);
        let fields = [
            ("X-Forwarded-Method", "GET"),
            ("X-Forwarded-Uri", "/"),
            ("X-Forwarded-Host", "app.example.com"),
            ("X-Forwarded-Proto", "https"),
        ];
        assert_eq!(served.ask("GET /p/authz", &fields).0, 200);
        for field in fields {
            let twice = [&fields[..], &[field]].concat();
            let words = format!("header `{}` is there twice", field.0);
            refused(&served, "GET /p/authz", &twice, &[&words]);
        }
        for (at, name) in ["X-Forwarded-Method", "X-Forwarded-Uri"].into_iter().enumerate() {
            let mut empty = fields;
            empty[at].1 = "";
            refused(&served, "GET /p/authz", &empty, &[&format!("empty header `{name}`")]);
        }
    }
}

#[test]
fn forwarded_addresses_are_a_list_over_all_lines() {
    let program = "Http := import \"Http\"; Net := import \"Net\";\n\
        if (Net.set(\"192.0.2.7\").has(Http.request.clientIp)) { Access.allow(); }\n";
    let served = RunningEndpoint::new(
        program,
        EndpointOptions { proxy: Proxy::Envoy, ..EndpointOptions::default() },
    );
    let ask = |values: &[&str]| {
        let fields: Vec<_> = values.iter().map(|value| ("X-Forwarded-For", *value)).collect();
        served.ask("GET /p/authz/", &fields).0
    };
    assert_eq!(ask(&["192.0.2.7"]), 200);
    assert_eq!(ask(&["10.0.0.1", "10.0.0.2, 192.0.2.7"]), 200, "the last is the proxy's");
    assert_eq!(ask(&["192.0.2.7", "10.0.0.1"]), 403, "the first is the client's");
    assert_eq!(ask(&["192.0.2.7, 10.0.0.1"]), 403);
    assert_eq!(ask(&["192.0.2.7", ""]), 403, "an empty line is no address");
    assert_eq!(ask(&["192.0.2.7,"]), 403);
    assert_eq!(ask(&["192.0.2.7:80"]), 403);
}

/// nginx passes on the client's own fields where its configuration does not set them.
#[test]
fn nginx_is_not_asked_for_fields_of_others() {
    let program = "Http := import \"Http\"; Net := import \"Net\"; r := Http.request;\n\
        if (Net.set(\"192.0.2.7\").has(r.clientIp) otherwise false) { Access.allow(); }\n\
        if (r.uri.host == \"internal\") { Access.allow(); }\n\
        Access.deny(\"no\");\n";
    let served = RunningEndpoint::new(program, EndpointOptions::default());
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];
    for lie in [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Host", "internal")] {
        let fields = [&question[..], &[lie]].concat();
        assert_eq!(served.ask("GET /p/authz", &fields).0, 403, "{lie:?}");
    }
}

#[test]
fn a_forwarded_host_has_one_form() {
    let program = "Http := import \"Http\"; r := Http.request;\n\
        if (r.uri.host == \"app.example.com\" and r.uri.port == 8443\n\
            and r.headers.value(\"Host\") == \"App.Example.COM:8443\") { Access.allow(); }\n";
    let served = RunningEndpoint::new(
        program,
        EndpointOptions { proxy: Proxy::Caddy, ..EndpointOptions::default() },
    );
    let ask = |host: &str| {
        let question = [("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/")];
        let fields = [&question[..], &[("X-Forwarded-Host", host)]].concat();
        served.ask("GET /p/authz", &fields).0
    };
    assert_eq!(ask("App.Example.COM:8443"), 200);
    for host in
        ["app.example.com:8443, evil", "user@app.example.com:8443", "app.example.com:8443/x"]
    {
        assert_eq!(ask(host), 403, "{host}");
    }
}

#[test]
fn a_length_beside_a_transfer_encoding() {
    let served = served(Proxy::Nginx);
    let head = "POST /p/authz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Original-Method: POST\r\n\
                X-Original-URI: /\r\n";
    for fields in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    ] {
        let (status, text) = served.send(format!("{head}{fields}\r\n0\r\n\r\n").as_bytes());
        assert_eq!(status, 400, "{fields}: {text}");
    }
    assert_eq!(served.send(format!("{head}Content-Length: 0\r\n\r\n").as_bytes()).0, 200);
}
