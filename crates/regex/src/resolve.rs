//! From a class as it is written to the set of characters that it takes.

use crate::parse::class::{Class, Item, Property};
use crate::set::Set;
use crate::unicode;

/// What a class takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    /// One character of these,
    pub(crate) set: Set,
    /// or one of these texts, without case: `[ß]` takes `ss` if case is ignored.
    pub(crate) texts: Vec<Vec<u32>>,
}

/// The characters and texts of a class.
pub(crate) fn resolve(class: &Class) -> Resolved {
    let members = members(class, false);
    let mut resolved = Resolved { set: members, texts: Vec::new() };
    if class.ignores_case {
        fold(class, &mut resolved);
    }
    if class.is_negated {
        resolved.set = resolved.set.negated();
        resolved.texts.clear();
    }
    resolved
}

/// The character and those that differ only in case from it.
pub(crate) fn alike_to(character: char) -> Set {
    let folded = unicode::folded(character);
    let mut codes = vec![u32::from(character)];
    if let [only] = folded.as_slice() {
        codes.push(*only);
    }
    codes.extend(unicode::folds().filter(|(_, to)| *to == folded).map(|(from, _)| from));
    Set::from_ranges(codes.into_iter().map(|code| (code, code)).collect())
}

/// What stands in a class, before it is negated.
///
/// With `only_folding`, just what may fold to or from ASCII.
fn members(class: &Class, only_folding: bool) -> Set {
    let parts = class.parts.iter().map(|part| union(part, only_folding));
    parts.reduce(|all, part| all.and(&part)).unwrap_or_default()
}

fn union(items: &[Item], only_folding: bool) -> Set {
    let mut ranges = Vec::new();
    for item in items {
        match item {
            Item::Range(first, last) => ranges.push((u32::from(*first), u32::from(*last))),
            Item::Property(property) if only_folding && !property.folds_over_ascii => {}
            Item::Property(property) => ranges.extend_from_slice(of(property).ranges()),
            Item::Class(class) => {
                let set = members(class, only_folding);
                let set = if class.is_negated { set.negated() } else { set };
                ranges.extend_from_slice(set.ranges());
            }
        }
    }
    Set::from_ranges(ranges)
}

fn of(property: &Property) -> Set {
    // Most classes have one of these, and no need for the table.
    let mut set = match (property.is_ascii, property.name.as_str()) {
        (true, "word") => Set::from_ranges(vec![(48, 57), (65, 90), (95, 95), (97, 122)]),
        (true, "digit") => Set::from_ranges(vec![(48, 57)]),
        (true, "space") => Set::from_ranges(vec![(9, 13), (32, 32)]),
        (_, "xdigit") => Set::from_ranges(vec![(48, 57), (65, 70), (97, 102)]),
        (is_ascii, name) => {
            let set = unicode::property(name);
            if is_ascii { set.and(&Set::ascii()) } else { set }
        }
    };
    if property.is_negated {
        set = set.negated();
    }
    set
}

/// Adds what differs only in case.
fn fold(class: &Class, resolved: &mut Resolved) {
    let folding = members(class, true);
    if resolved.set.ranges().last().is_none_or(|&(_, last)| last < 0x80) {
        return fold_ascii(&folding, resolved);
    }
    let mut added = Vec::new();
    for same in alike() {
        for &from in &same {
            if !resolved.set.contains(from) {
                continue;
            }
            let is_ascii = from < 0x80;
            let goes_over = folding.contains(from);
            let others = same.iter().filter(|&&to| (to < 0x80) == is_ascii || goes_over);
            // Ruby puts what it adds from Latin-1 where it does not look for it.
            let others = others.filter(|&&to| !(0x80..0x100).contains(&to));
            added.extend(others.map(|&to| (to, to)));
        }
    }
    resolved.set.add(&Set::from_ranges(added));
    let several = |length| {
        let folds = unicode::folds().filter(move |(_, to)| to.as_slice().len() == length);
        folds.filter(|&(from, _)| resolved.set.contains(from))
    };
    let mut texts: Vec<Vec<u32>> = Vec::new();
    for (_, to) in several(2).chain(several(3)) {
        if !texts.iter().any(|text| text == to.as_slice()) {
            texts.push(to.as_slice().to_vec());
        }
    }
    resolved.texts = texts;
}

/// The same for a set of ASCII, where only `k` and `s` have relatives elsewhere.
fn fold_ascii(folding: &Set, resolved: &mut Resolved) {
    let mut added = Vec::new();
    for letter in (b'A'..=b'Z').chain(b'a'..=b'z') {
        let code = u32::from(letter);
        if !resolved.set.contains(code) {
            continue;
        }
        let other = code ^ 0x20;
        added.push((other, other));
        match letter.to_ascii_lowercase() {
            b'k' if folding.contains(code) => added.push((0x212A, 0x212A)),
            b's' if folding.contains(code) => added.push((0x17F, 0x17F)),
            _ => {}
        }
    }
    resolved.set.add(&Set::from_ranges(added));
}

/// All characters that differ only in case from others, those together.
fn alike() -> impl Iterator<Item = Vec<u32>> {
    let mut pairs: Vec<_> =
        unicode::folds().map(|(from, to)| (to.as_slice().to_vec(), from)).collect();
    pairs.sort_unstable();
    let chunks: Vec<Vec<u32>> = pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|chunk| {
            let target = &chunk[0].0;
            let itself = (target.len() == 1).then(|| target[0]);
            itself.into_iter().chain(chunk.iter().map(|&(_, from)| from)).collect()
        })
        .collect();
    chunks.into_iter()
}
