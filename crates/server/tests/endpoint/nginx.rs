//! A real nginx in front of a real server asks the endpoint. Without nginx (Debian: nginx) this is skipped.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Served, With, answer};

const PROGRAM: &str = r#"
Http := import "Http"; Net := import "Net"; r := Http.request;
if (not Net.set("127.0.0.1").has(r.clientIp)) { Access.deny("not from here"); }
if (r.uri.path begins_with "/open/" and r.method == "GET") {
    r.headers.set("X-User", "guest");
    Access.allow();
}
if (r.uri.path == "/login") { Access.challenge("Basic"); }
Access.deny("closed");
"#;

struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        // It runs in the foreground, so this is the process that was started.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn allowed_denied_and_challenged_requests_arrive_as_they_should() {
    let Some(program) = program() else {
        println!("skipped: there is no nginx (Debian: nginx)");
        return;
    };
    let served = Served::new(PROGRAM, With::default());
    let upstream = upstream();
    let port = free_port();
    let _nginx = start(program, &served, upstream, port);
    let ask = |line: &str, fields: &str| ask(port, line, fields);
    let (status, text) = ask("GET /open/a?b=c", "");
    assert_eq!(status, 200, "{text}");
    assert!(text.ends_with("upstream got GET /open/a?b=c for guest\n"), "{text}");
    let (status, text) = ask("GET /open/../secret", "");
    assert!(matches!(status, 403 | 400) && !text.contains("upstream"), "{status} {text}");
    let (status, text) = ask("PUT /open/a", "Content-Length: 3\r\n");
    assert!(status == 403 && !text.contains("upstream"), "{status} {text}");
    let (status, text) =
        ask("GET /secret", "X-Original-URI: /open/a\r\nX-Original-Method: GET\r\n");
    assert!(
        status == 403 && !text.contains("upstream"),
        "a client can not say so: {status} {text}"
    );
    let (status, text) = ask("GET /login", "");
    assert_eq!(status, 401, "{text}");
    assert!(text.to_lowercase().contains("www-authenticate: basic"), "{text}");
}

fn program() -> Option<&'static str> {
    ["nginx", "/usr/sbin/nginx"].into_iter().find(|program| {
        let mut command = Command::new(program);
        command.arg("-v").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// A server that says what it was asked.
fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            reply(stream);
        }
    });
    address
}

fn reply(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("it is a socket")).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    let mut user = "nobody".to_owned();
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("X-User: ") {
            name.clone_into(&mut user);
        }
    }
    let asked = first.rsplit_once(' ').map_or("", |(asked, _)| asked);
    let body = format!("upstream got {asked} for {user}\n");
    let length = body.len();
    let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

fn start(program: &str, served: &Served, upstream: SocketAddr, port: u16) -> Nginx {
    let (folder, endpoint) = (served.folder.display(), served.address);
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("  {kind}_temp_path {folder}/{kind};\n"))
        .concat();
    let configuration = format!(
        "daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n\
         events {{ worker_connections 64; }}\n\
         http {{\n{temporary}  access_log off;\n  server {{\n    listen 127.0.0.1:{port};\n\
             location / {{ auth_request /authz; auth_request_set $user $upstream_http_x_user;\n\
               proxy_set_header X-User $user; proxy_pass http://{upstream}; }}\n\
             location = /authz {{ internal; proxy_pass http://{endpoint}/p/authz; proxy_pass_request_body off;\n\
               proxy_set_header Content-Length \"\"; proxy_set_header X-Original-Method $request_method;\n\
               proxy_set_header X-Original-URI $request_uri; proxy_set_header X-Real-IP $remote_addr; }}\n\
           }}\n}}\n"
    );
    let path = served.folder.join("nginx.conf");
    std::fs::write(&path, configuration).expect("it is written");
    let mut command = Command::new(program);
    command.arg("-c").arg(&path).arg("-p").arg(&served.folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let nginx = Nginx(command.spawn().expect("nginx starts"));
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let said = || std::fs::read_to_string(Path::new(&served.folder).join("error.log"));
        assert!(start.elapsed() < Duration::from_secs(20), "nginx does not listen: {:?}", said());
        std::thread::sleep(Duration::from_millis(20));
    }
    nginx
}

fn ask(port: u16, line: &str, fields: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("nginx listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it is a time");
    let request = format!("{line} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n{fields}\r\nabc");
    stream.write_all(request.as_bytes()).expect("it is taken");
    answer(&mut stream)
}
