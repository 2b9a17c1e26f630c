//! Entities that are names: environments, producers and packages.

use super::{BY_NODE, ENVIRONMENT, Expression, Field, NAME, PRODUCER, Table};

/// Environments.
pub(super) static ENVIRONMENTS: Table = Table {
    alias: "environments",
    fields: &[Field::text("name", "environments.name")],
    from: Expression::Same("environments"),
    relations: &[
        ("inventory", NAME, ENVIRONMENT),
        ("factsets", NAME, ENVIRONMENT),
        ("catalogs", NAME, ENVIRONMENT),
        ("reports", NAME, ENVIRONMENT),
        ("facts", NAME, ENVIRONMENT),
        ("fact_contents", NAME, ENVIRONMENT),
        ("events", NAME, ENVIRONMENT),
        ("resources", NAME, ENVIRONMENT),
    ],
    has_nodes: false,
    key: None,
};

/// Servers that sent commands.
pub(super) static PRODUCERS: Table = Table {
    alias: "producers",
    fields: &[Field::text("name", "producers.name")],
    from: Expression::Same("producers"),
    relations: &[
        ("factsets", NAME, PRODUCER),
        ("catalogs", NAME, PRODUCER),
        ("reports", NAME, PRODUCER),
    ],
    has_nodes: false,
    key: None,
};

/// Packages that are installed on some node.
pub(super) static PACKAGES: Table = Table {
    alias: "packages",
    fields: &[
        Field::text("package_name", "p.package_name"),
        Field::text("version", "p.version"),
        Field::text("provider", "p.provider"),
    ],
    from: Expression::Same(
        "(SELECT * FROM packages WHERE EXISTS \
         (SELECT 1 FROM node_packages np WHERE np.package_id = packages.id)) p",
    ),
    relations: &[],
    has_nodes: false,
    key: None,
};

/// Packages of nodes.
pub(super) static PACKAGE_INVENTORY: Table = Table {
    alias: "package_inventory",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("package_name", "p.package_name"),
        Field::text("version", "p.version"),
        Field::text("provider", "p.provider"),
    ],
    from: Expression::Same(
        "node_packages np JOIN nodes n ON n.id = np.node_id JOIN packages p ON p.id = np.package_id",
    ),
    relations: &BY_NODE,
    has_nodes: true,
    key: None,
};
