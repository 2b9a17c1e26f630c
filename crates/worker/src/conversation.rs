//! The exchange of messages from a request to its result, with the callbacks in between.

use std::time::Duration;

use kukla_foreign::{ErrorKind, Host, RubyError};
use kukla_pcore::Value;

use crate::callback::act;
use crate::message::{Said, answer};
use crate::pool::Pool;
use crate::process::Process;
use crate::{WorkerError, message};

impl Pool {
    /// Sends a request, and serves callbacks by the host until its result arrives.
    pub(crate) fn ask(
        &self,
        request: &Value,
        host: &mut dyn Host,
    ) -> Result<Vec<Value>, RubyError> {
        let is_within = self.take_waiting();
        let is_outermost = is_within.is_none();
        let process = match is_within {
            Some(process) => process,
            None => self.take().map_err(|error| failed(&error))?,
        };
        let mut left = self.timeout();
        let (process, result) = self.converse(process, request, host, &mut left);
        match process {
            Some(process) if is_outermost => self.put_back(process),
            Some(process) => self.let_wait(process),
            None => self.lost(),
        }
        result
    }

    /// Exchanges messages until the result; returns the process too unless it can't be used any more.
    fn converse(
        &self,
        process: Process,
        request: &Value,
        host: &mut dyn Host,
        left: &mut Duration,
    ) -> (Option<Process>, Result<Vec<Value>, RubyError>) {
        let mut process = process;
        let mut next = request.clone();
        loop {
            let said = process.say(&next).and_then(|()| process.hear(left, self.timeout()));
            match said {
                Ok(Said::Done(parts)) => return (Some(process), Ok(parts)),
                Ok(Said::Raised(error)) => return (Some(process), Err(error)),
                Ok(Said::Do(what, parts)) => {
                    self.let_wait(process);
                    let result = act(self, &what, &parts, host);
                    let Some(same) = self.take_waiting() else {
                        let gone = WorkerError::Nonsense("it ended in a call within this one");
                        return (None, Err(failed(&gone)));
                    };
                    process = same;
                    next = answer(result);
                }
                Err(error) => return (None, Err(failed(&error))),
            }
        }
    }
}

/// Returns the error as the compilation reports it.
pub(crate) fn failed(error: &WorkerError) -> RubyError {
    RubyError {
        kind: ErrorKind::Worker,
        class: "RuntimeError".to_owned(),
        message: error.to_string(),
        file: String::new(),
        line: 0,
        host_id: None,
    }
}

/// Returns a result that is one value, as the host sees it.
pub(crate) fn value(parts: &[Value], host: &mut dyn Host) -> Result<Value, RubyError> {
    let data = parts.first().cloned().unwrap_or_default();
    message::rich(data, host).map_err(|error| RubyError {
        message: error.message,
        class: error.class,
        ..failed(&WorkerError::Nonsense("its value"))
    })
}
