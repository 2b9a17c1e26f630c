//! Time limits of steps that follow each other on a connection.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer for one step after the other.
///
/// It stays in the runtime's wheel when a step ends in time, and is moved only when it runs out or is too late for the
/// next step. So a message neither adds a timer nor removes one.
#[derive(Debug, Default)]
pub(crate) struct Deadline(Option<Pin<Box<Sleep>>>);

/// A step that took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLate;

impl Deadline {
    /// Waits for a step, but no longer than a time.
    pub(crate) async fn bound<F: Future>(
        &mut self,
        time: Duration,
        step: F,
    ) -> Result<F::Output, TooLate> {
        let mut step = pin!(step);
        let mut until = None;
        std::future::poll_fn(|context| {
            if let Poll::Ready(output) = step.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            let until = *until.get_or_insert_with(|| Instant::now() + time);
            self.poll(context, until).map(|()| Err(TooLate))
        })
        .await
    }

    /// Is ready when the time has come.
    fn poll(&mut self, context: &mut Context<'_>, until: Instant) -> Poll<()> {
        let timer = self.0.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() > until {
            timer.as_mut().reset(until);
        }
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= until {
                return Poll::Ready(());
            }
            // It was for a step before.
            timer.as_mut().reset(until);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn took(deadline: &mut Deadline, limit: u64, step: u64) -> (bool, u128) {
        let start = std::time::Instant::now();
        let sleep = tokio::time::sleep(Duration::from_millis(step));
        let is_in_time = deadline.bound(Duration::from_millis(limit), sleep).await.is_ok();
        (is_in_time, start.elapsed().as_millis())
    }

    /// Limits that are longer and shorter than those before hold to the millisecond or so.
    #[tokio::test]
    async fn every_step_has_its_own_limit() {
        let mut deadline = Deadline::default();
        for (limit, step) in
            [(50, 5), (400, 100), (30, 500), (80, 500), (80, 5), (20, 500), (500, 60), (500, 5)]
        {
            let (is_in_time, took) = took(&mut deadline, limit, step).await;
            let least = u128::from(limit.min(step));
            assert_eq!(is_in_time, step < limit, "{limit} {step}");
            assert!((least..least + 200).contains(&took), "{limit} {step}: {took} ms");
        }
    }
}
