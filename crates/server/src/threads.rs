//! Threads with a runtime each, among which a door deals out its connections.
//!
//! A message then wakes no other thread, and its socket, timers and counters are of one core. A connection goes to the
//! thread that has the fewest. While one thread is busy and another one is not, connections move there between two
//! messages, so that none waits for long behind the work of others.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::wire::Input;

/// How often threads are compared.
const COMPARE: Duration = Duration::from_millis(100);
/// The shares of that time above which a thread is busy, and below which it takes connections from such a one.
const BUSY: (f64, f64) = (0.9, 0.5);

/// The bounds of a door.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoorBounds {
    /// The largest number of connections; further ones wait.
    pub(crate) connections: usize,
    /// The time for messages that have begun, after the door was stopped.
    pub(crate) drain: Duration,
}

/// A connection between two messages.
pub(crate) struct Connected<S> {
    pub(crate) stream: S,
    pub(crate) address: SocketAddr,
    /// The bytes that were read ahead.
    pub(crate) input: Input,
}

/// The place of a connection on a thread.
#[derive(Clone)]
pub(crate) struct Seat {
    stopped: watch::Receiver<bool>,
    gives: Arc<AtomicBool>,
}

impl Seat {
    /// Waits until the door is stopped.
    pub(crate) async fn stopped(&mut self) {
        let _ = self.stopped.changed().await;
    }

    /// Whether the door was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.has_changed().unwrap_or(true)
    }

    /// Whether the connection shall move to another thread.
    pub(crate) fn must_move(&self) -> bool {
        self.gives.load(Ordering::Relaxed) && self.gives.swap(false, Ordering::Relaxed)
    }
}

/// A connection on its way to a thread.
struct Dealt {
    connected: Connected<std::net::TcpStream>,
    place: OwnedSemaphorePermit,
}

/// A thread. It ends when this is dropped.
struct Thread {
    runtime: Option<Runtime>,
    stopping: watch::Sender<bool>,
    seat: Seat,
    n_open: Arc<AtomicUsize>,
    /// The time that it had worked when threads were compared last.
    worked: Duration,
}

/// Deals out connections.
struct Dealer<F> {
    threads: Vec<Thread>,
    serve: F,
    /// Connections that move, and the way to here.
    moving: (UnboundedSender<Dealt>, UnboundedReceiver<Dealt>),
    compared: Instant,
    /// The thread that had the least to do.
    idlest: usize,
}

/// Serves connections until `stop` is done, and waits for messages that have begun. A connection that `serve` returns
/// moves to another thread.
pub(crate) async fn serve<C>(
    listener: TcpListener,
    bounds: DoorBounds,
    stop: impl Future<Output = ()>,
    serve: impl Fn(Connected<TcpStream>, Seat) -> C + Clone + Send + 'static,
) -> io::Result<()>
where
    C: Future<Output = Option<Connected<TcpStream>>> + Send + 'static,
{
    let n_threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = (0..n_threads).map(Thread::start).collect::<io::Result<_>>()?;
    let (moving, compared) = (unbounded_channel(), Instant::now());
    let mut dealer = Dealer { threads, serve, moving, compared, idlest: 0 };
    let places = Arc::new(Semaphore::new(bounds.connections));
    tokio::select! {
        () = dealer.deal(&listener, &places) => (),
        () = stop => (),
    }
    for thread in &dealer.threads {
        let _ = thread.stopping.send(true);
    }
    // No message has begun on a connection that moves.
    dealer.moving.1.close();
    while dealer.moving.1.try_recv().is_ok() {}
    let all = u32::try_from(bounds.connections).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(bounds.drain, places.acquire_many(all)).await;
    Ok(())
}

impl<F, C> Dealer<F>
where
    F: Fn(Connected<TcpStream>, Seat) -> C + Clone + Send + 'static,
    C: Future<Output = Option<Connected<TcpStream>>> + Send + 'static,
{
    async fn deal(&mut self, listener: &TcpListener, places: &Arc<Semaphore>) {
        let mut compare = tokio::time::interval(COMPARE);
        loop {
            tokio::select! {
                dealt = accept(listener, places) => {
                    let n_open = |thread: &&Thread| thread.n_open.load(Ordering::Relaxed);
                    self.give(self.threads.iter().min_by_key(n_open), dealt);
                }
                Some(dealt) = self.moving.1.recv() => {
                    self.give(self.threads.get(self.idlest), dealt);
                }
                _ = compare.tick() => self.compare(),
            }
        }
    }

    fn give(&self, thread: Option<&Thread>, dealt: Dealt) {
        if let Some(thread) = thread {
            thread.serve(dealt, self.moving.0.clone(), self.serve.clone());
        }
    }

    /// Lets a thread that is busy give a connection to one that is not.
    fn compare(&mut self) {
        let time = self.compared.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        self.compared = Instant::now();
        let shares: Vec<f64> = self.threads.iter_mut().map(|thread| thread.work() / time).collect();
        let mut numbers: Vec<usize> = (0..shares.len()).collect();
        numbers.sort_by(|one, other| shares[*one].total_cmp(&shares[*other]));
        let (Some(&idlest), Some(&busiest)) = (numbers.first(), numbers.last()) else { return };
        self.idlest = idlest;
        let is_uneven = shares[busiest] > BUSY.0 && shares[idlest] < BUSY.1;
        for (number, thread) in self.threads.iter().enumerate() {
            let has_several = thread.n_open.load(Ordering::Relaxed) > 1;
            let gives = is_uneven && number == busiest && has_several;
            thread.seat.gives.store(gives, Ordering::Relaxed);
        }
    }
}

/// Waits for a connection.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> Dealt {
    loop {
        let Ok(place) = Arc::clone(places).acquire_owned().await else {
            return std::future::pending().await;
        };
        let accepted = match listener.accept().await {
            Ok((stream, address)) => {
                let _ = stream.set_nodelay(true);
                stream.into_std().map(|stream| (stream, address))
            }
            Err(error) => Err(error),
        };
        match accepted {
            Ok((stream, address)) => {
                let connected = Connected { stream, address, input: Input::default() };
                return Dealt { connected, place };
            }
            // Most likely out of file descriptors: wait for connections to close.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

impl Thread {
    /// Starts a thread. Its runtime is one for several threads with one of them, so that another one can take over its
    /// connections while a program takes long (`slow.rs`).
    fn start(number: usize) -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name(format!("connections-{number}")).enable_all();
        let (stopping, stopped) = watch::channel(false);
        Ok(Self {
            runtime: Some(builder.build()?),
            stopping,
            seat: Seat { stopped, gives: Arc::default() },
            n_open: Arc::default(),
            worked: Duration::ZERO,
        })
    }

    /// Serves a connection.
    fn serve<C>(
        &self,
        dealt: Dealt,
        moved: UnboundedSender<Dealt>,
        serve: impl FnOnce(Connected<TcpStream>, Seat) -> C + Send + 'static,
    ) where
        C: Future<Output = Option<Connected<TcpStream>>> + Send + 'static,
    {
        let Some(runtime) = &self.runtime else { return };
        let counted = Counted::new(&self.n_open);
        let (Dealt { connected, place }, seat) = (dealt, self.seat.clone());
        runtime.spawn(async move {
            let Connected { stream, address, input } = connected;
            let Ok(stream) = TcpStream::from_std(stream) else { return };
            let left = serve(Connected { stream, address, input }, seat).await;
            drop(counted);
            if let Some(Connected { stream, address, input }) = left
                && let Ok(stream) = stream.into_std()
            {
                let _ =
                    moved.send(Dealt { connected: Connected { stream, address, input }, place });
            }
        });
    }

    /// Returns the seconds that it has worked since it was last asked.
    fn work(&mut self) -> f64 {
        let Some(runtime) = &self.runtime else { return 0.0 };
        let worked = runtime.metrics().worker_total_busy_duration(0);
        let before = std::mem::replace(&mut self.worked, worked);
        worked.saturating_sub(before).as_secs_f64()
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // What still waits for files must not hold the caller.
            runtime.shutdown_background();
        }
    }
}

/// Counts a connection of a thread while it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(counter))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
