-- The tables that version 4 added, for both engines: the file bucket that servers share.

-- Content that agents put aside before they change a file. `sum` is the algorithm and the checksum in hexadecimal digits
-- (`sha256:ad33…`), `stored` is the time at which it came last.
CREATE TABLE bucket_files (
    id {id},
    sum TEXT NOT NULL UNIQUE,
    n_bytes {int} NOT NULL,
    stored {int} NOT NULL
);
CREATE INDEX bucket_files_by_time ON bucket_files (stored);

-- The bytes of a content, in parts that are compressed with zlib.
CREATE TABLE bucket_parts (
    file_id {int} NOT NULL REFERENCES bucket_files (id) ON DELETE CASCADE,
    position {int} NOT NULL,
    content {bytes} NOT NULL,
    PRIMARY KEY (file_id, position)
);

-- The paths of files that had a content; `digest` is of the path, which may be too long for an index.
CREATE TABLE bucket_paths (
    file_id {int} NOT NULL REFERENCES bucket_files (id) ON DELETE CASCADE,
    digest {bytes} NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (file_id, digest)
){without_rowid};
