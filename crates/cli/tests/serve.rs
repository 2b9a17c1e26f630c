//! `kukla serve` beside a real agent.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

struct Server {
    child: Child,
    port: u16,
    directory: PathBuf,
}

impl Server {
    /// Starts a server in an empty directory of its own.
    fn start(name: &str) -> Self {
        let name = format!("kukla-serve-{name}-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(directory.join("server")).expect("a directory");
        let mut child = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(["serve", "--listen", "127.0.0.1:0", "--confdir"])
            .arg(directory.join("server"))
            .args(["--set", "autosign=true", "--set", "keylength=2048"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kukla starts");
        let (sender, lines) = std::sync::mpsc::channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(child.stdout.take().expect("a pipe")),
            Box::new(child.stderr.take().expect("a pipe")),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        drop(sender);
        let port = lines.iter().find_map(|line| {
            let rest = line.split_once("listening at 127.0.0.1:")?.1;
            rest.split(' ').next()?.parse().ok()
        });
        Self { child, port: port.expect("it listens"), directory }
    }

    fn environment(&self) -> PathBuf {
        self.directory.join("server/code/environments/production")
    }

    /// Runs an agent once.
    fn agent(&self, name: &str) -> Output {
        let own = self.directory.join(name);
        let option = |name: &str| format!("--{name}={}", own.join(name).display());
        Command::new("puppet")
            .args(["agent", "--test", "--server", "localhost", "--keylength", "2048"])
            .args(["--certname", name, "--waitforcert", "0", "--color", "false"])
            .args(["--serverport", &self.port.to_string()])
            .args(["confdir", "vardir", "ssldir", "rundir", "logdir", "publicdir"].map(option))
            .output()
            .expect("puppet runs")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, text).expect("written");
}

/// An agent without a certificate gets one, its plugins, its catalog and a file, and its report is stored.
#[test]
fn needs_puppet_agent_first_run() {
    let server = Server::start("first");
    let module = server.environment().join("modules/hello");
    write(&module.join("lib/facter/served.rb"), "Facter.add(:served) { setcode { 'by kukla' } }\n");
    write(&module.join("files/text.txt"), "a file from the server\n");
    let target = server.directory.join("target.txt");
    write(
        &module.join("manifests/init.pp"),
        &format!(
            "class hello {{\n  notify {{ \"hello ${{trusted['certname']}}, ${{facts['served']}}\": }}\n  \
             file {{ '{}': source => 'puppet:///modules/hello/text.txt' }}\n}}\n",
            target.display()
        ),
    );
    let run = server.agent("agent.test");
    let text =
        String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    // Status 2: resources were changed, and nothing failed.
    assert_eq!(run.status.code(), Some(2), "{text}");
    assert!(text.contains("hello agent.test, by kukla"), "{text}");
    assert_eq!(std::fs::read_to_string(&target).expect("a file"), "a file from the server\n");
    let reports = server.directory.join("server/var/reports/agent.test");
    let n_reports = std::fs::read_dir(&reports).map_or(0, Iterator::count);
    assert_eq!(n_reports, 1, "{text}");
    let facts = server.directory.join("server/var/server_data/facts/agent.test.json");
    assert!(facts.is_file(), "{text}");
}
