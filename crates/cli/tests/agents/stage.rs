//! A server with its directories, and agents that ask it.

use std::cell::RefCell;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::processes::{Scratch, Serving, free_port};
use crate::run::Run;

/// The program that is the agent.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The source tree; none for Debian's package.
    source: Option<PathBuf>,
}

impl Program {
    /// Debian's agent.
    pub(crate) fn debian() -> Self {
        Self { source: None }
    }

    /// The agent whose source tree the environment names, or else Debian's.
    pub(crate) fn chosen() -> Self {
        Self { source: std::env::var_os("KUKLA_AGENT").map(PathBuf::from) }
    }

    fn command(&self) -> Command {
        let Some(source) = &self.source else { return Command::new("puppet") };
        let mut command = Command::new("ruby");
        command.env("RUBYLIB", source.join("lib")).arg(source.join("bin/puppet"));
        command
    }
}

/// The kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Kukla,
    PuppetServer,
}

/// A running server, whose environments are below `code/environments`.
pub(crate) struct Stage {
    pub(crate) kind: Kind,
    pub(crate) port: u16,
    program: Program,
    notes: RefCell<String>,
    // The server ends before its directory does.
    server: RefCell<Option<Serving>>,
    scratch: Scratch,
}

impl Stage {
    /// Starts Kukla.
    pub(crate) fn kukla(program: Program, name: &str) -> Self {
        let stage = Self::prepared(Kind::Kukla, program, name);
        stage.restart();
        stage
    }

    /// Starts Debian's Puppet Server, which takes a minute or more.
    pub(crate) fn puppet_server(program: Program) -> Self {
        let stage = Self::prepared(Kind::PuppetServer, program, "puppetserver");
        stage.restart();
        stage
    }

    /// Makes the directories of a server that does not run yet.
    pub(crate) fn prepared(kind: Kind, program: Program, name: &str) -> Self {
        let stage = Self {
            kind,
            port: free_port(),
            program,
            notes: RefCell::default(),
            server: RefCell::default(),
            scratch: Scratch::new(name),
        };
        let root = stage.root().display().to_string();
        stage.write("conf/puppet.conf", PUPPET_CONF.replace("ROOT", &root));
        stage.write("conf/custom_trusted_oid_mapping.yaml", OID_MAPPING);
        stage.write("autosign", "");
        stage.executable("enc.sh", &ENC.replace("ROOT", &root));
        stage.write("code/environments/production/manifests/site.pp", "notify { 'production': }\n");
        stage.write("target/.keep", "");
        if kind == Kind::Kukla {
            stage.write("server/conf.d/ca.conf", KUKLA_CA_CONF);
        }
        stage
    }

    /// Starts the server, or ends it and starts it again.
    pub(crate) fn restart(&self) {
        // The edition of the server beside it.
        self.restart_with(&["--set", "edition=7"]);
    }

    /// Starts the server, with further options of Kukla.
    pub(crate) fn restart_with(&self, options: &[&str]) {
        drop(self.server.borrow_mut().take());
        let (root, port) = (self.root(), self.port.to_string());
        let log = root.join("server.log");
        let started = match self.kind {
            Kind::Kukla => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
                command.args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--confdir"]);
                command.arg(root.join("conf")).arg("--conf-d").arg(root.join("server/conf.d"));
                command.args(options);
                Serving::start(&mut command, &log, "listening at")
            }
            Kind::PuppetServer => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("../../tests/oracle/agents/puppetserver.rb");
                let mut command = Command::new("ruby");
                command.arg(script).arg(root).arg(&port);
                Serving::start(&mut command, &log, "ready")
            }
        };
        *self.server.borrow_mut() = Some(started);
    }

    /// Ends the server.
    pub(crate) fn stop(&self) {
        drop(self.server.borrow_mut().take());
    }

    pub(crate) fn root(&self) -> &Path {
        &self.scratch.0
    }

    pub(crate) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Kukla => "Kukla",
            Kind::PuppetServer => "Puppet Server",
        }
    }

    /// Returns the last lines of the server's log.
    pub(crate) fn log(&self) -> String {
        let log = std::fs::read_to_string(self.root().join("server.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Writes a file below the root, which the server's user may read.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(&path, content).expect("written");
        path
    }

    /// Writes a program.
    pub(crate) fn executable(&self, path: &str, text: &str) {
        let path = self.write(path, text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// Writes the manifest of an environment.
    pub(crate) fn site(&self, environment: &str, text: &str) {
        self.write(&format!("code/environments/{environment}/manifests/site.pp"), text);
    }

    /// Writes a file of a module of an environment.
    pub(crate) fn module(&self, environment: &str, path: &str, content: impl AsRef<[u8]>) {
        self.write(&format!("code/environments/{environment}/modules/{path}"), content);
    }

    /// Lets the CA sign names at once, one per line.
    pub(crate) fn autosign(&self, names: &str) {
        let path = self.write("autosign", names);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    }

    /// Returns the directory whose files an agent manages.
    pub(crate) fn target(&self, agent: &str) -> PathBuf {
        self.root().join("target").join(agent)
    }

    /// Returns a directory of an agent.
    pub(crate) fn own(&self, agent: &str) -> PathBuf {
        self.root().join("agents").join(agent)
    }

    /// Returns a command of Puppet with the directories of an agent.
    pub(crate) fn puppet(&self, agent: &str, words: &[&str]) -> Command {
        let own = self.own(agent);
        std::fs::create_dir_all(self.target(agent)).expect("a directory");
        let mut command = self.program.command();
        let option = |name: &str| format!("--{name}={}", own.join(name).display());
        command
            .args(words)
            .args(["--server", "localhost", "--certname", agent, "--color", "false"])
            .args(["--keylength", "2048", "--serverport", &self.port.to_string()])
            .args(["confdir", "vardir", "ssldir", "rundir", "logdir", "publicdir"].map(option))
            .env("FACTER_target", self.target(agent))
            .env("HOME", &own)
            .env("LANG", "C.UTF-8");
        command
    }

    /// Runs an agent once in an environment, with further options, and notes what it did.
    pub(crate) fn agent(&self, name: &str, environment: &str, options: &[&str]) -> Run {
        let mut command = self.puppet(name, AGENT);
        if !environment.is_empty() {
            command.args(["--environment", environment]);
        }
        command.args(options);
        let run = Run::of(self, name, &mut command);
        self.note(&run.notes(self));
        run
    }

    /// Runs another command of Puppet, and returns its exit status and output.
    pub(crate) fn command(&self, name: &str, words: &[&str], options: &[&str]) -> (i32, String) {
        let output = self.puppet(name, words).args(options).output().expect("puppet runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (output.status.code().unwrap_or(-1), text)
    }

    /// Returns the major version of the agent.
    pub(crate) fn agent_version(&self) -> u32 {
        let output = self.program.command().arg("--version").output().expect("puppet runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split('.').next().and_then(|major| major.trim().parse().ok()).expect("a version")
    }

    /// Adds lines to the notes, which two servers must have in common.
    pub(crate) fn note(&self, text: &str) {
        self.notes.borrow_mut().push_str(&self.normal(text));
        self.notes.borrow_mut().push('\n');
    }

    /// Returns a text without what differs by itself.
    pub(crate) fn normal(&self, text: &str) -> String {
        let root = self.root().display().to_string();
        let text = text.replace(&root, "ROOT").replace(&self.port.to_string(), "PORT");
        // Puppet Server does not tell a client what is wrong with its certificate.
        let text = text.replace("alert certificate revoked", "alert certificate unknown");
        without_times(&text)
    }

    pub(crate) fn take_notes(&self) -> String {
        self.notes.take()
    }
}

/// Masks how long requests took: `failed after 0.002 seconds`.
fn without_times(text: &str) -> String {
    let mut pieces = text.split(" failed after ");
    let mut masked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest =
            piece.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        masked.extend([" failed after N", rest]);
    }
    masked
}

/// The options that `--test` stands for: later ones count, which those of `--test` do not let.
const AGENT: &[&str] = &[
    "agent",
    "--onetime",
    "--no-daemonize",
    "--verbose",
    "--detailed-exitcodes",
    "--no-usecacheonfailure",
    "--no-splay",
    "--waitforcert=0",
];

const PUPPET_CONF: &str = "\
[main]
certname = puppet.test
dns_alt_names = localhost
confdir = ROOT/conf
codedir = ROOT/code
vardir = ROOT/var
logdir = ROOT/log
rundir = ROOT/run
ssldir = ROOT/ssl
publicdir = ROOT/public
keylength = 2048
[server]
cadir = ROOT/ca
autosign = ROOT/autosign
environmentpath = ROOT/code/environments
basemodulepath = ROOT/code/modules
environment_timeout = 0
node_terminus = exec
external_nodes = ROOT/enc.sh
reports = store
";

/// Features that Puppet Server 7 lacks: renewal.
const KUKLA_CA_CONF: &str = "certificate-authority: { allow-auto-renewal: true }\n";

const OID_MAPPING: &str = "\
---
oid_mapping:
  1.3.6.1.4.1.34380.1.2.1.1:
    shortname: acme_colour
    longname: Colour of the node
";

/// A classifier that knows the nodes for which there is a file.
const ENC: &str = "\
#!/bin/sh
if [ -e \"ROOT/enc/$1.yaml\" ]; then cat \"ROOT/enc/$1.yaml\"; else echo '--- {}'; fi
";
