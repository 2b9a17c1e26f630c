//! Paths as Ruby's `Pathname` joins them and `Dir.glob` finds them.

use kukla_pcore::texts::RubyError;

use crate::Files;

/// More alternatives than this are nobody's hierarchy.
const MAX_ALTERNATIVES: usize = 1000;

/// `base + path`: an absolute path stays, `.` and `..` at its start are resolved.
pub(crate) fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let (mut base, mut rest) = (base, path);
    loop {
        let (first, others) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            "." | "" if !rest.is_empty() => rest = others.trim_start_matches('/'),
            ".." => {
                base = parent(base);
                rest = others.trim_start_matches('/');
            }
            _ => break,
        }
    }
    match rest {
        "" => base.to_owned(),
        rest if base.ends_with('/') => format!("{base}{rest}"),
        rest => format!("{base}/{rest}"),
    }
}

/// The directory that a path is in.
pub(crate) fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rfind('/') {
        Some(0) => "/",
        Some(slash) => &path[..slash],
        None => ".",
    }
}

/// A path without `.`, `..` and doubled slashes, as a file system sees it.
pub(crate) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => (),
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The files that fit an absolute pattern, sorted; the alternatives of braces one after the other.
pub(crate) fn glob(files: &dyn Files, pattern: &str) -> Result<Vec<String>, RubyError> {
    let mut patterns = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(pattern) = patterns.pop() {
        if done.len() + patterns.len() > MAX_ALTERNATIVES {
            return Err(RubyError::argument("the pattern has too many alternatives"));
        }
        match alternatives(&pattern) {
            Some(alternatives) => patterns.extend(alternatives.into_iter().rev()),
            None => done.push(pattern),
        }
    }
    Ok(done.iter().flat_map(|pattern| expand(files, pattern)).collect())
}

/// The patterns that the first braces stand for; braces may be nested.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let open = pattern.find('{')?;
    let (mut depth, mut start, mut parts) = (0, open + 1, Vec::new());
    for (place, byte) in pattern.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => (),
        }
        if (byte == b',' && depth == 1) || depth == 0 {
            parts.push(&pattern[start..place]);
            start = place + 1;
        }
        if depth == 0 {
            let (head, tail) = (&pattern[..open], &pattern[place + 1..]);
            return Some(parts.into_iter().map(|part| format!("{head}{part}{tail}")).collect());
        }
    }
    None
}

fn expand(files: &dyn Files, pattern: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut parts = pattern.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        found = match part {
            "**" if parts.peek().is_some() => {
                found.iter().flat_map(|path| directories(files, path)).collect()
            }
            part if part.contains(['*', '?', '[', '\\']) => {
                found.iter().flat_map(|path| matching(files, path, part)).collect()
            }
            part => found.iter().map(|path| format!("{path}/{part}")).collect(),
        };
    }
    found.retain(|path| files.stamp(path).is_some());
    found
}

fn matching(files: &dyn Files, directory: &str, pattern: &str) -> Vec<String> {
    let pattern: Vec<char> = pattern.chars().collect();
    let fits = |name: &String| {
        let name: Vec<char> = name.chars().collect();
        let is_hidden = name.first() == Some(&'.') && pattern.first() != Some(&'.');
        !is_hidden && fits(&pattern, &name)
    };
    let names = files.list(directory).into_iter().filter(fits);
    names.map(|name| format!("{directory}/{name}")).collect()
}

/// A directory and all directories below it that are not hidden.
fn directories(files: &dyn Files, directory: &str) -> Vec<String> {
    let mut all = vec![directory.to_owned()];
    for name in files.list(directory).into_iter().filter(|name| !name.starts_with('.')) {
        let path = format!("{directory}/{name}");
        if files.stamp(&path).is_some_and(|stamp| stamp.is_directory) && path.len() < 4096 {
            all.extend(directories(files, &path));
        }
    }
    all
}

/// Whether a name fits a pattern with `*`, `?` and `[a-z]`.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n, mut retry) = (0, 0, None);
    loop {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p, n));
                p += 1;
                continue;
            }
            None if n == name.len() => return true,
            Some(_) if n < name.len() => {
                if let Some(next) = one(&pattern[p..], name[n]) {
                    (p, n) = (p + next, n + 1);
                    continue;
                }
            }
            _ => (),
        }
        match retry {
            Some((star, from)) if from < name.len() => {
                retry = Some((star, from + 1));
                (p, n) = (star + 1, from + 1);
            }
            _ => return false,
        }
    }
}

/// How much of the pattern a letter uses up, if it fits.
fn one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', escaped, ..] => (*escaped == letter).then_some(2),
        ['[', rest @ ..] => {
            let end = rest.iter().skip(1).position(|c| *c == ']')? + 1;
            let (set, negated) = match &rest[..end] {
                ['^' | '!', set @ ..] => (set, true),
                set => (set, false),
            };
            (in_set(set, letter) != negated).then_some(end + 2)
        }
        [plain, ..] => (*plain == letter).then_some(1),
        [] => None,
    }
}

fn in_set(set: &[char], letter: char) -> bool {
    match set {
        [from, '-', to, rest @ ..] => (*from..=*to).contains(&letter) || in_set(rest, letter),
        [one, rest @ ..] => *one == letter || in_set(rest, letter),
        [] => false,
    }
}
