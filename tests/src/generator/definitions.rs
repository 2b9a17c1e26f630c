//! Classes, defined types, nodes, functions, type aliases, plans.

use super::Writer;

impl Writer {
    pub(super) fn definition(&mut self) {
        if self.is_deep() {
            return self.put("class deep { }");
        }
        self.deeper(|writer| match writer.random.below(20) {
            0..=9 if writer.tasks => writer.plan(),
            0..=5 => writer.class(),
            6..=9 => writer.define(),
            10..=12 => writer.node(),
            13..=15 => writer.function(),
            16..=17 => writer.type_alias(),
            18 => writer.type_definition(),
            _ if writer.tasks || writer.oddly(10) => writer.plan(),
            _ => writer.define(),
        });
    }

    fn class(&mut self) {
        self.put("class");
        self.space();
        self.definition_name();
        self.parameters();
        if self.chance(15) {
            self.put(" inherits ");
            if self.oddly(5) { self.put("default") } else { self.definition_name() }
        }
        self.gap();
        self.block();
    }

    fn define(&mut self) {
        self.put("define");
        self.space();
        self.definition_name();
        self.parameters();
        self.gap();
        self.block();
    }

    fn function(&mut self) {
        self.put("function");
        self.space();
        self.definition_name();
        self.parameters();
        self.gap();
        self.return_type(30);
        self.block();
    }

    fn parameters(&mut self) {
        if self.chance(35) {
            return;
        }
        self.put_one(&["(", "(", " ("]);
        self.tight();
        self.deeper(Self::parameter_list);
        self.tight();
        self.put(")");
    }

    /// Writes parameters; in an odd program with repeated names and in any order.
    pub(super) fn parameter_list(&mut self) {
        if self.loose {
            return self.list(0, 4, Self::parameter);
        }
        let count = self.random.between(0, 4);
        let first_default = self.random.between(0, 4);
        for index in 0..count {
            if index > 0 {
                self.put(",");
                self.gap();
            }
            if self.chance(40) {
                self.type_reference();
                self.space();
            }
            self.put(&format!("$p{index}"));
            if index >= first_default {
                self.put(" = ");
                // A call here would take the bar at the end of a lambda's parameters for its own lambda.
                self.plain();
            }
        }
    }

    /// `Type *$x = 1`
    fn parameter(&mut self) {
        if self.chance(40) {
            self.type_reference();
            self.space();
        }
        if self.chance(8) {
            self.put("*");
        }
        match self.random.below(20) {
            0 => self.variable(),
            _ => self.put_one(&["$a", "$b", "$c", "$d", "$key", "$value", "$x_1", "$_u"]),
        }
        if self.chance(35) {
            self.gap();
            self.put("=");
            self.gap();
            self.expression();
        }
    }

    fn node(&mut self) {
        self.put("node");
        self.space();
        self.host();
        for _ in 0..self.random.below(3) {
            self.put(",");
            self.gap();
            self.host();
        }
        if self.loosely(10) {
            self.put_one(&[" inherits default", " inherits foo"]);
        } else if self.chance(20) {
            self.put(",");
        }
        self.gap();
        self.block();
    }

    fn host(&mut self) {
        match self.random.below(12) {
            0..=3 => self.put_one(&["'www.example.com'", "'db1'", "\"app\""]),
            4..=5 => self.put_one(&["foo", "a.b.c", "1.2.3", "x1.y", "foo.1", "10.20"]),
            6..=7 => self.put("default"),
            8..=9 => self.regexp(),
            10 if self.loose => self.string(),
            11 if self.loose => self.put_one(&["'bad name'", "\"a${b}\"", "'a/b'", "''"]),

            _ => self.put_or(
                &["default", "x9"],
                &["'bad name'", "\"a${b}\"", "a-b.c", "Foo", "$a", "if", "0x1f", "a::b", "07"],
            ),
        }
    }

    fn type_alias(&mut self) {
        self.put("type");
        self.space();
        self.put_or(&["Foo", "Foo::Bar", "Apache::Mode"], &["::X", "foo", "Foo[1]", "Integer"]);
        self.gap();
        self.put("=");
        self.gap();
        match self.random.below(12) {
            0 => self.hash(),
            1 if self.loose => self.array(),
            2 => {
                self.type_name();
                self.gap();
                self.hash();
            }
            3 if self.odd => self.expression(),
            _ => self.type_reference(),
        }
    }

    fn type_definition(&mut self) {
        self.put("type");
        self.space();
        self.put_one(&["Foo", "Foo::Bar", "X"]);
        self.put_or(&["", " inherits Base"], &[" inherits base"]);
        self.gap();
        self.block();
    }

    fn plan(&mut self) {
        self.put("plan");
        self.space();
        self.definition_name();
        self.parameters();
        self.gap();
        if self.chance(60) {
            return self.block();
        }
        self.put("{ ");
        self.apply();
        self.put(" }");
    }

    /// `apply($targets) { … }`
    fn apply(&mut self) {
        self.put("apply(");
        self.expression();
        if self.chance(30) {
            self.put(", ");
            self.hash_pair();
        }
        self.put_one(&[")", ") ", ",) "]);
        self.block();
    }
}
