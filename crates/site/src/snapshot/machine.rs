//! The machine that code is evaluated on: its files, clock and programs, and where modules have theirs.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_compiler::{ExecuteError, FileKind, World};
use rustc_hash::FxHashMap;

use super::cache::Cache;

/// The machine, with the directories of modules.
#[derive(Debug, Default)]
pub struct Machine {
    modules: FxHashMap<String, PathBuf>,
    /// Files of modules that were found, or not.
    files: Cache<String, Option<String>>,
    templates: Cache<String, Option<String>>,
}

impl Machine {
    /// A machine with modules, by name.
    pub fn with_modules(modules: FxHashMap<String, PathBuf>) -> Self {
        Self { modules, ..Self::default() }
    }
}

impl World for Machine {
    fn find(&self, kind: FileKind, reference: &str) -> Option<String> {
        if Path::new(reference).is_absolute() {
            return Some(reference.to_owned());
        }
        let (module, file) = reference.split_once('/')?;
        let folder = match kind {
            FileKind::File => "files",
            FileKind::Template => "templates",
        };
        let directory = self.modules.get(module)?;
        let found = match kind {
            FileKind::File => &self.files,
            FileKind::Template => &self.templates,
        };
        if let Some(known) = found.get(reference) {
            return known;
        }
        let path = directory.join(folder).join(file);
        let path = path.exists().then(|| path.to_string_lossy().into_owned());
        found.keep(reference.to_owned(), path)
    }

    fn module_directory(&self, name: &str) -> Option<String> {
        self.modules.get(name).map(|path| path.to_string_lossy().into_owned())
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn now(&self) -> Option<i128> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i128::try_from(since.as_nanos()).ok()
    }

    fn random(&self, n: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; n];
        std::fs::File::open("/dev/urandom").ok()?.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn execute(&self, command: &[String]) -> Result<String, ExecuteError> {
        let [program, arguments @ ..] = command else { return Err(ExecuteError::Unavailable) };
        let directory = Path::new(program).parent().unwrap_or(Path::new("/"));
        if !directory.is_dir() {
            return Err(ExecuteError::NoDirectory(directory.display().to_string()));
        }
        run(program, arguments, directory)
            .unwrap_or(Err(ExecuteError::Failed { status: 1, output: String::new() }))
    }
}

/// Runs a program; what it prints and what it complains of come out in the order in which they were written.
fn run(
    program: &str,
    arguments: &[String],
    directory: &Path,
) -> io::Result<Result<String, ExecuteError>> {
    let (mut reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // The command keeps the writing end open.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(match status.code() {
        Some(0) => Ok(output),
        status => Err(ExecuteError::Failed { status: status.unwrap_or(1), output }),
    })
}
