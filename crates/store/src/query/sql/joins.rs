//! Joins that a statement can do without.
//!
//! Each `LEFT JOIN` of an entity finds a row by its key, so it adds columns and neither adds nor removes rows. PostgreSQL
//! leaves out those whose columns are not read; SQLite does so in some statements only.

const JOIN: &str = " LEFT JOIN ";

/// Returns the tables that follow `FROM` without joins whose columns the rest of the statement does not name.
pub(super) fn needed(tables: &str, rest: &str) -> String {
    let mut parts: Vec<&str> = tables.split(JOIN).collect();
    // Later joins may need those before them.
    for at in (1..parts.len()).rev() {
        let column = format!("{}.", alias(parts[at]));
        let is_needed = |text: &&str| text.contains(&column);
        if !is_needed(&rest) && !parts[at + 1..].iter().any(is_needed) {
            parts.remove(at);
        }
    }
    parts.join(JOIN)
}

/// Returns the name by which a joined table is known: `environments env ON …` or `producers ON …`.
fn alias(join: &str) -> &str {
    let mut words = join.split(' ');
    let table = words.next().unwrap_or_default();
    words.next().filter(|word| *word != "ON").unwrap_or(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_stay_that_something_needs() {
        let tables = "nodes n LEFT JOIN catalogs c ON c.node_id = n.id \
            LEFT JOIN environments ce ON ce.id = c.environment_id LEFT JOIN producers ON producers.id = c.producer_id";
        assert_eq!(needed(tables, "n.certname"), "nodes n");
        assert_eq!(
            needed(tables, "ce.name"),
            tables.split(" LEFT JOIN producers").next().expect("it")
        );
        assert!(
            needed(tables, "producers.name").ends_with("producers ON producers.id = c.producer_id")
        );
        assert!(!needed(tables, "producers.name").contains("environments"));
    }
}
