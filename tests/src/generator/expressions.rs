//! Expressions: operators, access, calls, lambdas, selectors.

use super::Writer;
use super::words::KEYWORDS;

const BINARY: &[&str] = &[
    "+", "-", "*", "/", "%", "<<", ">>", "==", "!=", "<", ">", "<=", ">=", "and", "or", "in", "=~",
    "!~",
];

impl Writer {
    pub(super) fn expression(&mut self) {
        if self.is_deep() {
            return self.leaf();
        }
        self.deeper(|writer| match writer.random.below(40) {
            0..=13 => writer.leaf(),
            14..=18 => writer.variable(),
            19..=24 => writer.binary(),
            25..=26 => writer.unary(),
            27..=28 => writer.parenthesized(),
            29..=31 => writer.access(),
            32..=33 => writer.call(),
            34..=35 => writer.method_call(),
            36 => writer.selector(),
            37 => writer.type_reference(),
            38 => writer.flow(),
            _ => writer.collection(),
        });
    }

    /// Writes an expression that can't be taken for the other side of an operator.
    pub(super) fn plain(&mut self) {
        match self.random.below(4) {
            0 => self.variable(),
            1 => self.name(),
            2 => self.type_reference(),
            _ => self.string(),
        }
    }

    fn leaf(&mut self) {
        if self.chance(35) { self.variable() } else { self.literal() }
    }

    fn binary(&mut self) {
        self.expression();
        for _ in 0..self.random.between(1, 2) {
            self.gap();
            let operator = self.random.pick(BINARY);
            self.put(operator);
            if operator.starts_with(char::is_alphabetic) {
                self.space()
            } else {
                self.gap()
            }
            self.expression();
        }
    }

    fn unary(&mut self) {
        self.put_or(&["-", "!", "- ", "! ", "!!", "-("], &["*", "--", "+"]);
        let open = self.out.ends_with('(');
        self.expression();
        if open {
            self.put(")");
        }
    }

    fn parenthesized(&mut self) {
        self.put("(");
        self.tight();
        if self.chance(6) {
            self.assignment()
        } else {
            self.expression()
        }
        self.tight();
        self.put(")");
    }

    fn access(&mut self) {
        match self.random.below(10) {
            0..=5 => self.variable(),
            6 => self.type_name(),
            7 => self.double_quoted(),
            8 if self.odd => self.name(),
            _ => self.expression(),
        }
        for _ in 0..self.random.between(1, 2) {
            self.glued();
            self.put("[");
            self.tight();
            self.expression();
            if self.chance(30) {
                self.put(",");
                self.gap();
                if self.chance(20) { self.hash_pair() } else { self.expression() }
            }
            self.put_one(&["", "", "", "", ","]);
            self.put("]");
        }
    }

    /// `f(arguments) |$x| { }`
    pub(super) fn call(&mut self) {
        match self.random.below(12) {
            0 => self.type_name(),
            1 if self.loose => self.variable(),
            2 => self.put_or(&["type", "Integer"], &["(f)", "if", "1", "'f'"]),
            _ => self.function_name(),
        }
        self.glued();
        self.arguments();
        if self.chance(20) {
            self.gap();
            self.lambda();
        }
    }

    fn arguments(&mut self) {
        self.put("(");
        self.tight();
        let count = self.random.between(0, 3);
        for index in 0..count {
            if index > 0 {
                self.put(",");
                self.gap();
            }
            self.argument();
        }
        self.tight();
        self.put(")");
    }

    fn argument(&mut self) {
        match self.random.below(12) {
            0 => self.hash_pair(),
            1 => self.put_or(&["*$a", "*[1, 2]"], &["$a = 1", "type", "$a,"]),
            _ => self.expression(),
        }
    }

    pub(super) fn method_call(&mut self) {
        match self.random.below(6) {
            0..=2 => self.variable(),
            3 => self.literal(),
            4 => self.type_reference(),
            _ => self.expression(),
        }
        for _ in 0..self.random.between(1, 2) {
            self.method();
        }
    }

    /// `.name(arguments) |$x| { }`
    pub(super) fn method(&mut self) {
        self.tight();
        self.put(".");
        self.tight();
        match self.random.below(20) {
            0 if self.odd => self.put_one(KEYWORDS),
            1 if self.odd => self.put_one(&["Foo", "'x'", "1", "$a", "foo::bar", "type"]),
            _ => self.put_one(&["each", "map", "filter", "reduce", "with", "foo", "new", "type"]),
        }
        if self.chance(40) {
            self.glued();
            self.arguments();
        }
        if self.chance(40) {
            self.gap();
            self.lambda();
        }
    }

    /// `|$x| { }`
    fn lambda(&mut self) {
        if self.is_deep() {
            return self.put_one(&["|$x| { $x }", "|$k, $v| { }", "|| { 1 }"]);
        }
        self.put("|");
        self.tight();
        self.parameter_list();
        self.tight();
        self.put("|");
        self.gap();
        self.return_type(5);
        self.deeper(Self::block);
    }

    /// Writes `>> Type`, in `percent` percent of cases.
    pub(super) fn return_type(&mut self, percent: usize) {
        if self.chance(percent) {
            self.put(">>");
            self.gap();
            self.type_reference();
            self.gap();
        }
    }

    fn selector(&mut self) {
        if self.chance(60) {
            self.variable()
        } else {
            self.expression()
        }
        self.gap();
        self.put("?");
        self.gap();
        if self.chance(10) {
            return self.selector_entry();
        }
        self.put("{");
        self.gap();
        self.deeper(|writer| writer.list(1, 3, Self::selector_entry));
        self.gap();
        self.put("}");
    }

    fn selector_entry(&mut self) {
        if self.chance(70) {
            self.leaf()
        } else {
            self.expression()
        }
        self.gap();
        self.put("=>");
        self.gap();
        self.expression();
    }

    pub(super) fn assignment(&mut self) {
        match self.random.below(20) {
            2..=3 if self.loose => self.put_one(&[
                "$a::b",
                "$1",
                "$::x",
                "$A",
                "$facts",
                "$trusted",
                "$server_facts",
                "[$a, $b::c]",
                "x",
                "$a[1]",
            ]),
            0 => self.put_or(
                &["[$a, $b]", "[$a, [$b, $c]]"],
                &["{'a' => $a}", "$a[1]", "1", "x", "[1]", "[]", "[*$a]"],
            ),
            1 if self.odd => self.variable(),
            _ => self.put_one(&["$a", "$b", "$x_1", "$foo", "$_y", "$result"]),
        }
        self.gap();
        self.put_or(&["="], &["+=", "-=", "=="]);
        self.gap();
        if self.chance(5) { self.assignment() } else { self.expression() }
    }
}
