//! Proxies of others with ten conditions in their own language, in front of an nginx with files.

use std::net::SocketAddr;
use std::path::Path;

use crate::beside_needs_nginx_needs_haproxy::{Peer, free, start};
use crate::origin::Server;

fn peer(name: &str, arguments: &[&str], config: &str, folder: &Path, address: SocketAddr) -> Peer {
    start(name, arguments, config, folder, address, Server::start(|_| Vec::new()))
}

/// Ten conditions, one per line.
fn ten(condition: impl Fn(usize) -> String) -> String {
    (0..10).map(condition).collect()
}

/// The ten conditions in P.
pub(super) fn program() -> String {
    let rules = ten(|n| {
        format!(
            "if (Http.request.uri.path begins_with \"/private{n}\") {{ Access.deny(\"{n}\"); }}\n"
        )
    });
    format!("Http := import(\"Http\");\n{rules}Access.allow();")
}

/// An nginx with files of 1 KB and 1 MB.
pub(super) fn origin(folder: &Path) -> Peer {
    let (address, at) = (free(), folder.display());
    std::fs::write(folder.join("1k"), crate::peers::body(1024)).unwrap();
    std::fs::write(folder.join("1m"), crate::peers::body(1 << 20)).unwrap();
    let config = format!(
        "daemon off; user root; worker_processes 2; pid {at}/o.pid; error_log {at}/o.log;\nevents {{ worker_connections 8192; }}\n\
         http {{ access_log off; sendfile on; keepalive_requests 100000000; server {{ listen {address}; root {at}; }} }}\n"
    );
    peer("nginx", &["-c"], &config, folder, address)
}

pub(super) fn nginx(folder: &Path, origin: SocketAddr) -> Peer {
    let (address, at) = (free(), folder.display());
    let conditions = ten(|n| format!("if ($uri ~ ^/private{n}) {{ return 403; }}\n"));
    let config = format!(
        "daemon off; user root; worker_processes 2; pid {at}/n.pid; error_log {at}/n.log;\nevents {{ worker_connections 8192; }}\n\
         http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
         upstream o {{ server {origin}; keepalive 64; keepalive_requests 100000000; }}\n\
         server {{ listen {address}; {conditions} location / {{ proxy_pass http://o; proxy_http_version 1.1; proxy_set_header Connection \"\"; }} }} }}\n"
    );
    peer("nginx", &["-c"], &config, folder, address)
}

pub(super) fn haproxy(folder: &Path, origin: SocketAddr) -> Peer {
    let address = free();
    let conditions = ten(|n| format!(" http-request deny if {{ path_beg /private{n} }}\n"));
    let config = format!(
        "global\n nbthread 2\ndefaults\n mode http\n timeout client 20s\n timeout server 20s\n timeout connect 2s\n http-reuse always\n\
         frontend f\n bind {address}\n{conditions} default_backend b\nbackend b\n server s {origin}\n"
    );
    peer("haproxy", &["-db", "-f"], &config, folder, address)
}

pub(super) fn squid(folder: &Path, origin: SocketAddr) -> Peer {
    let (address, at, port) = (free(), folder.display(), origin.port());
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let conditions =
        ten(|n| format!("acl p{n} urlpath_regex ^/private{n}\nhttp_access deny p{n}\n"));
    let config = format!(
        "http_port {address} accel defaultsite=app\n\
         cache_peer 127.0.0.1 parent {port} 0 no-query originserver login=PASSTHRU no-digest no-netdb-exchange name=o\n\
         {conditions}http_access allow all\ncache deny all\naccess_log none\ncache_log {at}/cache.log\n\
         pid_filename {at}/pid\ncoredump_dir {at}\nshutdown_lifetime 0 seconds\nvisible_hostname test\n"
    );
    peer("squid", &["-N", "-f"], &config, folder, address)
}
