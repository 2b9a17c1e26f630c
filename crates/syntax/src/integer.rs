//! Integers of any size, as text: Puppet parses them before it refuses them.

/// The maximum number of digits that are converted; longer numbers are of no use in a message.
const MAX_DIGITS: usize = 4_000;

/// Converts an integer literal to decimal digits.
pub(crate) fn to_decimal(digits: &str, radix: u32) -> String {
    convert(digits, radix, 10)
}

/// Converts an integer literal to hexadecimal digits.
pub(crate) fn to_hex(digits: &str, radix: u32) -> String {
    convert(digits, radix, 16)
}

fn convert(digits: &str, from: u32, to: u32) -> String {
    let digits = match from {
        16 => digits.trim_start_matches("0x").trim_start_matches("0X"),
        _ => digits,
    };
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    if from == to || digits.len() > MAX_DIGITS {
        return digits.to_ascii_lowercase();
    }
    // Chunks of digits, least significant first.
    let (chunk, _) = digits_at_a_time(from);
    let (width, base) = digits_at_a_time(to);
    let mut result: Vec<u64> = Vec::new();
    for (factor, value) in chunks(digits, from, chunk) {
        let mut carry = value;
        for place in &mut result {
            let sum = *place * factor + carry;
            *place = sum % base;
            carry = sum / base;
        }
        while carry > 0 {
            result.push(carry % base);
            carry /= base;
        }
    }
    let written = result.iter().rev().map(|&place| match to {
        16 => format!("{place:0width$x}"),
        _ => format!("{place:0width$}"),
    });
    written.collect::<String>().trim_start_matches('0').to_owned()
}

/// Returns the number of digits per chunk, and the base of chunks.
///
/// The product of two such numbers fits in 64 bits.
fn digits_at_a_time(radix: u32) -> (usize, u64) {
    match radix {
        16 => (7, 1 << 28),
        8 => (10, 1 << 30),
        _ => (9, 1_000_000_000),
    }
}

/// Splits digits into chunks from the left: the factor for the number so far, and the summand.
fn chunks(digits: &str, radix: u32, length: usize) -> impl Iterator<Item = (u64, u64)> {
    digits.as_bytes().chunks(length).map(move |piece| {
        piece.iter().fold((1, 0), |(factor, value), &digit| {
            let digit = char::from(digit).to_digit(radix).unwrap_or(0);
            (factor * u64::from(radix), value * u64::from(radix) + u64::from(digit))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{to_decimal, to_hex};

    #[test]
    fn every_radix_gives_the_same_number() {
        let mut number = 1u128;
        for step in 0..90 {
            let (decimal, hex) = (number.to_string(), format!("{number:x}"));
            assert_eq!(to_hex(&decimal, 10), hex);
            assert_eq!(to_decimal(&format!("0x{hex}"), 16), decimal);
            assert_eq!(to_decimal(&format!("0{number:o}"), 8), decimal);
            assert_eq!(to_hex(&format!("0{number:o}"), 8), hex);
            number = number * 2 + step % 3;
        }
    }

    #[test]
    fn zero_has_one_digit() {
        assert_eq!(to_decimal("000", 8), "0");
        assert_eq!(to_hex("0", 10), "0");
    }
}
