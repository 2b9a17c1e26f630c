//! Resources, defaults, overrides, collectors and chains.

use super::Writer;

impl Writer {
    pub(super) fn resource_statement(&mut self) {
        match self.random.below(20) {
            0..=10 => self.resource(),
            11..=12 => {
                self.put_one(&["@", "@@", "@ ", "@@ "]);
                self.resource();
            }
            13..=14 => self.class_resource(),
            15..=16 => self.defaults_or_override(),
            17 if self.loose => self.untitled(),
            _ => self.reference_override(),
        }
    }

    fn resource(&mut self) {
        match self.random.below(15) {
            0 if self.odd => self.type_reference(),
            1 if self.loose => self.put_one(&[
                "File",
                "$a",
                "'file'",
                "\"file\"",
                "Resource['file']",
                "Class",
                "f()",
            ]),
            _ => self.resource_type(),
        }
        self.gap();
        self.bodies();
    }

    fn class_resource(&mut self) {
        self.put("class");
        self.gap();
        self.bodies();
    }

    fn bodies(&mut self) {
        self.put("{");
        self.gap();
        self.deeper(|writer| {
            for index in 0..*writer.random.pick(&[&1, &1, &1, &2, &3]) {
                if index > 0 {
                    writer.tight();
                    writer.put(";");
                    writer.gap();
                }
                writer.body();
            }
        });
        if self.chance(10) {
            self.put(";");
        }
        self.gap();
        self.put("}");
    }

    fn body(&mut self) {
        match self.random.below(12) {
            0 => self.put("default"),
            1 => self.array(),
            2 => self.variable(),
            3 => self.expression(),
            4 => self.name(),
            _ => self.string(),
        }
        self.tight();
        self.put(":");
        self.gap();
        self.attributes();
    }

    fn attributes(&mut self) {
        self.list(0, 4, Self::attribute);
    }

    fn attribute(&mut self) {
        let splat = self.chance(8);
        if splat {
            self.put("*")
        } else {
            self.attribute_name()
        }
        self.gap();
        let plus = self.loosely(8);
        self.put(if plus { "+>" } else { "=>" });
        self.gap();
        self.expression();
    }

    /// `File { mode => '0644' }`
    fn defaults_or_override(&mut self) {
        self.type_name();
        self.gap();
        self.attribute_block();
    }

    /// `file { mode => '0644' }`: forgotten title, or a call with a hash.
    fn untitled(&mut self) {
        self.resource_type();
        self.gap();
        self.attribute_block();
    }

    fn attribute_block(&mut self) {
        self.put("{");
        self.gap();
        self.deeper(Self::attributes);
        self.gap();
        self.put("}");
    }

    /// `File['x'] { mode => '0644' }`
    fn reference_override(&mut self) {
        self.reference();
        self.gap();
        self.attribute_block();
    }

    fn reference(&mut self) {
        self.type_name();
        self.glued();
        self.put("[");
        self.expression();
        if self.chance(20) {
            self.put(", ");
            self.expression();
        }
        self.put("]");
    }

    /// `File <| title == 'x' |> { mode => '0644' }`
    pub(super) fn collector(&mut self) {
        if self.loosely(8) {
            self.expression()
        } else {
            self.type_name()
        }
        self.gap();
        let exported = self.chance(30);
        self.put(if exported { "<<|" } else { "<|" });
        self.gap();
        if self.chance(75) {
            self.query();
        }
        self.gap();
        self.put(if exported { "|>>" } else { "|>" });
        if self.chance(30) {
            self.gap();
            self.attribute_block();
        }
    }

    fn query(&mut self) {
        match self.random.below(12) {
            0..=6 => self.comparison(),
            7..=8 => {
                self.comparison();
                self.put_one(&[" and ", " or "]);
                self.query();
            }
            9 => {
                self.put("(");
                self.query();
                self.put(")");
            }
            10 if self.loose => {
                self.put_one(&["!a", "tag", "'x'", "a = 1", "a > 1", "$a == 1", "1 == 1"])
            }
            11 if self.loose => self.expression(),
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) {
        self.attribute_name();
        self.gap();
        self.put_one(&["==", "!="]);
        self.gap();
        match self.random.below(5) {
            0 => self.variable(),
            1 => self.number(),
            2 => self.reference(),
            _ => self.string(),
        }
    }

    /// `File['a'] -> Service['b']`
    pub(super) fn chain(&mut self) {
        self.link();
        for _ in 0..self.random.between(1, 3) {
            self.gap();
            self.put_one(&["->", "~>", "<-", "<~"]);
            self.gap();
            self.link();
        }
    }

    fn link(&mut self) {
        self.deeper(|writer| match writer.random.below(12) {
            0..=4 => writer.reference(),
            5..=6 => writer.resource(),
            7..=8 => writer.collector(),
            9 => writer.variable(),
            10 if writer.loose => writer.array(),
            11 if writer.loose => writer.expression(),
            _ => writer.reference(),
        });
    }
}
