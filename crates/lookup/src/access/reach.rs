//! The files that hierarchies and PDL can read on any node: rules must match some of them.

use super::Rule;
use super::guard::{Guard, absolute, is_below};
use super::pattern::{have_common_name, literal_directory};
use crate::Places;
use crate::paths::{clean, parent};
use crate::run::Run;
use kukla_world::World;

/// The files that can hold data.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Directories of data.
    directories: Vec<String>,
    /// Patterns of absolute paths.
    patterns: Vec<String>,
}

impl Run<'_> {
    /// Returns the files that can hold data.
    pub(super) fn reach(&mut self) -> Reach {
        let mut reach = Reach::of_pdl(&self.session.layers.places);
        for level in self.survey_levels().levels {
            reach.directories.push(clean(level.root()));
            reach.patterns.extend(level.file_patterns().map(|pattern| clean(&pattern)));
        }
        reach
    }
}

impl Reach {
    fn of_pdl(places: &Places) -> Self {
        let mut reach = Self::default();
        let modules = places.modules.values().map(|place| format!("{}/data", place.directory));
        let location = places.datalocation.iter().map(ToString::to_string);
        for directory in modules.chain(location) {
            reach.patterns.push(format!("{directory}/*.pdl"));
            reach.directories.push(directory);
        }
        if let Some(library) = &places.datalibrary {
            reach.directories.push(parent(library).to_owned());
            reach.patterns.push(library.to_string());
        }
        reach
    }

    fn has_directory(&self, files: &dyn World, directory: &str) -> bool {
        let real = files.resolve(directory).unwrap_or_else(|_| directory.to_owned());
        self.directories.iter().any(|own| {
            let is_real = files.resolve(own).is_ok_and(|own| is_below(&real, &own));
            is_real || is_below(directory, own)
        })
    }

    /// Returns the reason why an absolute pattern is not searched for.
    pub(super) fn outside(&self, files: &dyn World, rule: &Rule) -> Option<String> {
        let pattern = &rule.pattern;
        if self.has_directory(files, literal_directory(pattern)) {
            return None;
        }
        Some(format!(
            "`{pattern}` lies outside of the environment and of all directories of data: write the path below the environment's directory, as `data/secret/*`"
        ))
    }

    /// Returns the reason why a pattern without a matching file will not match one later.
    pub(super) fn problem(
        &self,
        files: &dyn World,
        environment: &str,
        rule: &Rule,
        guard: &Guard,
    ) -> Option<String> {
        let pattern = rule.pattern.as_str();
        let start = format!("`{pattern}` fits no file");
        let directory = literal_directory(pattern);
        let own = absolute(environment, directory);
        if !files.stamp(&own).is_some_and(|stamp| stamp.is_directory()) {
            let help = self.help(files, environment, pattern);
            return Some(format!("{start}: there is no directory `{directory}`{help}"));
        }
        if !pattern.contains('*') {
            let stamp = files.stamp(&absolute(environment, pattern));
            return Some(match stamp.is_some_and(|stamp| stamp.is_directory()) {
                true => format!("{start}: write `{pattern}/*` for all that is below the directory"),
                false => {
                    format!("{start}: there is no such file; a pattern with `*` may fit later")
                }
            });
        }
        let whole = absolute(environment, pattern);
        let is_read = self.patterns.iter().any(|own| have_common_name(own, &whole));
        let is_later = self.has_directory(files, &own) && (is_read || guard.is_empty(&own));
        match is_later {
            true => None,
            false => {
                Some(format!("{start}, and no level of a hierarchy reads one that it would fit"))
            }
        }
    }

    /// Returns help for a pattern that was written relative to a data directory.
    fn help(&self, files: &dyn World, environment: &str, pattern: &str) -> String {
        let places = self.directories.iter().find_map(|directory| {
            let below = directory.strip_prefix(environment)?.strip_prefix('/')?;
            let whole = format!("{below}/{pattern}");
            let stamp = files.stamp(&absolute(environment, literal_directory(&whole)))?;
            stamp.is_directory().then_some(whole)
        });
        places.map_or_else(String::new, |whole| format!("; did you mean `{whole}`?"))
    }
}
