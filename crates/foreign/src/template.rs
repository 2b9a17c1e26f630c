//! Templates that code in another language renders.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{Host, NeedsRuby, RubyError};

/// Something that renders a template: the interpreter, or a real Ruby.
pub trait Render: Debug + Send + Sync {
    /// The text that comes out.
    ///
    /// The error has the message of Ruby's exception alone. Around it `template` says
    /// `Failed to parse template NAME:\n  Filepath: FILE\n  Line: LINE\n  Detail: MESSAGE\n`, and `inline_template` says
    /// `Failed to parse inline template: MESSAGE`.
    fn render(&self, host: &mut dyn Host) -> Result<String, RubyError>;
}

/// Reads ERB templates: the interpreter of Ruby, where there is one.
pub trait ReadTemplates: Debug + Send + Sync {
    /// Reads a template; `path` is `None` for the text of `inline_template`. An error says why only a real Ruby can render it.
    fn read(&self, path: Option<&str>, text: &str) -> Result<Arc<dyn Render>, NeedsRuby>;
}

/// A reader that refuses every template.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTemplates;

impl ReadTemplates for NoTemplates {
    fn read(&self, _path: Option<&str>, _text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        Err(NeedsRuby::new("there is no interpreter of Ruby here"))
    }
}
