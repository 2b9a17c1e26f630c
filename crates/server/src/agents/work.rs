//! Threads for requests, outside of the async runtime: a bounded queue in which no node can crowd out others.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use kukla_base::cancel::{Cancel, Reason};
use tokio::sync::oneshot;

use super::exchange::RouteError;

/// The stack of a thread: evaluation is recursive.
const STACK: usize = 16 << 20;
/// The part of the queue that one client may have.
const SHARE: usize = 8;
/// The number of threads that may wait for programs beside those that work.
const MOST_WAITING: usize = 32;

type Job = Box<dyn FnOnce() + Send>;

/// Threads with a queue. Clients take turns: each has a queue of its own.
pub(super) struct Workers {
    shared: Arc<Shared>,
    most_queued: usize,
    retry: AtomicU64,
}

struct Shared {
    name: String,
    /// The number of threads that work.
    n_threads: usize,
    state: Mutex<Queues>,
}

#[derive(Default)]
struct Queues {
    by_client: HashMap<String, VecDeque<Job>>,
    /// Clients with jobs, in the order of their turns.
    turns: VecDeque<String>,
    n_queued: usize,
    is_closed: bool,
    /// All threads, and those of them that wait for a program.
    n_threads: usize,
    n_waiting: usize,
    /// Threads without a job. The last one is woken first: its memory is still warm, and that of the others can be given
    /// back.
    idle: Vec<Arc<Condvar>>,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Workers({} queued)", self.n_queued())
    }
}

impl Workers {
    /// Starts threads with a queue for so many requests.
    pub(super) fn start(name: &str, n_threads: usize, most_queued: usize) -> std::io::Result<Self> {
        let (name, n_threads) = (name.to_owned(), n_threads.max(1));
        let shared = Arc::new(Shared { name, n_threads, state: Mutex::default() });
        for _ in 0..n_threads {
            shared.lock().n_threads += 1;
            shared.spawn()?;
        }
        Ok(Self { shared, most_queued, retry: AtomicU64::new(0) })
    }

    /// Returns the number of requests that wait.
    pub(super) fn n_queued(&self) -> usize {
        self.shared.lock().n_queued
    }

    /// Runs `work` on one of the threads; it is cancelled when the returned future is dropped.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        client: &str,
        work: impl FnOnce(&Cancel) -> Result<T, RouteError> + Send + 'static,
    ) -> Result<T, RouteError> {
        let (sender, receiver) = oneshot::channel();
        let cancel = Cancel::new();
        let abandon = Abandon(cancel.clone());
        let job = Box::new(move || {
            if sender.is_closed() {
                return;
            }
            let result = catch_unwind(AssertUnwindSafe(|| work(&cancel)));
            let panicked = |_| Err(RouteError::Failed("internal error; see the log".to_owned()));
            let _ = sender.send(result.unwrap_or_else(panicked));
        });
        self.submit(client, job)?;
        let result = receiver.await;
        drop(abandon);
        result.unwrap_or_else(|_| Err(RouteError::Busy(1)))
    }

    /// Waits for a program: another thread works meanwhile, so that a program that hangs does not stop all others.
    pub(super) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waiter().waiting(wait)
    }

    /// Returns the part of the threads that lets one of them wait.
    pub(super) fn waiter(&self) -> Waiter {
        Waiter(Arc::clone(&self.shared))
    }

    fn submit(&self, client: &str, job: Job) -> Result<(), RouteError> {
        let mut queues = self.shared.lock();
        let n_own = queues.by_client.get(client).map_or(0, VecDeque::len);
        if queues.is_closed || queues.n_queued >= self.most_queued || n_own >= SHARE {
            return Err(RouteError::Busy(self.delay()));
        }
        queues.n_queued += 1;
        if n_own == 0 {
            queues.turns.push_back(client.to_owned());
        }
        queues.by_client.entry(client.to_owned()).or_default().push_back(job);
        queues.wake();
        Ok(())
    }

    /// Returns after how many seconds to try again: not the same for all.
    fn delay(&self) -> u64 {
        5 + self.retry.fetch_add(7, Ordering::Relaxed) % 56
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let mut queues = self.shared.lock();
        queues.is_closed = true;
        queues.idle.drain(..).for_each(|idle| idle.notify_one());
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread, which is counted already.
    fn spawn(self: &Arc<Self>) -> std::io::Result<()> {
        let shared = Arc::clone(self);
        let builder = std::thread::Builder::new().name(self.name.clone()).stack_size(STACK);
        let spawned = builder.spawn(move || shared.work());
        if spawned.is_err() {
            self.lock().n_threads -= 1;
        }
        spawned.map(drop)
    }

    fn work(&self) {
        let own = Arc::new(Condvar::new());
        loop {
            let mut queues = self.lock();
            let job = loop {
                if queues.n_threads > self.n_threads + queues.n_waiting {
                    // A thread that has waited works again.
                    queues.n_threads -= 1;
                    return;
                }
                match queues.next() {
                    Some(job) => break job,
                    None if queues.is_closed => return,
                    None => {
                        queues.idle.push(Arc::clone(&own));
                        queues = own.wait(queues).unwrap_or_else(PoisonError::into_inner);
                        // A thread may wake without a reason.
                        queues.idle.retain(|idle| !Arc::ptr_eq(idle, &own));
                    }
                }
            };
            drop(queues);
            job();
        }
    }
}

/// Threads of which one may wait.
#[derive(Clone)]
pub(super) struct Waiter(Arc<Shared>);

impl std::fmt::Debug for Waiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Waiter").field(&self.0.name).finish()
    }
}

impl Waiter {
    /// Waits for something outside: another thread works meanwhile.
    pub(super) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        let _waiting = Waiting::begin(&self.0);
        wait()
    }
}

/// A thread that waits for a program.
struct Waiting<'a>(&'a Shared);

impl<'a> Waiting<'a> {
    fn begin(shared: &'a Arc<Shared>) -> Self {
        let mut queues = shared.lock();
        queues.n_waiting += 1;
        let is_missing = queues.n_threads < shared.n_threads + queues.n_waiting.min(MOST_WAITING);
        queues.n_threads += usize::from(is_missing);
        drop(queues);
        if is_missing {
            // Without another thread the queue is as long as the wait.
            let _ = shared.spawn();
        }
        Self(shared)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut queues = self.0.lock();
        queues.n_waiting -= 1;
        queues.wake();
    }
}

impl Queues {
    /// Wakes the thread that was idle last.
    fn wake(&mut self) {
        if let Some(idle) = self.idle.pop() {
            idle.notify_one();
        }
    }

    /// Takes the job of the client whose turn it is; the client comes last then.
    fn next(&mut self) -> Option<Job> {
        let client = self.turns.pop_front()?;
        let jobs = self.by_client.get_mut(&client)?;
        let job = jobs.pop_front();
        match jobs.is_empty() {
            true => drop(self.by_client.remove(&client)),
            false => self.turns.push_back(client),
        }
        self.n_queued -= usize::from(job.is_some());
        job
    }
}

/// Stops a compilation whose client is gone.
struct Abandon(Cancel);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.raise(Reason::Abandoned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_take_turns() {
        let mut queues = Queues::default();
        let order = Arc::new(Mutex::new(Vec::new()));
        for (client, number) in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5)] {
            let order = Arc::clone(&order);
            let jobs = queues.by_client.entry(client.to_owned()).or_default();
            if jobs.is_empty() {
                queues.turns.push_back(client.to_owned());
            }
            jobs.push_back(Box::new(move || order.lock().expect("not poisoned").push(number)));
            queues.n_queued += 1;
        }
        while let Some(job) = queues.next() {
            job();
        }
        assert_eq!(*order.lock().expect("not poisoned"), [1, 4, 5, 2, 3]);
        assert_eq!(queues.n_queued, 0);
    }

    #[tokio::test]
    async fn a_full_queue_is_refused_and_a_panic_hurts_one_request() {
        let workers = Workers::start("test", 1, 0).expect("a thread");
        let refused = workers.run("a", |_| Ok(())).await;
        assert!(matches!(refused, Err(RouteError::Busy(5..=60))), "{refused:?}");
        let workers = Workers::start("test", 1, 10).expect("a thread");
        let panicked = workers.run("a", |_| -> Result<(), _> { panic!("on purpose") }).await;
        assert!(matches!(panicked, Err(RouteError::Failed(_))));
        assert_eq!(workers.run("a", |_| Ok(7)).await, Ok(7));
    }
}
