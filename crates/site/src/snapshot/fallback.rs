//! Fallback to real Ruby for code that the interpreter starts but can't finish.
//!
//! The interpreter checks all names in a file before it runs, but a method may be called with arguments that it does
//! not
//! support. If the code has had no side effect until then, real Ruby runs it from the start.

use std::sync::{Arc, OnceLock};

use kukla_foreign::{ErrorKind, Function, Host, Render, RubyError, RunFunctions};
use kukla_pcore::Value;
use kukla_ruby::FunctionFile;
use kukla_worker::Pool;

use super::ruby::Notice;

/// The functions of a file.
#[derive(Debug)]
pub(crate) struct Functions {
    pub(crate) own: FunctionFile,
    pub(crate) path: String,
    pub(crate) pool: Arc<Pool>,
    pub(crate) notice: Arc<Notice>,
    /// The file loaded in real Ruby, once it was needed.
    pub(crate) real: OnceLock<Result<kukla_worker::FunctionFile, RubyError>>,
}

impl RunFunctions for Functions {
    fn functions(&self) -> &[Function] {
        self.own.functions()
    }

    fn call(
        &self,
        host: &mut dyn Host,
        name: &str,
        signature: Option<usize>,
        args: &[Value],
        has_block: bool,
    ) -> Result<Value, RubyError> {
        let result = self.own.call(host, name, signature, args, has_block);
        let Some(error) = result.as_ref().err().filter(|error| is_beyond(error)) else {
            return result;
        };
        self.notice.give(Some(&self.path), &error.message);
        let read = || kukla_worker::FunctionFile::read(&self.pool, &self.path);
        match self.real.get_or_init(read) {
            Ok(real) => real.call(host, name, signature, args, has_block),
            Err(reason) => Err(unavailable(error, reason)),
        }
    }
}

/// A template.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) own: kukla_ruby::Template,
    pub(crate) path: Option<String>,
    pub(crate) real: kukla_worker::Template,
    pub(crate) notice: Arc<Notice>,
}

impl Render for Template {
    fn render(&self, host: &mut dyn Host) -> Result<String, RubyError> {
        match self.own.render(host) {
            Err(error) if is_beyond(&error) => {
                self.notice.give(self.path.as_deref(), &error.message);
                match self.real.render(host) {
                    Err(reason) if reason.kind == ErrorKind::Worker => {
                        Err(unavailable(&error, &reason))
                    }
                    rendered => rendered,
                }
            }
            rendered => rendered,
        }
    }
}

fn is_beyond(error: &RubyError) -> bool {
    error.kind == ErrorKind::Unsupported
}

/// Returns the error for a feature that the interpreter does not support, with the reason why real Ruby can't be used.
fn unavailable(error: &RubyError, reason: &RubyError) -> RubyError {
    RubyError { message: format!("{}, and {}", error.message, reason.message), ..error.clone() }
}
