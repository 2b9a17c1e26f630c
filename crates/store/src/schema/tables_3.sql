-- The tables that version 3 added, for both engines: what people ask for, beside what PuppetDB keeps.

-- Changes of a node's catalog, the newest of them: `hash`, `version` and the rest are those of the catalog that came. The
-- first catalog of a node is no change.
CREATE TABLE catalog_changes (
    id {id},
    node_id {int} NOT NULL REFERENCES nodes (id),
    hash TEXT NOT NULL,
    version TEXT NOT NULL,
    code_id TEXT,
    producer_timestamp {int} NOT NULL,
    environment_id {int} REFERENCES environments (id)
);
CREATE INDEX catalog_changes_by_node ON catalog_changes (node_id, id);

-- The resources that a change added, and those that it removed; one that has another parameter is both.
CREATE TABLE catalog_change_resources (
    change_id {int} NOT NULL REFERENCES catalog_changes (id) ON DELETE CASCADE,
    resource_id {int} NOT NULL REFERENCES resources (id),
    is_added {bool} NOT NULL,
    PRIMARY KEY (change_id, resource_id)
){without_rowid};
CREATE INDEX catalog_change_resources_by_resource ON catalog_change_resources (resource_id);

-- Content: lines of data files that catalogs got values from. `name` is the key.
CREATE TABLE data_lines (
    id {id},
    digest {bytes} NOT NULL UNIQUE,
    file TEXT NOT NULL,
    line {int} NOT NULL,
    name TEXT NOT NULL
);

-- Content: sets of such lines, which nodes of one kind share; `digest` is of those of the lines.
CREATE TABLE data_sets (
    id {id},
    digest {bytes} NOT NULL UNIQUE
);
CREATE TABLE data_set_lines (
    set_id {int} NOT NULL REFERENCES data_sets (id) ON DELETE CASCADE,
    line_id {int} NOT NULL REFERENCES data_lines (id),
    PRIMARY KEY (set_id, line_id)
){without_rowid};
CREATE INDEX data_set_lines_by_line ON data_set_lines (line_id);

-- The data that a node's catalog got its values from. No row: none, or a server that does not say it compiled it.
CREATE TABLE node_data (
    node_id {int} PRIMARY KEY REFERENCES nodes (id),
    set_id {int} NOT NULL REFERENCES data_sets (id)
);
CREATE INDEX node_data_by_set ON node_data (set_id);
