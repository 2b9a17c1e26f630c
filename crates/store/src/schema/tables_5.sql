-- What version 5 added, for both engines: answers about reports for which no events are read.

-- The events of a report as answers show them: a JSON array, compressed with zlib; empty for a report without events.
-- Null: an earlier version stored the report, and they are made of the rows of `events`.
ALTER TABLE report_bodies ADD COLUMN events {bytes};

-- How many events of each status a report has. No row: it has none.
CREATE TABLE report_counts (
    report_id {int} PRIMARY KEY REFERENCES reports (id) ON DELETE CASCADE,
    failures {int} NOT NULL,
    skips {int} NOT NULL,
    successes {int} NOT NULL,
    noops {int} NOT NULL
);
INSERT INTO report_counts (report_id, failures, skips, successes, noops)
SELECT report_id,
    sum(CASE WHEN status = 'failure' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'skipped' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'success' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'noop' THEN 1 ELSE 0 END)
FROM events GROUP BY report_id;

-- Pages of reports are in the order of their start. Events of a node are found by their reports or titles.
CREATE INDEX reports_by_start ON reports (start_time);
DROP INDEX events_by_node;
