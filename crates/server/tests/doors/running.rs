//! Doors that run in the process of the test.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kukla_plang::check;
use kukla_plang::check::{Options, Point};
use kukla_server::agents::TlsKeeper;
use kukla_server::body::Keep;
use kukla_server::engine::Engine;
use kukla_server::icap::server::{IcapServer, Said};
use kukla_server::metrics::Metrics;
use kukla_server::proxy::upstream::Upstreams;
use kukla_server::proxy::{Proxy, Times};
use kukla_server::record::Recorder;
use kukla_server::rules::Rules;
use kukla_server::services::{Directory, Overrides, Processor, RegistrySource};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::origin::{Got, receive};

static N_FOLDERS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Whether doors log only reloads.
    static IS_QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    /// Whether doors record messages in their folder `records`.
    pub(crate) static IS_RECORDING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// A door that runs; it ends with the test.
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    pub(crate) metrics: Arc<Metrics>,
    runtime: Option<tokio::runtime::Runtime>,
    /// Stops a server of ICAP.
    stop: Option<(oneshot::Sender<()>, JoinHandle<std::io::Result<()>>)>,
}

/// Surroundings of a proxy.
#[derive(Default)]
pub(crate) struct Around {
    /// TLS for clients.
    pub(crate) tls: Option<TlsKeeper>,
    /// TLS to servers.
    pub(crate) upstream_tls: Option<Arc<rustls::ClientConfig>>,
    /// The path that healthy servers answer.
    pub(crate) health: Option<String>,
    /// Whether clients may not bypass services, nor ask for traces.
    pub(crate) is_strict: bool,
    /// Other time limits.
    pub(crate) times: Option<Times>,
}

/// Parts of a door.
struct Parts {
    folder: PathBuf,
    log: Arc<Mutex<Vec<String>>>,
    metrics: Arc<Metrics>,
    points: Vec<(u8, Processor)>,
}

fn parts(programs: &[&str], services: &str, pools: Option<Vec<String>>) -> Parts {
    let n = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("kukla-doors-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let metrics = Arc::new(Metrics::default());
    let keep = Keep { memory: 10_000, size: 1 << 30, ..Keep::default() };
    let path = folder.join("services.toml");
    std::fs::write(&path, services).unwrap();
    let overrides = Overrides { pools, ..Overrides::default() };
    let source = Arc::new(RegistrySource::open(path, overrides, keep.clone()).unwrap());
    let registry = Some(source.current().unwrap().registry.clone());
    let options = Options { registry, ..Options::default() };
    let directory = Arc::new(Directory::default());
    let mut points = Vec::new();
    let recorder = IS_RECORDING.with(std::cell::Cell::get);
    let recorder = recorder.then(|| Arc::new(Recorder::new(folder.join("records")).unwrap()));
    for (index, program) in programs.iter().enumerate() {
        // `shadow:` in front of a program makes it the shadow of the one before.
        if let Some(shadow) = program.strip_prefix("shadow:") {
            let (point, processor): &mut (u8, Processor) = points.last_mut().unwrap();
            let phase = if *point == 1 { Point::Request } else { Point::Response };
            let path = folder.join(format!("{index}.p"));
            std::fs::write(&path, shadow).unwrap();
            let options = Options { point: phase, ..options.clone() };
            let shadow = Rules::open_with(&path, options, Some(Arc::clone(&source))).unwrap();
            processor.engine.rules.shadow = Some(Box::new(shadow));
            continue;
        }
        // `3:` in front of a program is its point.
        let (wanted, program) = match program.strip_prefix("3:") {
            Some(program) => (Some(3), program),
            None => (None, *program),
        };
        let can_run =
            |point| check(program, &Options { point, ..options.clone() }).program.is_some();
        let is_for_responses = !can_run(Point::Request) && can_run(Point::Response);
        let point = wanted.unwrap_or(if is_for_responses { 3 } else { 1 });
        let path = folder.join(format!("{index}.p"));
        std::fs::write(&path, program).unwrap();
        let phase = if point == 1 { Point::Request } else { Point::Response };
        let with_phase = Options { point: phase, ..options.clone() };
        let rules = Rules::open_with(&path, with_phase, Some(Arc::clone(&source))).unwrap();
        let engine = Engine {
            rules,
            recorder: recorder.clone(),
            metrics: Arc::clone(&metrics),
            log: keeps(&log),
            logs_all: !IS_QUIET.with(std::cell::Cell::get),
            utc_offset: 0,
        };
        let processor = Processor {
            engine,
            directory: Arc::clone(&directory),
            keep: keep.clone(),
            plans: true,
        };
        points.push((point, processor));
    }
    Parts { folder, log, metrics, points }
}

/// Returns a receiver of log lines that keeps them; of a quiet door only those about reloads, so that hours of load
/// don't look like a leak.
fn keeps(log: &Arc<Mutex<Vec<String>>>) -> kukla_server::Log {
    let (lines, is_quiet) = (Arc::clone(log), IS_QUIET.with(std::cell::Cell::get));
    Arc::new(move |line: &str| {
        if !is_quiet || line.contains("\"event\":\"reload") {
            lines.lock().unwrap().push(line.to_owned());
        }
    })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

impl Door {
    /// Starts a proxy in front of servers, `[NAME=]ADDRESS`.
    pub(crate) fn proxy(programs: &[&str], services: &str, upstreams: &[String]) -> Self {
        Self::proxy_with(programs, services, upstreams, Around::default())
    }

    /// Starts a proxy with one program that logs only reloads.
    pub(crate) fn quiet_proxy(program: &str, upstreams: &[String]) -> Self {
        Self::quiet_with(&[program], "", upstreams)
    }

    /// Starts a proxy that logs only reloads.
    pub(crate) fn quiet_with(programs: &[&str], services: &str, upstreams: &[String]) -> Self {
        IS_QUIET.with(|is_quiet| is_quiet.set(true));
        let door = Self::proxy(programs, services, upstreams);
        IS_QUIET.with(|is_quiet| is_quiet.set(false));
        door
    }

    /// Starts a proxy with other surroundings. Without servers it is a forward proxy.
    pub(crate) fn proxy_with(
        programs: &[&str],
        services: &str,
        upstreams: &[String],
        around: Around,
    ) -> Self {
        let Around { tls, upstream_tls, health, is_strict, times } = around;
        let forwards = upstreams.is_empty();
        let upstreams = match forwards {
            true => Upstreams::named(),
            false => Upstreams::parse(upstreams, upstream_tls, health).unwrap(),
        };
        let parts = parts(programs, services, Some(upstreams.names()));
        let mut points = [const { None }; 4];
        for (point, mut processor) in parts.points {
            processor.plans = false;
            points[usize::from(point) - 1] = Some(processor);
        }
        let proxy = Proxy {
            points,
            upstreams,
            tls,
            name: "test".to_owned(),
            allows_bypass: !is_strict,
            allows_trace: !is_strict,
            forwards,
            lenient_paths: false,
            times: times
                .unwrap_or_else(|| Times { head: Duration::from_secs(1), ..Times::default() }),
            max_body: 1 << 40,
            metrics: Arc::clone(&parts.metrics),
            log: keeps(&parts.log),
        };
        let runtime = runtime();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(kukla_server::proxy::serve(
            Arc::new(proxy),
            listener,
            std::future::pending(),
        ));
        let Parts { folder, log, metrics, .. } = parts;
        Self { address, folder, log, metrics, runtime: Some(runtime), stop: None }
    }

    /// Starts a server of ICAP that logs only denials and failures.
    pub(crate) fn quiet_icap(programs: &[&str]) -> Self {
        Self::quiet_icap_with(programs, "")
    }

    /// Starts a server of ICAP with services that logs only reloads.
    pub(crate) fn quiet_icap_with(programs: &[&str], services: &str) -> Self {
        IS_QUIET.with(|is_quiet| is_quiet.set(true));
        let door = Self::icap(programs, services);
        IS_QUIET.with(|is_quiet| is_quiet.set(false));
        door
    }

    /// Starts a server of ICAP.
    pub(crate) fn icap(programs: &[&str], services: &str) -> Self {
        let parts = parts(programs, services, None);
        let (mut requests, mut responses) = (None, None);
        for (point, processor) in parts.points {
            *(if point == 1 { &mut requests } else { &mut responses }) = Some(processor);
        }
        let said = Said { metrics: Arc::clone(&parts.metrics), log: keeps(&parts.log) };
        let times = (Duration::from_secs(5), Duration::from_secs(60));
        let server = IcapServer {
            requests,
            responses,
            proxies: Vec::new(),
            times,
            name: "test".to_owned(),
            allows_bypass: true,
            allows_trace: true,
            said,
        };
        let runtime = runtime();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            if stopped.await.is_err() {
                std::future::pending().await
            }
        };
        let server = kukla_server::icap::server::serve(Arc::new(server), listener, stopped);
        let stop = Some((stop, runtime.spawn(server)));
        let Parts { folder, log, metrics, .. } = parts;
        Self { address, folder, log, metrics, runtime: Some(runtime), stop }
    }

    /// Stops a server of ICAP, and waits until it has ended.
    pub(crate) fn stop(&mut self) {
        let (stop, server) = self.stop.take().unwrap();
        stop.send(()).unwrap();
        self.runtime.as_ref().unwrap().block_on(server).unwrap().unwrap();
    }

    /// Returns the log so far.
    pub(crate) fn log_text(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Sends bytes; returns everything that comes back until the connection ends.
pub(crate) fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // A door that refuses early closes the connection before all is sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut out = Vec::new();
    let _ = stream.read_to_end(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Sends a request and reads the response.
pub(crate) fn ask(address: SocketAddr, line: &str, fields: &str, body: &[u8]) -> Got {
    let length =
        if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let head = format!("{line} HTTP/1.1\r\nHost: app\r\n{fields}{length}\r\n");
    let mut stream = connect(address);
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    receive(&mut stream, &mut Vec::new()).unwrap_or_default()
}
