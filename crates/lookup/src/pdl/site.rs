//! Data files of a parameter, and their order of precedence.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::name::first_segment;
use kukla_pcore::Value;

use super::{Pdl, Statement, parse};
use crate::key::class_and_name;
use crate::run::Run;
use crate::trace::{HierarchyLevel, Origin, StepKind};
use crate::{Fault, Key, Layers, Miss, Search, data};
use kukla_world::{ContentCache, ContentKey, MAX_FILE, Stamp, World};

/// A data file, and its path relative to its root.
#[derive(Debug)]
pub(crate) struct File {
    path: EcoString,
    name: EcoString,
    /// The stamp of the file that was opened.
    stamp: Stamp,
    pdl: Arc<Pdl>,
}

/// The files of a class.
#[derive(Debug, Default)]
pub(crate) struct ClassFiles {
    site: Vec<File>,
    module: Option<File>,
}

impl Run<'_> {
    /// Returns the site's value of a key: from the file of its class, then from the library.
    pub(crate) fn site_value(&mut self, key: &Key) -> Search<Option<Value>> {
        let places = &self.session.layers.places;
        if places.datalocation.is_none() && places.datalibrary.is_none() {
            return Ok(None);
        }
        let library = self.library()?;
        let Some((class, name)) = class_and_name(key.root()) else {
            let files: Vec<(&File, [&str; 1])> =
                library.iter().map(|file| (&**file, [key.root().as_str()])).collect();
            return self.first_value("Data of the site", key, &files);
        };
        let class_files = self.class_files(class)?;
        let own = class_files.site.iter().map(|file| (file, [name, key.root()]));
        // A qualified name applies to this parameter alone, so in the library it precedes a bare one.
        let library = library.iter().map(|file| (&**file, [key.root(), name]));
        let files: Vec<(&File, [&str; 2])> = own.chain(library).collect();
        self.first_value("Data of the site", key, &files)
    }

    /// Returns the module's value of a key.
    pub(crate) fn module_value(&mut self, key: &Key) -> Search<Option<Value>> {
        let Some((class, name)) = class_and_name(key.root()) else { return Ok(None) };
        let class_files = self.class_files(class)?;
        let files: Vec<(&File, [&str; 2])> =
            class_files.module.iter().map(|file| (file, [name, key.root()])).collect();
        self.first_value("Data of the module", key, &files)
    }

    /// Whether the module has PDL for the class of a key.
    pub(crate) fn has_module_pdl(&mut self, key: &Key) -> Result<bool, Fault> {
        match class_and_name(key.root()) {
            Some((class, _)) => Ok(self.class_files(class)?.module.is_some()),
            None => Ok(false),
        }
    }

    /// Whether any class of a module may have parameters in PDL.
    pub(crate) fn may_have_pdl(&mut self, module: &str) -> Result<bool, Fault> {
        let layers = Arc::clone(&self.session.layers);
        let place = layers.places.modules.get(module);
        Ok(layers.places.datalocation.is_some()
            || place.is_some_and(|place| self.has_data(&place.directory))
            || self.library()?.is_some())
    }

    /// Whether a class may have parameters in PDL.
    pub(crate) fn has_pdl(&mut self, class: &str) -> Result<bool, Fault> {
        let files = self.class_files(class)?;
        Ok(!files.site.is_empty() || files.module.is_some() || self.library()?.is_some())
    }

    fn first_value<const N: usize>(
        &mut self,
        title: &str,
        key: &Key,
        files: &[(&File, [&str; N])],
    ) -> Search<Option<Value>> {
        if files.is_empty() {
            return Ok(None);
        }
        let kind =
            || StepKind::Provider { name: format!("{title} (PDL)"), config: None, module: None };
        let found = self.check(key.text(), |run| {
            run.with(kind, |run| {
                let mut files = files.iter();
                for (file, names) in files.by_ref() {
                    match run.file_value(file, names) {
                        Err(Miss::NotFound) => (),
                        other => {
                            run.visit_shadowed(|run| {
                                files.for_each(|(file, names)| drop(run.file_value(file, names)));
                            });
                            return other;
                        }
                    }
                }
                Err(Miss::NotFound)
            })
        });
        match found {
            Ok(value) => Ok(Some(value)),
            Err(Miss::NotFound) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Returns the value of the first statement that has one of the names and holds.
    fn file_value(&mut self, file: &File, names: &[&str]) -> Search<Value> {
        let kind = || StepKind::Location {
            original: file.name.clone(),
            location: file.path.clone(),
            is_uri: false,
        };
        self.with(kind, |run| {
            if !run.may_see(&file.path, file.stamp)? {
                return Err(Miss::NotFound);
            }
            for name in names {
                for statement in file.pdl.statements.iter().filter(|line| line.name == *name) {
                    if let Some(value) = run.statement_value(file, statement)? {
                        run.found(name, &value);
                        let origin = Origin {
                            level: Some(Arc::new(HierarchyLevel {
                                name: file.name.clone(),
                                number: 0,
                            })),
                            ..Origin::new(file.path.clone(), statement.line)
                        };
                        run.record_origin(origin, &value);
                        return Ok(value);
                    }
                }
            }
            run.not_found(names.first().unwrap_or(&""));
            Err(Miss::NotFound)
        })
    }

    fn statement_value(
        &mut self,
        file: &File,
        statement: &Statement,
    ) -> Result<Option<Value>, Fault> {
        let at = |fault: Fault| match fault.file {
            Some(_) => fault,
            None => {
                let line = fault.line.or(Some(statement.line));
                Fault { file: Some(file.path.to_string()), line, ..fault }
            }
        };
        if file.pdl.holds(statement, self.host).map_err(at)? {
            return file.pdl.value(statement, self.host).map(Some).map_err(at);
        }
        self.update_trace(|trace| {
            trace.text(format!("The condition of line {} does not hold", statement.line));
        });
        Ok(None)
    }

    /// Returns the files of a class, which are searched for once.
    fn class_files(&mut self, class: &str) -> Result<Rc<ClassFiles>, Fault> {
        let cached = self.session.cache.borrow().pdl.get(class).cloned();
        if let Some(files) = cached {
            return Ok(files);
        }
        // The name becomes part of a path: `a::../b` must not lead to the data of another class.
        if !is_class_name(class) {
            return Ok(Rc::default());
        }
        let layers = Arc::clone(&self.session.layers);
        let mut files = ClassFiles::default();
        let place = layers.places.modules.get(first_segment(class));
        let place = place.filter(|place| self.has_data(&place.directory));
        if place.is_none() && layers.places.datalocation.is_none() {
            return Ok(Rc::new(files));
        }
        let (module, file) = file_of(class);
        if let Some(location) = &layers.places.datalocation {
            for name in [format!("{module}/{file}.pdl"), format!("{module}/data/{file}.pdl")] {
                files.site.extend(self.open(&layers, location, &name)?);
            }
        }
        if let Some(place) = place {
            files.module = self.open(&layers, &place.directory, &format!("data/{file}.pdl"))?;
        }
        let files = Rc::new(files);
        self.session.cache.borrow_mut().pdl.insert(class.into(), Rc::clone(&files));
        Ok(files)
    }

    /// Whether a module has a data directory; tested once for all of its classes.
    fn has_data(&self, directory: &EcoString) -> bool {
        let cached = self.session.cache.borrow().has_data.get(directory).copied();
        cached.unwrap_or_else(|| {
            let stamp = self.session.files().stamp(&format!("{directory}/data"));
            let has_data = stamp.is_some_and(|stamp| stamp.is_directory());
            self.session.cache.borrow_mut().has_data.insert(directory.clone(), has_data);
            has_data
        })
    }

    /// Returns the site's library.
    fn library(&mut self) -> Result<Option<Rc<File>>, Fault> {
        let cached = self.session.cache.borrow().library.clone();
        if let Some(library) = cached {
            return Ok(library);
        }
        let layers = Arc::clone(&self.session.layers);
        let library = match (&layers.places.datalibrary, &layers.places.datalocation) {
            (Some(library), _) => self.open(&layers, "", library)?,
            (None, Some(location)) => self.open(&layers, location, "site.pdl")?,
            (None, None) => None,
        };
        let library = library.map(Rc::new);
        self.session.cache.borrow_mut().library = Some(library.clone());
        Ok(library)
    }

    /// Opens a data file, if it exists.
    fn open(
        &mut self,
        layers: &Layers,
        directory: &str,
        name: &str,
    ) -> Result<Option<File>, Fault> {
        let path = match directory {
            "" => name.to_owned(),
            directory => format!("{directory}/{name}"),
        };
        let Some(stamp) = self.session.files().stamp(&path).filter(|stamp| !stamp.is_directory())
        else {
            return Ok(None);
        };
        let (pdl, stamp) = match layers.pdl.get(&path, stamp) {
            Some(pdl) => {
                // The parsed file came from the cache; the record must show that it was read.
                if self.session.is_recorded() {
                    let _ = self.session.files().read(&path, MAX_FILE);
                }
                (pdl, stamp)
            }
            None => {
                let (text, stamp) = data::text_and_stamp(&self.session.files(), &path, MAX_FILE)?;
                let key = ContentKey::new("pdl").with(text.as_bytes());
                let parsed = ContentCache::of_process().get_or(&key, || {
                    // A tree takes more bytes than its text.
                    parse(&text).map(|pdl| (Arc::new(pdl), text.len() * 8))
                });
                let pdl = match parsed {
                    Ok(pdl) => pdl,
                    // The message quotes the text, which this node may not be allowed to see.
                    Err(_) if !self.may_see(&path, stamp)? => return Ok(None),
                    Err(error) => return Err(error.at(&path)),
                };
                layers.pdl.keep(&path, stamp, Arc::clone(&pdl));
                (pdl, stamp)
            }
        };
        Ok(Some(File { path: path.into(), name: name.into(), stamp, pdl }))
    }
}

/// Whether a name is a valid class name.
fn is_class_name(class: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    class.split("::").all(|part| !part.is_empty() && part.bytes().all(is_letter))
}

/// Returns the module of a class and the file in which it would be defined.
pub(super) fn file_of(class: &str) -> (&str, String) {
    match class.split_once("::") {
        Some((module, rest)) => (module, rest.replace("::", "/")),
        None => (class, "init".to_owned()),
    }
}
