//! Where Ruby files of modules are found.

use std::path::{Path, PathBuf};

/// The largest file that is read.
const MAX_SIZE: u64 = 4 << 20;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// Gives the Ruby files of modules.
pub trait Sources {
    /// The file of this path in the first `lib` directory that has it, for example
    /// `puppet/type/file_line.rb`.
    fn find(&self, path: &str) -> Option<Found>;

    /// The file at a place that the code of another one computed.
    fn open(&self, path: &str) -> Option<Found>;

    /// All `.rb` files right in this directory of all `lib` directories, such as
    /// `puppet/provider/file_line`.
    fn list(&self, directory: &str) -> Vec<Found>;

    /// What `puppet generate types` wrote of a type: `.resource_types/NAME.pp` of the environment.
    fn generated(&self, name: &str) -> Option<Found> {
        let _ = name;
        None
    }
}

/// The `lib` directories of an environment, in the order in which Puppet looks into them.
#[derive(Clone, Debug, Default)]
pub struct LibDirectories {
    directories: Vec<PathBuf>,
    /// `.resource_types` of the environment, if there is one.
    generated: Option<PathBuf>,
}

impl LibDirectories {
    /// As Puppet finds them: `*/lib` below each directory of the module path, sorted by name, be it
    /// a module or not.
    pub fn of_module_path<P: AsRef<Path>>(module_path: impl IntoIterator<Item = P>) -> Self {
        let all = module_path.into_iter().flat_map(|directory| libs_below(directory.as_ref()));
        Self { directories: all.collect(), generated: None }
    }

    /// The same for an environment in this directory, which may have generated types.
    #[must_use]
    pub fn with_environment(mut self, directory: &Path) -> Self {
        let generated = directory.join(".resource_types");
        self.generated = generated.is_dir().then_some(generated);
        self
    }

    /// The directories themselves.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The names of all files of a directory in any `lib`, without `.rb`, sorted.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let files = self.directories.iter().flat_map(|lib| ruby_files(&lib.join(directory)));
        let mut names: Vec<String> =
            files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        names.dedup();
        names
    }
}

impl Sources for LibDirectories {
    fn find(&self, path: &str) -> Option<Found> {
        let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
        is_inside.then(|| self.directories.iter().find_map(|lib| load(&lib.join(path))))?
    }

    fn open(&self, path: &str) -> Option<Found> {
        // A link to a module leads out of the module path, so `..` is not resolved.
        let path = Path::new(path);
        self.directories.iter().any(|lib| path.starts_with(lib)).then(|| load(path))?
    }

    fn list(&self, directory: &str) -> Vec<Found> {
        let files = self.directories.iter().flat_map(|lib| ruby_files(&lib.join(directory)));
        files.filter_map(|file| load(&file)).collect()
    }

    fn generated(&self, name: &str) -> Option<Found> {
        load(&self.generated.as_ref()?.join(format!("{name}.pp")))
    }
}

fn load(path: &Path) -> Option<Found> {
    let data = std::fs::metadata(path).ok()?;
    if !data.is_file() || data.len() > MAX_SIZE {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(Found { path: path.to_str()?.to_owned(), text })
}

fn libs_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let libs = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let mut libs: Vec<PathBuf> = libs.map(|entry| entry.path().join("lib")).collect();
    libs.retain(|lib| lib.exists());
    libs.sort();
    libs
}

fn ruby_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rb"));
    files.sort();
    files
}
