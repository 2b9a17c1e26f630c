//! The whole set-up: certificates, code on each server, a database, a balancer.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::balancer::{Balancer, Way};
use crate::member::Member;
use crate::network::{self, Network};
use crate::postgres::Server;

/// A fleet that runs.
pub(crate) struct Fleet {
    /// The address and the port that agents know.
    pub(crate) address: String,
    pub(crate) port: u16,
    pub(crate) database: String,
    // They end in this order.
    _balancer: Balancer,
    pub(crate) members: Vec<Member>,
    pub(crate) server: Server,
    _network: Option<Network>,
    pub(crate) directory: PathBuf,
}

/// Every run changes a file whose old content goes to the bucket, and takes a second to compile.
const MANIFEST: &str = "\
$wait = generate('/bin/sleep', '1')
filebucket { 'main': server => $facts['hub'], port => Integer($facts['hub_port']), path => false }
file { \"${facts['target']}/run\": content => \"run ${facts['run']}\\n\", backup => 'main' }
@@notify { \"from ${trusted['certname']}\": tag => 'fleet' }
Notify <<| tag == 'fleet' |>>
";

const PUPPET_CONF: &str = "\
[main]
certname = NAME
dns_alt_names = ALT
confdir = ROOT/conf
codedir = ROOT/code
vardir = ROOT/var
logdir = ROOT/log
rundir = ROOT/run
ssldir = ROOT/ssl
publicdir = ROOT/public
keylength = 2048
[server]
cadir = ROOT/conf/ca
ca = IS_CA
ca_server = CA_HOST
ca_port = CA_PORT
autosign = true
environmentpath = ROOT/code/environments
basemodulepath = ROOT/code/modules
environment_timeout = unlimited
store = DATABASE
storeconfigs = true
reports = none
edition = 7
";

fn free_port() -> u16 {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a socket");
    socket.local_addr().expect("an address").port()
}

impl Fleet {
    /// Servers on the loopback interface.
    pub(crate) fn on_loopback(n_members: usize, way: Way) -> Self {
        let directory = scratch();
        let member = |number| {
            let own = directory.join(format!("server{}", number + 1));
            Member::new(number, "127.0.0.1".to_owned(), free_port(), own, false)
        };
        let members = (0..n_members).map(member).collect();
        let server = Server::start(&[]);
        let database = server.database();
        let hub = ("127.0.0.1".to_owned(), free_port());
        Self::finish(directory, hub, members, (server, database), (None, way))
    }

    /// Servers in network namespaces.
    pub(crate) fn in_namespaces(n_members: usize) -> Self {
        let directory = scratch();
        let network = Network::new(n_members);
        let member = |number| {
            let own = directory.join(format!("server{}", number + 1));
            Member::new(number, network::address(number), 8140, own, true)
        };
        let members = (0..n_members).map(member).collect();
        let hba = directory.join("pg_hba.conf");
        let rules = "local all all trust\nhost all all 198.18.77.0/24 trust\n";
        std::fs::write(&hba, rules).expect("written");
        let server = Server::start(&[
            &format!("listen_addresses = '{}'", network::hub()),
            &format!("hba_file = '{}'", hba.display()),
        ]);
        let local = server.database();
        let (_, rest) = local.split_once("@/").expect("an address");
        let (name, _) = rest.split_once('?').expect("a name");
        let hub = network::hub();
        let database = format!("postgresql://postgres@{hub}/{name}?sslmode=disable");
        let network = (Some(network), Way::Ended);
        Self::finish(directory, (hub, 8140), members, (server, database), network)
    }

    fn finish(
        directory: PathBuf,
        (address, port): (String, u16),
        members: Vec<Member>,
        (server, database): (Server, String),
        (network, way): (Option<Network>, Way),
    ) -> Self {
        let ca = &members[0];
        for member in &members {
            prepare(member, ca, &database);
        }
        // The first start makes the CA.
        ca.start();
        for member in &members[1..] {
            certify(ca, &member.name, &member.address);
            for path in ["private_keys", "certs"] {
                let file = format!("ssl/{path}/{}.pem", member.name);
                put(&member.directory.join(&file), &read(&ca.directory.join(&file)));
            }
            for file in ["ssl/certs/ca.pem", "ssl/crl.pem"] {
                put(&member.directory.join(file), &read(&ca.directory.join(file)));
            }
            member.start();
        }
        certify(ca, "balancer.test", &address);
        let own = |kind: &str| read(&ca.directory.join(format!("ssl/{kind}/balancer.test.pem")));
        put(&directory.join("balancer.pem"), &[own("certs"), own("private_keys")].concat());
        put(&directory.join("ca.pem"), &read(&ca.directory.join("ssl/certs/ca.pem")));
        let balancer = Balancer::start(&directory, (&address, port), &members, way);
        let fleet = Self {
            address,
            port,
            database,
            server,
            _balancer: balancer,
            members,
            _network: network,
            directory,
        };
        for number in 0..fleet.members.len() {
            fleet.wait_until_up(number);
        }
        fleet
    }

    /// Waits until a member compiles a catalog, and returns it.
    pub(crate) fn busy_member(&self) -> usize {
        let start = Instant::now();
        loop {
            if let Some(member) = self.busy() {
                return member;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no agent asks for a catalog");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the member below which a program runs that a manifest has started.
    fn busy(&self) -> Option<usize> {
        let output = Command::new("ps").args(["-eo", "ppid,args"]).output().expect("`ps` runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut sleeping = text.lines().filter(|line| line.contains("/bin/sleep 1"));
        let parent =
            sleeping.find_map(|line| line.split_whitespace().next()?.parse::<u32>().ok())?;
        self.members.iter().position(|member| member.has_process(parent))
    }

    /// Waits until the balancer sends requests to a member again.
    pub(crate) fn wait_until_up(&self, number: usize) {
        let start = Instant::now();
        let member = &self.members[number];
        let n_before = member.log().matches("/status/v1/simple").count();
        // Two checks that succeed.
        while member.log().matches("/status/v1/simple").count() < n_before + 3 {
            assert!(start.elapsed() < Duration::from_secs(60), "{} is not asked", member.name);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the lines of an answer of the database.
    pub(crate) fn ask(&self, query: &str) -> Vec<String> {
        let name = self.database.rsplit('/').find_map(|part| Some(part.split_once('?')?.0));
        self.server.ask(name.expect("a database"), query)
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::env::var_os("KEEP").is_none() {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

fn scratch() -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("kukla-fleet-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&path).expect("a directory");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    path
}

fn prepare(member: &Member, ca: &Member, database: &str) {
    let Member { name, address, directory, .. } = member;
    let conf = PUPPET_CONF
        .replace("NAME", name)
        .replace("ALT", &format!("localhost,IP:{address}"))
        .replace("ROOT", &directory.display().to_string())
        .replace("IS_CA", &(member.number == 0).to_string())
        .replace("CA_HOST", if member.number == 0 { name } else { &ca.address })
        .replace("CA_PORT", &ca.port.to_string())
        .replace("DATABASE", database);
    put(&directory.join("conf/puppet.conf"), conf.as_bytes());
    let ca_conf = "certificate-authority: { allow-subject-alt-names: true }\n";
    put(&directory.join("conf/conf.d/ca.conf"), ca_conf.as_bytes());
    let site = directory.join("code/environments/production/manifests/site.pp");
    put(&site, MANIFEST.as_bytes());
    put(&directory.join("code/environments/production/modules/.keep"), b"");
}

fn certify(ca: &Member, name: &str, address: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(["ca", "generate", "--certname", name, "--subject-alt-names"])
        .arg(format!("{name},localhost,IP:{address}"))
        .arg("--config")
        .arg(ca.directory.join("conf/puppet.conf"))
        .output()
        .expect("kukla runs");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn put(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, content).expect("written");
}
