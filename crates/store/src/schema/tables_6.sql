-- The table that version 6 added, for both engines: the history of facts, if a site wants one.

-- Single values of a node's facts that have changed, the newest of them. `path` is a JSON array as in `fact_paths`,
-- `producer_timestamp` is that of the facts that came, and a value is null if there was or is none. Long texts are cut.
CREATE TABLE fact_changes (
    id {id},
    node_id {int} NOT NULL REFERENCES nodes (id),
    producer_timestamp {int} NOT NULL,
    path TEXT NOT NULL,
    old_value {json},
    new_value {json}
);
CREATE INDEX fact_changes_by_node ON fact_changes (node_id, id);
CREATE INDEX fact_changes_by_time ON fact_changes (producer_timestamp);
