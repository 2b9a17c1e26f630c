//! Bodies whose clients keep up, don't, or go away.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

use std::sync::atomic::Ordering;

use super::super::work::Workers;
use super::spools::MOST_SPOOLED;
use super::*;

fn spools(name: &str, most: u64) -> (Arc<Spools>, Workers) {
    let directory = std::env::temp_dir().join(format!("kukla-{name}-{}", std::process::id()));
    let workers = Workers::start("test", 1, 1).expect("a thread");
    (Arc::new(Spools { most, ..Spools::new(directory) }), workers)
}

/// Returns a piece of 100 KB that says its number.
fn piece(number: u32) -> Bytes {
    number.to_be_bytes().repeat(25 << 10).into()
}

async fn all(outlet: &Outlet) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(piece) = outlet.next().await {
        body.extend_from_slice(&piece?);
    }
    Ok(body)
}

#[tokio::test]
async fn the_thread_does_not_wait_for_a_client_and_the_order_stays() {
    let (spools, workers) = spools("order", MOST_SPOOLED);
    let (inlet, outlet) = pipe(&spools, workers.waiter());
    let expected: Vec<u8> = (0..200).flat_map(|n| piece(n).to_vec()).collect();
    for n in 0..100 {
        inlet.push(piece(n)).expect("taken");
    }
    let spooled = spools.used.load(Ordering::Relaxed);
    assert!(spooled > 8 << 20, "{spooled}");
    let names = std::fs::read_dir(&spools.directory).expect("a directory").count();
    assert_eq!(names, 0, "the file has no name");
    // Some are taken from the queue and from the file while others come.
    let mut body = Vec::new();
    for n in 100..200 {
        body.extend_from_slice(&outlet.next().await.expect("more").expect("a piece"));
        inlet.push(piece(n)).expect("taken");
    }
    inlet.finish();
    body.extend(all(&outlet).await.expect("the rest"));
    assert!(body == expected);
    drop(outlet);
    assert_eq!(spools.used.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_body_that_is_not_ended_breaks_off_behind_what_was_made() {
    let (spools, workers) = spools("broken", MOST_SPOOLED);
    let (inlet, outlet) = pipe(&spools, workers.waiter());
    (0..30).for_each(|n| inlet.push(piece(n)).expect("taken"));
    drop(inlet);
    assert!(all(&outlet).await.is_err());
}

#[tokio::test]
async fn a_client_that_is_gone_or_too_slow_ends_the_work() {
    let (spools, workers) = spools("gone", 4 << 20);
    let (inlet, outlet) = pipe(&spools, workers.waiter());
    let start = Instant::now();
    let error = (0..1000).find_map(|n| inlet.push(piece(n)).err()).expect("an end");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(start.elapsed() >= PATIENCE, "{:?}", start.elapsed());
    assert!(spools.used.load(Ordering::Relaxed) <= 4 << 20);
    drop(outlet);
    assert_eq!(inlet.push(piece(0)).map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    drop(inlet);
    assert_eq!(spools.used.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn files_that_were_read_are_used_again() {
    let (spools, workers) = spools("again", 8 << 20);
    let (inlet, outlet) = pipe(&spools, workers.waiter());
    for round in 0..20_u32 {
        (0..60).for_each(|n| inlet.push(piece(round * 60 + n)).expect("taken"));
        let mut n_bytes = 0;
        while n_bytes < 60 * (100 << 10) {
            n_bytes += outlet.next().await.expect("more").expect("a piece").len();
        }
    }
    inlet.finish();
    assert!(all(&outlet).await.expect("the end").is_empty());
}
