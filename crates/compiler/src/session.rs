//! Code that is evaluated piece by piece, outside of any environment.

use std::sync::Arc;

use kukla_base::cancel::Cancel;
use kukla_pcore::{Hash, Value};
use kukla_syntax::Options;

use crate::compile::{Compilation, Compiler, cancelled, guarded};
use crate::log::Entry;
use crate::{Failure, Fault, Library, Limits, Program, Strictness, source};

/// The environment that code believes to be in.
const ENVIRONMENT: &str = "test";

/// The node that code believes to be evaluated for.
pub const NODE: &str = "test.example.com";

/// Code that is evaluated piece by piece: variables, functions and types stay.
#[derive(Debug)]
pub struct Session {
    compiler: Compiler,
    strictness: Strictness,
}

/// The result of a piece of code.
#[derive(Debug)]
pub struct Outcome {
    /// Its value, or why it has none.
    pub value: Result<Value, Failure>,
    /// Its log.
    pub log: Vec<Entry>,
}

impl Session {
    /// A session with the facts of a node.
    pub fn new(
        library: Arc<dyn Library>,
        strictness: Strictness,
        limits: Limits,
        facts: &Hash,
    ) -> Self {
        let mut compiler = Compiler::new(library, strictness, limits, Compilation::new());
        // What Puppet has at top scope for code that stands in no environment.
        for (name, value) in [("title", "main"), ("name", "main"), ("module_name", "")] {
            compiler.set_top_variable(name, Value::from(value));
        }
        compiler.set_facts(facts);
        compiler.set_top_variable("trusted", Value::hash(trusted()));
        compiler.set_environment(ENVIRONMENT);
        Self { compiler, strictness }
    }

    /// Evaluates a program that was checked before.
    pub fn run(&mut self, program: &Arc<Program>) -> Result<Value, Failure> {
        let (limits, editions) = (self.compiler.limits, self.strictness.editions);
        let cancel = Cancel::new();
        let evaluate = || editions.enter(|| self.compiler.run(program));
        let value = guarded(limits, &cancel, evaluate);
        match cancel.reason() {
            Some(reason) => Err(Failure::new(cancelled(&reason))),
            None => value.map_err(Failure::new),
        }
    }

    /// Parses, validates and evaluates code.
    pub fn evaluate(&mut self, code: &str, file: &str) -> Outcome {
        let mut log = Vec::new();
        let value = match self.check(code, file, &mut log) {
            Ok(program) => self.run(&program),
            Err(failure) => Err(failure),
        };
        log.extend(self.compiler.take_log());
        Outcome { value, log }
    }

    /// Parses and validates code, to run it more than once.
    pub fn program(&self, code: &str, file: &str) -> Result<Arc<Program>, Failure> {
        self.check(code, file, &mut Vec::new())
    }

    fn check(&self, code: &str, file: &str, log: &mut Vec<Entry>) -> Result<Arc<Program>, Failure> {
        let Strictness { strict, editions, .. } = self.strictness;
        let (edition, file) = (editions.puppet, file.to_owned());
        let options = Options { strict, edition, file, ..Options::default() };
        let program = source::program(code, &options, log);
        program.map_err(|refusal| Failure::new(Fault::from(refusal)))
    }
}

/// Returns the trusted data of a node without a certificate.
fn trusted() -> Hash {
    let empty = || Value::hash(Hash::new());
    let entries = [
        ("authenticated", Value::from("local")),
        ("certname", Value::Undef),
        ("extensions", empty()),
        ("hostname", Value::Undef),
        ("domain", Value::Undef),
        ("external", empty()),
    ];
    entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect()
}
