//! A bounded list of diagnostics.

use kukla_base::Diagnostic;

use crate::parser::MOST;

/// Maximum length of a message.
const LONGEST: usize = 500;

/// Diagnostics in the order in which they were reported, up to a maximum of errors and of other findings.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    list: Vec<Diagnostic>,
    n_errors: usize,
}

impl Complaints {
    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        let is_error = diagnostic.is_error();
        let n_like_it = if is_error { self.n_errors } else { self.list.len() - self.n_errors };
        if n_like_it <= MOST {
            self.n_errors += usize::from(is_error);
            shorten(&mut diagnostic.message);
            self.list.push(diagnostic);
        }
    }

    /// Whether the maximum number of errors is reached.
    pub(super) fn is_full(&self) -> bool {
        self.n_errors > MOST
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// Truncates a message: it may quote a long text of the program.
fn shorten(message: &mut String) {
    if message.len() > LONGEST {
        let is_border = |at: &usize| message.is_char_boundary(*at);
        let border = (0..=LONGEST).rev().find(is_border).unwrap_or(0);
        message.truncate(border);
        message.push('…');
    }
}

impl Extend<Diagnostic> for Complaints {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: T) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}
