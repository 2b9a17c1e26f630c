//! A real HAProxy (Debian: haproxy) in front of the endpoint: it ends TLS, and sets the fields of `--from caddy`.

use std::process::Command;

use kukla_server::forwarded::{CertHeaders, Proxy};

use crate::real::{Certificates, Running, free_port, installed};
use crate::support::{EndpointOptions, RunningEndpoint};
use crate::table;

#[test]
fn sixty_certificates_and_fields() {
    let served = RunningEndpoint::new(
        table::ECHO,
        EndpointOptions {
            proxy: Proxy::Caddy,
            cert_headers: Some(CertHeaders::Cert),
            ..EndpointOptions::default()
        },
    );
    let (certificates, port) = (Certificates::new(&served.folder), free_port());
    let folder = &served.folder;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    std::fs::write(folder.join("both.pem"), read("server.pem") + &read("server.key"))
        .expect("it is written");
    let path = folder.join("haproxy.cfg");
    std::fs::write(&path, configuration(&served, port)).expect("it is written");
    let mut command = Command::new(installed("haproxy", "-v"));
    command.arg("-db").arg("-f").arg(&path);
    let _running = Running::start(&mut command, port, &folder.join("haproxy.log"));
    table::check(&certificates, port, |text| {
        let line = text.lines().find_map(|line| line.strip_prefix("x-user: "));
        line.map(str::to_owned)
    });
}

/// Every field of the client that the endpoint reads is removed before those of the proxy are set.
fn configuration(served: &RunningEndpoint, port: u16) -> String {
    let (folder, endpoint) = (served.folder.display(), served.address);
    format!(
        "global\n maxconn 64\n tune.bufsize 65536\n\
         defaults\n mode http\n timeout client 20s\n timeout server 20s\n timeout connect 5s\n\
         frontend tls\n bind 127.0.0.1:{port} ssl crt {folder}/both.pem ca-file {folder}/ca.pem verify optional\n\
         http-request del-header X-Client-Cert\n\
         http-request set-header X-Forwarded-Method %[method]\n\
         http-request set-header X-Forwarded-Uri %[path]\n\
         http-request set-header X-Forwarded-For %[src]\n\
         http-request set-header X-Forwarded-Proto https\n\
         http-request set-header X-Client-Cert %[ssl_c_der,base64] if {{ ssl_c_used }} {{ ssl_c_verify 0 }}\n\
         http-request set-path /p/authz\n default_backend endpoint\n\
         backend endpoint\n server p {endpoint}\n"
    )
}
