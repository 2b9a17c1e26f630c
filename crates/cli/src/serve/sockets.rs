//! Listening sockets: bound here, handed over by systemd or by the process before, and handed over to the next one.
//!
//! The processes share one socket, and so one queue of connections: none is refused or reset between them. With
//! `SO_REUSEPORT` each process would have a queue of its own, and connections in that of the old one would be lost.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use command_fds::{CommandFdExt as _, FdMapping};
use kukla_server::agents::{Door, Listener};

use crate::shell::Shell;

/// The first socket that a process inherits.
const FIRST: i32 = 3;
/// Tells a process that the last of its sockets leads to the process before it.
const PREDECESSOR: &str = "KUKLA_PREDECESSOR";
/// The time for a new process to be ready.
const READY_TIME: Duration = Duration::from_secs(120);

/// The sockets of a server: the first speaks TLS.
#[derive(Debug)]
pub(super) struct Sockets {
    sockets: Vec<(Door, TcpListener)>,
    /// The process before this one, which waits for this one to be ready.
    predecessor: Option<UnixDatagram>,
    /// This program.
    program: PathBuf,
}

impl Sockets {
    /// Returns the sockets that this process inherits, or else binds them.
    ///
    /// Systemd hands over one to four of them: TLS, plain HTTP if that is configured or nothing else is, tools, the page.
    pub(super) fn open(
        tls: SocketAddr,
        plain: Option<SocketAddr>,
        tools: Option<SocketAddr>,
        page: Option<SocketAddr>,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("can't find this program")?;
        let mut inherited = listenfd::ListenFd::from_env();
        let has_predecessor = std::env::var_os(PREDECESSOR).is_some();
        let n_sockets = inherited.len().saturating_sub(usize::from(has_predecessor));
        let mut doors = vec![(Door::Tls, tls)];
        doors.extend(plain.map(|address| (Door::Plain, address)));
        doors.extend(tools.map(|address| (Door::Tools, address)));
        doors.extend(page.map(|address| (Door::Page, address)));
        let mut sockets = Vec::new();
        for number in 0..n_sockets.min(4) {
            let door = doors.get(number).map_or(Door::Plain, |(door, _)| *door);
            sockets.extend(inherited.take_tcp_listener(number)?.map(|socket| (door, socket)));
        }
        let predecessor =
            if has_predecessor { inherited.take_unix_datagram(n_sockets)? } else { None };
        if sockets.is_empty() {
            for (door, address) in doors {
                sockets.push((door, bind(address)?));
            }
        }
        for (door, socket) in &sockets {
            refuse_reachable(*door, socket)?;
            socket.set_nonblocking(true)?;
        }
        Ok(Self { sockets, predecessor, program })
    }

    /// Says where the server listens.
    pub(super) fn announce(&self, shell: &Shell) -> anyhow::Result<()> {
        for (door, socket) in &self.sockets {
            let kind = match door {
                Door::Tls => "TLS",
                Door::Plain => "plain HTTP",
                Door::Tools => "plain HTTP, the store for tools",
                Door::Page => "plain HTTP, the page for browsers of this machine",
            };
            shell.say(&format!("listening at {} ({kind})", socket.local_addr()?));
        }
        Ok(())
    }

    /// Returns the port of TLS.
    pub(super) fn port(&self) -> Option<u16> {
        self.sockets.first()?.1.local_addr().ok().map(|address| address.port())
    }

    /// Returns listeners for the async runtime.
    pub(super) fn listeners(&self) -> anyhow::Result<Vec<Listener>> {
        let listener = |(door, socket): &(Door, TcpListener)| {
            let socket = tokio::net::TcpListener::from_std(socket.try_clone()?)?;
            Ok(Listener { socket, door: *door })
        };
        self.sockets.iter().map(listener).collect()
    }

    /// Tells the process before this one that it may end.
    pub(super) fn take_over(&mut self) {
        if let Some(predecessor) = self.predecessor.take() {
            // A process that is gone need not be told.
            let _ = predecessor.send(b"ready");
        }
    }

    /// Starts the program anew with these sockets; returns its process when it is ready.
    pub(super) fn hand_over(&self) -> anyhow::Result<u32> {
        let (own, other) = UnixDatagram::pair()?;
        let sockets = self.sockets.iter().map(|(_, socket)| socket.try_clone());
        let mut inherited: Vec<OwnedFd> =
            sockets.map(|socket| socket.map(OwnedFd::from)).collect::<Result<_, _>>()?;
        inherited.push(other.into());
        let n_inherited = inherited.len();
        let mappings = (FIRST..).zip(inherited);
        let mappings = mappings.map(|(child_fd, parent_fd)| FdMapping { parent_fd, child_fd });
        let mut command = Command::new(&self.program);
        command
            .args(std::env::args_os().skip(1))
            .env("LISTEN_FDS", n_inherited.to_string())
            .env(PREDECESSOR, "1")
            .env_remove("LISTEN_PID")
            .env_remove("LISTEN_FDNAMES")
            .env_remove("WATCHDOG_PID")
            .fd_mappings(mappings.collect())?;
        let mut child = command.spawn().context("can't start the new process")?;
        // Otherwise this process would keep the other end open.
        drop(command);
        match wait(&mut child, &own) {
            Ok(()) => Ok(child.id()),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }
}

/// Waits until a new process is ready.
fn wait(child: &mut Child, socket: &UnixDatagram) -> anyhow::Result<()> {
    socket.set_read_timeout(Some(Duration::from_millis(50)))?;
    let start = Instant::now();
    while start.elapsed() < READY_TIME {
        if let Some(status) = child.try_wait()? {
            bail!("the new process has ended: {status}");
        }
        if socket.recv(&mut [0; 16]).is_ok_and(|n_bytes| n_bytes > 0) {
            return Ok(());
        }
    }
    bail!("the new process was not ready in {} seconds", READY_TIME.as_secs())
}

/// Refuses a socket for tools or the page that others than this machine could reach: nothing is asked of clients there.
fn refuse_reachable(door: Door, socket: &TcpListener) -> anyhow::Result<()> {
    let address = socket.local_addr()?;
    let option = match door {
        Door::Tls | Door::Plain => return Ok(()),
        Door::Tools => "--store-listen",
        Door::Page => "--page",
    };
    match address.ip().is_loopback() {
        true => Ok(()),
        false => bail!(
            "{option} {address}: the address must be one of this machine alone, such as 127.0.0.1"
        ),
    }
}

fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| format!("can't listen at {address}"))
}
