//! Which files of data a parameter has, and in which order they are asked.

use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::Value;

use super::{Pdl, parse};
use crate::run::Run;
use crate::session::Found;
use crate::trace::Origin;
use crate::{Fault, data};

impl Run<'_> {
    /// The site's own value of a parameter: from the file of its class, then from the library.
    pub(crate) fn site_value(&mut self, class: &str, name: &str) -> Result<Option<Found>, Fault> {
        let layers = Arc::clone(&self.session.layers);
        if let Some(location) = &layers.places.datalocation {
            let (module, file) = file_of(class);
            for path in [
                format!("{location}/{module}/{file}.pdl"),
                format!("{location}/{module}/data/{file}.pdl"),
            ] {
                if let Some(found) = self.pdl_value(&path, &[name, &format!("{class}::{name}")])? {
                    return Ok(Some(found));
                }
            }
        }
        let library = match (&layers.places.datalibrary, &layers.places.datalocation) {
            (Some(library), _) => library.to_string(),
            (None, Some(location)) => format!("{location}/site.pdl"),
            (None, None) => return Ok(None),
        };
        self.pdl_value(&library, &[&format!("{class}::{name}"), name])
    }

    /// The module's own value of a parameter.
    pub(crate) fn module_value(&mut self, class: &str, name: &str) -> Result<Option<Found>, Fault> {
        let layers = Arc::clone(&self.session.layers);
        let (module, file) = file_of(class);
        let Some(place) = layers.places.modules.get(module) else { return Ok(None) };
        let path = format!("{}/data/{file}.pdl", place.directory);
        self.pdl_value(&path, &[name, &format!("{class}::{name}")])
    }

    /// The first statement that names a parameter and holds.
    fn pdl_value(&mut self, path: &str, names: &[&str]) -> Result<Option<Found>, Fault> {
        let Some(pdl) = self.pdl(path)? else { return Ok(None) };
        // A qualified name is meant for this parameter alone, so in the library it comes before a bare one.
        for name in names {
            for statement in pdl.statements.iter().filter(|statement| statement.name == *name) {
                let at = |fault: Fault| Fault {
                    file: Some(path.to_owned()),
                    line: Some(statement.line),
                    ..fault
                };
                if statement.holds(self.host).map_err(at)? {
                    let value: Value = statement.value(self.host).map_err(at)?;
                    let origin = Origin { file: EcoString::from(path), line: statement.line };
                    return Ok(Some(Found { value, origins: vec![origin] }));
                }
            }
        }
        Ok(None)
    }

    fn pdl(&mut self, path: &str) -> Result<Option<Arc<Pdl>>, Fault> {
        let known = self.session.known.borrow().pdl.get(path).cloned();
        if let Some(pdl) = known {
            return Ok(pdl);
        }
        let layers = Arc::clone(&self.session.layers);
        let pdl = match layers.files.stamp(path) {
            Some(_) => {
                let pdl = parse(&data::text(&*layers.files, path)?).map_err(|error| Fault {
                    file: Some(path.to_owned()),
                    line: Some(error.line),
                    ..Fault::lookup(error.message)
                })?;
                Some(Arc::new(pdl))
            }
            None => None,
        };
        self.session.known.borrow_mut().pdl.insert(path.into(), pdl.clone());
        Ok(pdl)
    }
}

/// The module of a class and the file that it would be defined in.
fn file_of(class: &str) -> (&str, String) {
    match class.split_once("::") {
        Some((module, rest)) => (module, rest.replace("::", "/")),
        None => (class, "init".to_owned()),
    }
}
