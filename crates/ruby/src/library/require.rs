//! `require`, and running files.

use std::rc::Rc;

use crate::class::{Data, Object, Special};
use crate::run::{Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    /// `require`: Ruby's library is always loaded, other files come from the host.
    pub(crate) fn require(&mut self, name: &str, how: &str) -> Eval<bool> {
        let plain = name.trim_end_matches(".rb");
        if how == "require" && crate::library::is_library(plain) {
            return Ok(true);
        }
        let feature: ecow::EcoString = match how {
            "require_relative" => {
                let base = self.vm.file.rsplit_once('/').map_or("", |(base, _)| base);
                ecow::eco_format!("{base}/{plain}")
            }
            _ => plain.into(),
        };
        if self.vm.process.required.borrow().contains(&feature) {
            return Ok(false);
        }
        let helper = self.vm.helpers.iter().find(|(name, _)| *name == feature || *name == plain);
        if let Some(helper) = helper.map(|(_, program)| std::sync::Arc::clone(program)) {
            self.vm.process.required.borrow_mut().push(feature);
            self.run_file(&helper)?;
            return Ok(true);
        }
        let Some((path, text)) = self.host.ruby_file(&feature) else {
            return self.raise("LoadError", format!("cannot load such file -- {feature}"));
        };
        self.vm.process.required.borrow_mut().push(feature);
        let program = match crate::read::read(&path, &text) {
            Ok(program) => program,
            Err(unsupported) => return self.unsupported(format!("{unsupported} of {path}")),
        };
        self.run_file(&program)?;
        Ok(true)
    }

    /// Runs the top-level code of a file.
    pub(crate) fn run_file(&mut self, program: &crate::read::tree::Program) -> Eval {
        let (file, line) = self.place();
        self.vm.file = program.file.clone();
        let top = Rc::clone(&self.vm.top);
        let main = Object::new(Rc::clone(&top), Data::Special(Special::Main));
        let main = RubyValue::Object(Rc::new(main));
        let frame = self.top_frame(main, top, program.n_locals);
        let result = self.eval(&program.body, &frame)?;
        self.leave(&frame)?;
        self.vm.file = file;
        self.vm.line = line;
        Ok(result)
    }
}
