//! Texts of numbers.

use super::directive::Directive;
use super::error::FormatError;
use kukla_rubytext::sprintf::{self, Argument};
use kukla_rubytext::{BigInt, float};

/// Calls Ruby's `format` with one argument.
pub(super) fn ruby(format: &str, argument: &dyn Argument) -> Result<String, FormatError> {
    sprintf::format(format, &[argument]).map_err(|error| FormatError::new(error.message))
}

/// Calls Ruby's `format` with a text.
pub(super) fn ruby_text(format: &str, text: &str) -> Result<String, FormatError> {
    // Fast path: most formats are just that.
    if format == "%s" { Ok(text.into()) } else { ruby(format, &text.to_owned()) }
}

/// Formats an integer.
pub(super) fn integer(value: i64, directive: &Directive) -> Result<String, FormatError> {
    match directive.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => ruby(&directive.original, &value),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => ruby(&directive.original, &(value as f64)),
        'c' => character(value, directive),
        's' => {
            let letter = if directive.alternate { 'p' } else { 's' };
            ruby_text(&directive.with_letter(letter), &value.to_string())
        }
        letter => Err(FormatError::illegal("Integer", letter, "dxXobBeEfgGaAspc")),
    }
}

/// Formats the character of a number.
fn character(value: i64, directive: &Directive) -> Result<String, FormatError> {
    let Some(char) = u32::try_from(value).ok().and_then(char::from_u32) else {
        return Err(FormatError::new("pack(U): value out of range"));
    };
    let text = if directive.alternate { format!("\"{char}\"") } else { char.to_string() };
    ruby_text(&directive.with_letter('s'), &text)
}

/// Formats a float.
pub(super) fn float(value: f64, directive: &Directive) -> Result<String, FormatError> {
    match directive.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => ruby(&directive.original, &truncate(value)?),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => ruby(&directive.original, &value),
        's' => {
            let text = float::to_s(value);
            let text = if directive.alternate { format!("\"{text}\"") } else { text };
            ruby_text(&directive.original, &text)
        }
        letter => Err(FormatError::illegal("Float", letter, "dxXobBeEfgGaAsp")),
    }
}

fn truncate(value: f64) -> Result<BigInt, FormatError> {
    float::truncate(value).map_err(|error| FormatError::new(error.message))
}
