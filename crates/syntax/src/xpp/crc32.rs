//! The checksum of zlib, gzip and Ruby's `Zlib.crc32`.
//!
//! A source is checked each time its tree is loaded, so this is a good part of loading. Bytes are taken eight at a
//! time, from four lanes in turn, since the processor need not wait for one lane to work on the next.

#[cfg(test)]
mod tests;

/// How many bytes are taken in one step.
const STEP: usize = 8;
/// The length of a lane.
const LANE: usize = 64;
const N_LANES: usize = 4;

type Table = [u32; 256];

/// `AFTER[n][byte]` is the checksum of a byte with `n` zero bytes behind it.
static AFTER: [Table; STEP] = after();

/// `BEHIND_LANE[n][byte]` is what becomes of the byte `n` of a checksum when a lane of zeros follows.
static BEHIND_LANE: [Table; 4] = behind_lane();

/// The CRC-32 of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    let (blocks, rest) = bytes.as_chunks::<{ LANE * N_LANES }>();
    for block in blocks {
        let (lanes, _) = block.as_chunks::<LANE>();
        let lanes: [&[u8; LANE]; N_LANES] = std::array::from_fn(|lane| &lanes[lane]);
        let mut crcs = [crc, 0, 0, 0];
        for at in (0..LANE).step_by(STEP) {
            for (crc, lane) in crcs.iter_mut().zip(lanes) {
                *crc = step(*crc, lane[at..].first_chunk().expect("lanes are made of steps"));
            }
        }
        crc = crcs.into_iter().fold(0, |sum, crc| pass_lane(sum) ^ crc);
    }
    let (steps, rest) = rest.as_chunks::<STEP>();
    crc = steps.iter().fold(crc, step);
    rest.iter().fold(crc, |crc, &byte| one(crc, byte)) ^ u32::MAX
}

#[inline]
fn step(crc: u32, bytes: &[u8; STEP]) -> u32 {
    let word = u64::from_le_bytes(*bytes) ^ u64::from(crc);
    let bytes = word.to_le_bytes();
    let part = |at: usize| AFTER[STEP - 1 - at][usize::from(bytes[at])];
    (part(0) ^ part(1) ^ part(2) ^ part(3)) ^ (part(4) ^ part(5) ^ part(6) ^ part(7))
}

fn one(crc: u32, byte: u8) -> u32 {
    crc >> 8 ^ AFTER[0][usize::from(crc.to_le_bytes()[0] ^ byte)]
}

/// The checksum when a lane of zeros follows.
fn pass_lane(crc: u32) -> u32 {
    let [a, b, c, d] = crc.to_le_bytes().map(usize::from);
    BEHIND_LANE[0][a] ^ BEHIND_LANE[1][b] ^ BEHIND_LANE[2][c] ^ BEHIND_LANE[3][d]
}

const fn after() -> [Table; STEP] {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let mut tables = [[0; 256]; STEP];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut at = 256;
    while at < STEP * 256 {
        let before = tables[at / 256 - 1][at % 256];
        tables[at / 256][at % 256] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
        at += 1;
    }
    tables
}

const fn behind_lane() -> [Table; 4] {
    let zero = after()[0];
    let mut tables = [[0; 256]; 4];
    let mut at = 0;
    while at < 4 * 256 {
        let mut crc = ((at % 256) as u32) << (at / 256 * 8);
        let mut n_zeros = 0;
        while n_zeros < LANE {
            crc = crc >> 8 ^ zero[(crc & 0xFF) as usize];
            n_zeros += 1;
        }
        tables[at / 256][at % 256] = crc;
        at += 1;
    }
    tables
}
