//! A checksum that costs less than the reading of what it guards.
//!
//! Manifests are small and loading one takes less than two microseconds, of which a CRC-32 of both the section and the
//! source would be a third. Four products at a time, each folded into the next, guard against accidents as well, and whether
//! all is ASCII comes out by the way.

/// Of some bytes.
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
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks::<64>();
        let mut lanes = [KEYS[0], KEYS[1], KEYS[2], KEYS[3]];
        let mut seen = 0;
        for block in blocks {
            add(block, &mut lanes, &mut seen);
        }
        match bytes.last_chunk() {
            // What was there before is there again, which is quicker than to copy the rest.
            Some(last) => add(last, &mut lanes, &mut seen),
            None => {
                let mut last = [0; 64];
                last[..rest.len()].copy_from_slice(rest);
                add(&last, &mut lanes, &mut seen);
            }
        }
        let len = bytes.len() as u64;
        let sum = fold(lanes[0] ^ len, lanes[1]) ^ fold(lanes[2], lanes[3] ^ KEYS[7]);
        Self { sum: fold(sum, KEYS[6]), is_ascii: seen & HIGH_BITS == 0 }
    }
}

#[inline]
fn add(block: &[u8; 64], lanes: &mut [u64; 4], seen: &mut u64) {
    let (words, _) = block.as_chunks::<8>();
    let (pairs, _) = words.as_chunks::<2>();
    for ((lane, pair), key) in lanes.iter_mut().zip(pairs).zip(&KEYS[4..]) {
        let [left, right] = pair.map(u64::from_le_bytes);
        *seen |= left | right;
        *lane = fold(*lane ^ left, right ^ key);
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
    use super::Digest;

    #[test]
    fn every_bit_counts() {
        let bytes: Vec<u8> = (0..200).collect();
        let whole = Digest::of(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(Digest::of(&changed).sum, whole.sum, "bit {at}");
        }
    }

    #[test]
    fn every_length_counts() {
        let zeros = [0; 300];
        let mut sums: Vec<u64> = (0..300).map(|len| Digest::of(&zeros[..len]).sum).collect();
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), 300);
    }

    #[test]
    fn ascii_is_told() {
        for len in [0, 1, 63, 64, 65, 200] {
            let mut text = "a".repeat(len);
            assert!(Digest::of(text.as_bytes()).is_ascii);
            text.push('é');
            assert!(!Digest::of(text.as_bytes()).is_ascii);
            text.push_str("a".repeat(len).as_str());
            assert!(!Digest::of(text.as_bytes()).is_ascii);
        }
    }
}
