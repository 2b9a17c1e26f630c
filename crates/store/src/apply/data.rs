//! The lines of data files that a node's catalog got values from.

use super::content::{Content, digest, interned};
use crate::command::DataLine;
use crate::sql::{Cell, Digest, Insert, Sql, SqlError, number};

const LINES: Content = Content {
    insert: Insert {
        table: "data_lines",
        columns: &["digest", "file", "line", "name"],
        keeps_existing: true,
    },
    link: SET_LINES,
    select: "",
};

const SETS: Insert = Insert { table: "data_sets", columns: &["digest"], keeps_existing: true };

const SET_LINES: Insert =
    Insert { table: "data_set_lines", columns: &["set_id", "line_id"], keeps_existing: true };

/// Replaces the data of a node.
pub(super) fn replace(sql: &mut dyn Sql, node: i64, lines: &[DataLine]) -> Result<(), SqlError> {
    if lines.is_empty() {
        sql.execute("DELETE FROM node_data WHERE node_id = ?1", &[Cell::Int(node)])?;
        return Ok(());
    }
    let numbers: Vec<String> = lines.iter().map(|line| line.line.to_string()).collect();
    let mut digests: Vec<(Digest, usize)> = (0..lines.len())
        .map(|n| (digest(&[&lines[n].file, &numbers[n], &lines[n].name]), n))
        .collect();
    digests.sort_unstable();
    digests.dedup_by_key(|(digest, _)| *digest);
    let whole: Vec<String> =
        digests.iter().map(|(digest, _)| u128::from_be_bytes(*digest).to_string()).collect();
    let whole: Vec<&str> = whole.iter().map(String::as_str).collect();
    let own = digest(&whole);
    // Most catalogs get the values that they had before.
    let known = "SELECT 1 FROM node_data JOIN data_sets ON data_sets.id = set_id \
                 WHERE node_id = ?1 AND digest = ?2";
    if number(sql, known, &[Cell::Int(node), Cell::Bytes(&own)])?.is_some() {
        return Ok(());
    }
    let set = match id(sql, &own)? {
        Some(set) => set,
        None => make(sql, &own, lines, &digests)?,
    };
    sql.execute(
        "INSERT INTO node_data (node_id, set_id) VALUES (?1, ?2) \
         ON CONFLICT (node_id) DO UPDATE SET set_id = excluded.set_id",
        &[Cell::Int(node), Cell::Int(set)],
    )?;
    Ok(())
}

fn id(sql: &mut dyn Sql, digest: &Digest) -> Result<Option<i64>, SqlError> {
    Ok(sql.ids(SETS.table, &[*digest])?.into_iter().flatten().next())
}

/// Stores a set that is new.
fn make(
    sql: &mut dyn Sql,
    own: &Digest,
    lines: &[DataLine],
    digests: &[(Digest, usize)],
) -> Result<i64, SqlError> {
    sql.insert(&SETS, &[Cell::Bytes(own)])?;
    let set = id(sql, own)?;
    let set = set.ok_or_else(|| SqlError::Damaged("`data_sets` lost a row".to_owned()))?;
    let cells = |n: usize| {
        let DataLine { file, line, name } = &lines[digests[n].1];
        vec![Cell::Text(file), Cell::Int(*line), Cell::Text(name)]
    };
    let all: Vec<Digest> = digests.iter().map(|(digest, _)| *digest).collect();
    let numbers: Vec<usize> = (0..all.len()).collect();
    let (ids, _) = interned(sql, &LINES, &all, &numbers, cells)?;
    let links: Vec<Cell<'_>> =
        ids.into_iter().flat_map(|line| [Cell::Int(set), Cell::Int(line)]).collect();
    sql.insert(&SET_LINES, &links)?;
    Ok(set)
}
