//! Resolution of a class as written to the set of characters that it matches.

use crate::parse::class::{Class, Item, Property};
use crate::raw::RawSet;
use crate::set::Set;
use crate::unicode;

/// The matches of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResolvedClass {
    /// Single characters.
    pub(crate) set: Set,
    /// Texts, without case: `[ß]` matches `ss` if case is ignored.
    pub(crate) texts: Vec<Vec<u32>>,
}

/// Returns the characters and texts of a class.
pub(crate) fn resolve(class: &Class) -> ResolvedClass {
    let mut members = members(class, false);
    let mut texts = Vec::new();
    if class.ignores_case {
        fold(class, &mut members);
        texts = several(&members);
    }
    let mut set = members.into_set();
    if class.is_negated {
        set = set.negated();
        texts.clear();
    }
    ResolvedClass { set, texts }
}

/// Returns the only character of a class that is not negated, however it is written.
pub(crate) fn single(class: &Class) -> Option<char> {
    if class.is_negated { None } else { members(class, false).single() }
}

/// Returns the character and those that differ only in case from it.
pub(crate) fn alike_to(character: char) -> Set {
    let folded = unicode::folded(character);
    let mut codes = vec![u32::from(character)];
    if let [only] = folded.as_slice() {
        codes.push(*only);
    }
    codes.extend(unicode::folds().filter(|(_, to)| *to == folded).map(|(from, _)| from));
    Set::from_ranges(codes.into_iter().map(|code| (code, code)).collect())
}

/// Returns the members of a class before negation.
///
/// With `only_folding`, only those that may fold to or from ASCII.
fn members(class: &Class, only_folding: bool) -> RawSet {
    let parts = class.parts.iter().map(|part| union(part, only_folding));
    let all = parts.reduce(|mut all, part| {
        all.and(&part);
        all
    });
    all.unwrap_or_default()
}

fn union(items: &[Item], only_folding: bool) -> RawSet {
    let mut all = RawSet::default();
    for item in items {
        match item {
            Item::Range(first, last) => all.add_range(*first, *last),
            Item::Property(property) if only_folding && !property.folds_over_ascii => {}
            Item::Property(property) => all.or(&of(property), false),
            Item::Class(class) => all.or(&members(class, only_folding), class.is_negated),
        }
    }
    all
}

fn of(property: &Property) -> RawSet {
    // Fast path: most classes have one of these, which needs no table.
    let set = match (property.is_ascii, property.name.as_str()) {
        (true, "word") => Set::from_ranges(vec![(48, 57), (65, 90), (95, 95), (97, 122)]),
        (true, "digit") => Set::from_ranges(vec![(48, 57)]),
        (true, "space") => Set::from_ranges(vec![(9, 13), (32, 32)]),
        (_, "xdigit") => Set::from_ranges(vec![(48, 57), (65, 70), (97, 102)]),
        (is_ascii, name) => {
            let set = unicode::property(name);
            if is_ascii { set.and(&Set::ascii()) } else { set }
        }
    };
    // In Ruby, of the negations of these only that of `\d` reaches the last code point.
    let reaches_end = property.is_ascii && property.name == "digit";
    RawSet::of(&set, property.is_negated, reaches_end)
}

/// Adds the characters that differ only in case from members.
fn fold(class: &Class, all: &mut RawSet) {
    let folding = members(class, true);
    if !all.goes_beyond_ascii() {
        return fold_ascii(&folding, all);
    }
    let mut added = Vec::new();
    for same in alike() {
        for &from in same.iter().filter(|&&from| all.has(from)) {
            let (is_ascii, goes_over) = (from < 0x80, folding.has(from));
            added.extend(same.iter().filter(|&&to| (to < 0x80) == is_ascii || goes_over));
        }
    }
    all.add_folded(&added);
}

/// Like [`fold`], but for a set of ASCII, where only `k` and `s` have case variants beyond ASCII.
fn fold_ascii(folding: &RawSet, all: &mut RawSet) {
    let mut added = Vec::new();
    for letter in (b'A'..=b'Z').chain(b'a'..=b'z') {
        let code = u32::from(letter);
        if !all.has(code) {
            continue;
        }
        added.push(code ^ 0x20);
        match letter.to_ascii_lowercase() {
            b'k' if folding.has(code) => added.push(0x212A),
            b's' if folding.has(code) => added.push(0x17F),
            _ => {}
        }
    }
    all.add_folded(&added);
}

/// Returns the case foldings of members that have more than one character.
fn several(all: &RawSet) -> Vec<Vec<u32>> {
    let of_length = |length| {
        let folds = unicode::folds().filter(move |(_, to)| to.as_slice().len() == length);
        folds.filter(|&(from, _)| all.has(from))
    };
    let mut texts: Vec<Vec<u32>> = Vec::new();
    for (_, to) in of_length(2).chain(of_length(3)) {
        if !texts.iter().any(|text| text == to.as_slice()) {
            texts.push(to.as_slice().to_vec());
        }
    }
    texts
}

/// Returns all groups of characters that differ only in case.
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
