//! A node with everything that its catalog depends on, and its catalog.

use std::path::Path;
use std::sync::Arc;

use kukla_catalog::Version;
use kukla_catalog::exports::{InMemory, Stored};
use kukla_catalog::json;
use kukla_compiler::compile::{Compiled, Request};
use kukla_compiler::{Limits, Strict, Strictness};
use kukla_pcore::{Hash, Value};
use kukla_site::{
    Environment, Main, Node, OpenEnvironment, Options, Repeat, Revision, RubyWorker,
    ServerIdentity, Snapshot,
};
use kukla_world::{Atom, Recorded, SharedWorld};

use super::overlay::Overlay;

use crate::edition::{edition, strict_rules};

/// The directory of the environment.
pub(super) const ENVIRONMENT: &str = "/env";

/// A node, its environment, and all else that a catalog depends on.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) files: Overlay,
    pub(super) node: Node,
    pub(super) exports: Vec<Stored>,
    /// Settings that manifests see, beside those of the environment.
    pub(super) settings: Hash,
    pub(super) strict: Strict,
    pub(super) is_plain: bool,
}

/// The catalog as JSON, or the error.
pub(super) type Outcome = Result<String, String>;

/// A subject that is ready to be compiled.
#[derive(Debug)]
pub(super) struct Ready {
    open: Arc<OpenEnvironment>,
    request: Request,
}

impl Subject {
    /// Opens the environment; an error is one of `environment.conf`.
    pub(super) fn open(&self) -> Result<Ready, String> {
        let world: SharedWorld = Arc::new(self.files.clone());
        let environment = Environment::open(Path::new(ENVIRONMENT), &[], &*world)
            .map_err(|error| error.to_string())?;
        let settings = Arc::new(self.settings_of(&environment));
        let options = Options {
            name: "production".to_owned(),
            hiera_config: Some("/global/hiera.yaml".into()),
            strict: self.strict,
            edition: edition(),
            ruby_worker: RubyWorker::Off,
            ..Options::default()
        };
        let snapshot = Snapshot::of_world(environment, options, world, &mut Vec::new());
        let strictness =
            Strictness { strict: self.strict, strict_variables: false, ..strict_rules() };
        let server = ServerIdentity {
            name: "puppet.example.com".to_owned(),
            address: "192.0.2.1".to_owned(),
        };
        let open = OpenEnvironment {
            name: "production".to_owned(),
            snapshot: Arc::new(snapshot),
            settings,
            strictness,
            server,
            problems: Vec::new(),
            revision: Revision::default(),
        };
        Ok(Ready { request: self.request(&open), open: Arc::new(open) })
    }

    fn request(&self, environment: &OpenEnvironment) -> Request {
        Request {
            version: Version::default(),
            exports: Some(Arc::new(InMemory(self.exports.clone()))),
            is_plain: self.is_plain,
            is_recorded: true,
            ..environment.request(&self.node)
        }
    }

    /// Returns the subject as a node of another name.
    pub(super) fn named(&self, name: &str) -> Self {
        let facts = Arc::clone(&self.node.facts);
        let node = Node { name: name.to_owned(), ..Node::new(name, facts) };
        let Node { parameters, classes, is_classified, .. } = self.node.clone();
        Self { node: Node { parameters, classes, is_classified, ..node }, ..self.clone() }
    }

    fn settings_of(&self, environment: &Environment) -> Hash {
        let mut settings = self.settings.clone();
        let modulepath: Vec<String> =
            environment.modulepath.iter().map(|path| path.display().to_string()).collect();
        for (name, value) in [
            ("environment", "production".to_owned()),
            ("manifest", environment.manifest.display().to_string()),
            ("modulepath", modulepath.join(":")),
        ] {
            settings.insert(Value::from(name), Value::from(value));
        }
        settings
    }
}

impl Ready {
    /// Returns another node in the same environment.
    pub(super) fn as_node(&self, subject: &Subject) -> Self {
        Self { request: subject.request(&self.open), open: Arc::clone(&self.open) }
    }

    /// Returns the node without a record.
    pub(super) fn unrecorded(&self) -> Self {
        let request = Request { is_recorded: false, ..self.request.clone() };
        Self { request, open: Arc::clone(&self.open) }
    }

    /// Returns the node with a record of the questions about its request.
    pub(super) fn repeatable(&self) -> Self {
        let request = Request { is_recorded: false, is_repeatable: true, ..self.request.clone() };
        Self { request, open: Arc::clone(&self.open) }
    }

    /// Returns whether the log has warnings about the node itself.
    pub(super) fn has_warnings(&self) -> bool {
        !self.request.warnings.is_empty()
    }

    /// Returns when the catalog can be given again.
    pub(super) fn repeat(&self, inputs: &Recorded) -> Option<Repeat> {
        Repeat::of(&self.open.snapshot, inputs)
    }

    /// Returns whether the catalog of a record can be given again.
    pub(super) fn holds(&self, repeat: &Repeat) -> bool {
        let OpenEnvironment { snapshot, strictness, .. } = &*self.open;
        repeat.holds(snapshot, *strictness, &self.request)
    }

    /// Returns the catalog with its log, and the record of a compilation.
    pub(super) fn result(&self) -> (Outcome, Recorded) {
        let compiled = self.run();
        let log = format!("{:?}", compiled.log);
        let outcome = match &compiled.catalog {
            Ok(catalog) => Ok(json::write(catalog, "") + &json::exported(catalog) + &log),
            Err(failure) => Err(failure.to_string() + &log),
        };
        (outcome, compiled.inputs)
    }

    /// Compiles the node.
    pub(super) fn run(&self) -> Compiled {
        let OpenEnvironment { snapshot, strictness, .. } = &*self.open;
        snapshot.compile(&Main::Environment, *strictness, Limits::default(), &self.request)
    }

    /// Returns the catalog and the record of a compilation.
    pub(super) fn compile(&self) -> (Outcome, Vec<Atom>) {
        let compiled = self.run();
        let outcome = match &compiled.catalog {
            Ok(catalog) => Ok(json::write(catalog, "") + &json::exported(catalog)),
            Err(failure) => Err(failure.to_string()),
        };
        (outcome, compiled.inputs.atoms())
    }

    /// Returns the first question of a record that has another answer here.
    pub(super) fn first_change<'r>(&self, record: &'r [Atom]) -> Option<&'r Atom> {
        let OpenEnvironment { snapshot, strictness, .. } = &*self.open;
        snapshot.first_change(&Main::Environment, *strictness, &self.request, record)
    }
}
