//! PostgreSQL (Debian's package), started in a directory of its own, on a socket that only tests know.

#![expect(clippy::disallowed_types, reason = "a server is a program with files")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kukla_store::{Address, Store};

/// The time in which it must be ready; a machine under load is slow.
const START: Duration = Duration::from_secs(120);

/// A server with its own directory, which is removed when the process of the tests ends.
pub(crate) struct Server {
    directory: PathBuf,
    arguments: Vec<String>,
    process: Mutex<Option<Child>>,
    /// Ends the server when the process of the tests ends, however it ends.
    _janitor: Child,
}

/// The server that the tests of a process share.
static SHARED: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

/// Makes a database, and returns its address.
pub(crate) fn database() -> String {
    SHARED.database()
}

/// Makes a database, and opens it as a store.
pub(crate) fn store() -> Store {
    connect(&database())
}

/// Opens a store.
pub(crate) fn connect(address: &str) -> Store {
    Store::connect(Address::read(address).expect("an address")).expect("a store")
}

impl Server {
    /// Makes a server and starts it; `settings` are lines of `postgresql.conf`.
    pub(crate) fn start(settings: &[&str]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory =
            PathBuf::from(format!("/tmp/kukla-postgresql-{}-{number}", std::process::id()));
        std::fs::create_dir(&directory).expect("a directory");
        if is_root() {
            run(Command::new("chown").arg("postgres:").arg(&directory));
        }
        let data = directory.join("data");
        let mut initdb = own(&program("initdb"));
        initdb.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8"]);
        run(initdb.arg("--locale=C.UTF-8").arg("-D").arg(&data));
        let mut conf =
            std::fs::File::options().append(true).open(data.join("postgresql.conf")).expect("it");
        let socket = directory.display();
        writeln!(conf, "listen_addresses = ''\nunix_socket_directories = '{socket}'").expect("it");
        writeln!(conf, "shared_buffers = 32MB\nmax_connections = 60").expect("it");
        for line in settings {
            writeln!(conf, "{line}").expect("it");
        }
        let janitor = Command::new("sh")
            .arg("-c")
            .arg(
                "cat > /dev/null; kill -QUIT $(head -n 1 \"$0/data/postmaster.pid\"); \
                 sleep 1; rm -rf \"$0\"",
            )
            .arg(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let arguments = vec!["-D".to_owned(), data.display().to_string()];
        let process = Mutex::new(None);
        let server = Self { directory, arguments, process, _janitor: janitor };
        server.restart();
        server
    }

    /// Starts it again after it has ended, and waits until it answers.
    pub(crate) fn restart(&self) {
        let start = Instant::now();
        loop {
            let log = std::fs::File::options()
                .create(true)
                .append(true)
                .open(self.directory.join("log"))
                .expect("a log");
            let mut command = own(&program("postgres"));
            command.args(&self.arguments).stdout(Stdio::null()).stderr(log);
            let mut process = command.spawn().expect("PostgreSQL");
            while process.try_wait().expect("a status").is_none() {
                if self.psql("postgres", "SELECT 1").is_ok() {
                    *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(process);
                    return;
                }
                assert!(start.elapsed() < START, "PostgreSQL does not start: {}", self.log());
                std::thread::sleep(Duration::from_millis(20));
            }
            // What the killed one left must be gone first.
            assert!(start.elapsed() < START, "PostgreSQL does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Kills it, as a failing machine would.
    pub(crate) fn kill(&self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut process) = process.take() else { return };
        process.kill().expect("killed");
        process.wait().expect("ended");
    }

    /// Makes a database, and returns its address.
    pub(crate) fn database(&self) -> String {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("kukla_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.ask("postgres", &format!("CREATE DATABASE {name}"));
        format!("postgresql://postgres@/{name}?host={}", self.directory.display())
    }

    /// Returns the lines of an answer.
    pub(crate) fn ask(&self, database: &str, query: &str) -> Vec<String> {
        self.psql(database, query).unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Returns the directory of the socket.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    fn psql(&self, database: &str, query: &str) -> Result<Vec<String>, String> {
        let output = Command::new(program("psql"))
            .args(["-X", "-q", "-A", "-t", "-U", "postgres", "-d", database, "-h"])
            .arg(&self.directory)
            .args(["-v", "ON_ERROR_STOP=1", "-c", query])
            .output()
            .expect("psql");
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8(output.stdout).expect("a text");
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }
}

/// Asks the shared server.
pub(crate) fn ask(address: &str, query: &str) -> Vec<String> {
    let name = address.rsplit('/').find_map(|part| part.split_once('?')).expect("a database").0;
    SHARED.ask(name, query)
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id");
    output.stdout == b"0\n"
}

/// Returns a command that runs as a user who may run PostgreSQL.
fn own(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command.current_dir("/");
    command
}

/// Returns the path of a program of the newest version that is installed.
fn program(name: &str) -> PathBuf {
    let root = Path::new("/usr/lib/postgresql");
    let versions = std::fs::read_dir(root).expect("Debian's package `postgresql` is installed");
    let mut found: Vec<PathBuf> = versions
        .filter_map(|version| Some(version.ok()?.path().join("bin").join(name)))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found.pop().expect("Debian's package `postgresql` is installed")
}

fn run(command: &mut Command) {
    let output = command.output().expect("it can be run");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
