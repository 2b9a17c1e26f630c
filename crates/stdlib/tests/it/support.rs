//! Catalogs compiled inside of the test: no process, no disk.

#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_compiler::compile::{Compiled, Request, compile};
use kukla_compiler::{Failure, Fault, Functions, Limits, Manifest, Strict, Strictness, source};
use kukla_ruby::Interpreter;
use kukla_syntax::Options;
use kukla_world::{Memory, Record};

/// The path of the source code.
pub(crate) const FILE: &str = "/site.pp";

/// The setup of a compilation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    pub(crate) limits: Limits,
    pub(crate) strictness: Strictness,
    pub(crate) node: Option<String>,
    /// Files by absolute path.
    pub(crate) files: Vec<(&'static str, &'static str)>,
}

impl Setup {
    /// Sets the setting `strict`.
    pub(crate) fn strict(self, strict: Strict) -> Self {
        Self { strictness: Strictness { strict, ..self.strictness }, ..self }
    }

    /// Compiles the main manifest of a node.
    pub(crate) fn compile(&self, code: &str) -> Result<Compiled, Failure> {
        let mut world = Memory::default();
        for (path, text) in &self.files {
            world.insert(*path, *text);
        }
        let functions = Functions::new(kukla_stdlib::BUILT_IN)
            .in_world(Arc::new(world))
            .with_templates(Interpreter);
        let options =
            Options { strict: self.strictness.strict, file: FILE.to_owned(), ..Options::default() };
        let program = source::program(code, &options, &mut Vec::new());
        let program = program.map_err(|refusal| Failure::new(Fault::from(refusal)))?;
        let manifest = Arc::new(Manifest::new(program, "", Vec::new()));
        let node = self.node.clone().unwrap_or_else(|| "web1".to_owned());
        let request = Request { node, environment: "production".to_owned(), ..Request::default() };
        Ok(compile(
            Arc::new(functions),
            self.strictness,
            self.limits,
            &[manifest],
            &request,
            Record::default(),
        ))
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
