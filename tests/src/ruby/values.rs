//! Values for variables and arguments, some of them taken from the source that uses them.

use kukla_pcore::{Hash, Value};

/// Pseudo-random numbers with a fixed seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let n = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from((self.0 >> 11) % n).unwrap_or(0)
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

fn text(text: &str) -> Value {
    Value::string(text)
}

fn hash<'a>(pairs: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let mut hash = Hash::with_capacity(4);
    for (key, value) in pairs {
        hash.insert(text(key), value);
    }
    Value::hash(hash)
}

fn texts(items: &[&str]) -> Value {
    Value::array(items.iter().map(|item| text(item)))
}

/// Returns values that code distinguishes.
pub(super) fn common() -> Vec<Value> {
    let inner = hash([("m", texts(&["z"]))]);
    let words = [
        "",
        "text",
        "a b",
        "10",
        "present",
        "absent",
        "10.0.0.1",
        "::1",
        "/etc/x",
        "true",
        "a=b",
        "x::y",
        "Debian",
        "RedHat",
        "2.4",
        "10.0.0.0/24",
        "fe80::1/64",
        "https://h.example.com:8443/a/b-1.2.c",
        "m@example.com",
    ];
    let mut all = vec![
        Value::Undef,
        Value::Boolean(true),
        Value::Boolean(false),
        Value::Integer(0),
        Value::Integer(8080),
        Value::Integer(-3),
        Value::Float(1.5),
        texts(&[]),
        texts(&["x", "y"]),
        Value::array([Value::Integer(1), Value::Integer(2)]),
        Value::array([texts(&["k", "v"])]),
        hash([]),
        hash([("b", text("2")), ("a", Value::Integer(1))]),
        hash([("n", inner)]),
        Value::array([hash([("a", text("b"))])]),
    ];
    all.extend(words.iter().map(|word| text(word)));
    all
}

/// Returns a value that differs in one place: in an element, or wrapped in an array or hash.
pub(super) fn altered(value: &Value, values: &[Value], random: &mut Random) -> Value {
    let other = random.pick(values).clone();
    match value {
        Value::Array(items) if !items.is_empty() && random.below(4) > 0 => {
            let at = random.below(items.len());
            let new = altered(&items[at], values, random);
            let item =
                |(n, item): (usize, &Value)| if n == at { new.clone() } else { item.clone() };
            Value::array(items.iter().enumerate().map(item))
        }
        Value::Hash(pairs) if !pairs.is_empty() && random.below(4) > 0 => {
            let at = random.below(pairs.len());
            let mut hash = Hash::with_capacity(pairs.len());
            for (n, (key, value)) in pairs.iter().enumerate() {
                let value = if n == at { altered(value, values, random) } else { value.clone() };
                hash.insert(key.clone(), value);
            }
            Value::hash(hash)
        }
        _ => match random.below(6) {
            0 => Value::array([other]),
            1 => hash([("one", other)]),
            2 => Value::array([value.clone(), other]),
            3 => match (value.as_str(), other.as_str()) {
                (Some(one), Some(two)) => text(&format!("{one}{two}")),
                _ => other,
            },
            _ => other,
        },
    }
}

/// Returns the keys that a source reads, of any value.
pub(super) fn keys(source: &str) -> Vec<String> {
    let mut keys = literals(source);
    keys.retain(|word| is_key(source, word));
    keys
}

/// Returns texts, numbers and keys of a source, as values of several shapes.
pub(super) fn of_source(source: &str) -> Vec<Value> {
    let literals = literals(source);
    let short = |literal: &&String| literal.len() <= 40 && !literal.contains(['#', '\\', '%', '<']);
    let words: Vec<&String> = literals.iter().filter(short).collect();
    let mut all: Vec<Value> = words.iter().map(|word| text(word)).collect();
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut pieces: Vec<&str> = literals
        .iter()
        .map(String::as_str)
        .chain(patterns(source))
        .flat_map(|literal| literal.split(|c| !is_letter(c)))
        .filter(|piece| piece.len() > 1 && !literals.iter().any(|known| known == piece))
        .collect();
    pieces.sort_unstable();
    pieces.dedup();
    all.extend(pieces.iter().map(|piece| text(piece)));
    all.push(Value::array(words.iter().map(|word| text(word))));
    let keys: Vec<&str> =
        words.iter().map(|word| word.as_str()).filter(|word| is_key(source, word)).collect();
    for value in [text("v"), texts(&["v", "w"]), Value::Integer(7), Value::Boolean(true)] {
        let one = hash(keys.iter().map(|key| (*key, value.clone())));
        all.extend([one.clone(), Value::array([one.clone()]), hash([("one", one)])]);
    }
    all
}

fn is_key(source: &str, word: &str) -> bool {
    ["'", "\""].iter().any(|quote| {
        let key = format!("[{quote}{word}{quote}]");
        let asked = format!("?({quote}{word}{quote})");
        source.contains(&key) || source.contains(&asked)
    })
}

/// Returns texts between slashes, which include regular expressions.
fn patterns(source: &str) -> impl Iterator<Item = &str> {
    source.lines().flat_map(|line| line.split('/').skip(1))
}

fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['\'', '"'] {
        let pieces: Vec<&str> = source.split(quote).collect();
        // Which pieces are inside is unknown, so all are tried.
        let plain = pieces.iter().filter(|piece| !piece.is_empty() && !piece.contains(['\n', '>']));
        found.extend(plain.map(|piece| (*piece).to_owned()));
    }
    found.sort();
    found.dedup();
    found
}
