//! One directory per test, and the command run in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

static N_BOXES: AtomicU32 = AtomicU32::new(0);

/// A directory with some files, removed at the end of the test.
pub(crate) struct Sandbox {
    root: PathBuf,
}

/// Result of a run of the command.
pub(crate) struct Ran {
    pub(crate) code: i32,
    /// Both with the directory written as `@`.
    pub(crate) output: String,
    pub(crate) error: String,
}

impl Sandbox {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let n = N_BOXES.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kukla-cli-{}-{n}", std::process::id()));
        fs::create_dir_all(&root).expect("temporary files can be made");
        let sandbox = Self { root };
        files.iter().for_each(|(path, text)| sandbox.write(path, text.as_bytes()));
        sandbox
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("it can be made");
        fs::write(path, bytes).expect("it can be written");
    }

    /// Returns the command with arguments, not yet started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
        command.args(args).current_dir(&self.root).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.ran(&self.command(args).output().expect("the command starts"))
    }

    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(input.as_bytes()).expect("the command reads it");
        drop(stdin);
        self.ran(&child.wait_with_output().expect("the command ends"))
    }

    fn ran(&self, output: &Output) -> Ran {
        let root = fs::canonicalize(&self.root).expect("it exists");
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_owned()).expect("text is printed");
            text.replace(&*root.to_string_lossy(), "@")
        };
        let code = output.status.code().expect("the command was not killed");
        Ran { code, output: text(&output.stdout), error: text(&output.stderr) }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.root));
    }
}

/// Fails with a hint if a program that the test needs can't be run.
#[track_caller]
pub(crate) fn assert_runs(program: &str, args: &[&str]) {
    let runs = Command::new(program).args(args).output().is_ok_and(|it| it.status.success());
    assert!(
        runs,
        "this test needs `{program} {}` (Debian: puppet-agent); `cargo test -- --skip needs_` leaves it out",
        args.join(" ")
    );
}
