//! Generator of programs to evaluate.
//!
//! Unlike [`crate::generator`], which writes odd syntax, this writes plain code whose values matter: most operands have a
//! type that the operator takes, some do not. Nothing here predicts the result: real Puppet does.

mod functions;
mod statements;
mod types;

use crate::generator::Random;

/// Returns the program of a seed.
pub fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed), variables: Vec::new(), n_names: 0 };
    let mut lines = Vec::new();
    if writer.random.chance(30) {
        lines.push(writer.function());
    }
    for _ in 0..writer.random.below(4) {
        if writer.random.chance(35) {
            lines.push(writer.statement());
            continue;
        }
        let kind = writer.kind();
        let value = writer.expression(kind, 3);
        let name = writer.name();
        lines.push(format!("${name} = {value}"));
        writer.variables.push((name, kind));
    }
    let kind = writer.kind();
    lines.push(writer.expression(kind, 4));
    lines.join("\n")
}

/// Intended kind of an expression's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Integer,
    Float,
    Text,
    Boolean,
    Array,
    Hash,
    Type,
    Any,
}

const KINDS: [Kind; 8] = [
    Kind::Integer,
    Kind::Float,
    Kind::Text,
    Kind::Boolean,
    Kind::Array,
    Kind::Hash,
    Kind::Type,
    Kind::Any,
];

struct Writer {
    random: Random,
    variables: Vec<(String, Kind)>,
    n_names: usize,
}

impl Writer {
    fn kind(&mut self) -> Kind {
        KINDS[self.random.below(KINDS.len())]
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("v{}", self.n_names)
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.random.below(words.len())]
    }

    /// Generates code with a value of a kind, or sometimes of another.
    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        let kind = if self.random.chance(6) { self.kind() } else { kind };
        if depth == 0 || self.random.chance(15) {
            return self.leaf(kind);
        }
        if self.random.chance(12) {
            return self.conditional(kind, depth - 1);
        }
        if self.random.chance(25) {
            return self.call(kind, depth - 1);
        }
        match kind {
            Kind::Integer => self.integer(depth - 1),
            Kind::Float => self.float(depth - 1),
            Kind::Text => self.text(depth - 1),
            Kind::Boolean => self.boolean(depth - 1),
            Kind::Array => self.array(depth - 1),
            Kind::Hash => self.hash(depth - 1),
            Kind::Type => self.type_(depth - 1),
            Kind::Any => {
                let kind = self.kind();
                self.expression(kind, depth - 1)
            }
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let known: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, other)| *other == kind)
            .map(|(name, _)| name.clone())
            .collect();
        if !known.is_empty() && self.random.chance(60) {
            return format!("${}", known[self.random.below(known.len())]);
        }
        match kind {
            Kind::Integer => self.pick(&["0", "1", "2", "7", "-3", "10", "100", "0x1F", "017"]),
            Kind::Float => self.pick(&["0.0", "1.5", "-2.25", "1.0e3", "3.14159", "1e-2"]),
            Kind::Text => self.pick(&[
                "'a'",
                "'B'",
                "'abc'",
                "''",
                "'5'",
                "'a b'",
                "'äö'",
                "\"x\\ty\"",
                "'1.5'",
                "'x,y'",
            ]),
            Kind::Boolean => self.pick(&["true", "false"]),
            Kind::Array => {
                self.pick(&["[]", "[1, 2, 3]", "['a', 'B', 'c']", "[3, 1, 2, 1]", "[[1], [2]]"])
            }
            Kind::Hash => self.pick(&["{}", "{'a' => 1}", "{'a' => 1, 'b' => 'x'}", "{1 => 2}"]),
            Kind::Type => self.pick(&[
                "Integer",
                "String",
                "Integer[0, 5]",
                "String[1]",
                "Array[Integer]",
                "Numeric",
                "Enum['a', 'abc']",
                "Optional[String]",
                "Hash[String, Integer]",
                "Boolean",
                "Any",
                "Data",
            ]),
            Kind::Any => self.pick(&[
                "undef",
                "default",
                "/b/",
                "1",
                "'a'",
                "[undef]",
                "Sensitive('s')",
                "Timespan(90)",
                "Timestamp('2020-02-29T12:00:00 UTC')",
                "SemVer('1.2.3-rc1')",
                "SemVerRange('>=1.0.0 <2.0.0')",
                "Binary('YWJj')",
                "URI('http://a.b/c?d=e')",
                "Deferred('f', [1])",
                "File['/a']",
                "Class['x']",
                "9223372036854775807",
                "-9223372036854775807",
                "1.0e308",
                "{'k' => undef}",
                "['a', ['b', {'c' => 1}]]",
            ]),
        }
        .to_owned()
    }

    fn conditional(&mut self, kind: Kind, depth: usize) -> String {
        let (a, b) = (self.expression(kind, depth), self.expression(kind, depth));
        let test = self.expression(Kind::Boolean, depth);
        match self.random.below(4) {
            0 => format!("(if {test} {{ {a} }} else {{ {b} }})"),
            1 => format!("(unless {test} {{ {a} }} else {{ {b} }})"),
            2 => {
                let (value, option) =
                    (self.expression(Kind::Any, depth), self.expression(Kind::Any, 1));
                format!("(case {value} {{ {option}: {{ {a} }} default: {{ {b} }} }})")
            }
            _ => {
                let (value, option) = (self.expression(Kind::Any, depth), self.leaf(Kind::Any));
                format!("(({value}) ? {{ {option} => {a}, default => {b} }})")
            }
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        match self.random.below(9) {
            0..=2 => {
                let (a, b) =
                    (self.expression(Kind::Integer, depth), self.expression(Kind::Integer, depth));
                format!("({a} {} {b})", self.pick(&["+", "-", "*", "/", "%", "<<", ">>"]))
            }
            8 => format!("-({})", self.expression(Kind::Integer, depth)),
            3 => format!("({}).length", self.expression(Kind::Array, depth)),
            4 => format!("({}).size", self.expression(Kind::Text, depth)),
            5 => {
                format!("({}).reduce(0) |$m, $x| {{ $m + 1 }}", self.expression(Kind::Array, depth))
            }
            6 => format!("({})[{}]", self.expression(Kind::Array, depth), self.leaf(Kind::Integer)),
            _ => format!("({}).abs", self.expression(Kind::Integer, depth)),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let (a, b) = (self.expression(Kind::Float, depth), self.expression(Kind::Integer, depth));
        match self.random.below(3) {
            0 => format!("({a} {} {b})", self.pick(&["+", "-", "*", "/"])),
            1 => format!("({b} {} {a})", self.pick(&["+", "-", "*", "/"])),
            _ => format!("({a}).{}", self.pick(&["floor", "ceiling", "round", "abs"])),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        match self.random.below(9) {
            6 => self.heredoc(depth),
            7 => self.template(depth),
            8 => {
                let (kind, format) = (self.kind(), self.pick(functions::FORMATS));
                format!("String({}, {format})", self.expression(kind, depth))
            }
            0 => {
                let kind = self.kind();
                let inner = self.expression(kind, depth);
                // Bare words in braces are names of variables.
                format!("\"<${{({inner})}}>\"")
            }
            1 => format!(
                "({}).{}",
                self.expression(Kind::Text, depth),
                self.pick(&[
                    "upcase",
                    "downcase",
                    "capitalize",
                    "strip",
                    "chomp",
                    "chop",
                    "lstrip",
                    "camelcase"
                ])
            ),
            2 => {
                format!("({}).join({})", self.expression(Kind::Array, depth), self.leaf(Kind::Text))
            }
            3 => format!("({})[{}]", self.expression(Kind::Text, depth), self.leaf(Kind::Integer)),
            4 => format!("regsubst({}, '[a-c]', '<\\0>', 'G')", self.expression(Kind::Text, depth)),
            _ => {
                let kind = self.kind();
                format!("String({})", self.expression(kind, depth))
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        let kind = self.kind();
        let (a, b) = (self.expression(kind, depth), self.expression(kind, depth));
        match self.random.below(9) {
            6 => format!("({a} !~ {})", self.expression(Kind::Type, depth.min(2))),
            7 => {
                let (text, regexp) = (self.expression(Kind::Text, depth), self.regexp());
                format!("({text} {} {regexp})", self.pick(&["=~", "!~", "in"]))
            }
            8 => format!("({} in {b})", self.leaf(kind)),
            0 => format!("({a} == {b})"),
            1 => format!("({a} != {b})"),
            2 => format!("({a} {} {b})", self.pick(&["<", "<=", ">", ">="])),
            3 => format!("({a} =~ {})", self.expression(Kind::Type, depth.min(2))),
            4 => format!("({a} in {})", self.expression(Kind::Array, depth)),
            _ => {
                let (a, b) =
                    (self.expression(Kind::Boolean, depth), self.expression(Kind::Boolean, depth));
                format!("({a} {} !{b})", self.pick(&["and", "or"]))
            }
        }
    }

    fn array(&mut self, depth: usize) -> String {
        match self.random.below(14) {
            0 => {
                let kind = self.kind();
                let n = self.random.below(4);
                let values: Vec<String> = (0..n).map(|_| self.expression(kind, depth)).collect();
                format!("[{}]", values.join(", "))
            }
            1 => format!(
                "({} + {})",
                self.expression(Kind::Array, depth),
                self.expression(Kind::Any, depth)
            ),
            2 => format!(
                "({} - {})",
                self.expression(Kind::Array, depth),
                self.expression(Kind::Array, depth)
            ),
            3 => {
                let list = self.expression(Kind::Array, depth);
                let name = self.name();
                self.variables.push((name.clone(), Kind::Any));
                let body = self.expression(Kind::Any, depth);
                self.variables.retain(|(known, _)| *known != name);
                format!("({list}).{} |${name}| {{ {body} }}", self.pick(&["map", "filter", "each"]))
            }
            4 => format!(
                "({}).{}",
                self.expression(Kind::Array, depth),
                self.pick(&["unique", "flatten", "sort", "reverse_each"])
            ),
            5 => format!(
                "({}).{}",
                self.expression(Kind::Hash, depth),
                self.pick(&["keys", "values"])
            ),
            6 => format!(
                "split({}, {})",
                self.expression(Kind::Text, depth),
                self.pick(&["','", "''", "/b/", "' '"])
            ),
            8 => format!("({} << {})", self.expression(Kind::Array, depth), self.leaf(Kind::Any)),
            9 => {
                let (list, text) = (self.expression(Kind::Array, depth), self.leaf(Kind::Text));
                format!("[*{list}, {text}, *{text}]")
            }
            10 => self.lambda(depth),
            _ => format!(
                "({})[{}, {}]",
                self.expression(Kind::Array, depth),
                self.leaf(Kind::Integer),
                self.leaf(Kind::Integer)
            ),
        }
    }

    fn hash(&mut self, depth: usize) -> String {
        match self.random.below(6) {
            4 => {
                let (list, depth) = (self.expression(Kind::Array, depth), depth.min(2));
                let kind = self.kind();
                format!("Hash(({list}).map |$i, $v| {{ [$i, {}] }})", self.expression(kind, depth))
            }
            5 => {
                let (a, b) = (self.leaf(Kind::Text), self.leaf(Kind::Any));
                format!(
                    "{{{a} => {}, {b} => {}}}",
                    self.expression(Kind::Hash, depth),
                    self.leaf(Kind::Array)
                )
            }
            0 => {
                let key = self.leaf(Kind::Text);
                let value = self.expression(Kind::Any, depth);
                format!("{{{key} => {value}}}")
            }
            1 => format!(
                "({} + {})",
                self.expression(Kind::Hash, depth),
                self.expression(Kind::Hash, depth)
            ),
            2 => format!(
                "({} - {})",
                self.expression(Kind::Hash, depth),
                self.expression(Kind::Text, depth)
            ),
            _ => format!(
                "({}).filter |$k, $v| {{ {} }}",
                self.expression(Kind::Hash, depth),
                self.expression(Kind::Boolean, depth)
            ),
        }
    }

    fn type_(&mut self, depth: usize) -> String {
        if self.random.chance(60) {
            return self.other_type(depth);
        }
        match self.random.below(5) {
            0 => {
                let kind = self.kind();
                format!("type({})", self.expression(kind, depth))
            }
            1 => format!("Array[{}]", self.expression(Kind::Type, depth)),
            2 => format!(
                "Variant[{}, {}]",
                self.expression(Kind::Type, depth),
                self.expression(Kind::Type, depth)
            ),
            3 => format!("Optional[{}]", self.expression(Kind::Type, depth)),
            _ => {
                format!("Tuple[{}, {}]", self.expression(Kind::Type, depth), self.leaf(Kind::Type))
            }
        }
    }
}
