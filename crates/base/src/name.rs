//! Qualified names: segments with `::` between them.

/// Returns the segments of a name. `split("::")` gives the same result, but sets up a searcher first, which costs more than
/// the search in a short name.
pub fn segments(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(name);
    std::iter::from_fn(move || {
        let name = rest?;
        let (segment, more) = match end_of_first(name) {
            Some(end) => (&name[..end], Some(&name[end + 2..])),
            None => (name, None),
        };
        rest = more;
        Some(segment)
    })
}

/// Returns the first segment of a name, which for most names is that of the module.
pub fn first_segment(name: &str) -> &str {
    end_of_first(name).map_or(name, |end| &name[..end])
}

fn end_of_first(name: &str) -> Option<usize> {
    name.as_bytes().windows(2).position(|pair| pair == b"::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_as_by_the_text() {
        for name in ["", "a", "a::b", "a::b::c", "::a", "a::", "::", "a:b", "a:::b", "::::", "ä::ö"]
        {
            let expected: Vec<&str> = name.split("::").collect();
            assert_eq!(segments(name).collect::<Vec<_>>(), expected, "{name}");
            assert_eq!(first_segment(name), expected[0], "{name}");
        }
    }
}
