//! Programs on disk: where `import "file:…"` looks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_plang::files::Files;

/// The size of an imported file, at most.
const MOST_BYTES: u64 = 1 << 20;

/// The folder of a program: files below it can be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder that a program lies in.
    pub fn of(program: &Path) -> Arc<dyn Files> {
        let folder = program.parent().filter(|folder| !folder.as_os_str().is_empty());
        Arc::new(Self(folder.unwrap_or(Path::new(".")).to_owned()))
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let words = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => error.to_string(),
        };
        let (folder, file) = (self.0.canonicalize(), self.0.join(path).canonicalize());
        let (folder, file) = (folder.map_err(words)?, file.map_err(words)?);
        // A link can lead anywhere.
        if !file.starts_with(&folder) {
            return Err("it lies outside of the folder of the program".to_owned());
        }
        let metadata = std::fs::metadata(&file).map_err(words)?;
        if !metadata.is_file() {
            return Err("it is no file".to_owned());
        }
        if metadata.len() > MOST_BYTES {
            return Err("it is too large".to_owned());
        }
        std::fs::read(&file).map_err(words)
    }
}
