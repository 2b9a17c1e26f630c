//! Paths like Ruby's `Pathname` and `Dir.glob`.

use kukla_rubytext::RubyError;

use kukla_world::World;

/// Maximum number of alternatives of a glob.
const MAX_ALTERNATIVES: usize = 1000;

/// Returns `base + path`: an absolute path stays, `.` and `..` at its start are resolved.
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

/// Returns the directory that contains a path.
pub(crate) fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rfind('/') {
        Some(0) => "/",
        Some(slash) => &path[..slash],
        None => ".",
    }
}

/// Removes `.`, `..` and doubled slashes from a path, like a file system.
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

/// Returns the files that match an absolute pattern, sorted; alternatives of braces one after the other.
pub(crate) fn glob(files: &dyn World, pattern: &str) -> Result<Vec<String>, RubyError> {
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

/// Expands the first braces of a pattern; braces may be nested.
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

fn expand(files: &dyn World, pattern: &str) -> Vec<String> {
    let parts: Vec<&str> = pattern.split('/').skip(1).collect();
    let plain = parts.iter().take_while(|part| !is_magical(part)).count();
    let start: String = parts[..plain].iter().map(|part| format!("/{part}")).collect();
    if plain == parts.len() {
        return if files.stamp(&start).is_some() { vec![start] } else { Vec::new() };
    }
    let mut found = Vec::new();
    walk(files, &start, &[&parts[plain..]], &mut found);
    found
}

fn is_magical(part: &str) -> bool {
    part == "**" || part.contains(['*', '?', '[', '\\'])
}

/// Visits the entries of a directory in order, each followed by its subtree, for the rest of the patterns.
fn walk(files: &dyn World, directory: &str, left: &[&[&str]], found: &mut Vec<String>) {
    let mut patterns: Vec<&[&str]> = Vec::new();
    for pattern in left {
        let mut pattern = *pattern;
        patterns.push(pattern);
        // Two stars may match no directory.
        while let ["**", rest @ ..] = pattern
            && !rest.is_empty()
        {
            pattern = rest;
            patterns.push(pattern);
        }
    }
    for name in files.list(directory) {
        let path = format!("{directory}/{name}");
        let (mut is_found, mut below) = (false, Vec::new());
        for pattern in &patterns {
            match pattern {
                ["**", _, ..] if name.starts_with('.') => (),
                ["**", _, ..] => below.push(*pattern),
                [last] => is_found |= is_match(last, &name),
                [first, rest @ ..] if is_match(first, &name) => below.push(rest),
                _ => (),
            }
        }
        if is_found {
            found.push(path.clone());
        }
        let is_directory = || files.stamp(&path).is_some_and(|stamp| stamp.is_directory());
        if !below.is_empty() && path.len() < 4096 && is_directory() {
            walk(files, &path, &below, found);
        }
    }
}

fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let is_hidden = name.first() == Some(&'.') && pattern.first() != Some(&'.');
    !is_hidden && fits(&pattern, &name)
}

/// Whether a name matches a pattern with `*`, `?` and `[a-z]`.
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

/// Returns the length of the pattern that matches one character.
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
