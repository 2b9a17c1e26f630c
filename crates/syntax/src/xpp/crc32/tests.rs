use super::crc32;

/// Bit by bit.
fn slow(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[test]
fn known_sums() {
    assert_eq!(crc32(b""), 0);
    assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
}

#[test]
fn all_lengths() {
    let bytes: Vec<u8> = (0..3_000_u32).map(|n| (n * n / 7).to_le_bytes()[0]).collect();
    for len in 0..bytes.len() {
        assert_eq!(crc32(&bytes[..len]), slow(&bytes[..len]), "{len} bytes");
    }
}
