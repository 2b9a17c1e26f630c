//! Runs Ruby code without a template or function, for tests and experiments.

use std::rc::Rc;

use crate::class::{Data, Object, Special};
use crate::read;
use crate::run::{Limits, Process, Run, Vm};
use crate::template::error_of;
use crate::value::RubyValue;
use kukla_foreign::Host;
use kukla_foreign::{ErrorKind, RubyError};

/// Runs code and returns `inspect` of its value.
pub fn evaluate(code: &str, host: &mut dyn Host) -> Result<String, RubyError> {
    evaluate_within(code, host, Limits::default().steps)
}

/// Like [`evaluate`], but with another limit of steps.
pub fn evaluate_within(code: &str, host: &mut dyn Host, steps: u64) -> Result<String, RubyError> {
    let program = read::read("(eval)", code).map_err(|unsupported| RubyError {
        kind: ErrorKind::Unsupported,
        class: "NotImplementedError".to_owned(),
        message: unsupported.reason,
        file: "(eval)".to_owned(),
        line: unsupported.line,
        host_id: None,
    })?;
    let mut vm = Vm::new("(eval)", &Process::of(host));
    vm.limits.steps = steps;
    let mut run = Run { vm: &mut vm, host };
    let top = Rc::clone(&run.vm.top);
    let main =
        RubyValue::Object(Rc::new(Object::new(Rc::clone(&top), Data::Special(Special::Main))));
    let frame = run.top_frame(main, top, program.n_locals);
    let result = match run.eval(&program.body, &frame) {
        Ok(value) => run.inspect(&value),
        Err(stop) => Err(stop),
    };
    result.map_err(|stop| error_of(&mut run, *stop))
}
