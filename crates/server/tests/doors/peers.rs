//! c-icap, and services that play a script.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kukla_server::body::{Held, Keep};
use kukla_server::icap::{
    IcapAnswer, IcapClient, IcapError, IcapMethod, IcapRequest, IcapSettings,
};
use kukla_server::net::Address;

static N_FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A c-icap with its services `echo` and `ex206`; it ends with the test.
pub(crate) struct CIcap {
    child: Child,
    folder: PathBuf,
    pub(crate) port: u16,
}

impl CIcap {
    pub(crate) fn start() -> Self {
        let n = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kukla-c-icap-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let at = folder.display();
        let libraries = libraries();
        let config = format!(
            "PidFile {at}/pid\nCommandsSocket {at}/ctl\nPort 127.0.0.1:{port}\nTmpDir {at}\nStartServers 1\n\
             MaxServers 1\nMinSpareThreads 2\nMaxSpareThreads 20\nThreadsPerChild 20\nMaxKeepAliveRequests -1\nServerLog {at}/server.log\n\
             AccessLog /dev/null\nModulesDir {libraries}\nServicesDir {libraries}\n\
             Service echo srv_echo.so\nService ex206 srv_ex206.so\n"
        );
        std::fs::write(folder.join("conf"), config).unwrap();
        let mut command = Command::new("c-icap");
        command.arg("-N").arg("-f").arg(folder.join("conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("c-icap can't be started ({error}): run `apt-get install c-icap`, or `cargo xtask test`, which does it; `cargo test -- --skip needs_c_icap` leaves this test out")
        });
        let this = Self { child, folder, port };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = std::fs::read_to_string(this.folder.join("server.log"));
            assert!(start.elapsed() < Duration::from_secs(20), "c-icap does not listen: {log:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        this
    }

    /// Returns the number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn client(&self, service: &str) -> IcapClient {
        client(&format!("icap://127.0.0.1:{}/{service}", self.port))
    }
}

impl Drop for CIcap {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns the folder with the services of c-icap.
fn libraries() -> String {
    let folders = std::fs::read_dir("/usr/lib").unwrap().flatten();
    let mut folders = folders.map(|entry| entry.path().join("c_icap")).filter(|path| path.is_dir());
    folders
        .next()
        .expect("c-icap is not installed: run `apt-get install c-icap`")
        .display()
        .to_string()
}

pub(crate) fn client(url: &str) -> IcapClient {
    patient_client(url, Duration::from_secs(2))
}

/// Returns a client that waits for a time.
pub(crate) fn patient_client(url: &str, time: Duration) -> IcapClient {
    let settings = IcapSettings {
        time,
        keep: Keep { memory: 1000, size: 1 << 20, ..Keep::default() },
        ..IcapSettings::default()
    };
    let address = Address::parse(url, &[("icap", 1344, false)], "a service").unwrap();
    IcapClient::new(address, None, settings)
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub(crate) fn request(method: IcapMethod, size: usize) -> IcapRequest {
    let request = b"POST /upload HTTP/1.1\r\nHost: app\r\n".to_vec();
    let length = format!("Content-Type: text/plain\r\nContent-Length: {size}\r\n\r\n").into_bytes();
    match method {
        IcapMethod::Reqmod => IcapRequest {
            method,
            request: [request, length].concat(),
            response: None,
            fields: vec![("X-Client-IP".to_owned(), b"10.1.2.3".to_vec())],
        },
        IcapMethod::Respmod => IcapRequest {
            method,
            request: [request, b"\r\n".to_vec()].concat(),
            response: Some([b"HTTP/1.1 200 OK\r\n".to_vec(), length].concat()),
            fields: Vec::new(),
        },
    }
}

pub(crate) fn body(size: usize) -> Vec<u8> {
    (0..size).map(|index| b'a' + u8::try_from(index % 23).unwrap()).collect()
}

/// The answer of a service: whether it is a response, its first line, its body.
pub(crate) type Seen = Option<(bool, String, Vec<u8>)>;

/// Calls a service; `None`: the message stays as it is.
pub(crate) fn adapt(
    client: &IcapClient,
    method: IcapMethod,
    bytes: &[u8],
) -> Result<Seen, IcapError> {
    runtime().block_on(adapt_async(client, method, bytes))
}

pub(crate) async fn adapt_async(
    client: &IcapClient,
    method: IcapMethod,
    bytes: &[u8],
) -> Result<Seen, IcapError> {
    let keep = Keep { memory: 1000, ..Keep::default() };
    let mut held = Held::from_bytes(bytes.to_vec().into(), &keep);
    let held = (!bytes.is_empty()).then_some(&mut held);
    match client.adapt(&request(method, bytes.len()), held).await? {
        IcapAnswer::Unchanged => Ok(None),
        IcapAnswer::Adapted { head, is_response, body } => {
            let mut out = Vec::new();
            if let Some(mut body) = body {
                while let Some(bytes) = body.read(out.len() as u64).await.unwrap() {
                    out.extend_from_slice(&bytes);
                }
            }
            Ok(Some((is_response, String::from_utf8_lossy(head.line()).into_owned(), out)))
        }
    }
}

/// A service that answers OPTIONS, and then plays its script on each connection.
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    /// Everything that it got, one text per connection.
    pub(crate) got: Arc<Mutex<Vec<String>>>,
}

pub(crate) const OPTIONS: &str = "ICAP/1.0 200 OK\r\nMethods: REQMOD, RESPMOD\r\nISTag: \"one\"\r\nEncapsulated: null-body=0\r\n";

impl Scripted {
    /// Starts a service; the script gets the connection after the head of a message, and the number of the message.
    pub(crate) fn start(
        options: &str,
        script: impl Fn(&mut TcpStream, usize) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let got = Arc::new(Mutex::new(Vec::new()));
        let (heads, options) = (Arc::clone(&got), format!("{OPTIONS}{options}\r\n"));
        std::thread::spawn(move || {
            let mut n_messages = 0;
            for mut stream in listener.incoming().flatten() {
                stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                loop {
                    let head = read_head(&mut stream);
                    if head.is_empty() {
                        break;
                    }
                    if head.starts_with("OPTIONS") {
                        stream.write_all(options.as_bytes()).unwrap();
                        continue;
                    }
                    heads.lock().unwrap().push(head);
                    n_messages += 1;
                    script(&mut stream, n_messages);
                    break;
                }
            }
        });
        Self { address, got }
    }

    pub(crate) fn client(&self) -> IcapClient {
        client(&format!("icap://{}/scripted", self.address))
    }
}

/// Reads until the first empty line.
fn read_head(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
        bytes.push(byte[0]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
