//! Base64, as Puppet checks it in heredocs.

#[cfg(test)]
mod tests;

/// Whether `text` is Base64 once blanks, line ends and question marks are removed.
///
/// The error is Puppet's message. Question marks go because Puppet's pattern for line ends has one
/// inside its brackets.
///
/// ```
/// # use kukla_syntax::external::base64::check;
/// assert_eq!(check("aGVs\n  bG8="), Ok(()));
/// assert!(check("aGVsbG8").unwrap_err().ends_with("padding is not correct"));
/// ```
pub fn check(text: &str) -> Result<(), &'static str> {
    let letters: Vec<char> = text.chars().filter(|&letter| !is_removed(letter)).collect();
    if is_strict(&letters) {
        return Ok(());
    }
    let n_bytes: usize = letters.iter().map(|letter| letter.len_utf8()).sum();
    Err(if !(n_bytes * 8).is_multiple_of(6) {
        "Base64 syntax checker: Cannot parse invalid Base64 string - padding is not correct"
    } else {
        "Base64 syntax checker: Cannot parse invalid Base64 string - \
         contains letters outside strict base 64 range (or whitespace)"
    })
}

/// `[[:blank:]]` is a tab and Unicode's space separators.
fn is_removed(letter: char) -> bool {
    matches!(
        letter,
        '\r' | '?' | '\n' | '\t' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

/// Groups of four letters, the last padded, without stray bits.
fn is_strict(letters: &[char]) -> bool {
    let n_padding = letters.iter().rev().take(2).take_while(|&&letter| letter == '=').count();
    let digits = &letters[..letters.len() - n_padding];
    let last = digits.last().map_or(Some(0), |&letter| value(letter));
    let stray_bits = match n_padding {
        0 => 0,
        1 => 0b11,
        _ => 0b1111,
    };
    letters.len().is_multiple_of(4)
        && digits.iter().all(|&letter| value(letter).is_some())
        && last.is_some_and(|value| value & stray_bits == 0)
}

fn value(letter: char) -> Option<u8> {
    let letter = u8::try_from(letter).ok()?;
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}
