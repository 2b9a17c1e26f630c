//! Speed of the doors beside nginx, HAProxy and c-icap; run with `--release -- --ignored --nocapture speed`.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kukla_server::icap::IcapMethod;

use crate::beside_needs_nginx_needs_haproxy::{free, start};
use crate::origin::{Server, receive};
use crate::peers::{CIcap, adapt_async, client};
use crate::running::{Door, connect};

/// Runs wrk; returns requests per second and the latency at the median.
fn wrk(address: &str, path: &str) -> (f64, String) {
    let seconds = std::env::var("SECONDS").unwrap_or_else(|_| "3".to_owned());
    let mut command = Command::new("wrk");
    command.args([
        "-t1",
        "-c16",
        "--latency",
        &format!("-d{seconds}s"),
        &format!("http://{address}{path}"),
    ]);
    let output =
        command.stdin(Stdio::null()).output().expect("wrk is installed: run `apt-get install wrk`");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let after = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name));
        line.and_then(|line| line.split_whitespace().last()).unwrap_or("0").to_owned()
    };
    assert!(!text.contains("Non-2xx"), "{text}");
    (after("Requests/sec").parse().unwrap(), after("50%"))
}

/// An nginx with files of 1 KB and 1 MB.
fn origin(folder: &Path) -> crate::beside_needs_nginx_needs_haproxy::Peer {
    let address = free();
    std::fs::write(folder.join("1k"), crate::peers::body(1024)).unwrap();
    std::fs::write(folder.join("1m"), crate::peers::body(1 << 20)).unwrap();
    let at = folder.display();
    let config = format!(
        "daemon off; user root; worker_processes 2; pid {at}/o.pid; error_log {at}/o.log;\nevents {{ worker_connections 4096; }}\n\
         http {{ access_log off; sendfile on; keepalive_requests 1000000; server {{ listen {address}; root {at}; }} }}\n"
    );
    start("nginx", &["-c"], &config, folder, address, Server::start(|_| Vec::new()))
}

#[test]
#[ignore = "measures"]
fn proxies_needs_nginx_needs_haproxy() {
    let folder = std::env::temp_dir().join(format!("kukla-speed-{}", std::process::id()));
    for name in ["", "n", "h"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    let origin = origin(&folder);
    let (rules, ifs, acls): (Vec<String>, Vec<String>, Vec<String>) = (0..10)
        .map(|n| {
            (
                format!("if (Http.request.uri.path begins_with \"/private{n}\") {{ Access.deny(\"{n}\"); }}\n"),
                format!("if ($uri ~ ^/private{n}) {{ return 403; }}\n"),
                format!(" http-request deny if {{ path_beg /private{n} }}\n"),
            )
        })
        .collect::<Vec<_>>()
        .into_iter()
        .fold((Vec::new(), Vec::new(), Vec::new()), |(mut one, mut two, mut three), (a, b, c)| {
            one.push(a);
            two.push(b);
            three.push(c);
            (one, two, three)
        });
    let program = format!("Http := import(\"Http\");\n{}Access.allow();", rules.concat());
    let door = Door::quiet_proxy(&program, &[format!("http://{}", origin.address)]);
    let (address, at) = (free(), folder.join("n"));
    let at = at.display();
    let config = format!(
        "daemon off; user root; worker_processes 2; pid {at}/n.pid; error_log {at}/n.log;\nevents {{ worker_connections 4096; }}\n\
         http {{ access_log off; keepalive_requests 1000000; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
         upstream o {{ server {}; keepalive 64; keepalive_requests 1000000; }}\n\
         server {{ listen {address}; {} location / {{ proxy_pass http://o; proxy_http_version 1.1; proxy_set_header Connection \"\"; }} }} }}\n",
        origin.address,
        ifs.concat()
    );
    let nginx =
        start("nginx", &["-c"], &config, &folder.join("n"), address, Server::start(|_| Vec::new()));
    let address = free();
    let config = format!(
        "global\n nbthread 2\ndefaults\n mode http\n timeout client 20s\n timeout server 20s\n timeout connect 2s\n http-reuse always\n\
         frontend f\n bind {address}\n{} default_backend b\nbackend b\n server s {}\n",
        acls.concat(),
        origin.address
    );
    let haproxy = start(
        "haproxy",
        &["-db", "-f"],
        &config,
        &folder.join("h"),
        address,
        Server::start(|_| Vec::new()),
    );
    for path in ["/1k", "/1m"] {
        let direct = wrk(&origin.address.to_string(), path);
        let ours = wrk(&door.address.to_string(), path);
        let theirs = wrk(&nginx.address.to_string(), path);
        let others = wrk(&haproxy.address.to_string(), path);
        println!(
            "{path}: direct {direct:?}, kukla {ours:?}, nginx {theirs:?}, HAProxy {others:?}; kukla/nginx {:.2}",
            ours.0 / theirs.0
        );
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
#[ignore = "measures"]
fn icap_needs_c_icap() {
    let service = CIcap::start();
    let door = Door::icap(
        &[
            "Http := import(\"Http\"); if (Http.request.uri.path == \"/deny\") { Access.deny(\"no\"); } Access.allow();",
        ],
        "",
    );
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let measure = |url: String| {
        runtime.block_on(async {
            let client = Arc::new(client(&url));
            let start = Instant::now();
            let tasks: Vec<_> = (0..16)
                .map(|_| {
                    let client = Arc::clone(&client);
                    tokio::spawn(async move {
                        let mut n_calls = 0_u64;
                        while start.elapsed() < Duration::from_secs(3) {
                            adapt_async(&client, IcapMethod::Reqmod, b"").await.unwrap();
                            n_calls += 1;
                        }
                        n_calls
                    })
                })
                .collect();
            let mut n_calls = 0;
            for task in tasks {
                n_calls += task.await.unwrap();
            }
            n_calls / 3
        })
    };
    let theirs = measure(format!("icap://127.0.0.1:{}/echo", service.port));
    let ours = measure(format!("icap://{}/reqmod", door.address));
    println!("REQMOD a second with our client: c-icap's echo {theirs}, kukla p icap {ours}");
}

/// A server that sends 1 GB, or takes it.
fn gigabyte() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = vec![0; 1 << 16];
                let n = stream.read(&mut bytes).unwrap();
                if bytes.starts_with(b"GET") {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\n\r\n");
                    stream.write_all(head.as_bytes()).unwrap();
                    for _ in 0..SIZE >> 16 {
                        let _ = stream.write_all(&bytes);
                    }
                    return;
                }
                let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
                let mut n_read = text.find("\r\n\r\n").map_or(0, |at| n - at - 4);
                while n_read < SIZE {
                    n_read += stream.read(&mut bytes).unwrap();
                }
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
            });
        }
    });
    address
}

const SIZE: usize = 1 << 30;

/// 1 GB up and down; the peak of the memory is that of the process with the proxy.
#[test]
#[ignore = "measures"]
fn a_gigabyte_streams_through() {
    let memory = || {
        let text = std::fs::read_to_string("/proc/self/status").unwrap();
        text.lines().find(|line| line.starts_with("VmHWM")).unwrap().to_owned()
    };
    let before = memory();
    let door = Door::quiet_proxy("Access.allow();", &[format!("http://{}", gigabyte())]);
    let mut stream = connect(door.address);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let (mut bytes, mut n_read) = (vec![0; 1 << 16], 0);
    while n_read < SIZE {
        let n = stream.read(&mut bytes).unwrap();
        assert!(n > 0, "{n_read}");
        n_read += n;
    }
    println!("down: {before}, then {}", memory());
    let mut stream = connect(door.address);
    stream
        .write_all(
            format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {SIZE}\r\n\r\n").as_bytes(),
        )
        .unwrap();
    for _ in 0..SIZE >> 16 {
        stream.write_all(&bytes).unwrap();
    }
    assert_eq!(receive(&mut stream, &mut Vec::new()).unwrap().text(), "ok");
    println!("up: then {}", memory());
}
