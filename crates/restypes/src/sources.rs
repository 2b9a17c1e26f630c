//! Finds the Ruby files of modules.

use std::path::{Path, PathBuf};

use kukla_world::{Recording, World};

/// The size of the largest file that is read, in bytes.
const MAX_SIZE: u64 = 4 << 20;

/// The path and text of a file that may declare a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path.
    pub path: String,
    /// The content.
    pub text: String,
}

/// The files of an environment that declare resource types.
pub trait TypeSources {
    /// Returns the file at this path of the first `lib` directory that has it, e.g. `puppet/type/file_line.rb`.
    fn find(&self, path: &str) -> Option<SourceFile>;

    /// Returns the file at an absolute path that the code of another file computed.
    fn open(&self, path: &str) -> Option<SourceFile>;

    /// Returns all `.rb` files directly in this directory of all `lib` directories, e.g. `puppet/provider/file_line`.
    fn list(&self, directory: &str) -> Vec<SourceFile>;

    /// Returns the file that `puppet generate types` wrote for a type: `.resource_types/NAME.pp` of the environment.
    fn generated(&self, name: &str) -> Option<SourceFile> {
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
    /// Lists them as Puppet does: `*/lib` below each directory of the module path, sorted by name, even where the name is no
    /// valid name of a module.
    pub fn of_module_path<P: AsRef<Path>>(
        module_path: impl IntoIterator<Item = P>,
        world: &dyn World,
    ) -> Self {
        let all = module_path.into_iter().flat_map(|directory| libs(directory.as_ref(), world));
        Self { directories: all.collect(), generated: None }
    }

    /// Adds the generated types of the environment in `directory`.
    #[must_use]
    pub fn with_environment(mut self, directory: &Path, world: &dyn World) -> Self {
        let generated = directory.join(".resource_types");
        self.generated = world.is_directory(&generated.to_string_lossy()).then_some(generated);
        self
    }

    /// Returns the directories themselves.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Returns the names of all files of a directory in any `lib`, without `.rb`, sorted.
    pub fn names(&self, directory: &str, world: &dyn World) -> Vec<String> {
        let files = self.directories.iter().flat_map(|lib| ruby_files(&lib.join(directory), world));
        let mut names: Vec<String> =
            files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the files in these directories, read through `world`.
    pub fn in_world<'a>(&'a self, world: Recording<'a>) -> LibFiles<'a> {
        LibFiles { libs: self, world }
    }
}

/// The Ruby files in the `lib` directories of an environment.
#[derive(Clone, Copy, Debug)]
pub struct LibFiles<'a> {
    libs: &'a LibDirectories,
    world: Recording<'a>,
}

impl LibFiles<'_> {
    fn load(&self, path: &Path) -> Option<SourceFile> {
        let path = path.to_str()?;
        if !self.world.is_file(path) {
            return None;
        }
        let bytes = self.world.read(path, MAX_SIZE).ok()?.bytes;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(SourceFile { path: path.to_owned(), text })
    }
}

impl TypeSources for LibFiles<'_> {
    fn find(&self, path: &str) -> Option<SourceFile> {
        let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
        let directories = || self.libs.directories.iter();
        is_inside.then(|| directories().find_map(|lib| self.load(&lib.join(path))))?
    }

    fn open(&self, path: &str) -> Option<SourceFile> {
        // A link to a module leads out of the module path, so `..` is not resolved.
        let path = Path::new(path);
        let is_inside = self.libs.directories.iter().any(|lib| path.starts_with(lib));
        is_inside.then(|| self.load(path))?
    }

    fn list(&self, directory: &str) -> Vec<SourceFile> {
        let libs = self.libs.directories.iter();
        let files = libs.flat_map(|lib| ruby_files(&lib.join(directory), &self.world));
        files.filter_map(|file| self.load(&file)).collect()
    }

    fn generated(&self, name: &str) -> Option<SourceFile> {
        self.load(&self.libs.generated.as_ref()?.join(format!("{name}.pp")))
    }
}

fn names(directory: &Path, world: &dyn World) -> Vec<String> {
    world.list(&directory.to_string_lossy())
}

fn libs(directory: &Path, world: &dyn World) -> Vec<PathBuf> {
    let names = names(directory, world).into_iter().filter(|name| !name.starts_with('.'));
    let mut libs: Vec<PathBuf> = names.map(|name| directory.join(name).join("lib")).collect();
    libs.retain(|lib| world.exists(&lib.to_string_lossy()));
    libs.sort();
    libs
}

fn ruby_files(directory: &Path, world: &dyn World) -> Vec<PathBuf> {
    let names = names(directory, world).into_iter();
    let mut files: Vec<PathBuf> = names.map(|name| directory.join(name)).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rb"));
    files.sort();
    files
}
