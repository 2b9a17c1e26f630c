//! Formatting of regular expressions, as Ruby does it.

use std::borrow::Cow;
use std::fmt::Write;

use crate::parse;
use crate::{Options, judge};

/// Formats `source` between slashes, as Ruby's `Regexp#inspect` does without options.
///
/// If any character needs escaping, Ruby also escapes everything beyond ASCII.
pub fn inspect(source: &str) -> String {
    let needs_escape = |character: char| {
        character == '/' || (character.is_ascii() && !matches!(character, ' '..='~'))
    };
    if !source.contains(needs_escape) {
        return format!("/{source}/");
    }
    let mut out = String::with_capacity(source.len() + 8);
    out.push('/');
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            out.push(character);
            out.extend(characters.next());
        } else {
            show(character, &mut out);
        }
    }
    out.push('/');
    out
}

/// Formats `source` as Ruby's `Regexp#to_s`.
///
/// ```
/// # use kukla_regex::to_s;
/// assert_eq!(to_s("a/b"), r"(?-mix:a\/b)");
/// assert_eq!(to_s("(?i:a)"), "(?i-mx:a)");
/// ```
pub fn to_s(source: &str) -> String {
    with_all_options(source, Options::default())
}

/// Like [`to_s`], but for an expression with options.
pub(crate) fn with_all_options(source: &str, options: Options) -> String {
    let (inner, options) = own_options(source, options).unwrap_or((source, options));
    let letters = |state: bool| {
        let all = [(options.multi_line, 'm'), (options.ignore_case, 'i'), (options.extended, 'x')];
        let chosen = all.into_iter().filter(move |&(is_on, _)| is_on == state);
        chosen.map(|(_, letter)| letter).collect::<String>()
    };
    let (on, off) = (letters(true), letters(false));
    let dash = if off.is_empty() { "" } else { "-" };
    let mut out = format!("(?{on}{dash}{off}:");
    escape(inner, &mut out);
    out.push(')');
    out
}

/// Strips the options that a source starts with, and returns the rest with all options combined.
///
/// `None` if it does not start with options, or if Ruby would not accept the rest as an expression.
fn own_options(source: &str, options: Options) -> Option<(&str, Options)> {
    let (mut rest, mut options) = (source, options);
    while rest.len() >= 4 && rest.starts_with("(?") {
        rest = set_options(&rest[2..], &mut options, true);
        if rest.len() > 1
            && let Some(off) = rest.strip_prefix('-')
        {
            rest = set_options(off, &mut options, false);
        }
        if let Some(after) = rest.strip_prefix(')') {
            rest = after;
            continue;
        }
        let inner = rest.strip_prefix(':')?.strip_suffix(')')?;
        return judge(inner, options).is_ok().then_some((inner, options));
    }
    Some((rest, options))
}

/// Switches the options whose letters come first, and returns the text behind them.
fn set_options<'s>(text: &'s str, options: &mut Options, is_on: bool) -> &'s str {
    for (at, letter) in text.char_indices() {
        match letter {
            'm' => options.multi_line = is_on,
            'i' => options.ignore_case = is_on,
            'x' => options.extended = is_on,
            _ => return &text[at..],
        }
    }
    ""
}

fn escape(source: &str, out: &mut String) {
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push(character);
                out.extend(characters.next());
            }
            _ if character.is_ascii() => show(character, out),
            _ => out.push(character),
        }
    }
}

/// Formats `source` as Puppet's type system does.
///
/// Ruby marks an expression that is bound to UTF-8 by characters or properties beyond ASCII, and
/// Puppet takes that mark for an option.
pub fn with_options(source: &str) -> Cow<'_, str> {
    let is_unicode =
        names_property(source) || parse::prepare(source).is_ok_and(|text| !text.is_ascii());
    if is_unicode { format!("(?-imx:{source})").into() } else { source.into() }
}

/// Returns true if the source has a `\p` or `\P`.
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
fn show(character: char, out: &mut String) {
    let code = u32::from(character);
    let written = match character {
        '/' => write!(out, "\\/"),
        ' '..='~' | '\t'..='\r' => {
            out.push(character);
            Ok(())
        }
        '\0'..='\x7F' => write!(out, "\\x{code:02X}"),
        '\u{80}'..='\u{FFFF}' => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\u{{{code:X}}}"),
    };
    written.expect("a string takes all text");
}
