//! A store that runs: Kukla's, or PuppetDB with its PostgreSQL.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kukla_tests::catalog::kukla;

use super::http::Client;

/// Ticks of the kernel's clock for CPU time in a second.
const TICKS: u64 = 100;
/// A cold start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);
/// The script that starts PuppetDB, with the settings of the tests.
const SERVICE: &str = "tests/oracle/puppetdb/service.py";

/// A server program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kukla,
    PuppetDb,
}

/// A server that answers.
pub(super) struct Machine {
    kind: Kind,
    child: Child,
    directory: PathBuf,
    pub(super) address: SocketAddr,
    /// The time from the start until it answered.
    pub(super) listening: Duration,
}

impl Machine {
    /// Starts a server in an empty directory, and waits until it answers.
    pub(super) fn start(kind: Kind) -> Result<Self> {
        let name = format!("kukla-store-{kind:?}-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory)?;
        let (child, address, start) = match kind {
            Kind::Kukla => start_kukla(&directory)?,
            Kind::PuppetDb => start_puppetdb(&directory)?,
        };
        let mut machine = Self { kind, child, directory, address, listening: Duration::ZERO };
        let version = "/pdb/meta/v1/version";
        loop {
            let answer = TcpStream::connect(address)
                .map_err(anyhow::Error::from)
                .and_then(|_| Client::connect(address)?.get(version));
            if answer.is_ok_and(|answer| answer.status == 200) {
                break;
            }
            if machine.child.try_wait()?.is_some() || start.elapsed() > PATIENCE {
                bail!("{kind:?} does not start; see {}", machine.directory.display());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        machine.listening = start.elapsed();
        Ok(machine)
    }

    /// Returns the numbers of its processes.
    fn processes(&self) -> Result<Vec<u32>> {
        let mut parents = BTreeMap::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
            let parent = rest.split(' ').nth(1).and_then(|text| text.parse::<u32>().ok());
            parents.insert(id, parent.unwrap_or(0));
        }
        let mut own = vec![self.child.id()];
        // PostgreSQL detaches itself.
        let postmaster = self.directory.join("root/postgresql/data/postmaster.pid");
        if let Ok(text) = std::fs::read_to_string(postmaster) {
            own.extend(text.lines().next().and_then(|line| line.parse::<u32>().ok()));
        }
        let mut at = 0;
        while at < own.len() {
            let parent = own[at];
            own.extend(parents.iter().filter(|(_, of)| **of == parent).map(|(id, _)| *id));
            at += 1;
        }
        Ok(own)
    }

    /// Returns the CPU time of all processes so far, with those of PostgreSQL that have ended.
    pub(super) fn cpu(&self) -> Result<Duration> {
        let mut ticks = 0;
        for id in self.processes()? {
            let Ok(text) = std::fs::read_to_string(format!("/proc/{id}/stat")) else { continue };
            let (_, rest) = text.rsplit_once(") ").context("a line of `stat`")?;
            let fields: Vec<&str> = rest.split(' ').collect();
            // User and system time, its own and those of its children that have ended.
            for field in &fields[11..15] {
                ticks += field.parse::<u64>()?;
            }
        }
        Ok(Duration::from_millis(ticks * 1000 / TICKS))
    }

    /// Returns the memory of all processes; what they share counts once.
    pub(super) fn memory(&self) -> Result<u64> {
        let mut bytes = 0;
        for id in self.processes()? {
            let path = format!("/proc/{id}/smaps_rollup");
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
            let line = line.context("a line of `smaps_rollup`")?.trim().trim_end_matches(" kB");
            bytes += line.trim().parse::<u64>()? * 1024;
        }
        Ok(bytes)
    }

    /// Returns the bytes of what it stores: for PuppetDB those of its database.
    pub(super) fn bytes(&self) -> Result<u64> {
        let path = match self.kind {
            Kind::Kukla => self.directory.join("var"),
            Kind::PuppetDb => self.directory.join("root/postgresql/data/base"),
        };
        size(&path)
    }

    /// Stops the server.
    pub(super) fn stop(self) -> Result<()> {
        drop(self);
        Ok(())
    }
}

fn size(path: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(path)?.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let name = entry.file_name();
        let is_counted = !name.to_string_lossy().ends_with("-wal");
        bytes += match metadata.is_dir() {
            true => size(&entry.path())?,
            false if is_counted => metadata.len(),
            false => 0,
        };
    }
    Ok(bytes)
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The script stops both programs when its input ends.
        drop(self.child.stdin.take());
        if self.kind == Kind::Kukla {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn start_kukla(directory: &Path) -> Result<(Child, SocketAddr, Instant)> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let root = directory.display();
    let conf = format!(
        "[main]\ncertname = localhost\nvardir = {root}/var\nssldir = {root}/ssl\n\
         codedir = {root}/code\nkeylength = 2048\n[server]\ncadir = {root}/ca\n"
    );
    std::fs::create_dir_all(directory.join("code/environments/production/manifests"))?;
    std::fs::write(directory.join("puppet.conf"), conf)?;
    // The authority is made before: PuppetDB has its certificates too.
    let command = |options: &[&str]| -> Result<Child> {
        let log = std::fs::File::create(directory.join("log"))?;
        let mut command = Command::new(kukla::program()?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--confdir"]).arg(directory);
        command.args(options).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command.spawn()?)
    };
    let mut first = command(&[])?;
    let start = Instant::now();
    while !std::fs::read_to_string(directory.join("log"))?.contains("listening at") {
        if start.elapsed() > PATIENCE {
            bail!("Kukla does not start");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    first.kill()?;
    first.wait()?;
    let start = Instant::now();
    Ok((command(&["--store-listen", &address.to_string()])?, address, start))
}

fn start_puppetdb(directory: &Path) -> Result<(Child, SocketAddr, Instant)> {
    let start = Instant::now();
    let mut child = Command::new("python3")
        .arg(SERVICE)
        .arg(directory.join("root"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start PuppetDB (Debian: puppetdb, postgresql)")?;
    let mut line = String::new();
    let output = child.stdout.take().context("its output")?;
    BufReader::new(output).read_line(&mut line)?;
    let port = line.split(' ').next().and_then(|text| text.trim().parse::<u16>().ok());
    let port = port.context("PuppetDB does not start")?;
    Ok((child, SocketAddr::from(([127, 0, 0, 1], port)), start))
}
