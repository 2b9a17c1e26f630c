//! Progress of a fleet on the terminal.

use std::sync::{PoisonError, RwLock};

use kukla_site::Observer;

use crate::shell::{Progress, Shell};

/// Shows a progress bar per round.
pub(super) struct FleetProgress<'a> {
    shell: &'a Shell,
    round: RwLock<Option<Progress>>,
}

impl<'a> FleetProgress<'a> {
    pub(super) fn new(shell: &'a Shell) -> Self {
        Self { shell, round: RwLock::new(None) }
    }

    /// Prints something while the bar is hidden.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &*self.round.read().unwrap_or_else(PoisonError::into_inner) {
            Some(progress) => progress.aside(print),
            None => print(),
        }
    }

    fn replace(&self, new: Option<Progress>) {
        let mut round = self.round.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = std::mem::replace(&mut *round, new) {
            old.finish();
        }
    }
}

impl Observer for FleetProgress<'_> {
    fn round(&self, n_nodes: usize, is_streamed: bool) {
        self.replace(Some(match is_streamed {
            true => self.shell.progress_beside_output(n_nodes),
            false => self.shell.progress(n_nodes),
        }));
    }

    fn compiled(&self) {
        if let Some(progress) = &*self.round.read().unwrap_or_else(PoisonError::into_inner) {
            progress.step();
        }
    }

    fn finished(&self) {
        self.replace(None);
    }

    fn unsettled(&self, n_rounds: usize) {
        self.shell.warning(&format!(
            "what nodes export still changes after {n_rounds} rounds: they depend on each other"
        ));
    }
}
