-- The tables of version 2, for both engines. Words in braces are types of the engine (`schema/dialect.rs`).
--
-- Times are milliseconds since 1970 (UTC). Names of columns are PuppetDB's where it has one.
-- Content is stored once: resources, edges, values of facts and packages have tables of their own, whose rows are found
-- by the digest of their content and never change; nodes link to them. Content that no node links to any more is removed
-- by a compaction, so a row of content alone says nothing: queries start from links.

-- Names of environments; a name appears with the first command that was stored with it.
CREATE TABLE environments (
    id {id},
    name TEXT NOT NULL UNIQUE
);

-- Names of the servers that sent commands.
CREATE TABLE producers (
    id {id},
    name TEXT NOT NULL UNIQUE
);

-- Every node that is known. A node is active if `deactivated` and `expired` are null.
-- `latest_report_id` is the report with the latest `producer_timestamp`.
-- `inputs_timestamp` and `inputs_uuid` belong to `catalog_inputs`: time of the producer, and UUID of the catalog.
CREATE TABLE nodes (
    id {id},
    certname TEXT NOT NULL UNIQUE,
    deactivated {int},
    expired {int},
    latest_report_id {int},
    inputs_timestamp {int},
    inputs_uuid TEXT
);

-- The facts of a node as one: `timestamp` is the time of receipt, `hash` is that of the facts in hexadecimal digits.
-- No row: the node sent no facts.
CREATE TABLE factsets (
    node_id {int} PRIMARY KEY REFERENCES nodes (id),
    hash TEXT NOT NULL,
    timestamp {int} NOT NULL,
    producer_timestamp {int} NOT NULL,
    environment_id {int} REFERENCES environments (id),
    producer_id {int} REFERENCES producers (id)
);

-- Names of facts, with `trusted`.
CREATE TABLE fact_names (
    id {id},
    name TEXT NOT NULL UNIQUE
);

-- Content: one value of one fact, whole (`{"family":"Debian"}` of the fact `os`), as JSON.
CREATE TABLE fact_values (
    id {id},
    digest {bytes} NOT NULL UNIQUE,
    name_id {int} NOT NULL REFERENCES fact_names (id),
    value {json} NOT NULL
);
CREATE INDEX fact_values_by_name ON fact_values (name_id);

-- The facts of a node: which values it has.
CREATE TABLE facts (
    node_id {int} NOT NULL REFERENCES nodes (id),
    value_id {int} NOT NULL REFERENCES fact_values (id),
    PRIMARY KEY (node_id, value_id)
){without_rowid};
CREATE INDEX facts_by_value ON facts (value_id);

-- Places within facts. `path` is a JSON array as a text without blanks (`["os","release","major"]`, `["dns",0]`), whose
-- first element is the name of the fact. `type` is `string`, `integer`, `float`, `boolean` or `null`: a place where
-- nodes have values of different types has several rows. Empty hashes and arrays have none.
CREATE TABLE fact_paths (
    id {id},
    digest {bytes} NOT NULL UNIQUE,
    path TEXT NOT NULL,
    type TEXT NOT NULL,
    name_id {int} NOT NULL REFERENCES fact_names (id),
    depth {int} NOT NULL
);
CREATE INDEX fact_paths_by_path ON fact_paths {hash}(path);
CREATE INDEX fact_paths_by_name ON fact_paths (name_id);

-- Content: the single values within a value of a fact, one row per place. `value` is JSON (`"Debian"`, `7`, `null`).
CREATE TABLE fact_leaves (
    value_id {int} NOT NULL REFERENCES fact_values (id) ON DELETE CASCADE,
    path_id {int} NOT NULL REFERENCES fact_paths (id),
    value {json} NOT NULL,
    PRIMARY KEY (value_id, path_id)
){without_rowid};
CREATE INDEX fact_leaves_by_path ON fact_leaves (path_id);

-- Content: packages that are installed somewhere.
CREATE TABLE packages (
    id {id},
    digest {bytes} NOT NULL UNIQUE,
    package_name TEXT NOT NULL,
    version TEXT NOT NULL,
    provider TEXT NOT NULL
);
CREATE INDEX packages_by_name ON packages {hash}(package_name);

-- The packages of a node.
CREATE TABLE node_packages (
    node_id {int} NOT NULL REFERENCES nodes (id),
    package_id {int} NOT NULL REFERENCES packages (id),
    PRIMARY KEY (node_id, package_id)
){without_rowid};
CREATE INDEX node_packages_by_package ON node_packages (package_id);

-- The last catalog of a node: `timestamp` is the time of receipt.
CREATE TABLE catalogs (
    node_id {int} PRIMARY KEY REFERENCES nodes (id),
    hash TEXT NOT NULL,
    version TEXT NOT NULL,
    transaction_uuid TEXT,
    catalog_uuid TEXT,
    code_id TEXT,
    job_id TEXT,
    timestamp {int} NOT NULL,
    producer_timestamp {int} NOT NULL,
    environment_id {int} REFERENCES environments (id),
    producer_id {int} REFERENCES producers (id)
);

-- Content: resources. `hash` is PuppetDB's of type, title and parameters, in hexadecimal digits; `digest` is of all
-- columns. `tags` is a sorted JSON array of texts in lower case, `parameters` a JSON object.
CREATE TABLE resources (
    id {id},
    digest {bytes} NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    exported {bool} NOT NULL,
    file TEXT,
    line {int},
    tags {json} NOT NULL,
    parameters {json} NOT NULL
);
CREATE INDEX resources_by_title ON resources {hash}(title);
CREATE INDEX resources_by_type ON resources (type);

-- The resources of a node's catalog.
CREATE TABLE catalog_resources (
    node_id {int} NOT NULL REFERENCES nodes (id),
    resource_id {int} NOT NULL REFERENCES resources (id),
    PRIMARY KEY (node_id, resource_id)
){without_rowid};
CREATE INDEX catalog_resources_by_resource ON catalog_resources (resource_id);

-- Content: edges between resources.
CREATE TABLE edges (
    id {id},
    digest {bytes} NOT NULL UNIQUE,
    source_type TEXT NOT NULL,
    source_title TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_title TEXT NOT NULL,
    relationship TEXT NOT NULL
);

-- The edges of a node's catalog.
CREATE TABLE catalog_edges (
    node_id {int} NOT NULL REFERENCES nodes (id),
    edge_id {int} NOT NULL REFERENCES edges (id),
    PRIMARY KEY (node_id, edge_id)
){without_rowid};
CREATE INDEX catalog_edges_by_edge ON catalog_edges (edge_id);

-- The data that a node's catalog depends on, as `replace_catalog_inputs` says: type (`hiera`) and name (a key).
CREATE TABLE catalog_inputs (
    node_id {int} NOT NULL REFERENCES nodes (id),
    position {int} NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (node_id, position)
){without_rowid};

-- Exported resources as compilations of Kukla collect them. Tags are separated by blanks; `parameters` is a JSON object
-- with rich data, a text in both engines. Resources of catalogs have a row in `catalog_resources` besides.
CREATE TABLE exported (
    node_id {int} NOT NULL REFERENCES nodes (id),
    position {int} NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,
    parameters TEXT NOT NULL,
    PRIMARY KEY (node_id, position)
){without_rowid};
CREATE INDEX exported_by_type ON exported (type, node_id, position);

-- Reports. `hash` is that of the content in hexadecimal digits; `receive_time` is the time of receipt.
CREATE TABLE reports (
    id {id},
    hash TEXT NOT NULL UNIQUE,
    node_id {int} NOT NULL REFERENCES nodes (id),
    type TEXT NOT NULL,
    puppet_version TEXT NOT NULL,
    report_format {int} NOT NULL,
    configuration_version TEXT NOT NULL,
    start_time {int} NOT NULL,
    end_time {int} NOT NULL,
    receive_time {int} NOT NULL,
    producer_timestamp {int} NOT NULL,
    producer_id {int} REFERENCES producers (id),
    environment_id {int} REFERENCES environments (id),
    transaction_uuid TEXT,
    catalog_uuid TEXT,
    code_id TEXT,
    job_id TEXT,
    cached_catalog_status TEXT,
    status TEXT,
    noop {bool},
    noop_pending {bool},
    corrective_change {bool}
);
CREATE INDEX reports_by_node ON reports (node_id, producer_timestamp);
CREATE INDEX reports_by_time ON reports (producer_timestamp);
CREATE INDEX reports_by_end ON reports (end_time);
CREATE INDEX reports_by_uuid ON reports (transaction_uuid);

-- The large parts of reports: JSON arrays, compressed with zlib. They can be shown but not be searched.
CREATE TABLE report_bodies (
    report_id {int} PRIMARY KEY REFERENCES reports (id) ON DELETE CASCADE,
    logs {bytes} NOT NULL,
    metrics {bytes} NOT NULL
);

-- Events of reports. Values are JSON (`"absent"`); `containment_path` is a JSON array of texts, or null.
-- `containing_class` is the innermost class of that path. A skipped resource has an event without a property.
CREATE TABLE events (
    report_id {int} NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    position {int} NOT NULL,
    node_id {int} NOT NULL REFERENCES nodes (id),
    status TEXT NOT NULL,
    timestamp {int} NOT NULL,
    resource_type TEXT NOT NULL,
    resource_title TEXT NOT NULL,
    property TEXT,
    name TEXT,
    new_value {json},
    old_value {json},
    message TEXT,
    file TEXT,
    line {int},
    containment_path {json},
    containing_class TEXT,
    corrective_change {bool},
    PRIMARY KEY (report_id, position)
){without_rowid};
CREATE INDEX events_by_time ON events (timestamp);
CREATE INDEX events_by_title ON events {hash}(resource_title);
CREATE INDEX events_by_node ON events (node_id);
