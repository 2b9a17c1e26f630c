//! Resolves locations of a hierarchy to files and URIs.

use kukla_world::World;
use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::uri::Uri;
use kukla_pcore::{Value, ruby};

use crate::backend::Location;
use crate::run::{Invocation, Run};
use crate::{Fault, Search, paths};

impl Run<'_> {
    pub(crate) fn resolve_paths(
        &mut self,
        datadir: &str,
        declared: &[EcoString],
        is_default: bool,
        extension: Option<&str>,
    ) -> Search<Vec<Location>> {
        let mut locations = Vec::new();
        for original in declared {
            let mut path = self.interpolate_text(original)?;
            if let Some(extension) = extension
                && !path.ends_with(extension)
            {
                path.push_str(extension);
            }
            let location = self.location(original.clone(), &paths::join(datadir, &path));
            if location.exists || !is_default {
                locations.push(location);
            }
        }
        Ok(locations)
    }

    fn location(&self, original: EcoString, path: &str) -> Location {
        let exists = self.session.files().stamp(path).is_some();
        Location { original, path: path.into(), is_uri: false, exists }
    }

    pub(crate) fn expand_globs(
        &mut self,
        datadir: &str,
        declared: &[EcoString],
    ) -> Search<Vec<Location>> {
        let mut locations = Vec::new();
        for glob in declared {
            let glob = paths::join(datadir, &self.interpolate_text(glob)?);
            if self.invocation.is_survey {
                locations.push(self.location(glob.as_str().into(), &glob));
                continue;
            }
            let files = &self.session.files();
            let found = paths::glob(files, &glob).map_err(|error| Fault::other(error.message))?;
            let found = found
                .into_iter()
                .filter(|path| files.stamp(path).is_some_and(|stamp| !stamp.is_directory()));
            locations.extend(found.map(|path| Location {
                original: glob.as_str().into(),
                path: path.into(),
                is_uri: false,
                exists: true,
            }));
        }
        Ok(locations)
    }

    pub(crate) fn expand_uris(&mut self, declared: &[EcoString]) -> Search<Vec<Location>> {
        let mut locations = Vec::new();
        for original in declared {
            let text = self.interpolate_text(original)?;
            let uri = Uri::parse(&text).map_err(|error| Fault::other(error.to_string()))?;
            locations.push(Location {
                original: original.clone(),
                path: uri.to_string().into(),
                is_uri: true,
                exists: true,
            });
        }
        Ok(locations)
    }

    /// Expands `[variable, name, template]`: the template, once per element of the variable.
    pub(crate) fn expand_mapped_paths(
        &mut self,
        datadir: &str,
        declared: &[EcoString],
    ) -> Search<Vec<Location>> {
        let [variable, name, template] = declared else { return Ok(Vec::new()) };
        let values = match self.scope_lookup(variable, "mapped_path[0]")? {
            Value::Undef => return Ok(Vec::new()),
            Value::String(text) if text.is_empty() => return Ok(Vec::new()),
            Value::String(text) => vec![Value::String(text)],
            Value::Array(items) => items.into_iter().collect(),
            Value::Hash(hash) => {
                hash.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
            }
            other => return Err(Fault::other(ruby::no_method("empty?", &other)).into()),
        };
        let mut locations = Vec::new();
        for value in values {
            let path = self.with_local(name, value, |run| run.interpolate_text(template))?;
            locations.push(self.location(template.clone(), &paths::join(datadir, &path)));
        }
        Ok(locations)
    }

    /// Runs `work` while a local name has a value; uses of that name are not recorded.
    fn with_local<T>(
        &mut self,
        name: &EcoString,
        value: Value,
        work: impl FnOnce(&mut Self) -> Search<T>,
    ) -> Search<T> {
        let uses = self.invocation.uses.clone();
        let n_before = uses.as_ref().map_or(0, |uses| uses.borrow().len());
        let locals = self.invocation.locals.as_deref().unwrap_or_default();
        let locals: Rc<[_]> = locals.iter().cloned().chain([(name.clone(), value)]).collect();
        let invocation = Invocation { locals: Some(locals), ..(*self.invocation).clone() };
        let result = self.as_invocation(invocation, work);
        if let Some(uses) = uses {
            let mut place = 0;
            uses.borrow_mut().retain(|used| {
                place += 1;
                place <= n_before || used.root != *name
            });
        }
        result
    }
}
