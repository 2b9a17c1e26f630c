//! The cost of a record.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::nodes;
use super::subject::Ready;

/// Rounds of each; the fastest counts, since other processes only ever slow one down.
const ROUNDS: usize = 60;

/// The time of a warm compilation of a node.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The node.
    pub node: String,
    /// The number of questions in its record.
    pub n_questions: usize,
    /// Without a record.
    pub off: Duration,
    /// With a record, up to its last digest.
    pub on: Duration,
    /// Reading the record in order.
    pub reading: Duration,
}

/// Measures the usual nodes, with and without a record in turns.
pub fn measure() -> Result<Vec<Cost>> {
    let cost = |(node, subject): (String, super::Subject)| {
        let on = subject.open().map_err(|error| anyhow!("{node}: {error}"))?;
        let off = on.unrecorded();
        let n_questions = on.compile().1.len();
        let mut cost = Cost {
            node,
            n_questions,
            off: Duration::MAX,
            on: Duration::MAX,
            reading: Duration::MAX,
        };
        for _ in 0..ROUNDS {
            cost.off = cost.off.min(time(&off));
            cost.on = cost.on.min(time(&on));
            let compiled = on.run();
            let start = Instant::now();
            compiled.inputs.atoms();
            cost.reading = cost.reading.min(start.elapsed());
        }
        Ok(cost)
    };
    nodes::usual()?.into_iter().map(cost).collect()
}

fn time(ready: &Ready) -> Duration {
    let start = Instant::now();
    ready.run();
    start.elapsed()
}
