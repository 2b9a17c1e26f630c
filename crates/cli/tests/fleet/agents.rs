//! Agents that run again and again, each with its own directories.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::fleet::Fleet;

/// Options of a run whose failure shows: no cached catalog takes the place of one that can't be had.
const OPTIONS: &[&str] = &[
    "agent",
    "--onetime",
    "--no-daemonize",
    "--verbose",
    "--detailed-exitcodes",
    "--no-usecacheonfailure",
    "--no-splay",
    "--waitforcert=2",
    "--color=false",
    "--keylength=2048",
];

/// The agents of a fleet.
pub(crate) struct Crowd<'a> {
    fleet: &'a Fleet,
    n_agents: usize,
    /// The number of runs of each agent so far.
    pub(crate) runs: Mutex<BTreeMap<String, u32>>,
    n_new: AtomicU32,
}

impl<'a> Crowd<'a> {
    pub(crate) fn new(fleet: &'a Fleet, n_agents: usize) -> Self {
        Self { fleet, n_agents, runs: Mutex::default(), n_new: AtomicU32::new(0) }
    }

    /// Lets the first agent run once.
    pub(crate) fn run_once(&self) {
        self.run("agent1.test");
    }

    /// Lets all agents run, and new ones join, while something happens.
    pub(crate) fn while_running(&self, happen: impl FnOnce()) {
        let is_over = AtomicBool::new(false);
        let agents = || (1..=self.n_agents).map(|number| format!("agent{number}.test"));
        std::thread::scope(|scope| {
            for name in agents() {
                let is_over = &is_over;
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        self.run(&name);
                    }
                });
            }
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let number = self.n_new.fetch_add(1, Ordering::Relaxed);
                    self.run(&format!("new{number}.test"));
                    std::thread::sleep(Duration::from_secs(5));
                }
            });
            // The agents end also if something fails.
            let end = EndOf(&is_over);
            happen();
            drop(end);
        });
        for name in agents() {
            // With all servers there, the last word of each is heard.
            self.run(&name);
        }
    }

    /// Runs an agent; fails unless it gets its catalog, applies it and sends its report.
    fn run(&self, name: &str) {
        let number = {
            let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            let number = runs.entry(name.to_owned()).or_default();
            *number += 1;
            *number
        };
        let output = self.command(name, OPTIONS).env("FACTER_run", number.to_string()).output();
        let (status, text) = read(&output.expect("puppet runs"));
        // A new agent says why it still waits for its certificate.
        let waits = ["certificate", "CRL", "SSL", "Run of Puppet", "503", "Request to"];
        let is_wrong = |line: &&str| {
            let is_of_waiting = number == 1 && waits.iter().any(|word| line.contains(word));
            line.starts_with("Error: ") && !line.contains("Facter") && !is_of_waiting
        };
        let wrong: Vec<&str> = text.lines().filter(is_wrong).collect();
        assert!(
            status == 2 && wrong.is_empty() && text.contains("Applied catalog in"),
            "run {number} of {name} ended with {status}: {wrong:?}\n{text}\n{}",
            self.logs()
        );
    }

    /// Returns the last lines of all logs.
    fn logs(&self) -> String {
        let last = |text: String| {
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(25)..].join("\n")
        };
        let members = self.fleet.members.iter();
        let logs = members.map(|member| format!("{}:\n{}", member.name, last(member.log())));
        let balancer = std::fs::read_to_string(self.fleet.directory.join("haproxy.log"));
        logs.chain([last(balancer.unwrap_or_default())]).collect::<Vec<_>>().join("\n")
    }

    /// Returns the directory of an agent.
    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.fleet.directory.join("agents").join(name)
    }

    /// Returns a command of Puppet with the directories of an agent.
    pub(crate) fn command(&self, name: &str, words: &[&str]) -> Command {
        let own = self.own(name);
        let target = own.join("target");
        std::fs::create_dir_all(&target).expect("a directory");
        let mut command = Command::new("puppet");
        let option = |name: &str| format!("--{name}={}", own.join(name).display());
        let Fleet { address, port, .. } = self.fleet;
        command
            .args(words)
            .args(["--server", address, "--serverport", &port.to_string(), "--certname", name])
            .args(["confdir", "vardir", "ssldir", "rundir", "logdir", "publicdir"].map(option))
            .env("FACTER_target", &target)
            .env("FACTER_hub", address)
            .env("FACTER_hub_port", port.to_string())
            .env("HOME", &own)
            .env("LANG", "C.UTF-8");
        command
    }

    /// Returns how much the agents did.
    pub(crate) fn summary(&self) -> String {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let n_runs: u32 = runs.values().sum();
        format!("{n_runs} runs of {} agents", runs.len())
    }
}

/// Says that it is over when it is dropped.
struct EndOf<'a>(&'a AtomicBool);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns the exit status of a program, and everything that it printed.
pub(crate) fn read(output: &Output) -> (i32, String) {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}
