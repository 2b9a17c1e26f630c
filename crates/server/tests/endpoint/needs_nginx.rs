//! A real nginx (Debian: nginx) asks the endpoint, with the configuration of the guide.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use kukla_server::forwarded::CertHeaders;

use crate::real::{
    Certificates, PLACES, Running, free_port, guide, installed, try_to_be_boss, upstream,
};
use crate::support::{EndpointOptions, RunningEndpoint, answer};
use crate::table;

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

#[test]
fn allowed_denied_and_challenged_requests_arrive_as_they_should() {
    let served = RunningEndpoint::new(PROGRAM, EndpointOptions::default());
    let nginx = Nginx::start(&served, "");
    let ask = |line: &str, fields: &str| nginx.ask(line, fields);
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

#[test]
fn only_boss_is_boss_by_certificate() {
    let cert_headers = Some(CertHeaders::Cert);
    let served = RunningEndpoint::new(
        PLACES,
        EndpointOptions { cert_headers, ..EndpointOptions::default() },
    );
    let nginx = Nginx::start(&served, "");
    try_to_be_boss(&nginx.certificates, nginx.tls_port);
}

#[test]
fn sixty_certificates_and_fields() {
    let cert_headers = Some(CertHeaders::Cert);
    let options = EndpointOptions { cert_headers, ..EndpointOptions::default() };
    let served = RunningEndpoint::new(table::ECHO, options);
    let nginx = Nginx::start(&served, "");
    table::check(&nginx.certificates, nginx.tls_port, table::behind_proxy);
}

/// An nginx that passes the subject only, as the guide says for `--cert-headers dn`.
#[test]
fn only_boss_is_boss_by_subject() {
    let cert_headers = Some(CertHeaders::Dn);
    let served = RunningEndpoint::new(
        PLACES,
        EndpointOptions { cert_headers, ..EndpointOptions::default() },
    );
    let nginx = Nginx::start_with(&served, "", |block| {
        let line = "    proxy_set_header X-Client-Cert $ssl_client_escaped_cert;\n";
        assert!(block.contains(line), "{block}");
        block.replace(line, "")
    });
    try_to_be_boss(&nginx.certificates, nginx.tls_port);
}

const ADMIN: &str = "Http := import \"Http\";\n\
    if (Http.request.uri.path begins_with \"/slash/\") { Access.allow(); }\n\
    Access.deny(\"closed\");\n";

#[test]
fn a_path_that_nginx_decodes_does_not_get_around_a_rule() {
    let served = RunningEndpoint::new(ADMIN, EndpointOptions::default());
    let nginx = Nginx::start(&served, "/");
    for path in ["/slash/x%2f..%2f..%2fadmin", "/slash/..%2Fadmin", "/slash/%2e%2e%2fadmin"] {
        let (status, text) = nginx.ask(&format!("GET {path}"), "");
        assert!(status == 403 && !text.contains("upstream"), "{path}: {text}");
    }
    assert_eq!(nginx.ask("GET /slash/x", "").0, 200);
}

/// The warning of the guide is true: `proxy_pass` with a slash decodes the path.
#[test]
fn a_lenient_endpoint_is_passed_where_nginx_decodes() {
    let served = RunningEndpoint::new(
        ADMIN,
        EndpointOptions { lenient_paths: true, ..EndpointOptions::default() },
    );
    let nginx = Nginx::start(&served, "/");
    let (status, text) = nginx.ask("GET /slash/..%2fadmin", "");
    assert!(status == 200 && text.contains("upstream got GET /admin "), "{text}");
    drop(nginx);
    let nginx = Nginx::start(&served, "");
    let (status, text) = nginx.ask("GET /slash/..%2fadmin", "");
    assert!(status == 200 && text.contains("upstream got GET /slash/..%2fadmin "), "{text}");
}

struct Nginx {
    _running: Running,
    port: u16,
    tls_port: u16,
    certificates: Certificates,
}

impl Nginx {
    fn start(served: &RunningEndpoint, suffix: &str) -> Self {
        Self::start_with(served, suffix, str::to_owned)
    }

    /// Starts nginx with the block of the guide, which `change` changes; `suffix` follows the address of the app.
    fn start_with(served: &RunningEndpoint, suffix: &str, change: impl Fn(&str) -> String) -> Self {
        let (port, tls_port, upstream) = (free_port(), free_port(), upstream());
        let certificates = Certificates::new(&served.folder);
        let block = change(&block(served.address, upstream, suffix));
        let configuration = configuration(served, port, tls_port, &block);
        let path = served.folder.join("nginx.conf");
        std::fs::write(&path, configuration).expect("it is written");
        let mut command = Command::new(installed("nginx", "-v"));
        command.arg("-c").arg(&path).arg("-p").arg(&served.folder);
        let running = Running::start(&mut command, port, &served.folder.join("nginx.log"));
        Self { _running: running, port, tls_port, certificates }
    }

    fn ask(&self, line: &str, fields: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("nginx listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it is a time");
        let request =
            format!("{line} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n{fields}\r\nabc");
        stream.write_all(request.as_bytes()).expect("it is taken");
        answer(&mut stream)
    }
}

/// Returns the block of the guide, with the addresses of this test, and with the user's name for the app.
fn block(endpoint: SocketAddr, upstream: SocketAddr, suffix: &str) -> String {
    let block = guide("nginx");
    let app = "proxy_pass http://app;";
    assert!(block.contains(app) && block.contains("127.0.0.1:9180"), "{block}");
    let user = "auth_request_set $user $upstream_http_x_user; proxy_set_header X-User $user;";
    let block = block.replace(app, &format!("{user} proxy_pass http://{upstream}{suffix};"));
    block.replace("127.0.0.1:9180", &endpoint.to_string())
}

fn configuration(served: &RunningEndpoint, port: u16, tls_port: u16, block: &str) -> String {
    let folder = served.folder.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("  {kind}_temp_path {folder}/{kind};\n"))
        .concat();
    format!(
        "daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n\
         events {{ worker_connections 64; }}\n\
         http {{\n{temporary}  access_log off;\n  server {{\n    listen 127.0.0.1:{port};\n\
             listen 127.0.0.1:{tls_port} ssl; ssl_certificate {folder}/server.pem;\n\
             ssl_certificate_key {folder}/server.key; ssl_client_certificate {folder}/ca.pem;\n\
             ssl_verify_client optional;\n{block}\n  }}\n}}\n"
    )
}
