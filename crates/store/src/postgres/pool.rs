//! Connections that are reused. A thread that needs one makes it itself, so it learns at once why there is none.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::address::Address;
use super::connection::Connection;
use crate::sql::SqlError;

/// The most connections at once: PostgreSQL has a process for each.
const MOST: usize = 16;
/// How long a thread waits for one.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connections to a database.
#[derive(Default)]
pub(super) struct Pool {
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    n_used: usize,
}

/// A connection that is in use.
pub(super) struct Borrowed<'a> {
    pool: &'a Pool,
    pub(super) connection: Option<Connection>,
    /// Whether it was used before, so that the server may have closed it meanwhile.
    pub(super) is_old: bool,
    /// Whether no transaction is open.
    pub(super) is_clean: bool,
}

impl Pool {
    /// Takes a connection, or makes one.
    pub(super) fn take(&self, address: &Address) -> Result<Borrowed<'_>, SqlError> {
        let state = self.lock();
        let is_full = |state: &mut State| state.n_used >= MOST;
        let waited = self.returned.wait_timeout_while(state, PATIENCE, is_full);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(SqlError::Connection("all connections are in use".to_owned()));
        }
        state.n_used += 1;
        let idle = state.idle.pop();
        drop(state);
        let is_old = idle.is_some();
        let mut borrowed = Borrowed { pool: self, connection: idle, is_old, is_clean: false };
        if !is_old {
            borrowed.connection = Some(Connection::open(address)?);
        }
        Ok(borrowed)
    }

    /// Closes connections that are not in use.
    pub(super) fn clear(&self) {
        let idle = std::mem::take(&mut self.lock().idle);
        drop(idle);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let usable = |connection: &Connection| self.is_clean && !connection.is_broken();
        let kept = self.connection.take().filter(usable);
        let mut state = self.pool.lock();
        state.n_used -= 1;
        state.idle.extend(kept);
        drop(state);
        self.pool.returned.notify_one();
    }
}
