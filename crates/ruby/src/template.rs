//! ERB templates, for `template` and `inline_template`.

use std::rc::Rc;
use std::sync::Arc;

use crate::class::Data;
use crate::read::tree::Program;
use crate::run::{Eval, Process, Run, Stop, Vm};
use crate::value::RubyValue;
use crate::{erb, judge, read, show};
use kukla_foreign::{ErrorKind, Host, NeedsRuby, ReadTemplates, Render, RubyError, Unsupported};

/// A template that can be rendered repeatedly, by any thread.
#[derive(Debug, Clone)]
pub struct Template {
    program: Arc<Program>,
}

/// The [`ReadTemplates`] of this interpreter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl ReadTemplates for Interpreter {
    fn read(&self, path: Option<&str>, text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        match Template::parse(path, text) {
            Ok(template) => Ok(Arc::new(template)),
            Err(unsupported) => Err(NeedsRuby::new(unsupported.to_string())),
        }
    }
}

impl Template {
    /// Parses a template. `file` is its path, `None` for an inline template.
    ///
    /// The error names the first construct that the interpreter does not support: such a template needs a real Ruby.
    pub fn parse(file: Option<&str>, text: &str) -> Result<Self, Unsupported> {
        let script = erb::compile(text);
        let program = read::read(file.unwrap_or("(erb)"), &script)?;
        judge::judge(&[&program])?;
        Ok(Self { program })
    }
}

impl Render for Template {
    fn render(&self, host: &mut dyn Host) -> Result<String, RubyError> {
        let mut idle = take_idle(host);
        let mut vm = match idle.pop() {
            Some(vm) => vm.renewed(&self.program.file),
            None => Vm::new(&self.program.file, &Process::of(host)),
        };
        if !idle.is_empty() {
            host.keep_state(TEMPLATES, Box::new(idle));
        }
        let result = self.render_in(&mut vm, host);
        let mut idle = take_idle(host);
        idle.push(vm);
        host.keep_state(TEMPLATES, Box::new(idle));
        result
    }
}

/// Takes the machines of earlier templates from the host: one, or several where one template renders another.
fn take_idle(host: &mut dyn Host) -> Vec<Vm> {
    let state = host.take_state(TEMPLATES);
    state.and_then(|state| state.downcast().ok()).map_or_else(Vec::new, |idle| *idle)
}

/// The key of the state for templates at the host.
const TEMPLATES: usize = 0;

impl Template {
    fn render_in(&self, vm: &mut Vm, host: &mut dyn Host) -> Result<String, RubyError> {
        let mut run = Run { vm, host };
        let class = match &run.vm.template_class {
            Some(class) => Rc::clone(class),
            None => {
                let class = run.class_named("Puppet::Parser::TemplateWrapper");
                Rc::clone(run.vm.template_class.insert(class))
            }
        };
        let wrapper = RubyValue::Object(run.new_object(&class, Data::Template(Vec::new())));
        let frame = run.top_frame(wrapper, class, self.program.n_locals);
        let result = run.eval(&self.program.body, &frame);
        let is_unsupported =
            result.as_ref().is_err_and(|stop| matches!(**stop, Stop::Unsupported(_)));
        // If a real Ruby renders the template instead, it makes the changes again.
        let reported = if is_unsupported { Ok(()) } else { run.report_changes() };
        let result = result.and_then(|value| reported.map(|()| value));
        let result = result.and_then(|value| run.leave(&frame).map(|()| value));
        match result {
            Ok(value) => Ok(show::to_s(&value)),
            Err(stop) => Err(match *stop {
                // A template may end early.
                Stop::Return(_, value) => return Ok(show::to_s(&value)),
                other => error_of(&mut run, other),
            }),
        }
    }
}

impl Run<'_> {
    /// Reports variables whose values were changed in place to the host. In Ruby the template and the scope share the object.
    fn report_changes(&mut self) -> Eval<()> {
        let watched = std::mem::take(&mut self.vm.watched);
        if !self.vm.has_changed {
            return Ok(());
        }
        for (name, value) in watched.into_iter().filter(|(_, value)| value.take_changed()) {
            let value = self.to_puppet(&value)?;
            self.acting().variable_changed(name.as_str(), value);
        }
        Ok(())
    }
}

/// Converts a stop to the error for the caller.
pub(crate) fn error_of(run: &mut Run<'_>, stop: Stop) -> RubyError {
    let (file, line) = run.place();
    let error = |kind, class: &str, message: String| RubyError {
        kind,
        class: class.to_owned(),
        message,
        file: file.as_str().to_owned(),
        line,
        host_id: None,
    };
    match stop {
        Stop::Raise(exception) => {
            let message = run.message_of(&exception).unwrap_or_default();
            let (file, line) = match &*exception.data.borrow() {
                Data::Raised { file, line } if *line > 0 => (file.as_str().to_owned(), *line),
                _ => (file.as_str().to_owned(), line),
            };
            let class = exception.class.name.borrow().as_str().to_owned();
            let host_id =
                exception.ivar("@__host__").as_int().and_then(|id| u64::try_from(id).ok());
            RubyError { kind: ErrorKind::Raised, class, message, file, line, host_id }
        }
        Stop::Break(..) | Stop::Next(_) | Stop::Retry | Stop::Return(..) => {
            error(ErrorKind::Raised, "LocalJumpError", "unexpected jump".to_owned())
        }
        Stop::Throw(tag, _) => {
            let tag = show::inspect(&tag);
            error(ErrorKind::Raised, "UncaughtThrowError", format!("uncaught throw {tag}"))
        }
        Stop::Unsupported(what) => {
            let kind = if run.vm.has_acted { ErrorKind::Halfway } else { ErrorKind::Unsupported };
            error(kind, "NotImplementedError", what)
        }
        Stop::Limit(what) => error(ErrorKind::Limit, "RuntimeError", what),
    }
}
