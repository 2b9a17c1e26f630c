//! The example programs behind the real Squid, which asks the server of ICAP.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::examples::{self, Running};
use crate::origin::Server;
use crate::running::Door;

static N_FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A Squid in front of an origin, with the server of ICAP beside it.
struct Squid {
    child: Child,
    folder: PathBuf,
    address: SocketAddr,
    _door: Door,
}

impl Running for Squid {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

fn squid(programs: &[&str], services: &str, origin: &Server) -> Box<dyn Running> {
    let door = Door::icap(programs, services);
    let n = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("kukla-squid-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Squid gives up root before it writes its log.
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (at, icap, peer) = (folder.display(), door.address, origin.address.port());
    let config = format!(
        "http_port {address} accel defaultsite=app\n\
         cache_peer 127.0.0.1 parent {peer} 0 no-query originserver login=PASSTHRU no-digest no-netdb-exchange name=o\n\
         http_access allow all\ncache deny all\nicap_enable on\nicap_send_client_ip on\nicap_preview_enable on\n\
         icap_service p_req reqmod_precache icap://{icap}/reqmod bypass=off routing=on\n\
         icap_service p_res respmod_precache icap://{icap}/respmod bypass=off\n\
         adaptation_access p_req allow all\nadaptation_access p_res allow all\naccess_log none\n\
         cache_log {at}/cache.log\npid_filename {at}/pid\ncoredump_dir {at}\nshutdown_lifetime 0 seconds\n\
         visible_hostname test\n"
    );
    std::fs::write(folder.join("conf"), config).unwrap();
    let paths = ["squid", "/usr/sbin/squid"];
    let child = paths.iter().find_map(|path| {
        let mut command = Command::new(path);
        command.arg("-N").arg("-f").arg(folder.join("conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok()
    });
    let child = child.expect("squid can't be started: run `apt-get install squid`, or `cargo xtask test`, which does it; `cargo test -- --skip needs_squid` leaves this test out");
    let this = Squid { child, folder, address, _door: door };
    let start = Instant::now();
    while TcpStream::connect(address).is_err() {
        let log = std::fs::read_to_string(this.folder.join("cache.log"));
        assert!(start.elapsed() < Duration::from_secs(30), "squid does not listen: {log:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    Box::new(this)
}

impl Drop for Squid {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn german() {
    examples::the_german_page_is_translated(&squid);
}

#[test]
fn failover() {
    examples::the_failed_service_is_replaced(&squid);
}

#[test]
fn retries() {
    examples::a_service_is_tried_three_times_at_most(&squid);
}

#[test]
fn checkpoint() {
    examples::the_checkpoint_recovers(&squid);
}

#[test]
fn provider() {
    examples::the_provider_adds_local_content(&squid);
}

#[test]
fn consumer() {
    examples::the_consumers_referer_is_removed(&squid);
}

#[test]
fn get_only() {
    examples::a_service_is_for_get_only(&squid);
}

#[test]
fn echo_needs_c_icap() {
    examples::echo_of_c_icap_changes_nothing(&squid);
}
