//! Catalogs compiled inside of the test: no process, no disk.

#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_catalog::Catalog;
use kukla_compiler::compile::{Compiled, Request, compile};
use kukla_compiler::{
    Eval, Failure, Fault, FunctionRef, Functions, Library, Limits, Manifest, NameKind, Strict,
    Strictness, source,
};
use kukla_foreign::ReadTemplates;
use kukla_lookup::{Layers, Places};
use kukla_pcore::{Hash, Type, Value};
use kukla_ruby::Interpreter;
use kukla_syntax::Options;
use kukla_world::{Memory, Record, SharedWorld, World};

/// The path of the source code.
pub(crate) const FILE: &str = "/site.pp";

const ENVIRONMENT: &str = "production";
const ENVIRONMENT_DIRECTORY: &str = "/env";

/// The built-in functions, and data.
#[derive(Debug)]
struct TestLibrary {
    functions: Functions,
    data: Arc<Layers>,
}

impl Library for TestLibrary {
    fn function(&self, name: Symbol, module: &str, record: &Record) -> Eval<Option<FunctionRef>> {
        self.functions.function(name, module, record)
    }

    fn type_(&self, name: &str, record: &Record) -> Option<Type> {
        self.functions.type_(name, record)
    }

    fn data(&self) -> Option<Arc<Layers>> {
        Some(Arc::clone(&self.data))
    }

    fn templates(&self) -> &dyn ReadTemplates {
        self.functions.templates()
    }

    fn names(&self, kind: NameKind) -> Vec<String> {
        Library::names(&self.functions, kind)
    }

    fn world(&self) -> &dyn World {
        self.functions.world()
    }
}

/// The setup of a compilation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    pub(crate) limits: Limits,
    pub(crate) strictness: Strictness,
    pub(crate) node: Option<String>,
    /// Files by absolute path; data of the environment are below `/env`.
    pub(crate) files: Vec<(&'static str, &'static str)>,
    /// Facts whose values are texts.
    pub(crate) facts: Vec<(&'static str, &'static str)>,
    /// Classes that a classifier names, with their parameters.
    pub(crate) classes: Vec<(String, Hash)>,
}

impl Setup {
    /// Sets the setting `strict`.
    pub(crate) fn strict(self, strict: Strict) -> Self {
        Self { strictness: Strictness { strict, ..self.strictness }, ..self }
    }

    /// Compiles the main manifest of a node.
    pub(crate) fn compile(&self, code: &str) -> Result<Compiled, Failure> {
        let options =
            Options { strict: self.strictness.strict, file: FILE.to_owned(), ..Options::default() };
        let program = source::program(code, &options, &mut Vec::new());
        let program = program.map_err(|refusal| Failure::new(Fault::from(refusal)))?;
        let manifest = Arc::new(Manifest::new(program, "", Vec::new(), kukla_base::Edition::Seven));
        let library = Arc::new(self.library());
        let request = self.request();
        let (strictness, limits) = (self.strictness, self.limits);
        Ok(compile(library, strictness, limits, &[manifest], &request, Record::default()))
    }

    fn library(&self) -> TestLibrary {
        let mut world = Memory::default();
        for (path, text) in &self.files {
            world.insert(*path, *text);
        }
        let world = Arc::new(world);
        let functions = Functions::new(kukla_stdlib::BUILT_IN)
            .in_world(Arc::clone(&world) as SharedWorld)
            .with_templates(Interpreter);
        let directory = Some(ENVIRONMENT_DIRECTORY.into());
        let places = Places { environment: ENVIRONMENT.into(), directory, ..Places::default() };
        TestLibrary { functions, data: Arc::new(Layers::new(world, places)) }
    }

    fn request(&self) -> Request {
        let facts = self.facts.iter().map(|&(name, value)| (Value::from(name), Value::from(value)));
        let facts: Arc<Hash> = Arc::new(facts.collect());
        Request {
            node: self.node.clone().unwrap_or_else(|| "web1".to_owned()),
            environment: ENVIRONMENT.to_owned(),
            parameters: Arc::clone(&facts),
            facts,
            classes: self.classes.clone(),
            has_debug: true,
            ..Request::default()
        }
    }

    /// Returns the failure of a compilation.
    pub(crate) fn compile_err(&self, code: &str) -> Failure {
        match self.compile(code) {
            Ok(compiled) => compiled.catalog.expect_err("the code has a catalog"),
            Err(failure) => failure,
        }
    }

    /// Returns the catalog.
    pub(crate) fn compile_ok(&self, code: &str) -> Catalog {
        let compiled = self.compile(code).unwrap_or_else(|failure| panic!("{failure}"));
        compiled.catalog.unwrap_or_else(|failure| panic!("{failure}\n{code}"))
    }
}

/// Returns the catalog of a main manifest.
pub(crate) fn compile_ok(code: &str) -> Catalog {
    Setup::default().compile_ok(code)
}

/// Returns the failure of a main manifest.
pub(crate) fn compile_err(code: &str) -> Failure {
    Setup::default().compile_err(code)
}

/// Returns the code of a failure, the underlined text, and the labels of the call stack.
pub(crate) fn outline(failure: &Failure) -> (&'static str, String, Vec<String>) {
    let fault = &failure.fault;
    let text = fault.at.as_ref().map_or("", |at| at.source.slice(at.span)).to_owned();
    let frames = fault.stack.iter().map(ToString::to_string).collect();
    (fault.code().as_str(), text, frames)
}
