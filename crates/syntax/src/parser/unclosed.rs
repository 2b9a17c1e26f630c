//! The search for the unclosed bracket, when the source ends too early.

use kukla_base::Span;

use super::Parser;
use super::recovery::nesting;

impl Parser {
    /// Returns the bracket that is open at the current token, and most likely should not be.
    ///
    /// If a bracket is closed on a line that is indented less than the one where it was opened, then that closing bracket
    /// belongs to an outer one, and this one is unclosed.
    pub(super) fn unclosed_bracket(&mut self) -> Option<Span> {
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.at {
            match nesting(self.tokens[at].kind) {
                1 => open.push(at),
                -1 => {
                    let opening = open.pop()?;
                    if self.is_first_on_line(at)
                        && self.indentation(at) < self.line_indentation(opening)
                    {
                        return Some(self.tokens[opening].span);
                    }
                }
                _ => (),
            }
        }
        open.last().map(|&opening| self.tokens[opening].span)
    }
}
