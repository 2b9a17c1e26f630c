//! Statements, conditions and cases.

use super::Writer;
use super::words::STATEMENTS;

impl Writer {
    pub(super) fn top_statement(&mut self) {
        match self.random.below(20) {
            0..=5 => self.definition(),
            _ => self.statement(),
        }
    }

    pub(super) fn statement(&mut self) {
        if self.is_deep() {
            return self.put_one(&["notice('deep')", "$deep = 1", "include foo"]);
        }
        match self.random.below(40) {
            0..=7 => self.assignment(),
            8..=11 => self.statement_call(),
            12..=14 => self.call(),
            15..=23 => self.resource_statement(),
            24..=28 => self.flow(),
            29..=32 => self.method_call(),

            33..=34 if self.loose => self.expression(),
            35..=36 if self.loose => self.definition(),
            37 if self.loose => {
                self.put_one(&["private", "attr", "1", "x", "undef", "$a == 1", "[$a]"])
            }
            38 if self.odd => self.expression(),
            39 if self.odd => self.put_one(&[
                "private",
                "attr",
                "application",
                "site",
                "import 'x'",
                "x y",
                "a, b",
                "[$a]",
            ]),
            33..=36 if self.chance(50) => self.collector(),
            _ => self.chain(),
        }
    }

    /// `notice $a, 'b'`
    fn statement_call(&mut self) {
        if self.oddly(30) {
            self.function_name()
        } else {
            self.put_one(STATEMENTS)
        }
        self.space();
        if self.odd {
            self.expression()
        } else {
            self.plain()
        }
        for _ in 0..self.random.below(3) {
            self.tight();
            self.put(",");
            self.gap();
            self.expression();
        }
    }

    pub(super) fn flow(&mut self) {
        self.deeper(|writer| match writer.random.below(10) {
            0..=4 => writer.if_(),
            5..=6 => writer.unless(),
            _ => writer.case(),
        });
    }

    fn if_(&mut self) {
        self.put("if");
        self.condition();
        for _ in 0..self.random.below(3) {
            self.gap();
            self.put("elsif");
            self.condition();
        }
        self.else_();
    }

    fn condition(&mut self) {
        self.space();
        self.expression();
        self.gap();
        self.block();
    }

    fn else_(&mut self) {
        if self.chance(40) {
            self.gap();
            self.put("else");
            self.gap();
            self.block();
        }
    }

    fn unless(&mut self) {
        self.put("unless");
        self.condition();
        if self.oddly(5) {
            self.put(" elsif");
            self.condition();
        }
        self.else_();
    }

    fn case(&mut self) {
        self.put("case");
        self.space();
        self.expression();
        self.gap();
        self.put("{");
        for _ in 0..self.random.between(1, 3) {
            self.newline();
            self.case_option();
        }
        if self.chance(40) {
            self.newline();
            self.put("default:");
            self.gap();
            self.block();
        }
        self.newline();
        self.put("}");
    }

    fn case_option(&mut self) {
        self.expression();
        for _ in 0..self.random.below(2) {
            self.put(",");
            self.gap();
            self.expression();
        }
        self.tight();
        self.put(":");
        self.gap();
        self.block();
    }
}
