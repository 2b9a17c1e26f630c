//! A compilation from its beginning to its end, in the order that Puppet has.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_base::cancel::{Cancel, Reason};
use kukla_catalog::exports::Exports;
use kukla_catalog::origins::OriginId;
use kukla_catalog::{Catalog, Version};
use kukla_pcore::{Hash, Value};
use kukla_world::{Bounds, Kind as AtomKind, Record, Recorded, Watchdog};

use super::declare::lower;
use super::definition::Definition;
use super::resource::{Kind, ResourceId};
use super::{Compilation, Compiler};
use crate::interpreter::scope::ScopeId;
use crate::interpreter::watch::Watch;
use crate::interpreter::{illegal_jump, jump_place};
use crate::issues::{self, Code};
use crate::library::Manifest;
use crate::log::{Entry, Level};
use crate::{
    Eval, Failure, Fault, Frame, FrameKind, Library, Limits, Located, Logged, Part, Place, Program,
    Stop, Strictness,
};

/// How often definitions may make new definitions necessary.
const MAX_ROUNDS: usize = 1_000;

/// The node, facts and classes that a catalog is compiled for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The name of the node.
    pub node: String,
    /// The name of the environment.
    pub environment: String,
    /// The facts of the node.
    pub facts: Arc<Hash>,
    /// The trusted data of the node.
    pub trusted: Arc<Hash>,
    /// The facts of the server.
    pub server_facts: Arc<Hash>,
    /// Variables that a classifier sets.
    pub parameters: Arc<Hash>,
    /// Classes that a classifier names, with their parameters.
    pub classes: Vec<(String, Hash)>,
    /// Puppet's settings, for `$settings::name`.
    pub settings: Arc<Hash>,
    /// The version of the catalog.
    pub version: Version,
    /// The exports of other nodes; without them exported resources are neither collected nor listed.
    pub exports: Option<Arc<dyn Exports>>,
    /// Whether the catalog is for agents that know no rich data: values that are no data become texts.
    pub is_plain: bool,
    /// Whether the log has debug messages.
    pub has_debug: bool,
    /// Whether to measure where the time goes.
    pub is_profiled: bool,
    /// Stops the compilation when it is raised.
    pub cancel: Cancel,
    /// Whether to record everything that the compilation reads.
    pub is_recorded: bool,
    /// Whether to record at least what a frozen site does not answer.
    pub is_repeatable: bool,
    /// Warnings about the node, which come first in the log.
    pub warnings: Vec<String>,
}

/// The result of a request.
#[derive(Debug)]
pub struct Compiled {
    /// The catalog, or why there is none.
    pub catalog: Result<Catalog, Failure>,
    /// The log.
    pub log: Vec<Entry>,
    /// Whether the exports of other nodes were looked at, so that the catalog depends on them.
    pub has_collected: bool,
    /// Where the time went, if that was asked for: what took most first.
    pub profile: Vec<Part>,
    /// Everything that the compilation has read, if [`Request::is_recorded`], or a part of it, if
    /// [`Request::is_repeatable`].
    pub inputs: Recorded,
}

/// Compiles a catalog: `main` is what the initial manifests say, in the order of their paths.
pub fn compile(
    library: Arc<dyn Library>,
    strictness: Strictness,
    limits: Limits,
    main: &[Arc<Manifest>],
    request: &Request,
    record: Record,
) -> Compiled {
    let record = Rc::new(record);
    let mut compiler = Compiler::new(library, strictness, limits, Compilation::new());
    compiler.inputs.set_record(Rc::clone(&record));
    compiler.inputs.set_deadline(limits.deadline);
    let evaluate = || strictness.editions.enter(|| compiler.compiled(main, request));
    let mut compiled = guarded(limits, &request.cancel, evaluate);
    compiler.write_record(request);
    drop(compiler);
    compiled.inputs = Rc::into_inner(record).map_or_else(Recorded::default, Record::finish);
    compiled
}

/// Does something within limits of time, memory and work: the flag is raised when one is reached.
pub(crate) fn guarded<T>(limits: Limits, cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    let bounds = Bounds { deadline: limits.deadline, memory: limits.memory };
    let _watchdog = Watchdog::watch(bounds, cancel);
    cancel.enter(work)
}

/// Returns the fault of a compilation that was told to stop: whatever noticed it first, it has one code and one message.
fn stopped(mut fault: Box<Fault>, reason: Option<Reason>) -> Box<Fault> {
    if let Some(reason) = reason
        && fault.code() != Code::CANCELLED
    {
        fault.replace_issue(issues::cancelled(&reason));
    }
    fault
}

/// Returns the fault of something that was told to stop.
pub(crate) fn cancelled(reason: &Reason) -> Box<Fault> {
    Box::new(Fault::new(issues::cancelled(reason), Located::Nowhere(Logged::Inside)))
}

impl Compiler {
    /// Returns why the compilation was to stop. A program may notice the deadline before the watchdog does.
    fn reason_to_stop(&self, request: &Request) -> Option<Reason> {
        let is_late = || self.limits.deadline.is_some_and(kukla_world::clock::is_past);
        request.cancel.reason().or_else(|| is_late().then_some(Reason::Deadline))
    }

    pub(super) fn compiled(&mut self, main: &[Arc<Manifest>], request: &Request) -> Compiled {
        self.profile = request.is_profiled.then(Box::default);
        self.has_debug = request.has_debug;
        for warning in &request.warnings {
            self.say(Level::Warning, warning.clone(), None);
        }
        let catalog = self.compile(main, request);
        let catalog = catalog.map_err(|fault| stopped(fault, self.reason_to_stop(request)));
        // What was walked through or written after the flag was raised is not whole.
        let catalog = match (catalog, request.cancel.reason()) {
            (Ok(_), Some(reason)) => Err(cancelled(&reason)),
            (catalog, _) => catalog,
        };
        let mut log = self.take_log();
        log.extend(self.catalog.definitions.take_log());
        log.append(self.catalog.lost.get_mut());
        let catalog = catalog.map_err(|fault| {
            // Puppet does not count this among the errors that it knows of.
            if fault.code() != Code::DATA_TOO_DEEP {
                log.push(fault.entry(&request.node));
            }
            Failure::on_node(self.underlined(*fault, main), &request.node)
        });
        let profile = self.profile.take().map_or_else(Vec::new, |profile| profile.parts());
        Compiled {
            catalog,
            log,
            has_collected: self.catalog.has_asked,
            profile,
            inputs: Recorded::default(),
        }
    }

    /// Underlines the line of a fault that knows no more than that, if it is in a manifest.
    fn underlined(&self, fault: Fault, main: &[Arc<Manifest>]) -> Fault {
        let Some(place) = fault.place().filter(|_| fault.at.is_none()) else { return fault };
        let is_its_program = |program: &&Arc<Program>| *program.file() == place.file;
        let mut programs = main.iter().map(|manifest| &manifest.program);
        let program = match programs.find(is_its_program) {
            Some(program) => Some(Arc::clone(program)),
            None => self.catalog.definitions.program_of(&place.file),
        };
        match program.and_then(|program| program.line_span(place.line)) {
            Some(at) => fault.underlined(at),
            None => fault,
        }
    }

    fn compile(
        &mut self,
        main: &[Arc<Manifest>],
        request: &Request,
    ) -> Result<Catalog, Box<Fault>> {
        self.compile_all(main, request).map_err(|stop| illegal_jump(*stop))
    }

    fn compile_all(&mut self, main: &[Arc<Manifest>], request: &Request) -> Eval<Catalog> {
        self.begin(main, request)?;
        self.evaluate_main(main)?;
        let scope = self.evaluate_node(&request.node)?;
        self.evaluate_node_classes(&request.classes, scope)?;
        self.evaluate_generators()?;
        self.finish()?;
        self.check_leftovers()?;
        self.validate_relationships()?;
        self.catalog(request)
    }

    /// Sets up everything that exists before code is evaluated.
    pub(super) fn begin(&mut self, main: &[Arc<Manifest>], request: &Request) -> Eval<()> {
        self.catalog.node = request.node.as_str().into();
        self.catalog.exports.clone_from(&request.exports);
        self.catalog.is_plain = request.is_plain;
        self.catalog.environment = request.environment.as_str().into();
        for manifest in main {
            self.catalog.definitions.add(manifest, &self.types, &self.inputs)?;
            self.define_functions(&manifest.program);
        }
        self.log.extend(self.catalog.definitions.take_log());
        self.start(request)?;
        self.read_parameter_types()
    }

    /// The main stage, the variables of the top scope, and the settings.
    fn start(&mut self, request: &Request) -> Eval<()> {
        let stage_type = self.catalog.names.stage_type;
        if let Some(stage) = self.native_type("stage") {
            let mut resource = self.new_resource(Kind::Native(stage), stage_type, "main".into());
            resource.has_odd_title = true;
            self.give_parameters(&mut resource, Vec::new())?;
            resource.is_finished = true;
            let _ = self.catalog.add(resource);
        }
        for (name, _) in &request.classes {
            self.add_class(&EcoString::from(name.as_str()));
        }
        self.set_top_variable("environment", Value::from(request.environment.as_str()));
        self.set_top_variable("trusted", Value::Hash(Arc::clone(&request.trusted)));
        self.set_top_variable("server_facts", Value::Hash(Arc::clone(&request.server_facts)));
        self.set_top_variable("facts", Value::Hash(Arc::clone(&request.facts)));
        let fixed = [&request.facts, &request.trusted, &request.server_facts];
        self.scopes.set_fixed(fixed.map(Arc::clone));
        // Names that are taken now stay so.
        self.scopes.give(ScopeId::TOP, Arc::clone(&request.parameters));
        if self.inputs.is_recording() {
            self.scopes.watch(ScopeId::TOP);
        }
        self.set_settings(&request.settings)
    }

    fn set_settings(&mut self, settings: &Arc<Hash>) -> Eval<()> {
        let class = self.catalog.names.class;
        let mut resource = self.new_resource(Kind::Class(None), class, "Settings".into());
        self.give_parameters(&mut resource, Vec::new())?;
        (resource.is_evaluated, resource.is_finished) = (true, true);
        let Ok(id) = self.catalog.add(resource) else { return Ok(()) };
        let scope = self.scopes.class(Symbol::new("settings"));
        self.catalog.describe_scope(scope, ScopeId::TOP, id, super::resource::SourceId::MAIN);
        self.add_class(&"settings".into());
        self.add_edge_to_stage(id)?;
        self.scopes.give(scope, Arc::clone(settings));
        let all = Value::Hash(Arc::clone(settings));
        self.scopes.set_named(scope, Symbol::new("all_local"), all);
        if self.inputs.is_recording() {
            self.scopes.watch(scope);
        }
        Ok(())
    }

    /// Records what was read of the request.
    fn write_record(&mut self, request: &Request) {
        let record = Rc::clone(self.inputs.record());
        if !record.is_on() {
            return;
        }
        let always = [
            (AtomKind::Compiler, ""),
            (AtomKind::Node, ""),
            (AtomKind::Node, "environment"),
            (AtomKind::Classification, ""),
        ];
        let always = always.map(|(kind, name)| (kind, name.to_owned()));
        let top = self.scopes.watched(ScopeId::TOP).map(Watch::top_questions);
        let settings = self.scopes.class_scope(Symbol::new("settings"));
        let settings = settings.and_then(|scope| self.scopes.watched(scope));
        let settings = settings.map(Watch::setting_questions);
        let asked = top.into_iter().chain(settings).flatten();
        for (kind, name) in always.into_iter().chain(asked) {
            record.note_now(|| request.atom(self.strictness, kind, &name));
        }
    }

    /// Evaluates the code outside of all definitions.
    pub(super) fn evaluate_main(&mut self, main: &[Arc<Manifest>]) -> Eval<()> {
        let class = self.catalog.names.class;
        let mut resource = self.new_resource(Kind::Class(None), class, "main".into());
        resource.has_odd_title = true;
        self.give_parameters(&mut resource, Vec::new())?;
        resource.is_evaluated = true;
        let Ok(id) = self.catalog.add(resource) else { return Ok(()) };
        self.catalog.note_declared(id);
        self.catalog.set_scope_resource(ScopeId::TOP, id);
        self.scopes.set_named(ScopeId::TOP, self.catalog.names.module_name, Value::from(""));
        self.scopes.set_named(ScopeId::TOP, self.catalog.names.title, Value::from("main"));
        self.scopes.set_named(ScopeId::TOP, self.catalog.names.name, Value::from("main"));
        self.add_edge_to_stage(id)?;
        for manifest in main {
            let program = &manifest.program;
            if let Some(body) = program.ast().body() {
                let origin = self.catalog.origins.expression(program, body);
                self.catalog.origins.main.push(origin);
                let place = Place { line: 0, column: 0, ..program.place(body) };
                self.catalog.frames.push(crate::call::on_stack(place));
                let result = self.eval(program, body);
                self.catalog.frames.pop();
                result.map_err(|stop| stop.framed(|| main_frame(program.file())))?;
            }
        }
        Ok(())
    }

    /// The code of the node, if there are nodes at all; its scope.
    fn evaluate_node(&mut self, name: &str) -> Eval<Option<ScopeId>> {
        if !self.catalog.definitions.has_nodes() {
            return Ok(None);
        }
        let definitions = &self.catalog.definitions;
        let node = definitions.node(name).or_else(|| definitions.node("default"));
        let Some(node) = node else {
            return Err(Stop::final_fault(issues::unknown_node(name)));
        };
        let id = self.ensure_node(&node)?;
        self.evaluate_resource(id)?;
        Ok(self.class_scope(&node.name))
    }

    fn ensure_node(&mut self, node: &Arc<Definition>) -> Eval<ResourceId> {
        let kind = Kind::Node(Arc::clone(node));
        let mut resource = self.new_resource(kind, self.catalog.names.node, node.name.clone());
        resource.source = self.catalog.add_source(node);
        resource.origin = self.catalog.origins.expression(&node.program, node.id);
        self.give_parameters(&mut resource, Vec::new())?;
        self.catalog.catalog_tags.merge(&resource.tags);
        self.add_resource(resource)
    }

    fn evaluate_node_classes(
        &mut self,
        classes: &[(String, Hash)],
        scope: Option<ScopeId>,
    ) -> Eval<()> {
        if classes.is_empty() {
            return Ok(());
        }
        let caller = self.scopes.enter_named(scope.unwrap_or(ScopeId::TOP));
        let result = self.ensure_node_classes(classes);
        self.scopes.leave(caller);
        result
    }

    fn ensure_node_classes(&mut self, classes: &[(String, Hash)]) -> Eval<()> {
        let named = |wanted: bool| {
            let chosen = classes.iter().filter(move |(_, given)| given.is_empty() != wanted);
            chosen.map(|(name, _)| EcoString::from(name.as_str())).collect::<Vec<_>>()
        };
        for class in self.find_classes(&named(true))? {
            let given = classes.iter().find(|(name, _)| lower(name) == class.name);
            let parameters = given.into_iter().flat_map(|(_, given)| given.iter());
            let parameters = parameters
                .filter_map(|(name, value)| {
                    Some((self.scopes.strangers.symbol(name.as_str()?), value.clone()))
                })
                .collect();
            self.ensure_class_with(&class, parameters)?;
        }
        let plain = self.find_classes(&named(false))?;
        self.ensure_classes(&plain, OriginId::CLASSIFIER)?;
        Ok(())
    }

    /// Evaluates collectors and definitions until nothing new appears.
    fn evaluate_generators(&mut self) -> Eval<()> {
        for _ in 0..=MAX_ROUNDS {
            let collected = self.evaluate_collectors()?;
            let evaluated = self.evaluate_definitions()?;
            if !collected && !evaluated {
                return Ok(());
            }
        }
        Err(Stop::final_fault(issues::too_many_rounds()))
    }

    /// Evaluates all resources that have code and were not evaluated; whether there were any.
    fn evaluate_definitions(&mut self) -> Eval<bool> {
        let mut due = Vec::new();
        // What was evaluated stays so, and most of the list is.
        let mut first_virtual = None;
        for at in self.catalog.n_evaluated..self.catalog.declared.len() {
            let id = self.catalog.declared[at];
            let resource = self.catalog.resource(id);
            if resource.is_evaluated || resource.definition().is_none() {
                continue;
            }
            match resource.is_virtual {
                true => first_virtual = first_virtual.or(Some(at)),
                false => due.push(id),
            }
        }
        self.catalog.n_evaluated = first_virtual.unwrap_or(self.catalog.declared.len());
        for &id in &due {
            let result = self.evaluate_resource(id);
            result.map_err(|stop| self.framed_by_containers(self.in_resource(*stop, id), id))?;
        }
        Ok(!due.is_empty())
    }

    /// A fault in the code of a resource names the resource too.
    fn in_resource(&self, stop: Stop, id: ResourceId) -> Box<Stop> {
        if let Stop::Break(place) = &stop {
            let place = jump_place(place.clone());
            let fault = illegal_jump(stop);
            let words = "Evaluation Error: Error while evaluating an Object";
            let message = format!("{words}, {}", fault.message());
            return fault.wrapped_at(message, Some(place)).into();
        }
        let fault = illegal_jump(stop);
        let message = format!(
            "Evaluation Error: Error while evaluating a Resource Statement, {}",
            fault.full_message()
        );
        fault.wrapped_at(message, self.catalog.resource(id).at.place()).into()
    }
}

fn main_frame(file: &Arc<str>) -> Frame {
    let place = Place { file: Arc::clone(file), line: 0, column: 0 };
    Frame { kind: FrameKind::Main, name: String::new(), place: Some(place) }
}
