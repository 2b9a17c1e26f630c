//! Paths that a program and the server behind the proxy may interpret differently.
//!
//! A program sees `uri.path` as normalized by [`kukla_plang::uri::normalize`]. Servers differ on escaped slashes,
//! backslashes, segment parameters and nested escapes, so `/x%2f..%2fadmin` or `/x/..;/admin` could bypass a rule for
//! `/admin`. Such paths are refused unless the operator allows them.

use super::encodings::unescape;
use super::refusal::Refusal;

/// Refuses a request target whose path is ambiguous.
pub(crate) fn check(target: &[u8], lenient: bool) -> Result<(), Refusal> {
    let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
    if path == b"*" {
        return Ok(());
    }
    let problem = if path.first() == Some(&b'/') {
        (!lenient).then(|| problem(path)).flatten()
    } else {
        Some("does not start with a slash")
    };
    match problem {
        None => Ok(()),
        Some(problem) => {
            let path = String::from_utf8_lossy(path);
            let advice = if lenient { "" } else { "; `--lenient-paths` allows such paths" };
            Err(Refusal::client(format!("the path `{path}` {problem}{advice}")))
        }
    }
}

/// Returns the reason why servers may interpret a path differently.
fn problem(path: &[u8]) -> Option<&'static str> {
    let Some(decoded) = unescape(path) else {
        return Some("has `%` without two hexadecimal digits");
    };
    let raw_problem = path.iter().find_map(|byte| match byte {
        b'\\' => Some("has a backslash"),
        b'#' => Some("has a fragment"),
        0..=b' ' | 0x7F => Some("has a blank or a control character"),
        _ => None,
    });
    if raw_problem.is_some() {
        return raw_problem;
    }
    if decoded.iter().filter(|byte| **byte == b'/').count() > count(path, b'/') {
        return Some("has an escaped slash");
    }
    let decoded_problem = decoded.iter().find_map(|byte| match byte {
        b'\\' => Some("has an escaped backslash"),
        b';' => Some("has a parameter in a segment (`;`)"),
        0..=0x1F | 0x7F => Some("has an escaped control character"),
        _ => None,
    });
    decoded_problem.or_else(|| {
        if has_escape(&decoded) {
            Some("has an escape in an escape (`%25`)")
        } else if has_hidden_dots(path) {
            Some("has an escaped `.` or `..`")
        } else if std::str::from_utf8(&decoded).is_err() {
            Some("is no UTF-8")
        } else {
            None
        }
    })
}

fn count(bytes: &[u8], wanted: u8) -> usize {
    bytes.iter().filter(|byte| **byte == wanted).count()
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

fn has_escape(decoded: &[u8]) -> bool {
    decoded.windows(3).any(|bytes| bytes[0] == b'%' && is_hex(&bytes[1..]))
}

/// Whether a segment means `.` or `..` but is spelled differently.
fn has_hidden_dots(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|segment| {
        segment.contains(&b'%')
            && matches!(&*kukla_plang::uri::decode(segment, |_| true), b"." | b"..")
    })
}
