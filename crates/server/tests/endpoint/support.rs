//! One endpoint per test, and a client for it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kukla_plang::Options;
use kukla_server::engine::Engine;
use kukla_server::forward_auth::{Endpoint, serve};
use kukla_server::forwarded::{CertHeaders, Proxy, Trust};
use kukla_server::metrics::Metrics;
use kukla_server::record::Recorder;
use kukla_server::rules::Rules;

static N_FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A running endpoint; its threads end with the process.
pub(crate) struct RunningEndpoint {
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    pub(crate) endpoint: Arc<Endpoint>,
    runtime: Option<tokio::runtime::Runtime>,
}

/// Configuration of the endpoint.
#[derive(Clone, Copy, Default)]
pub(crate) struct EndpointOptions<'t> {
    pub(crate) proxy: Proxy,
    pub(crate) cert_headers: Option<CertHeaders>,
    pub(crate) lenient_paths: bool,
    pub(crate) shadow: Option<&'t str>,
    pub(crate) records: bool,
}

impl RunningEndpoint {
    /// Starts an endpoint with a program.
    pub(crate) fn new(program: &str, options: EndpointOptions<'_>) -> Self {
        let n = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kukla-server-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let mut rules = open(&folder.join("policy.p"), program);
        if let Some(shadow) = options.shadow {
            rules.shadow = Some(Box::new(open(&folder.join("shadow.p"), shadow)));
        }
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let recorder = options.records.then(|| Recorder::new(folder.join("messages")));
        let endpoint = Endpoint {
            engine: Engine {
                rules,
                recorder: recorder.transpose().expect("a folder can be made").map(Arc::new),
                metrics: Arc::new(Metrics::default()),
                log: Arc::new(move |line: &str| {
                    lines.lock().expect("it is whole").push(line.to_owned())
                }),
                logs_all: false,
                utc_offset: 0,
            },
            trust: Trust {
                proxy: options.proxy,
                cert_headers: options.cert_headers,
                lenient_paths: options.lenient_paths,
            },
            proxies: Vec::new(),
            head_time: Duration::from_millis(500),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(2).enable_all().build().expect("it starts");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let endpoint = Arc::new(endpoint);
        runtime.spawn(serve(Arc::clone(&endpoint), listener));
        Self { address, folder, log, endpoint, runtime: Some(runtime) }
    }

    /// Opens a connection with a timeout.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it is a time");
        stream.set_nodelay(true).expect("it is set");
        stream
    }

    /// Returns status and response to a request with these lines.
    pub(crate) fn ask(&self, line: &str, fields: &[(&str, &str)]) -> (u16, String) {
        let fields: String =
            fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.send(
            format!("{line} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n{fields}\r\n").as_bytes(),
        )
    }

    /// Returns the value of a counter.
    pub(crate) fn count(&self, counter: &str) -> u64 {
        let text = self.endpoint.engine.metrics.text();
        let value = text.lines().find_map(|line| line.strip_prefix(counter)?.strip_prefix(' '));
        value.expect("there is such a counter").parse().expect("it is a number")
    }

    /// Returns the log so far.
    pub(crate) fn log_text(&self) -> String {
        self.log.lock().expect("it is whole").join("\n")
    }

    /// Sends bytes; returns status and response, or 0 if there is none.
    pub(crate) fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        // An endpoint that refuses early closes the connection before all is sent.
        let _ = stream.write_all(bytes);
        answer(&mut stream)
    }
}

/// Reads until the connection ends.
pub(crate) fn answer(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or(0), text)
}

fn open(path: &Path, program: &str) -> Rules {
    std::fs::write(path, program).expect("it can be written");
    Rules::open(path, Options::default()).expect("the program is valid")
}

impl Drop for RunningEndpoint {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        // A leftover in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
