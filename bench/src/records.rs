//! Cost of recording everything that a compilation reads.

use anyhow::Result;
use kukla_tests::soundness::cost;

use crate::table::Table;

/// Warm compilations of the usual nodes, with a record and without.
pub(crate) fn nodes(table: &mut Table) -> Result<()> {
    for cost in cost::measure()? {
        let (off, on) = (cost.off.as_secs_f64() * 1e3, cost.on.as_secs_f64() * 1e3);
        let more = (on / off - 1.0) * 100.0;
        let (n, reading) = (cost.n_questions, cost.reading.as_secs_f64() * 1e3);
        let figure = format!(
            "{off:.3} ms, {on:.3} ms with a record: +{more:.1} %; {reading:.3} ms to read its {n} questions"
        );
        table.row(&format!("record of {}", cost.node), &figure);
    }
    Ok(())
}
