//! A checksum that costs less than the reading of what it guards.
//!
//! Manifests are small and loading one takes less than two microseconds, of which a CRC-32 of both the section and the
//! source would be a third. Four products at a time, each folded into the next, guard against accidents as well, and
//! whether a source is ASCII comes out by the way.

/// Of a section.
pub(super) fn of_section(section: &[u8]) -> u64 {
    let mut state = State::new();
    let (blocks, _) = section.as_chunks();
    blocks.iter().for_each(|block| state.add::<false>(block));
    state.finish::<false>(section).sum
}

/// Of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Digest {
    pub(super) sum: u64,
    pub(super) is_ascii: bool,
}

/// Odd numbers without a pattern, so that no lane is like another.
const KEYS: [u64; 8] = [
    0x9e37_79b9_7f4a_7c15,
    0xd1b5_4a32_d192_ed03,
    0xa24b_aed4_963e_e407,
    0x8cb9_2ba7_2f3d_8dd7,
    0x9fb2_1c65_1e98_df25,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x27d4_eb2f_1656_67c5,
];
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

impl Digest {
    pub(super) fn of(source: &str) -> Self {
        Self::with_section(source, &[]).0
    }

    /// The same, and that of a section, in turns: while the one is on its way from memory, there is something to do for
    /// the other.
    pub(super) fn with_section(source: &str, section: &[u8]) -> (Self, u64) {
        let source = source.as_bytes();
        let (mut of_source, mut of_section) = (State::new(), State::new());
        let ((source_blocks, _), (section_blocks, _)) = (source.as_chunks(), section.as_chunks());
        let n = source_blocks.len().min(section_blocks.len());
        let (source_first, source_rest) = source_blocks.split_at(n);
        let (section_first, section_rest) = section_blocks.split_at(n);
        for (source, section) in source_first.iter().zip(section_first) {
            of_section.add::<false>(section);
            of_source.add::<true>(source);
        }
        source_rest.iter().for_each(|block| of_source.add::<true>(block));
        section_rest.iter().for_each(|block| of_section.add::<false>(block));
        (of_source.finish::<true>(source), of_section.finish::<false>(section).sum)
    }
}

/// While blocks are added.
struct State {
    lanes: [u64; 4],
    /// All bits of all bytes, if anybody wants to know.
    seen: u64,
}

impl State {
    #[inline]
    fn new() -> Self {
        Self { lanes: [KEYS[0], KEYS[1], KEYS[2], KEYS[3]], seen: 0 }
    }

    #[inline]
    fn add<const SEES: bool>(&mut self, block: &[u8; 64]) {
        let (words, _) = block.as_chunks::<8>();
        let (pairs, _) = words.as_chunks::<2>();
        for ((lane, pair), key) in self.lanes.iter_mut().zip(pairs).zip(&KEYS[4..]) {
            let [left, right] = pair.map(u64::from_le_bytes);
            if SEES {
                self.seen |= left | right;
            }
            *lane = fold(*lane ^ left, right ^ key);
        }
    }

    /// When all whole blocks of some bytes were added.
    #[inline]
    fn finish<const SEES: bool>(mut self, bytes: &[u8]) -> Digest {
        match bytes.last_chunk() {
            // What was there before is there again, which is quicker than to copy the rest.
            Some(last) => self.add::<SEES>(last),
            None => {
                let mut last = [0; 64];
                last[..bytes.len()].copy_from_slice(bytes);
                self.add::<SEES>(&last);
            }
        }
        let Self { lanes, seen } = self;
        let len = bytes.len() as u64;
        let sum = fold(lanes[0] ^ len, lanes[1]) ^ fold(lanes[2], lanes[3] ^ KEYS[7]);
        Digest { sum: fold(sum, KEYS[6]), is_ascii: seen & HIGH_BITS == 0 }
    }
}

/// All bits of a product, of which the middle ones depend on all bits of both numbers.
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::{Digest, of_section};

    #[test]
    fn every_bit_counts() {
        let bytes: Vec<u8> = (0..200).collect();
        let whole = of_section(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(of_section(&changed), whole, "bit {at}");
        }
    }

    #[test]
    fn every_length_counts() {
        let zeros = [0; 300];
        let mut sums: Vec<u64> = (0..300).map(|len| of_section(&zeros[..len])).collect();
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), 300);
    }

    #[test]
    fn in_turns_or_not_is_the_same() {
        let text = "a".repeat(300);
        for n_source in [0, 1, 63, 64, 65, 128, 300] {
            for n_section in [0, 1, 63, 64, 65, 128, 300] {
                let (source, section) = (&text[..n_source], &text.as_bytes()[..n_section]);
                let (of_source, of_both) = Digest::with_section(source, section);
                assert_eq!(of_both, of_section(section), "{n_source} and {n_section}");
                assert_eq!(of_source, Digest::of(source), "{n_source} and {n_section}");
                assert_eq!(of_source.sum, of_section(source.as_bytes()), "{n_source}");
            }
        }
    }

    #[test]
    fn ascii_is_told() {
        for len in [0, 1, 63, 64, 65, 200] {
            let mut text = "a".repeat(len);
            assert!(Digest::of(&text).is_ascii);
            text.push('é');
            assert!(!Digest::of(&text).is_ascii);
            text.push_str("a".repeat(len).as_str());
            assert!(!Digest::of(&text).is_ascii);
        }
    }
}
