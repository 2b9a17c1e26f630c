//! A server that runs: signals, systemd and its watchdog.

use std::sync::Arc;
use std::time::Duration;

use kukla_server::agents::{AgentServer, serve};
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::sockets::Sockets;
use crate::shell::Shell;

/// The time for requests that have begun when the server is told to stop.
const DRAIN: Duration = Duration::from_secs(30);

/// Serves until a signal ends it, or until another process has taken over.
///
/// `announce` says that it listens: signals count from then on.
pub(super) fn run(
    server: Arc<AgentServer>,
    sockets: Sockets,
    shell: &Shell,
    announce: impl FnOnce(&Sockets) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut sockets = sockets;
        let listeners = sockets.listeners()?;
        let signals = Signals::new()?;
        announce(&sockets)?;
        // The kernel queues connections from now on; with a predecessor it has done so all the time.
        sockets.take_over();
        tell(&[NotifyState::Ready, NotifyState::MainPid(std::process::id())]);
        tokio::spawn(watchdog(Arc::clone(&server)));
        serve(server, listeners, signals.end(sockets, *shell), DRAIN).await?;
        Ok(())
    })
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the end. A new process that does not start leaves this one as it is.
    async fn end(mut self, sockets: Sockets, shell: Shell) {
        let sockets = Arc::new(sockets);
        loop {
            tokio::select! {
                _ = self.terminate.recv() => break,
                _ = self.interrupt.recv() => break,
                _ = self.hang_up.recv() => (),
            }
            let given = Arc::clone(&sockets);
            let handed = tokio::task::spawn_blocking(move || given.hand_over()).await;
            match handed {
                Ok(Ok(process)) => {
                    shell.say(&format!("handed over to process {process}"));
                    tell(&[NotifyState::MainPid(process)]);
                    return;
                }
                Ok(Err(error)) => shell.warning(&format!("goes on: {error:#}")),
                Err(error) => shell.warning(&format!("goes on: {error}")),
            }
        }
        tell(&[NotifyState::Stopping]);
    }
}

/// Tells systemd, every half of the time that it allows, that requests are still taken.
async fn watchdog(server: Arc<AgentServer>) {
    let mut microseconds = 0;
    if !sd_notify::watchdog_enabled(false, &mut microseconds) {
        return;
    }
    loop {
        tokio::time::sleep(Duration::from_micros(microseconds / 2)).await;
        if server.is_alive().await {
            tell(&[NotifyState::Watchdog]);
        }
    }
}

/// Tells systemd something; without systemd it does nothing.
fn tell(state: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(false, state);
}
