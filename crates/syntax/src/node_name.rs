//! Internal names of nodes that are regular expressions.

use kukla_base::{Edition, EditionChange};

/// Returns the name under which Puppet stores a node that a regular expression selects.
pub fn node_regexp_name(source: &str, edition: Edition) -> String {
    let source = source.to_lowercase();
    let source = match edition.has(EditionChange::NodeGroupNames) {
        true => spelled_groups(&source),
        false => source,
    };
    let is_kept = |char: &char| char.is_ascii_alphanumeric() || "_-:.".contains(*char);
    let name: String = source.chars().filter(is_kept).collect();
    format!("__node_regexp__{}", name.trim_start_matches('.'))
}

/// Spells the operators of each group `(?…)`, up to the first closing parenthesis.
fn spelled_groups(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("(?") {
        let Some(length) = rest[start..].find(')') else { break };
        let end = start + length + 1;
        out.push_str(&rest[..start]);
        for char in rest[start..end].chars() {
            match spelled(char) {
                Some(word) => out.push_str(word),
                None => out.push(char),
            }
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

const fn spelled(operator: char) -> Option<&'static str> {
    Some(match operator {
        '(' => "lp",
        '?' => "qu",
        '<' => "lt",
        '>' => "gt",
        '!' => "ex",
        '=' => "eq",
        ')' => "rp",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names are those of Puppet 7.23 and OpenVox 8.28.1.
    #[test]
    fn groups_are_part_of_the_name_since_edition_8() {
        let names = |source| Edition::ALL.map(|edition| node_regexp_name(source, edition));
        let [seven, eight, nine] = names(r"^(?:node1)\.");
        assert_eq!(seven, "__node_regexp__:node1.");
        assert_eq!(eight, "__node_regexp__lpqu:node1rp.");
        assert_eq!(nine, eight);
        let [seven, eight, _] = names("(?<!a)sync");
        assert_eq!(
            (seven.as_str(), eight.as_str()),
            ("__node_regexp__async", "__node_regexp__lpqultexarpsync")
        );
        let [seven, eight, _] = names(r"^web\d+(a|b)$");
        assert_eq!(
            (seven.as_str(), eight.as_str()),
            ("__node_regexp__webdab", "__node_regexp__webdab")
        );
    }
}
