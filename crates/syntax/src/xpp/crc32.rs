//! The checksum of zlib, gzip and Ruby's `Zlib.crc32`.

/// How many bytes are taken in one step.
const STEP: usize = 16;

/// `TABLES[n][byte]` is the checksum of a byte with `n` zero bytes behind it.
static TABLES: [[u32; 256]; STEP] = tables();

/// The CRC-32 of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    let (steps, rest) = bytes.as_chunks::<STEP>();
    for step in steps {
        let mut step = *step;
        for (byte, part) in step.iter_mut().zip(crc.to_le_bytes()) {
            *byte ^= part;
        }
        crc = (0..STEP).fold(0, |sum, at| sum ^ TABLES[STEP - 1 - at][usize::from(step[at])]);
    }
    for &byte in rest {
        crc = crc >> 8 ^ TABLES[0][usize::from(crc.to_le_bytes()[0] ^ byte)];
    }
    !crc
}

const fn tables() -> [[u32; 256]; STEP] {
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
