//! The file bucket: content that agents put aside before they change a file, for servers that share a database.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::sql::{Cell, Digest, Sql, SqlError, number};
use crate::{Store, StoreError, time};

/// The number of bytes in one row: a statement has a copy of it.
const PART: usize = 1 << 20;
/// The number of paths that a content may have.
const MOST_PATHS: i64 = 10_000;

impl Store {
    /// Keeps a content by its checksum, `sha256:…`, and the path of the file that had it. The caller has checked the sum.
    pub fn put_aside(
        &self,
        sum: &str,
        content: &[u8],
        path: Option<&str>,
    ) -> Result<(), StoreError> {
        // Two agents may have the same file: the second one waits.
        let key = format!("bucket {sum}");
        self.write(&[&key], |sql| {
            let file = match file(sql, sum)? {
                Some(file) => {
                    let touch = "UPDATE bucket_files SET stored = ?2 WHERE id = ?1";
                    sql.execute(touch, &[Cell::Int(file), Cell::Int(time::now())])?;
                    file
                }
                None => add(sql, sum, content)?,
            };
            path.map_or(Ok(()), |path| add_path(sql, file, path))
        })
    }

    /// Returns whether there is a content, which was that of a path if one is named.
    pub fn has_aside(&self, sum: &str, path: Option<&str>) -> Result<bool, StoreError> {
        self.read(|sql| {
            let Some(file) = file(sql, sum)? else { return Ok(false) };
            let Some(path) = path else { return Ok(true) };
            let query = "SELECT 1 FROM bucket_paths WHERE file_id = ?1 AND digest = ?2";
            let cells = [Cell::Int(file), Cell::Bytes(&digest(path))];
            Ok(number(sql, query, &cells)?.is_some())
        })
    }

    /// Returns a content.
    pub fn aside(&self, sum: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|sql| {
            let Some(file) = file(sql, sum)? else { return Ok(None) };
            let mut content = Vec::new();
            let query = "SELECT content FROM bucket_parts WHERE file_id = ?1 ORDER BY position";
            sql.each(query, &[Cell::Int(file)], &mut |row| {
                let [Cell::Bytes(part)] = row else { return Err(damaged()) };
                let mut decoder = ZlibDecoder::new(*part).take(PART as u64 + 1);
                decoder.read_to_end(&mut content).map_err(|_| damaged())?;
                Ok(())
            })?;
            let query = "SELECT n_bytes FROM bucket_files WHERE id = ?1";
            let n_bytes = number(sql, query, &[Cell::Int(file)])?;
            match n_bytes.and_then(|n_bytes| usize::try_from(n_bytes).ok()) == Some(content.len()) {
                true => Ok(Some(content)),
                false => Err(damaged()),
            }
        })
    }
}

fn damaged() -> SqlError {
    SqlError::Damaged("a content of the file bucket is damaged".to_owned())
}

fn digest(path: &str) -> Digest {
    let mut digest = Digest::default();
    blake3::Hasher::new().update(path.as_bytes()).finalize_xof().fill(&mut digest);
    digest
}

fn file(sql: &mut dyn Sql, sum: &str) -> Result<Option<i64>, SqlError> {
    number(sql, "SELECT id FROM bucket_files WHERE sum = ?1", &[Cell::Text(sum)])
}

fn add(sql: &mut dyn Sql, sum: &str, content: &[u8]) -> Result<i64, SqlError> {
    let n_bytes = i64::try_from(content.len()).unwrap_or(i64::MAX);
    let insert = "INSERT INTO bucket_files (sum, n_bytes, stored) VALUES (?1, ?2, ?3) RETURNING id";
    let cells = [Cell::Text(sum), Cell::Int(n_bytes), Cell::Int(time::now())];
    let file = number(sql, insert, &cells)?.ok_or_else(damaged)?;
    for (position, part) in (0..).zip(content.chunks(PART)) {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder.write_all(part).and_then(|()| encoder.finish());
        let packed = packed.map_err(|error| SqlError::Damaged(error.to_string()))?;
        sql.execute(
            "INSERT INTO bucket_parts (file_id, position, content) VALUES (?1, ?2, ?3)",
            &[Cell::Int(file), Cell::Int(position), Cell::Bytes(&packed)],
        )?;
    }
    Ok(file)
}

fn add_path(sql: &mut dyn Sql, file: i64, path: &str) -> Result<(), SqlError> {
    let count = "SELECT count(*) FROM bucket_paths WHERE file_id = ?1";
    if number(sql, count, &[Cell::Int(file)])?.unwrap_or(0) >= MOST_PATHS {
        return Err(SqlError::Damaged("too many paths have this content".to_owned()));
    }
    sql.execute(
        "INSERT INTO bucket_paths (file_id, digest, path) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO NOTHING",
        &[Cell::Int(file), Cell::Bytes(&digest(path)), Cell::Text(path)],
    )?;
    Ok(())
}
