//! Unicode's properties and case foldings, in the version that Ruby has.

mod folds;

use folds::FOLDS;

use crate::set::Set;

/// The case folding of a character: one to three characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    characters: [u32; 3],
    length: u8,
}

impl Folded {
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.characters[..usize::from(self.length)]
    }
}

/// Returns the case folding of `character`.
pub(crate) fn folded(character: char) -> Folded {
    let code = u32::from(character);
    if code < 0x80 {
        return single(u32::from(character.to_ascii_lowercase()));
    }
    match FOLDS.binary_search_by_key(&code, |&(from, _)| from) {
        Ok(index) => of(FOLDS[index].1),
        Err(_) => single(code),
    }
}

fn single(code: u32) -> Folded {
    Folded { characters: [code, 0, 0], length: 1 }
}

fn of(characters: [u32; 3]) -> Folded {
    let length = match characters {
        [_, 0, _] => 1,
        [_, _, 0] => 2,
        _ => 3,
    };
    Folded { characters, length }
}

/// Counts the other spellings of a character that folds to these several.
pub(crate) fn n_unfolded(folded: Folded) -> usize {
    let n_forms = |&code: &u32| 1 + folds().filter(|(_, to)| to.as_slice() == [code]).count();
    let n_same = folds().filter(|(_, to)| *to == folded).count();
    folded.as_slice().iter().map(n_forms).product::<usize>() + n_same - 1
}

/// Returns all characters that case folding changes, with their folding.
pub(crate) fn folds() -> impl Iterator<Item = (u32, Folded)> {
    FOLDS.iter().map(|&(from, to)| (from, of(to)))
}

/// Returns the characters of a property, whose name must be one that the parser accepts.
pub(crate) fn property(name: &str) -> Set {
    const SETS: &str = include_str!("properties.txt");
    let line = SETS.lines().find(|line| has_name(line, name)).unwrap_or(":");
    let (_, ranges) = line.split_once(':').expect("each line has a colon");
    let mut next = 0;
    let mut set = Vec::new();
    for range in ranges.split_ascii_whitespace() {
        let (gap, more) = range.split_once('+').unwrap_or((range, "0"));
        let first = next + number(gap);
        let last = first + number(more);
        set.push((first, last));
        next = last + 1;
    }
    Set::from_sorted(set)
}

/// Returns true if the names before the colon include `name`.
fn has_name(line: &str, name: &str) -> bool {
    let names = line.split(':').next().unwrap_or_default();
    names.split(' ').any(|candidate| candidate == name)
}

fn number(digits: &str) -> u32 {
    u32::from_str_radix(digits, 36).expect("the table has numbers")
}
