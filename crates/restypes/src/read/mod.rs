//! Reads types that modules declare in Ruby, without running Ruby.
//!
//! A file is evaluated as far as declarations need it: constants, loops over literal lists, included modules, methods that
//! declare attributes. Everything else has an unknown value. Where an unknown value decides what is declared, the type is
//! [`Unreadable`].
//!
//! Start at [`read`].

mod branch;
mod call;
mod constants;
mod declare;
mod eval;
mod lists;
mod methods;
mod mixins;
mod model;
mod patterns;
mod require;
mod resource_api;
mod texts;
mod value;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use kukla_catalog::types::ResourceType;
use kukla_catalog::types::TitlePatterns;
use kukla_catalog::types::{Leniency, TypeDeclaration};

use crate::TypeSources;
use model::{Draft, Module, ModuleId};
use value::{Frame, Locals, Value};

/// The most steps that reading one type may take.
const MAX_STEPS: u32 = 500_000;

/// The error of a type that can't be read without running Ruby.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}:{line}: {reason}")]
pub struct Unreadable {
    /// The file with the code that can't be read.
    pub path: String,
    /// The line in it.
    pub line: u32,
    /// The description of that code, e.g. ``it calls `magic`, which is not known here``.
    pub reason: String,
    /// The type as far as it was read, made to accept every attribute.
    pub guess: Option<Arc<ResourceType>>,
}

/// Reads the type `name` from the text of its file.
pub fn read(
    name: &str,
    path: &str,
    text: &str,
    sources: &dyn TypeSources,
) -> Result<Arc<ResourceType>, Unreadable> {
    // The reader recurses with the nesting of the code, and each level takes some kilobytes of stack.
    stacker::maybe_grow(16 << 20, 32 << 20, || {
        let mut reader = Reader::new(sources);
        reader.run(path, text);
        reader.finish(name, path)
    })
}

/// The first reason why a type is unreadable.
#[derive(Debug)]
struct Problem {
    path: Rc<str>,
    line: u32,
    reason: String,
}

struct Reader<'s> {
    sources: &'s dyn TypeSources,
    modules: Vec<Module>,
    loaded: FxHashSet<String>,
    problem: Option<Problem>,
    steps: u32,
    depth: u32,
    /// The number of unknown conditions around the current code.
    doubt: u32,
}

/// The reason why evaluation leaves an expression early.
#[derive(Debug)]
enum Jump {
    Return(Value),
    Next(Value),
    Break(Value),
    Raise,
    /// The limit of steps or depth was exceeded.
    Stop,
}

type Eval = Result<Value, Jump>;

impl<'s> Reader<'s> {
    fn new(sources: &'s dyn TypeSources) -> Self {
        Self {
            sources,
            modules: vec![Module::default()],
            loaded: FxHashSet::default(),
            problem: None,
            steps: 0,
            depth: 0,
            doubt: 0,
        }
    }

    /// Evaluates a file, unless it was evaluated before.
    fn run(&mut self, path: &str, text: &str) {
        if !self.loaded.insert(path.to_owned()) {
            return;
        }
        let path: Rc<str> = path.into();
        match crate::ruby::parse(text, &path) {
            Ok(tree) => {
                let frame = Frame {
                    locals: Rc::new(Locals::default()),
                    this: Value::Module(ModuleId(0)),
                    nesting: Rc::new([ModuleId(0)]),
                    path: Rc::clone(&tree.path),
                    method: None,
                    is_singleton: false,
                };
                if let Err(Jump::Raise) = self.eval(&tree.root, &frame) {
                    self.report(&frame, tree.root.line, "it raises an error".to_owned());
                }
            }
            Err((line, reason)) => self.report_at(&path, line, reason),
        }
    }

    fn report(&mut self, frame: &Frame, line: u32, reason: String) {
        self.report_at(&frame.path, line, reason);
    }

    /// Records a problem, unless there is one: the first is the one to show.
    fn report_at(&mut self, path: &Rc<str>, line: u32, reason: String) {
        self.problem.get_or_insert_with(|| Problem { path: Rc::clone(path), line, reason });
    }

    fn finish(mut self, name: &str, path: &str) -> Result<Arc<ResourceType>, Unreadable> {
        let declares_it =
            |module: &Module| module.draft.as_ref().is_some_and(|draft| &*draft.name == name);
        let Some(index) = self.modules.iter().rposition(declares_it) else {
            let problem = self.problem.take();
            let reason = format!("it declares no type `{name}`");
            let (line, reason) =
                problem.map_or((1, reason), |problem| (problem.line, problem.reason));
            return Err(Unreadable { path: path.to_owned(), line, reason, guess: None });
        };
        let patterns = self.title_patterns(ModuleId(index));
        let draft = self.draft(ModuleId(index)).cloned().unwrap_or_default();
        let declaration = self.declaration(&draft, patterns, ModuleId(index));
        match self.problem.take() {
            None => Ok(Arc::new(declaration.into())),
            Some(Problem { path, line, reason }) => {
                let guess = TypeDeclaration { leniency: Leniency::Anything, ..declaration };
                let guess = Some(Arc::new(guess.into()));
                Err(Unreadable { path: path.to_string(), line, reason, guess })
            }
        }
    }

    fn declaration(
        &self,
        draft: &Draft,
        title_patterns: TitlePatterns,
        id: ModuleId,
    ) -> TypeDeclaration {
        let mut properties: Vec<String> =
            draft.properties.iter().map(ToString::to_string).collect();
        let mut parameters: Vec<String> =
            draft.parameters.iter().map(|(name, _)| name.to_string()).collect();
        let has_ensure = properties.iter().any(|name| name == "ensure");
        let is_ensurable =
            ["exists?", "create", "destroy"].iter().all(|name| self.has_method(id, name));
        if is_ensurable && !has_ensure {
            properties.insert(0, "ensure".to_owned());
        }
        if !parameters.iter().any(|name| name == "provider")
            && (draft.has_provider || crate::providers::has_providers(&draft.name, self.sources))
        {
            parameters.push("provider".to_owned());
        }
        TypeDeclaration {
            name: draft.name.to_string(),
            properties,
            parameters,
            keys: draft.key_attributes().map(ToString::to_string).collect(),
            title_patterns,
            is_not_isomorphic: draft.is_not_isomorphic,
            applies_to: draft.applies_to,
            leniency: Leniency::Name,
        }
    }

    fn module(&mut self, id: ModuleId) -> &mut Module {
        &mut self.modules[id.0]
    }

    fn draft(&self, id: ModuleId) -> Option<&Draft> {
        self.modules[id.0].draft.as_ref()
    }
}
