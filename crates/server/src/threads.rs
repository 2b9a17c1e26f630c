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
use tokio::runtime::{Builder, Runtime, RuntimeMetrics};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::wire::Input;

/// How often threads are compared.
const COMPARE: Duration = Duration::from_millis(100);
/// The shares of that time above which a thread is busy, and below which it takes connections from such a one.
const BUSY: (f64, f64) = (0.9, 0.5);

/// DoorBounds of a door.
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
    open: Connected<std::net::TcpStream>,
    place: OwnedSemaphorePermit,
}

/// A thread, as the dealer sees it. It ends when this is dropped.
struct Thread {
    queue: UnboundedSender<Dealt>,
    stopping: watch::Sender<bool>,
    gives: Arc<AtomicBool>,
    n_open: Arc<AtomicUsize>,
    metrics: RuntimeMetrics,
    /// The time that it has worked, when threads were compared last.
    worked: Duration,
}

/// Deals out connections.
struct Dealer {
    threads: Vec<Thread>,
    /// Connections that move.
    moving: UnboundedReceiver<Dealt>,
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
    let mut dealer = Dealer::start(&serve)?;
    let places = Arc::new(Semaphore::new(bounds.connections));
    tokio::select! {
        () = dealer.deal(&listener, &places) => (),
        () = stop => (),
    }
    for thread in &dealer.threads {
        let _ = thread.stopping.send(true);
    }
    let all = u32::try_from(bounds.connections).unwrap_or(u32::MAX);
    dealer.moving.close();
    while dealer.moving.try_recv().is_ok() {}
    let _ = tokio::time::timeout(bounds.drain, places.acquire_many(all)).await;
    Ok(())
}

impl Dealer {
    fn start<C>(
        serve: &(impl Fn(Connected<TcpStream>, Seat) -> C + Clone + Send + 'static),
    ) -> io::Result<Self>
    where
        C: Future<Output = Option<Connected<TcpStream>>> + Send + 'static,
    {
        let (moved, moving) = unbounded_channel();
        let n_threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads =
            (0..n_threads).map(|number| Thread::start(number, moved.clone(), serve.clone()));
        let threads = threads.collect::<io::Result<_>>()?;
        Ok(Self { threads, moving, compared: Instant::now(), idlest: 0 })
    }

    async fn deal(&mut self, listener: &TcpListener, places: &Arc<Semaphore>) {
        let mut compare = tokio::time::interval(COMPARE);
        loop {
            tokio::select! {
                dealt = accept(listener, places) => {
                    let n_open = |thread: &&Thread| thread.n_open.load(Ordering::Relaxed);
                    give(self.threads.iter().min_by_key(n_open), dealt);
                }
                Some(dealt) = self.moving.recv() => give(self.threads.get(self.idlest), dealt),
                _ = compare.tick() => self.compare(),
            }
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
        let thread = &self.threads[busiest];
        let has_several = thread.n_open.load(Ordering::Relaxed) > 1;
        for thread in &self.threads {
            thread.gives.store(false, Ordering::Relaxed);
        }
        let gives = has_several && shares[busiest] > BUSY.0 && shares[idlest] < BUSY.1;
        thread.gives.store(gives, Ordering::Relaxed);
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
                let open = Connected { stream, address, input: Input::default() };
                return Dealt { open, place };
            }
            // Most likely out of file descriptors: wait for connections to close.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

fn give(thread: Option<&Thread>, dealt: Dealt) {
    if let Some(thread) = thread {
        thread.n_open.fetch_add(1, Ordering::Relaxed);
        // A thread that is gone takes its connections with it.
        let _ = thread.queue.send(dealt);
    }
}

impl Thread {
    fn start<C>(
        number: usize,
        moved: UnboundedSender<Dealt>,
        serve: impl Fn(Connected<TcpStream>, Seat) -> C + Send + 'static,
    ) -> io::Result<Self>
    where
        C: Future<Output = Option<Connected<TcpStream>>> + Send + 'static,
    {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let metrics = runtime.metrics();
        let (queue, dealt) = unbounded_channel();
        let (stopping, stopped) = watch::channel(false);
        let (gives, n_open) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let work = Work {
            dealt,
            moved,
            n_open: Arc::clone(&n_open),
            seat: Seat { stopped, gives: Arc::clone(&gives) },
        };
        let run = move || work.run(runtime, serve);
        std::thread::Builder::new().name(format!("connections-{number}")).spawn(run)?;
        Ok(Self { queue, stopping, gives, n_open, metrics, worked: Duration::ZERO })
    }

    /// Returns the seconds that it has worked since it was last asked.
    fn work(&mut self) -> f64 {
        let worked = self.metrics.worker_total_busy_duration(0);
        let before = std::mem::replace(&mut self.worked, worked);
        worked.saturating_sub(before).as_secs_f64()
    }
}

/// The work of a thread.
struct Work {
    dealt: UnboundedReceiver<Dealt>,
    moved: UnboundedSender<Dealt>,
    n_open: Arc<AtomicUsize>,
    seat: Seat,
}

impl Work {
    fn run<C>(mut self, runtime: Runtime, serve: impl Fn(Connected<TcpStream>, Seat) -> C)
    where
        C: Future<Output = Option<Connected<TcpStream>>> + Send + 'static,
    {
        runtime.block_on(async {
            while let Some(Dealt { open, place }) = self.dealt.recv().await {
                let counted = Counted(Arc::clone(&self.n_open));
                let Connected { stream, address, input } = open;
                let Ok(stream) = TcpStream::from_std(stream) else { continue };
                let served = serve(Connected { stream, address, input }, self.seat.clone());
                let moved = self.moved.clone();
                tokio::spawn(async move {
                    let left = served.await;
                    drop(counted);
                    if let Some(Connected { stream, address, input }) = left
                        && let Ok(stream) = stream.into_std()
                    {
                        let open = Connected { stream, address, input };
                        let _ = moved.send(Dealt { open, place });
                    }
                });
            }
        });
        // What still waits for files must not hold the thread.
        runtime.shutdown_background();
    }
}

/// Counts a connection of a thread while it lives.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
