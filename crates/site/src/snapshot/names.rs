//! Names that an environment defines, for suggestions about unknown names.

use std::path::Path;

use kukla_compiler::{Library, NameKind, NoLibrary};
use kukla_world::Pool;
use kukla_xpp::tree::{Manifest, RESERVED};

use super::Snapshot;
use kukla_world::paths::Anchor;

/// Names of functions, and of classes and defined types, derived from the paths of manifests.
#[derive(Debug, Default)]
pub(crate) struct DefinedNames {
    functions: Vec<String>,
    manifests: Vec<String>,
}

impl Snapshot {
    /// Returns all names of a kind. The environment is searched once, when a name is first unknown.
    pub(crate) fn all_names(&self, kind: NameKind) -> Vec<String> {
        match kind {
            NameKind::Function => {
                let native = self.natives.names().map(str::to_owned);
                native.chain(self.defined_names().functions.iter().cloned()).collect()
            }
            NameKind::Manifest => self.defined_names().manifests.clone(),
            NameKind::ResourceType => NoLibrary.names(kind),
        }
    }

    fn defined_names(&self) -> &DefinedNames {
        self.names.get_or_init(|| {
            let anchor = Anchor::new(&self.environment.directory);
            let mut names = DefinedNames::default();
            for manifest in self.environment.manifests(&anchor, &Pool::new(Some(1))).list {
                names.add(&manifest);
            }
            names
        })
    }
}

impl DefinedNames {
    fn add(&mut self, manifest: &Manifest) {
        let Some((directory, name)) = defined_name(&manifest.module, &manifest.rest) else {
            return;
        };
        match directory {
            "functions" => self.functions.push(name),
            "manifests" if manifest.module != RESERVED => self.manifests.push(name),
            _ => (),
        }
    }
}

/// Returns `ntp::server::config` for `manifests/server/config.pp` of `ntp`.
fn defined_name<'p>(module: &str, rest: &'p Path) -> Option<(&'p str, String)> {
    let mut parts = rest.iter().map(|part| part.to_str());
    let directory = parts.next()??;
    let mut segments = match module {
        RESERVED => Vec::new(),
        module => vec![module],
    };
    let parts: Vec<&str> = parts.collect::<Option<_>>()?;
    let (file, directories) = parts.split_last()?;
    segments.extend(directories);
    let stem = file.strip_suffix(".pp")?;
    if (directory, stem, directories.is_empty()) != ("manifests", "init", true) {
        segments.push(stem);
    }
    Some((directory, segments.join("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_names() {
        let name = |path| defined_name("ntp", Path::new(path)).map(|(_, name)| name);
        assert_eq!(name("manifests/init.pp").as_deref(), Some("ntp"));
        assert_eq!(name("manifests/server/config.pp").as_deref(), Some("ntp::server::config"));
        assert_eq!(name("functions/pool.pp").as_deref(), Some("ntp::pool"));
        assert_eq!(name("manifests"), None);
    }
}
