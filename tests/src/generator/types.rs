//! Type references.

use super::Writer;

impl Writer {
    /// `Array[String[1], 2]`
    pub(super) fn type_reference(&mut self) {
        self.type_name();
        if self.is_deep() || self.chance(45) {
            return;
        }
        // With a space before it the bracket begins a list.
        self.glued();
        self.put("[");
        self.deeper(|writer| {
            writer.type_argument();
            for _ in 0..writer.random.below(3) {
                writer.put(",");
                writer.gap();
                writer.type_argument();
            }
        });
        if self.oddly(5) {
            self.put(",");
        }
        self.put("]");
    }

    fn type_argument(&mut self) {
        match self.random.below(10) {
            0..=3 => self.type_reference(),
            4 => self.number(),
            5..=6 => self.string(),
            7 => self.put_or(
                &["default", "1", "{a => Integer}", "undef", "/a/"],
                &["x => 1", "*$x", "type"],
            ),
            8 => self.hash(),
            _ => self.expression(),
        }
    }
}
