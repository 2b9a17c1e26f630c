//! Uses of variables in a template, and values that fit.

use kukla_pcore::{Hash, Value};

use super::values::{Random, keys};

/// Maximum depth of nested keys.
const MAX_DEPTH: usize = 6;

/// Likely type of a variable or of a key's value, derived from its uses.
pub(super) struct Use {
    /// The variable or key.
    pub(super) name: String,
    as_hash: bool,
    as_list: bool,
    as_text: bool,
    /// Values that it is compared with.
    compared: Vec<Value>,
    /// Uses of its keys: `@x['a']`.
    inner: Vec<Use>,
    /// Uses of all keys in the source, possibly of its elements.
    of_elements: Vec<Use>,
}

impl Use {
    pub(super) fn of_variable(text: &str, name: &str) -> Self {
        let element = |key: &String| Self::of(text, key, &format!("['{key}']"), MAX_DEPTH);
        let of_elements = keys(text).iter().map(element).collect();
        Self { of_elements, ..Self::of(text, name, &format!("@{name}"), 0) }
    }

    /// Derives the use of an expression as written in the text.
    fn of(text: &str, name: &str, expression: &str, depth: usize) -> Self {
        let any =
            |all: &[&str]| all.iter().any(|rest| text.contains(&format!("{expression}{rest}")));
        let as_hash = any(&[".each_pair", ".keys", ".sort_by", ".each do |k", ".sort.each do |k"])
            || any(&["['", "[\"", ".sort.map do |k", ".map do |k"]);
        let as_list = any(&[".each", ".join", ".flatten", ".map", ".sort", ".collect", ".empty?"])
            || any(&["].flatten", ").flatten", "].each", ").each", ".select", ".reject", "[0]"]);
        let as_text = any(&[".gsub", ".split", ".sub", ".downcase", ".to_i", " =~", ".match"])
            || any(&[".upcase", ".start_with", ".capitalize", ".strip"]);
        let mut inner: Vec<Self> = Vec::new();
        for quote in ["'", "\""] {
            let start = format!("{expression}[{quote}");
            let found = text.split(&start).skip(1).filter_map(|rest| rest.split_once(quote));
            for (key, _) in found.filter(|_| depth < MAX_DEPTH) {
                if inner.iter().all(|known| known.name != key) {
                    inner.push(Self::of(text, key, &format!("{start}{key}{quote}]"), depth + 1));
                }
            }
        }
        let (name, compared) = (name.to_owned(), compared(text, expression));
        Self { name, compared, as_hash, as_list, as_text, inner, of_elements: Vec::new() }
    }

    /// Generates a value, of the likely shape if requested.
    pub(super) fn value(&self, values: &[Value], likely: bool, random: &mut Random) -> Value {
        if likely && !self.compared.is_empty() && random.below(3) == 0 {
            return random.pick(&self.compared).clone();
        }
        if likely && !self.inner.is_empty() && random.below(8) > 0 {
            return record(&self.inner, 1, values, random);
        }
        if likely
            && !self.of_elements.is_empty()
            && (self.as_hash || self.as_list)
            && random.below(3) > 0
        {
            let share = 1 + random.below(5);
            let record = record(&self.of_elements, share, values, random);
            return match random.below(3) {
                0 => record,
                1 => Value::array([record]),
                _ => Value::hash([(Value::string("one"), record)].into_iter().collect()),
            };
        }
        let fitting: Vec<&Value> =
            values.iter().filter(|value| likely && self.fits(value)).collect();
        match fitting.is_empty() {
            true => random.pick(values).clone(),
            false => (*random.pick(&fitting)).clone(),
        }
    }

    /// Whether a value has that shape.
    fn fits(&self, value: &Value) -> bool {
        match value {
            Value::Undef | Value::Boolean(_) => true,
            Value::Hash(_) if self.as_hash => true,
            Value::Array(_) if self.as_list => true,
            Value::String(_) => self.as_text || !(self.as_hash || self.as_list),
            _ => !(self.as_hash || self.as_list || self.as_text),
        }
    }
}

/// Returns the texts and numbers that a text compares an expression with.
fn compared(text: &str, expression: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for operator in [" == ", " != ", "==", "!="] {
        for rest in text.split(&format!("{expression}{operator}")).skip(1) {
            let quoted =
                rest.strip_prefix(['\'', '"']).and_then(|rest| rest.split_once(['\'', '"']));
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            all.extend(quoted.map(|(word, _)| Value::string(word)));
            all.extend(digits.parse().ok().map(Value::Integer));
        }
    }
    all
}

/// Generates a hash with one in `share` of the keys.
fn record(keys: &[Use], share: usize, values: &[Value], random: &mut Random) -> Value {
    let mut hash = Hash::with_capacity(8);
    for key in keys {
        if random.below(share) == 0 {
            let likely = random.below(8) > 0;
            hash.insert(Value::string(key.name.as_str()), key.value(values, likely, random));
        }
    }
    Value::hash(hash)
}
