//! Content that nodes share, and the links of a node to it.

use std::collections::HashMap;

use crate::sql::{Cell, Digest, Insert, Sql, SqlError};

/// A table of content, and the table that links nodes to it.
pub(super) struct Content {
    /// Adds content; its first column is `digest`.
    pub(super) insert: Insert,
    /// Adds a link; the columns are the node and the content.
    pub(super) link: Insert,
    /// Returns digests and identifiers of what a node has.
    pub(super) select: &'static str,
}

/// The difference between the content that a node has and that of some digests.
pub(super) struct Difference {
    /// Numbers of the digests that the node does not have.
    pub(super) missing: Vec<usize>,
    /// Identifiers of the content that it has beside them.
    pub(super) gone: Vec<i64>,
}

/// Compares the content of a node with some digests.
pub(super) fn difference(
    sql: &mut dyn Sql,
    content: &Content,
    node: i64,
    digests: &[Digest],
) -> Result<Difference, SqlError> {
    let mut existing: HashMap<Digest, i64> = HashMap::with_capacity(digests.len());
    sql.each(content.select, &[Cell::Int(node)], &mut |row| {
        if let [Cell::Bytes(digest), Cell::Int(id)] = row
            && let Ok(digest) = Digest::try_from(*digest)
        {
            existing.insert(digest, *id);
        }
        Ok(())
    })?;
    let mut wanted: HashMap<&Digest, usize> = HashMap::with_capacity(digests.len());
    let mut missing = Vec::new();
    for (n, digest) in digests.iter().enumerate() {
        if wanted.insert(digest, n).is_none() && !existing.contains_key(digest) {
            missing.push(n);
        }
    }
    let mut gone: Vec<i64> = existing
        .iter()
        .filter(|(digest, _)| !wanted.contains_key(digest))
        .map(|(_, id)| *id)
        .collect();
    gone.sort_unstable();
    Ok(Difference { missing, gone })
}

/// Links a node to exactly the content of some digests. `cells` are the columns of the content of a number behind its
/// digest, and are asked for only if it is new.
pub(super) fn relink<'a>(
    sql: &mut dyn Sql,
    content: &Content,
    node: i64,
    digests: &[Digest],
    cells: impl Fn(usize) -> Vec<Cell<'a>>,
) -> Result<(), SqlError> {
    let difference = difference(sql, content, node, digests)?;
    apply(sql, content, node, digests, &difference, cells).map(drop)
}

/// Like [`relink`], by a difference that was found before. Returns the numbers and identifiers of new content.
pub(super) fn apply<'a>(
    sql: &mut dyn Sql,
    content: &Content,
    node: i64,
    digests: &[Digest],
    difference: &Difference,
    cells: impl Fn(usize) -> Vec<Cell<'a>>,
) -> Result<New, SqlError> {
    sql.unlink(&content.link, node, &difference.gone)?;
    let (ids, new) = interned(sql, content, digests, &difference.missing, cells)?;
    let links: Vec<Cell<'_>> =
        ids.into_iter().flat_map(|id| [Cell::Int(node), Cell::Int(id)]).collect();
    sql.insert(&content.link, &links)?;
    Ok(new)
}

/// The numbers and identifiers of content that was new.
pub(super) type New = Vec<(usize, i64)>;

/// Returns the identifiers of content, in ascending order; content that is new is stored.
pub(super) fn interned<'a>(
    sql: &mut dyn Sql,
    content: &Content,
    digests: &[Digest],
    numbers: &[usize],
    cells: impl Fn(usize) -> Vec<Cell<'a>>,
) -> Result<(Vec<i64>, New), SqlError> {
    let asked: Vec<Digest> = numbers.iter().map(|&n| digests[n]).collect();
    let found = sql.ids(content.insert.table, &asked)?;
    let mut ids: Vec<i64> = found.iter().copied().flatten().collect();
    let absent: Vec<usize> =
        numbers.iter().zip(&found).filter(|(_, id)| id.is_none()).map(|(&n, _)| n).collect();
    let mut rows: Vec<Cell<'_>> = Vec::with_capacity(absent.len() * content.insert.columns.len());
    for &n in &absent {
        rows.push(Cell::Bytes(&digests[n]));
        rows.extend(cells(n));
    }
    sql.insert(&content.insert, &rows)?;
    let asked: Vec<Digest> = absent.iter().map(|&n| digests[n]).collect();
    let mut new = Vec::with_capacity(absent.len());
    for (&n, id) in absent.iter().zip(sql.ids(content.insert.table, &asked)?) {
        let id =
            id.ok_or_else(|| SqlError::Damaged(format!("`{}` lost a row", content.insert.table)))?;
        ids.push(id);
        new.push((n, id));
    }
    ids.sort_unstable();
    ids.dedup();
    Ok((ids, new))
}

/// Returns the digest of some parts.
pub(super) fn digest(parts: &[&str]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut digest = Digest::default();
    hasher.finalize_xof().fill(&mut digest);
    digest
}

/// Returns the SHA-1 of a text in hexadecimal digits, as PuppetDB's hashes are.
pub(crate) fn sha1(text: &str) -> String {
    use sha1::Digest as _;
    use std::fmt::Write as _;
    let mut out = String::with_capacity(40);
    for byte in sha1::Sha1::digest(text.as_bytes()) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
