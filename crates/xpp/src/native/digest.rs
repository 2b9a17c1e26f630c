//! A checksum that is cheaper than reading the data that it protects.
//!
//! Manifests are small and loading one takes little more than a microsecond, of which a CRC-32 of both the section and
//! the source would be half. Four products at a time, each folded into the next, guard against accidents as well.

/// Returns the digest of a section, or of a source.
pub(super) fn of(bytes: &[u8]) -> u64 {
    let mut state = State::new();
    let (blocks, _) = bytes.as_chunks();
    blocks.iter().for_each(|block| state.add(block));
    state.finish(bytes)
}

/// Returns the digests of a source and of a section, computed alternately: one is computed while the other
/// is fetched from memory.
pub(super) fn of_both(source: &[u8], section: &[u8]) -> [u64; 2] {
    let (mut of_source, mut of_section) = (State::new(), State::new());
    let ((source_blocks, _), (section_blocks, _)) = (source.as_chunks(), section.as_chunks());
    let n = source_blocks.len().min(section_blocks.len());
    let (source_first, source_rest) = source_blocks.split_at(n);
    let (section_first, section_rest) = section_blocks.split_at(n);
    for (source, section) in source_first.iter().zip(section_first) {
        of_section.add(section);
        of_source.add(source);
    }
    source_rest.iter().for_each(|block| of_source.add(block));
    section_rest.iter().for_each(|block| of_section.add(block));
    [of_source.finish(source), of_section.finish(section)]
}

/// Odd numbers without a pattern, so that the lanes differ.
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

/// The state while blocks are added.
struct State {
    lanes: [u64; 4],
}

impl State {
    #[inline]
    fn new() -> Self {
        Self { lanes: [KEYS[0], KEYS[1], KEYS[2], KEYS[3]] }
    }

    #[inline]
    fn add(&mut self, block: &[u8; 64]) {
        let (words, _) = block.as_chunks::<8>();
        let (pairs, _) = words.as_chunks::<2>();
        for ((lane, pair), key) in self.lanes.iter_mut().zip(pairs).zip(&KEYS[4..]) {
            let [left, right] = pair.map(u64::from_le_bytes);
            *lane = fold(*lane ^ left, right ^ key);
        }
    }

    /// Adds the rest after all whole blocks were added, and returns the digest.
    #[inline]
    fn finish(mut self, bytes: &[u8]) -> u64 {
        match bytes.last_chunk() {
            // The last block overlaps the one before, which is faster than copying the rest.
            Some(last) => self.add(last),
            None => {
                let mut last = [0; 64];
                last[..bytes.len()].copy_from_slice(bytes);
                self.add(&last);
            }
        }
        let len = bytes.len() as u64;
        let [a, b, c, d] = self.lanes;
        fold(fold(a ^ len, b) ^ fold(c, d ^ KEYS[7]), KEYS[6])
    }
}

/// Folds all bits of a product, of which the middle ones depend on all bits of both numbers.
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::{of, of_both};

    #[test]
    fn every_bit_counts() {
        let bytes: Vec<u8> = (0..200).collect();
        let whole = of(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(of(&changed), whole, "bit {at}");
        }
    }

    #[test]
    fn every_length_counts() {
        let zeros = [0; 300];
        let mut sums: Vec<u64> = (0..300).map(|len| of(&zeros[..len])).collect();
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), 300);
    }

    #[test]
    fn in_turns_or_not_is_the_same() {
        let bytes: Vec<u8> = (0..=255).cycle().take(300).collect();
        for n_source in [0, 1, 63, 64, 65, 128, 300] {
            for n_section in [0, 1, 63, 64, 65, 128, 300] {
                let (source, section) = (&bytes[..n_source], &bytes[7.min(n_section)..n_section]);
                assert_eq!(of_both(source, section), [of(source), of(section)]);
            }
        }
    }
}
