//! Complaints, as many as anybody reads.

use kukla_base::Diagnostic;

use crate::parser::MOST;

/// The length of a message, at most.
const LONGEST: usize = 500;

/// Complaints in the order in which they were made; of errors and of others, the first so many.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    kept: Vec<Diagnostic>,
    n_errors: usize,
}

impl Complaints {
    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        let is_error = diagnostic.is_error();
        let n_like_it = if is_error { self.n_errors } else { self.kept.len() - self.n_errors };
        if n_like_it <= MOST {
            self.n_errors += usize::from(is_error);
            shorten(&mut diagnostic.message);
            self.kept.push(diagnostic);
        }
    }

    /// Whether there are more errors than anybody reads.
    pub(super) fn is_full(&self) -> bool {
        self.n_errors > MOST
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn into_kept(self) -> Vec<Diagnostic> {
        self.kept
    }
}

/// A message may quote a text of the program, and that may be long.
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
