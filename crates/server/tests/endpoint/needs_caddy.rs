//! A real Caddy (Debian: caddy) asks the endpoint, with the configuration of the guide.

use std::process::Command;

use kukla_server::forwarded::{CertHeaders, Proxy};

use crate::real::{
    Certificates, PLACES, Running, free_port, guide, installed, try_to_be_boss, upstream,
};
use crate::support::{EndpointOptions, RunningEndpoint};
use crate::table;

#[test]
fn only_boss_is_boss_by_certificate() {
    let served = served(PLACES);
    let (_running, certificates, port) = start(&served);
    try_to_be_boss(&certificates, port);
}

#[test]
fn sixty_certificates_and_fields() {
    let served = served(table::ECHO);
    let (_running, certificates, port) = start(&served);
    table::check(&certificates, port, table::behind_proxy);
}

fn served(program: &str) -> RunningEndpoint {
    let cert_headers = Some(CertHeaders::Cert);
    let options =
        EndpointOptions { proxy: Proxy::Caddy, cert_headers, ..EndpointOptions::default() };
    RunningEndpoint::new(program, options)
}

fn start(served: &RunningEndpoint) -> (Running, Certificates, u16) {
    let port = free_port();
    let certificates = Certificates::new(&served.folder);
    let path = served.folder.join("Caddyfile");
    std::fs::write(&path, configuration(served, port)).expect("it is written");
    let mut command = Command::new(installed("caddy", "version"));
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&path);
    for variable in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        command.env(variable, &served.folder);
    }
    let running = Running::start(&mut command, port, &served.folder.join("caddy.log"));
    (running, certificates, port)
}

fn configuration(served: &RunningEndpoint, port: u16) -> String {
    let block = guide("caddyfile");
    assert!(block.contains("127.0.0.1:9180") && block.contains("app:8080"), "{block}");
    let block = block.replace("127.0.0.1:9180", &served.address.to_string());
    let block = block.replace("uri /p/authz", "uri /p/authz\n copy_headers X-User");
    let block = block.replace("app:8080", &upstream().to_string());
    let folder = served.folder.display();
    format!(
        "{{\n admin off\n auto_https off\n storage file_system {folder}/caddy\n}}\n\
         https://localhost:{port} {{\n bind 127.0.0.1\n tls {folder}/server.pem {folder}/server.key {{\n\
         client_auth {{\n mode verify_if_given\n trusted_ca_cert_file {folder}/ca.pem\n }}\n }}\n{block}\n}}\n"
    )
}
