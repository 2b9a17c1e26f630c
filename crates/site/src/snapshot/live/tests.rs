use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use kukla_compiler::Strictness;

use super::{Live, Timeout};
use crate::environment::DataSettings;
use crate::open::{OpenEnvironment, Revision};
use crate::snapshot::{Options, Snapshot};
use crate::{Environment, ServerIdentity, SiteError};

fn environment() -> OpenEnvironment {
    let environment = Environment {
        directory: "/nonexistent/kukla".into(),
        manifest: "/nonexistent/kukla/manifests".into(),
        modulepath: Vec::new(),
        data: DataSettings::default(),
        editions: Vec::new(),
        unmatched: None,
    };
    let snapshot = Snapshot::new(environment, Options::default(), &mut Vec::new());
    OpenEnvironment {
        name: "a".to_owned(),
        snapshot: Arc::new(snapshot),
        settings: Arc::default(),
        strictness: Strictness::default(),
        server: ServerIdentity { name: String::new(), address: String::new() },
        problems: Vec::new(),
        revision: Revision::default(),
    }
}

/// Requests the environment from several threads at once, and returns the result of each.
fn ask(live: &Live, n_threads: usize) -> Vec<Result<Arc<OpenEnvironment>, SiteError>> {
    let barrier = Barrier::new(n_threads);
    thread::scope(|scope| {
        let ask = || {
            barrier.wait();
            live.current()
        };
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    })
}

#[test]
fn one_thread_opens_and_all_get_what_it_opened() {
    let n_opened = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_opened);
    let live = Live::new(Timeout::Unlimited, None, move || {
        counter.fetch_add(1, Ordering::Relaxed);
        kukla_world::clock::pause(Duration::from_millis(50));
        Ok(environment())
    });
    let opened = ask(&live, 8);
    let places: HashSet<_> =
        opened.iter().map(|opened| Arc::as_ptr(opened.as_ref().expect("it opens"))).collect();
    assert_eq!((places.len(), n_opened.load(Ordering::Relaxed)), (1, 1));
}

#[test]
fn an_error_reaches_all_that_wait_and_the_next_one_tries_again() {
    let n_opened = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_opened);
    let live = Live::new(Timeout::Unlimited, None, move || {
        kukla_world::clock::pause(Duration::from_millis(50));
        match counter.fetch_add(1, Ordering::Relaxed) {
            0 => Err(SiteError::NoFactsOf("the first".to_owned())),
            _ => Ok(environment()),
        }
    });
    let failed = ask(&live, 4);
    for opened in &failed {
        let error = opened.as_ref().expect_err("it fails");
        assert!(matches!(error.root(), SiteError::NoFactsOf(_)), "{error}");
    }
    assert_eq!(n_opened.load(Ordering::Relaxed), 1);
    assert!(live.current().is_ok());
}

#[test]
fn a_panic_does_not_leave_others_waiting() {
    let n_opened = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_opened);
    let live = Live::new(Timeout::Unlimited, None, move || {
        kukla_world::clock::pause(Duration::from_millis(50));
        assert_ne!(counter.fetch_add(1, Ordering::Relaxed), 0, "the first one panics");
        Ok(environment())
    });
    thread::scope(|scope| {
        let first = scope.spawn(|| live.current());
        kukla_world::clock::pause(Duration::from_millis(10));
        let second = scope.spawn(|| live.current());
        assert!(first.join().is_err());
        assert!(second.join().expect("it does not panic").is_ok());
    });
    assert!(live.current().is_ok());
}

#[test]
fn other_environments_do_not_wait() {
    let barrier = Arc::new(Barrier::new(2));
    let inner = Arc::clone(&barrier);
    let slow = Live::new(Timeout::Unlimited, None, move || {
        inner.wait();
        inner.wait();
        Ok(environment())
    });
    let quick = Live::new(Timeout::Unlimited, None, || Ok(environment()));
    thread::scope(|scope| {
        let opening = scope.spawn(|| slow.current());
        barrier.wait();
        assert!(quick.current().is_ok());
        barrier.wait();
        assert!(opening.join().expect("it does not panic").is_ok());
    });
}
