//! A running server: started, looked at by way of `/proc`, and stopped.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kukla_tests::catalog::kukla;

use super::site::LoadSite;

const JAR: &str = "/usr/share/puppetserver/puppetserver.jar";
const VENDORED: &str = "/usr/lib/puppetserver";
/// Ticks of the kernel's clock for CPU time in a second.
const TICKS: u64 = 100;
/// A cold start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// A server program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kukla,
    /// Kukla, which compiles each catalog, also one that would be the same.
    KuklaAfresh,
    PuppetServer,
}

/// A server that listens.
pub(super) struct Machine {
    child: Child,
    start: Instant,
    pub(super) address: SocketAddr,
    /// The time from the start until it took a connection.
    pub(super) listening: Duration,
}

impl Machine {
    /// Starts a server, and waits until it takes connections.
    pub(super) fn start(site: &LoadSite, kind: Kind) -> Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = match kind {
            Kind::Kukla => kukla_server(site, address)?,
            Kind::KuklaAfresh => {
                let mut command = kukla_server(site, address)?;
                command.args(["--reuse-memory", "0"]);
                command
            }
            Kind::PuppetServer => puppet_server(site, address)?,
        };
        let log = std::fs::File::create(site.at(&format!("{kind:?}.log")))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        let start = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start {kind:?}"))?;
        while TcpStream::connect(address).is_err() {
            if child.try_wait()?.is_some() || start.elapsed() > PATIENCE {
                let _ = child.kill();
                let log = std::fs::read_to_string(site.at(&format!("{kind:?}.log")))?;
                bail!("{kind:?} does not start: {}", &log[log.len().saturating_sub(2000)..]);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(Self { child, start, address, listening: start.elapsed() })
    }

    /// Returns the time since the start.
    pub(super) fn since_start(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the CPU time of the process so far.
    pub(super) fn cpu(&self) -> Result<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, rest) = text.rsplit_once(") ").context("a line of `stat`")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        // User and system time; the first field behind the name is the third.
        let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        Ok(Duration::from_millis(ticks * 1000 / TICKS))
    }

    /// Returns the resident memory in bytes.
    pub(super) fn memory(&self) -> Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let line = line.context("a line of `status`")?.trim().trim_end_matches(" kB");
        Ok(line.trim().parse::<u64>()? * 1024)
    }

    /// Stops the server.
    pub(super) fn stop(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn kukla_server(site: &LoadSite, address: SocketAddr) -> Result<Command> {
    let mut command = Command::new(kukla::program()?);
    command.args(["serve", "--confdir"]).arg(site.at("conf"));
    command.args(["--listen", &address.to_string()]);
    command.args(["--set", "edition=7"]);
    Ok(command)
}

/// Starts it as Debian's unit does, with directories of its own.
fn puppet_server(site: &LoadSite, address: SocketAddr) -> Result<Command> {
    let root = site.at("");
    let root = root.display();
    site.put(
        "server/conf.d/puppetserver.conf",
        &format!(
            "jruby-puppet: {{\n ruby-load-path: [{VENDORED}/ruby/vendor_ruby]\n \
             gem-home: \"{root}gems\"\n gem-path: [\"{root}gems\", {VENDORED}/vendored-jruby-gems]\n \
             server-conf-dir: \"{root}conf\"\n server-code-dir: \"{root}code\"\n \
             server-var-dir: \"{root}var\"\n server-run-dir: \"{root}run\"\n \
             server-log-dir: \"{root}log\"\n}}\n"
        ),
    )?;
    let port = address.port();
    let web =
        format!("webserver: {{ client-auth: want, ssl-host: 127.0.0.1, ssl-port: {port} }}\n");
    site.put("server/conf.d/webserver.conf", &web)?;
    site.put("server/conf.d/global.conf", "global: {}\n")?;
    let stock = "/etc/puppet/puppetserver";
    for name in ["auth.conf", "web-routes.conf", "metrics.conf"] {
        let text = std::fs::read_to_string(format!("{stock}/conf.d/{name}"))?;
        site.put(&format!("server/conf.d/{name}"), &text)?;
    }
    let services = std::fs::read_to_string(format!("{stock}/services.d/bootstrap.cfg"))?;
    site.put("server/services.d/bootstrap.cfg", &services)?;
    site.put(
        "server/services.d/ca.cfg",
        "puppetlabs.services.ca.certificate-authority-disabled-service/certificate-authority-disabled-service\n\
         puppetlabs.trapperkeeper.services.watcher.filesystem-watch-service/filesystem-watch-service\n",
    )?;
    for name in ["gems", "run", "log", "var"] {
        std::fs::create_dir_all(site.at(name))?;
    }
    if is_root() {
        // The server refuses to run as root.
        let status =
            Command::new("chown").args(["-R", "puppet:puppet"]).arg(site.at("")).status()?;
        anyhow::ensure!(status.success(), "`chown` failed");
    }
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid=puppet", "--regid=puppet", "--clear-groups"]);
    }
    command.args(["java", "-Xms1g", "-Xmx1g", "-Djruby.lib=/usr/share/jruby/lib"]);
    command.arg("-Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger");
    command.args(["-jar", JAR, "--config"]).arg(site.at("server/conf.d"));
    command.arg("--bootstrap-config").arg(site.at("server/services.d"));
    command.arg("--restart-file").arg(site.at("run/restart"));
    command.env("HOME", site.at("var")).current_dir(site.at(""));
    Ok(command)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}
