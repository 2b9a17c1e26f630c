//! Classes of Ruby's library that are written in Ruby: the interpreter runs their file when code first names them.

use std::sync::{Arc, LazyLock};

use crate::read::read;
use crate::read::tree::Program;

/// The files by the class that they define; one that can't be read is missing, which tests exclude.
static FILES: LazyLock<Vec<(&str, Arc<Program>)>> = LazyLock::new(|| {
    let files = [
        ("Resolv", "resolv.rb", include_str!("resolv.rb")),
        ("StringIO", "stringio.rb", include_str!("stringio.rb")),
    ];
    let files = files.into_iter();
    files.filter_map(|(class, name, text)| Some((class, read(name, text).ok()?))).collect()
});

/// Returns the file that defines a class.
pub(crate) fn file_of(class: &str) -> Option<&'static Program> {
    // Most names are none of these, and need no files.
    if !matches!(class, "Resolv" | "StringIO") {
        return None;
    }
    FILES.iter().find(|(name, _)| *name == class).map(|(_, program)| &**program)
}
