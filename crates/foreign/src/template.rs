//! Templates that code in another language renders.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{Host, RubyError};

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
    /// Reads a template; `path` is `None` for the text of `inline_template`. The error says why it can't be rendered.
    fn read(&self, path: Option<&str>, text: &str) -> Result<Arc<dyn Render>, String>;
}

/// A reader that refuses every template.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTemplates;

impl ReadTemplates for NoTemplates {
    fn read(&self, _path: Option<&str>, _text: &str) -> Result<Arc<dyn Render>, String> {
        Err("there is no interpreter of Ruby here".to_owned())
    }
}
