//! Integers of any size, as text: Puppet reads them before it refuses them.

/// More digits than this are not converted; nobody reads them.
const MAX_DIGITS: usize = 4_000;

/// An integer literal as decimal digits.
pub(crate) fn to_decimal(digits: &str, radix: u32) -> String {
    convert(digits, radix, 10)
}

/// An integer literal as hexadecimal digits.
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
    // Least significant first, in the radix that is wanted.
    let mut result: Vec<u32> = Vec::with_capacity(digits.len());
    for digit in digits.chars().filter_map(|digit| digit.to_digit(from)) {
        let mut carry = digit;
        for place in &mut result {
            let value = *place * from + carry;
            *place = value % to;
            carry = value / to;
        }
        while carry > 0 {
            result.push(carry % to);
            carry /= to;
        }
    }
    result.iter().rev().filter_map(|&digit| char::from_digit(digit, to)).collect()
}
