//! Threads for work on many items.

use std::sync::OnceLock;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Less work than this is done before a second thread would have started.
const FEW: usize = 8;

/// Threads that are started when they are first needed.
#[derive(Debug)]
pub struct Pool {
    /// None means as many as there are cores.
    n_threads: Option<usize>,
    /// None inside when no threads can be had.
    threads: OnceLock<Option<ThreadPool>>,
}

impl Pool {
    /// Makes a pool of at most `n_threads`; of as many as there are cores if none are given.
    pub fn new(n_threads: Option<usize>) -> Self {
        Self { n_threads, threads: OnceLock::new() }
    }

    /// Returns the results of `work` on each item, in the order of the items.
    pub fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> R + Send + Sync,
    ) -> Vec<R> {
        match self.threads(items.len()) {
            Some(threads) => threads.install(|| items.par_iter().map(work).collect()),
            None => items.iter().map(work).collect(),
        }
    }

    fn threads(&self, n_items: usize) -> Option<&ThreadPool> {
        if n_items < FEW || self.n_threads == Some(1) {
            return None;
        }
        let n_threads = self.n_threads.unwrap_or_default();
        let start = || ThreadPoolBuilder::new().num_threads(n_threads).build().ok();
        self.threads.get_or_init(start).as_ref()
    }
}
