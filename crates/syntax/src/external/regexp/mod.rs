//! Regular expressions: whether Ruby takes them, and how it shows them.
//!
//! Puppet gives the text of every regular expression to Ruby. This is Ruby 3.1's judgement, with its
//! words, in the order in which Ruby comes to it: escapes (`prepare`), syntax (`parse`), references
//! beside names (`names`), calls of groups (`calls`), the whole tree (`whole`). What Ruby only warns of
//! is valid.
//!
//! One thing is not copied: where case is ignored, Ruby lets one character stand for several (`ß` for
//! `ss`), and may then find that a look-behind has no fixed length. Such a look-behind is valid here.

mod calls;
mod class;
mod group;
mod lengths;
mod names;
mod parse;
mod prepare;
mod problem;
mod property;
mod scan;
mod token;
mod tree;
mod whole;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::Write;

use problem::Problem;

/// Whether Ruby's `Regexp.new` takes `source`; the error is Ruby's message.
///
/// ```
/// # use kukla_syntax::external::regexp::check;
/// assert_eq!(check("(a|b)*"), Ok(()));
/// assert_eq!(check("*a").unwrap_err(), "target of repeat operator is not specified: /*a/");
/// ```
pub fn check(source: &str) -> Result<(), String> {
    judge(source).map_err(|problem| format!("{problem}: {}", inspect(source)))
}

fn judge(source: &str) -> Result<(), Problem> {
    let pattern = prepare::prepare(source)?;
    let mut tree = parse::parse(&pattern)?;
    names::check(&mut tree)?;
    calls::check(&mut tree)?;
    whole::check(&tree)
}

/// `source` between slashes, as Ruby's `Regexp#inspect` shows it.
///
/// If anything must be escaped, Ruby escapes all that is not ASCII too.
pub fn inspect(source: &str) -> String {
    let needs_escape = |character: char| {
        character == '/' || (character.is_ascii() && !matches!(character, ' '..='~'))
    };
    if !source.contains(needs_escape) {
        return format!("/{source}/");
    }
    let mut shown = String::with_capacity(source.len() + 8);
    shown.push('/');
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            shown.push(character);
            shown.extend(characters.next());
        } else {
            show(character, &mut shown);
        }
    }
    shown.push('/');
    shown
}

/// `source` as Ruby's `Regexp#to_s` shows it, but for sources that start with options of their own.
pub fn to_s(source: &str) -> String {
    let mut shown = String::from("(?-mix:");
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                shown.push(character);
                shown.extend(characters.next());
            }
            _ if character.is_ascii() => show(character, &mut shown),
            _ => shown.push(character),
        }
    }
    shown.push(')');
    shown
}

/// `source` as Puppet's type system writes it.
///
/// Ruby marks an expression that is bound to UTF-8 by characters or properties beyond ASCII, and
/// Puppet takes that mark for an option.
pub fn with_options(source: &str) -> Cow<'_, str> {
    let is_unicode =
        names_property(source) || prepare::prepare(source).is_ok_and(|text| !text.is_ascii());
    if is_unicode { format!("(?-imx:{source})").into() } else { source.into() }
}

/// Whether there is a `\p` or `\P`.
fn names_property(source: &str) -> bool {
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && matches!(characters.next(), Some('p' | 'P')) {
            return true;
        }
    }
    false
}

/// Appends a character that no backslash precedes.
fn show(character: char, shown: &mut String) {
    let code = u32::from(character);
    let written = match character {
        '/' => write!(shown, "\\/"),
        ' '..='~' | '\t'..='\r' => {
            shown.push(character);
            Ok(())
        }
        '\0'..='\x7F' => write!(shown, "\\x{code:02X}"),
        '\u{80}'..='\u{FFFF}' => write!(shown, "\\u{code:04X}"),
        _ => write!(shown, "\\u{{{code:X}}}"),
    };
    written.expect("a string takes all text");
}
