//! `kukla p proxy`, `kukla p icap` and the services that they call, as their users see them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use crate::support::Sandbox;

/// A command that serves; it ends with the test.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut command = sandbox.command(args);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let stream = child.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(stream).lines();
        let line = lines.next().expect("it says something").expect("it is text");
        let address =
            line.strip_prefix("listening at ").unwrap_or_else(|| panic!("{line}")).to_owned();
        // The pipe stays open while the command lives.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    fn ask(&self, text: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.write_all(text.as_bytes()).expect("it reads");
        let mut out = String::new();
        stream.read_to_string(&mut out).expect("it answers");
        out
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that gives one answer to everything.
fn server(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 65536]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

#[test]
fn a_proxy_and_a_server_of_icap_start() {
    let sandbox = Sandbox::new(&[(
        "policy.p",
        "Http := import \"Http\"; if (Http.request.uri.path == \"/no\") { Access.deny(\"no\"); } Access.allow();",
    )]);
    let origin = server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
    let args = [
        "p",
        "proxy",
        "--rules",
        "policy.p",
        "--listen",
        "127.0.0.1:0",
        "--upstream",
        &origin,
        "--name",
        "me",
    ];
    let proxy = Serving::start(&sandbox, &args);
    let text = proxy.ask("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert!(
        text.starts_with("HTTP/1.1 200 OK")
            && text.contains("Via: 1.1 me\r\n")
            && text.ends_with("ok"),
        "{text}"
    );
    let text = proxy.ask("GET /no HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert!(text.starts_with("HTTP/1.1 403"), "{text}");
    let args = ["p", "icap", "--rules", "policy.p", "--shadow", "policy.p", "--name", "me"];
    let flags = ["--allow-bypass", "--allow-trace", "--listen", "127.0.0.1:0"];
    let icap = Serving::start(&sandbox, &[&args[..], &flags[..]].concat());
    let mut stream = TcpStream::connect(&icap.address).expect("it listens");
    stream.write_all(b"OPTIONS icap://x/reqmod ICAP/1.0\r\nHost: x\r\n\r\n").expect("it reads");
    let mut bytes = [0; 1000];
    let n = stream.read(&mut bytes).expect("it answers");
    assert!(
        bytes[..n].starts_with(b"ICAP/1.0 200 OK\r\nMethods: REQMOD"),
        "{}",
        String::from_utf8_lossy(&bytes)
    );
}

#[test]
fn mistakes_are_told_before_it_listens() {
    let sandbox = Sandbox::new(&[
        ("policy.p", "Route.to(\"other\");"),
        ("bad.p", "Access.alow();"),
        ("bad.toml", "[[service]]\nuri = \"x\"\nkind = \"icap\"\nurl = \"http://x/\"\n"),
        ("open.p", "Core.log(\"passes\");"),
        ("list.p", "Access.deny(\"no\");"),
        (
            "half.toml",
            "[[service]]\nuri = \"x\"\nkind = \"https\"\nurl = \"https://x/\"\ncert = \"a\"\n",
        ),
        (
            "plain.toml",
            "[[service]]\nuri = \"x\"\nkind = \"http\"\nurl = \"http://x/\"\nca = \"a\"\n",
        ),
        (
            "gone.toml",
            "[[service]]\nuri = \"x\"\nkind = \"icaps\"\nurl = \"icaps://x/\"\nca = \"none.pem\"\n",
        ),
    ]);
    let run =
        |args: &[&str]| sandbox.run(&[&["p", "proxy", "--listen", "127.0.0.1:0"], args].concat());
    let bad: [&[&str]; 17] = [
        &["--rules", "bad.p", "--upstream", "http://x"],
        &["--rules", "policy.p", "--upstream", "http://x"],
        &["--rules", "policy.p", "--upstream", "other=ftp://x"],
        &["--rules", "policy.p", "--upstream", "other=http://x/path"],
        &["--rules", "5=policy.p", "--upstream", "other=http://x"],
        &["--rules", "policy.p", "--rules", "1=policy.p", "--upstream", "other=http://x"],
        &["--rules", "policy.p", "--services", "bad.toml", "--upstream", "other=http://x"],
        &["--rules", "list.p", "--services", "half.toml", "--upstream", "http://x"],
        &["--rules", "list.p", "--services", "plain.toml", "--upstream", "http://x"],
        &["--rules", "list.p", "--services", "gone.toml", "--upstream", "http://x"],
        &["--rules", "open.p", "--forward"],
        &["--rules", "list.p", "--forward", "--upstream", "http://x"],
        &["--rules", "list.p"],
        &["--rules", "list.p", "--shadow", "bad.p", "--upstream", "http://x"],
        &["--rules", "list.p", "--shadow", "3=list.p", "--upstream", "http://x"],
        &[
            "--rules",
            "list.p",
            "--shadow",
            "list.p",
            "--shadow",
            "1=list.p",
            "--upstream",
            "http://x",
        ],
        &["--rules", "list.p", "--services", "missing.toml", "--upstream", "http://x"],
    ];
    for args in bad {
        let ran = run(args);
        assert_eq!((ran.code, ran.output.as_str()), (2, ""), "{args:?}: {}", ran.error);
    }
}

#[test]
fn services_are_listed_and_called() {
    let message = "HTTP/1.1 200 OK\r\nContent-Language: fr\r\n\r\nBonjour";
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: message/http\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{message}",
        message.len()
    );
    let url = server(answer.leak());
    let registry = format!(
        "[[service]]\nuri = \"opes://x/tran\"\nkind = \"http\"\nurl = \"{url}/\"\n[[service]]\nuri = \"opes://x/none\"\nkind = \"icap\"\nurl = \"icap://127.0.0.1:1/none\"\n"
    );
    let program = "Http := import \"Http\"; Services.applyOne(Services.findOne(\"opes://x/tran\")); if (Http.message.body.preview(7) != \"Bonjour\") { Access.deny(\"not French\"); } Access.allow();";
    let page = "GET / HTTP/1.1\nHost: a\n\nHTTP/1.1 200 OK\nContent-Language: de\n\nGuten Tag";
    let sandbox =
        Sandbox::new(&[("services.toml", &registry), ("policy.p", program), ("page.http", page)]);
    let ran = sandbox.run(&["p", "services", "services.toml"]);
    assert_eq!(
        (ran.code, ran.output),
        (0, format!("opes://x/tran  {url}/\nopes://x/none  icap://127.0.0.1:1/none\n"))
    );
    let ran = sandbox.run(&["p", "services", "services.toml", "--ask"]);
    assert!(ran.code == 1 && ran.output.contains("opes://x/none  no connection"), "{}", ran.output);
    let args = ["p", "run", "policy.p", "-m", "page.http", "--services", "services.toml"];
    let ran = sandbox.run(&args);
    assert!(ran.code == 1 && ran.output.contains("the service failed"), "{}", ran.output);
    let ran = sandbox.run(&[&args[..], &["--call"]].concat());
    assert!(
        ran.code == 0 && ran.output.contains("+ Content-Language: fr"),
        "{} {}",
        ran.output,
        ran.error
    );
}
