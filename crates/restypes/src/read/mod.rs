//! Reads types that modules declare in Ruby, without running Ruby.
//!
//! A file is evaluated as far as declarations need it: constants, loops over lists that are known,
//! modules that are included, methods that declare attributes. Everything else has an unknown value.
//! Where an unknown value decides what is declared, the type is [`Unreadable`].
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

use crate::Sources;
use model::{Draft, Module, ModuleId};
use value::{Frame, Locals, Value};

/// How many steps reading one type may take.
const MAX_STEPS: u32 = 500_000;

/// A type that could not be read without running Ruby.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}:{line}: {reason}")]
pub struct Unreadable {
    /// The file where reading ended.
    pub path: String,
    /// The line in it.
    pub line: u32,
    /// What is there.
    pub reason: String,
    /// What was read, as a type that accepts every attribute.
    pub guess: Option<Arc<ResourceType>>,
}

/// Reads the type `name` from the text of its file.
pub fn read(
    name: &str,
    path: &str,
    text: &str,
    sources: &dyn Sources,
) -> Result<Arc<ResourceType>, Unreadable> {
    // Ruby's nesting becomes ours, and each level takes some kilobytes.
    stacker::maybe_grow(16 << 20, 32 << 20, || {
        let mut reader = Reader::new(sources);
        reader.run(path, text);
        reader.finish(name, path)
    })
}

/// Where and why reading ended.
#[derive(Debug)]
struct Problem {
    path: Rc<str>,
    line: u32,
    reason: String,
}

struct Reader<'s> {
    sources: &'s dyn Sources,
    modules: Vec<Module>,
    loaded: FxHashSet<String>,
    problem: Option<Problem>,
    steps: u32,
    depth: u32,
    /// How many unknown conditions the present code depends on.
    doubt: u32,
}

/// Why code is left.
#[derive(Debug)]
enum Jump {
    Return(Value),
    Next(Value),
    Break(Value),
    Raise,
    /// It took too long.
    Stop,
}

type Eval = Result<Value, Jump>;

impl<'s> Reader<'s> {
    fn new(sources: &'s dyn Sources) -> Self {
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

    /// Evaluates a file.
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

    /// The first problem is the one that counts.
    fn report_at(&mut self, path: &Rc<str>, line: u32, reason: String) {
        self.problem.get_or_insert_with(|| Problem { path: Rc::clone(path), line, reason });
    }

    fn finish(mut self, name: &str, path: &str) -> Result<Arc<ResourceType>, Unreadable> {
        let is_it =
            |module: &Module| module.draft.as_ref().is_some_and(|draft| &*draft.name == name);
        let Some(index) = self.modules.iter().rposition(is_it) else {
            let problem = self.problem.take();
            let reason = format!("it declares no type `{name}`");
            let (line, reason) =
                problem.map_or((1, reason), |problem| (problem.line, problem.reason));
            return Err(Unreadable { path: path.to_owned(), line, reason, guess: None });
        };
        let patterns = self.title_patterns(ModuleId(index));
        let draft = self.draft(ModuleId(index)).cloned().unwrap_or_default();
        let facts = self.facts(&draft, patterns, ModuleId(index));
        match self.problem.take() {
            None => Ok(Arc::new(facts.into())),
            Some(Problem { path, line, reason }) => {
                let guess = TypeDeclaration { leniency: Leniency::Anything, ..facts };
                let guess = Some(Arc::new(guess.into()));
                Err(Unreadable { path: path.to_string(), line, reason, guess })
            }
        }
    }

    fn facts(&self, draft: &Draft, title_patterns: TitlePatterns, id: ModuleId) -> TypeDeclaration {
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
