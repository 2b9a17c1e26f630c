//! Data without a catalog, and what data a catalog is made of.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::cancel::Cancel;
use kukla_lookup::{DataRead, DataUse, Fault, FoundValue, Occurrence, Query, Survey, Trace, pdl};
use kukla_pcore::types::{self, Names, ParseError};
use kukla_pcore::{Type, Value};

use super::host::DataHost;
use crate::compile::{Compilation, Compiled, Compiler, Request, guarded};
use crate::interpreter::illegal_jump;
use crate::library::Manifest;
use crate::log::Entry;
use crate::{Failure, Library, Limits, Strictness};

/// Lookups for a node: what it says of itself is known, as it is when a compilation begins or when it has ended.
#[derive(Debug)]
pub struct Lookups {
    pub(super) compiler: Compiler,
}

/// A class as its users see it.
#[derive(Clone, Debug)]
pub struct ClassSignature {
    /// The file that defines it.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// Its parameters in order.
    pub parameters: Vec<ClassParameter>,
}

/// A parameter as a class declares it.
#[derive(Clone, Debug)]
pub struct ClassParameter {
    /// Its name.
    pub name: EcoString,
    /// Its type, if the class says so.
    pub type_: Option<Type>,
    /// Whether it has a default.
    pub has_default: bool,
}

impl Lookups {
    /// Lookups before any code is evaluated.
    pub fn new(
        library: Arc<dyn Library>,
        strictness: Strictness,
        limits: Limits,
        request: &Request,
    ) -> Result<Self, Failure> {
        let mut compiler = Compiler::new(library, strictness, limits, Compilation::new());
        let started = compiler.begin(&[], request).and_then(|()| compiler.evaluate_main(&[]));
        started.map_err(|stop| Failure::new(illegal_jump(*stop)))?;
        Ok(Self { compiler })
    }

    /// Lookups after a catalog was compiled, and what became of it. All that is looked up is remembered.
    pub fn compile(
        library: Arc<dyn Library>,
        strictness: Strictness,
        limits: Limits,
        main: &[Arc<Manifest>],
        request: &Request,
    ) -> (Self, Compiled) {
        let mut compiler = Compiler::new(library, strictness, limits, Compilation::new());
        compiler.catalog.data.records_reads = true;
        let compiled = guarded(limits, &request.cancel, || compiler.compiled(main, request));
        (Self { compiler }, compiled)
    }

    fn within_limits<T>(
        &mut self,
        work: impl FnOnce(&mut Compiler) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let cancel = Cancel::new();
        let result = guarded(self.compiler.limits, &cancel, || work(&mut self.compiler));
        cancel.reason().map_or(result, |reason| Err(Fault::puppet(reason.to_string())))
    }

    /// Looks something up; a trace records every step.
    pub fn lookup(
        &mut self,
        query: &Query<'_>,
        trace: Option<&Rc<RefCell<Trace>>>,
    ) -> Result<Option<FoundValue>, Fault> {
        self.within_limits(|compiler| compiler.look_up_traced(query, trace))
    }

    /// The value of a class's parameter, if the data have one.
    pub fn parameter(&mut self, name: &str) -> Result<Option<FoundValue>, Fault> {
        self.within_limits(|compiler| {
            let session = compiler.lookups();
            session.parameter(&mut DataHost(compiler), name)
        })
    }

    /// All values of a key in the order in which they count.
    pub fn occurrences(&mut self, name: &str) -> Vec<Occurrence> {
        let session = self.compiler.lookups();
        session.occurrences(&mut DataHost(&mut self.compiler), name)
    }

    /// The secrets and restricted data that were used.
    pub fn uses(&mut self) -> Vec<DataUse> {
        self.compiler.lookups().uses()
    }

    /// Everything that was read, if the catalog was compiled.
    pub fn reads(&mut self) -> Vec<DataRead> {
        self.compiler.lookups().reads()
    }

    /// Takes the log.
    pub fn take_log(&mut self) -> Vec<Entry> {
        self.compiler.take_log()
    }

    /// The type that a text describes.
    pub fn parse_type(&self, text: &str) -> Result<Type, ParseError> {
        let names: &dyn Names = &self.compiler.names();
        types::parse(text, names)
    }

    /// All levels of all hierarchies, whatever the node.
    pub fn survey(&mut self) -> Survey {
        let session = self.compiler.lookups();
        session.survey(&mut DataHost(&mut self.compiler))
    }

    /// The value of a variable, or of something in it: `facts.os.family`.
    pub fn variable(&self, path: &str) -> Option<Value> {
        let mut segments = path.split('.');
        let mut value = self.compiler.scopes.get_text(segments.next()?)?;
        for segment in segments {
            value = match &value {
                Value::Hash(hash) => hash.get_str(segment)?.clone(),
                Value::Array(items) => items.get(segment.parse::<usize>().ok()?)?.clone(),
                _ => return None,
            };
        }
        Some(value).filter(|value| !value.is_undef())
    }

    /// Evaluates a value of PDL.
    pub fn pdl_value(&mut self, text: &str) -> Result<Value, Fault> {
        let pdl = pdl::parse(&format!("$value = {text}"))
            .map_err(|error| Fault::puppet(error.message()))?;
        let [only] = &pdl.statements[..] else {
            return Err(Fault::puppet("one value is expected"));
        };
        pdl.value(only, &mut DataHost(&mut self.compiler))
    }

    /// The signature of a class; `None` if there is no such class.
    pub fn class(&mut self, name: &str) -> Result<Option<ClassSignature>, Failure> {
        let say = |stop: Box<crate::Stop>| Failure::new(illegal_jump(*stop));
        let Some(class) = self.compiler.find_class(name).map_err(say)? else { return Ok(None) };
        let parameters = self.compiler.parameters(&class.program, class.id).map_err(say)?;
        let list = parameters.list.iter().map(|parameter| ClassParameter {
            name: parameter.name.as_str().into(),
            type_: parameter.type_.clone(),
            has_default: parameter.default.is_some(),
        });
        let file = class.program.file().to_string();
        Ok(Some(ClassSignature { file, line: class.line, parameters: list.collect() }))
    }
}
