//! Functions on file paths.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;

use super::ruby_like::refuse;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("basename", -1, basename),
    Function::untyped("dirname", -1, dirname),
    Function::typed(
        "stdlib::extname",
        &[Signature::returning("String filename", "String", |call| {
            Ok(Value::from(extension(call.string(0))))
        })],
    ),
];

fn basename(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [] => refuse(call, "No arguments given"),
        [Value::String(path)] => Ok(Value::from(last_part(path))),
        [Value::String(path), Value::String(suffix)] => {
            Ok(Value::from(without_suffix(last_part(path), suffix)))
        }
        [Value::String(_), _] => refuse(call, "Requires string as second argument"),
        [_] | [_, _] => refuse(call, "Requires string as first argument"),
        arguments => refuse(call, &format!("Too many arguments given ({})", arguments.len())),
    }
}

/// Returns Ruby's `File.basename`.
fn last_part(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some("") | None if path.starts_with('/') => "/",
        Some(part) => part,
        None => "",
    }
}

fn without_suffix<'a>(name: &'a str, suffix: &str) -> &'a str {
    if suffix == ".*" {
        let extension = extension(name);
        return &name[..name.len() - extension.len()];
    }
    name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

fn dirname(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [] => refuse(call, "No arguments given"),
        [Value::String(path)] if path.is_empty() => {
            refuse(call, "Requires a non-empty string as argument")
        }
        [Value::String(path)] => Ok(Value::from(directory(path))),
        [_] => refuse(call, "Requires string as argument"),
        arguments => refuse(call, &format!("Too many arguments given ({})", arguments.len())),
    }
}

/// Returns Ruby's `File.dirname`.
fn directory(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rfind('/') {
        _ if trimmed.is_empty() => "/",
        None => ".",
        Some(at) => match trimmed[..at].trim_end_matches('/') {
            "" => "/",
            // Slashes at the beginning collapse to one.
            directory => &directory[directory.find(|c| c != '/').unwrap_or(0).saturating_sub(1)..],
        },
    }
}

/// Returns Ruby's `File.extname`.
fn extension(path: &str) -> &str {
    let name = last_part(path);
    let bare = name.trim_start_matches('.');
    match bare.rfind('.') {
        Some(at) => &bare[at..],
        None => "",
    }
}

/// Returns true for an absolute path, with a slash or as in Windows.
pub(super) fn is_absolute(path: &str) -> bool {
    let is_slash = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    path.split('\n').any(|line| {
        let bytes = line.as_bytes();
        let has_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.get(1) == Some(&b':')
            && is_slash(bytes.get(2));
        bytes.first() == Some(&b'/') || has_drive || is_share(line)
    })
}

/// Matches `\\server\share` or `\\?\C:\`.
fn is_share(line: &str) -> bool {
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let mut letters = line.chars();
    if !(letters.next().is_some_and(is_slash) && letters.next().is_some_and(is_slash)) {
        return false;
    }
    let mut parts = letters.as_str().split(is_slash);
    let has_server = parts.next().is_some_and(|part| !part.is_empty());
    has_server && parts.next().is_some_and(|part| !part.is_empty())
}
