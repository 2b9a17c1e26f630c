//! Writer of the stream in JSON, with the brackets where Puppet has them.

use super::{Plain, Write};
use kukla_rubytext::{float, json};

/// Writes JSON.
///
/// The nesting has no meaning for readers. Puppet counts the elements that an array or object still
/// lacks, but counts a reference to the start of an object as one whole element, so brackets close early.
pub(super) struct JsonWriter {
    out: String,
    /// The number of elements that each open bracket still lacks.
    open: Vec<usize>,
}

impl JsonWriter {
    pub(super) fn new() -> Self {
        Self { out: "[".to_owned(), open: Vec::new() }
    }

    fn value(&mut self, value: Plain<'_>) {
        match value {
            Plain::Undef => self.out.push_str("null"),
            Plain::Boolean(true) => self.out.push_str("true"),
            Plain::Boolean(false) => self.out.push_str("false"),
            Plain::Integer(number) => self.out.push_str(&number.to_string()),
            Plain::Float(number) => self.out.push_str(&float::to_s(number)),
            Plain::Text(text) => self.out.push_str(&json::string(text)),
        }
    }

    /// Closes the brackets that are full.
    fn close(&mut self) {
        while let Some(left) = self.open.last_mut() {
            *left -= 1;
            if *left > 0 {
                break;
            }
            self.out.push(']');
            self.open.pop();
        }
        self.out.push(',');
    }
}

impl Write for JsonWriter {
    fn plain(&mut self, value: Plain<'_>) {
        self.value(value);
        self.close();
    }

    fn extension(&mut self, code: u8, payload: &[Plain<'_>], n_elements: usize) {
        self.out.push('[');
        self.out.push_str(&code.to_string());
        for &value in payload {
            self.out.push(',');
            self.value(value);
        }
        if n_elements > 0 {
            self.out.push(',');
            self.open.push(n_elements);
        } else {
            self.out.push(']');
            self.close();
        }
    }

    fn finish(mut self) -> Vec<u8> {
        // The comma after the last value, if there is any.
        if self.out.ends_with(',') {
            self.out.pop();
        }
        self.out.push(']');
        self.out.into_bytes()
    }
}
