//! Templates that code in another language renders.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{Host, NeedsRuby, RubyError};

/// A template that the interpreter or a real Ruby renders.
pub trait Render: Debug + Send + Sync {
    /// Renders the template.
    ///
    /// The error has only the message of Ruby's exception. The callers put Puppet's words around it: `template` makes it
    /// `Failed to parse template NAME:\n  Filepath: FILE\n  Line: LINE\n  Detail: MESSAGE\n`, and `inline_template` makes it
    /// `Failed to parse inline template: MESSAGE`.
    fn render(&self, host: &mut dyn Host) -> Result<String, RubyError>;
}

/// A reader of ERB templates: the Ruby interpreter, in programs that have one.
pub trait ReadTemplates: Debug + Send + Sync {
    /// Reads a template; `path` is `None` for `inline_template`. The error says why only a real Ruby can render it.
    fn read(&self, path: Option<&str>, text: &str) -> Result<Arc<dyn Render>, NeedsRuby>;
}

/// A [`ReadTemplates`] that refuses every template.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTemplates;

impl ReadTemplates for NoTemplates {
    fn read(&self, _path: Option<&str>, _text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        Err(NeedsRuby::new("this program has no Ruby interpreter"))
    }
}
