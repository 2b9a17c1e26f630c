//! Deadlines and memory limits: a thread that stops compilations which take too long or too much.

use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kukla_base::cancel::{Cancel, Reason};

/// How often memory is looked at while a limit is set.
const MEMORY_INTERVAL: Duration = Duration::from_millis(5);

/// How many times in a row the thread looks for compilations before it waits to be woken.
const MAX_IDLE: u32 = 20;

/// The bounds of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The time at which it is stopped.
    pub deadline: Option<Instant>,
    /// The memory in bytes that the process may use while it runs.
    pub memory: Option<u64>,
}

/// The compilations that are watched.
#[derive(Default)]
struct Watched {
    entries: Mutex<Entries>,
    changed: Condvar,
}

#[derive(Default)]
struct Entries {
    list: Vec<(u64, Bounds, Cancel)>,
    next: u64,
    is_running: bool,
    /// Whether the thread looks at the list again soon, without being woken.
    is_awake: bool,
}

static WATCHED: LazyLock<Arc<Watched>> = LazyLock::new(Arc::default);

/// A compilation that is watched as long as this lives.
#[derive(Debug)]
pub struct Watchdog {
    number: Option<u64>,
}

impl Watchdog {
    /// Watches a compilation: its flag is raised at its deadline, or when the process uses too much memory.
    pub fn watch(bounds: Bounds, cancel: &Cancel) -> Self {
        if bounds == Bounds::default() {
            return Self { number: None };
        }
        if let Some(limit) = bounds.memory {
            cancel.limit_memory(limit, resident);
        }
        let mut entries = WATCHED.lock();
        let number = entries.next;
        entries.next += 1;
        entries.list.push((number, bounds, cancel.clone()));
        if !entries.is_running {
            entries.is_running = true;
            let watched = Arc::clone(&WATCHED);
            std::thread::spawn(move || watched.run());
        }
        let is_awake = entries.is_awake;
        drop(entries);
        // Compilations may take less time than waking a thread does.
        if !is_awake {
            WATCHED.changed.notify_one();
        }
        Self { number: Some(number) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            WATCHED.lock().list.retain(|(other, ..)| *other != number);
        }
    }
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut entries = self.lock();
        let mut n_idle = 0;
        loop {
            let now = Instant::now();
            let memory = entries.list.iter().any(|(_, bounds, _)| bounds.memory.is_some());
            let used = memory.then(resident).flatten();
            let is_over = |bounds: &Bounds| {
                let is_late = bounds.deadline.is_some_and(|deadline| deadline <= now);
                let exceeded = bounds.memory.filter(|&limit| used.is_some_and(|used| used > limit));
                match is_late {
                    true => Some(Reason::Deadline),
                    false => exceeded.map(Reason::Memory),
                }
            };
            entries.list.retain(|(_, bounds, cancel)| match is_over(bounds) {
                Some(reason) => {
                    cancel.raise(reason);
                    false
                }
                None => true,
            });
            let next = entries.list.iter().filter_map(|(_, bounds, _)| bounds.deadline).min();
            let wait = next.map(|next| next.saturating_duration_since(now));
            n_idle = if memory { 0 } else { n_idle + 1 };
            entries.is_awake = n_idle < MAX_IDLE;
            let wait = match entries.is_awake {
                true => Some(wait.unwrap_or(MEMORY_INTERVAL).min(MEMORY_INTERVAL)),
                false => wait,
            };
            entries = match wait {
                Some(wait) => {
                    let waited = self.changed.wait_timeout(entries, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(entries).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// Returns the memory that the process uses, in bytes.
pub fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
