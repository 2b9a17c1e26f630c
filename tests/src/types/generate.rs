//! Generator of random types and values.

use super::Question;
use crate::generator::random::Random;

/// Returns the question of a seed: two types, often similar, and a value that often fits one of them.
pub fn question(seed: u64) -> Question {
    let mut random = Random::new(seed);
    let mut writer = Writer { random: &mut random, depth: 0 };
    let a = writer.type_();
    let b = if writer.random.chance(25) { writer.like(&a) } else { writer.type_() };
    let value = writer.value();
    Question { a, b, value }
}

struct Writer<'a> {
    random: &'a mut Random,
    depth: usize,
}

const PLAIN: &[&str] = &[
    "Any",
    "Undef",
    "Default",
    "Scalar",
    "ScalarData",
    "Numeric",
    "Integer",
    "Float",
    "String",
    "Boolean",
    "Regexp",
    "Pattern",
    "Enum",
    "Array",
    "Hash",
    "Collection",
    "Tuple",
    "Struct",
    "Variant",
    "Optional",
    "NotUndef",
    "Type",
    "Iterable",
    "Iterator",
    "Callable",
    "Runtime",
    "Sensitive",
    "Binary",
    "Timestamp",
    "Timespan",
    "SemVer",
    "SemVerRange",
    "URI",
    "CatalogEntry",
    "Resource",
    "Class",
    "File",
    "Data",
    "RichData",
    "RichDataKey",
    "Object",
    "Deferred",
    "Init",
];

const ALIASES: &[&str] = &[
    "Tree", "Rec", "Opt", "Mode", "Ping", "Pong", "Port", "Nested", "Either", "Deep", "Wide",
    "Chain", "Maybe", "Self", "Block", "Data", "RichData",
];

const WORDS: &[&str] = &["a", "b", "ro", "rw", "abc", "Ab", "x y", "it's", "", "ä", "A"];
const PATTERNS: &[&str] = &["/a/", "/^b/", r"/\Aro\z/", "/[a-c]+/", "/x|y/", "/./"];
const OTHERS: &[&str] = &[
    "Timestamp['2000-01-01']",
    "Timestamp['2000-01-01', '2010-01-01']",
    "Timestamp[default, 0]",
    "Timespan[3, 5]",
    "Timespan[4]",
    "Timespan['0-01:00:00', '1-00:00:00']",
    "Timespan[default, 9]",
    "SemVer['1.x']",
    "SemVer['>=1.0.0 <2.0.0']",
    "SemVer['>=1.2.0']",
    "SemVer['3.1.4']",
    "SemVer['1.x', '3.x']",
    "Error['a']",
    "Error['a', 'b']",
    "Error",
    "Deferred",
    "Object[{name => 'Foo', attributes => {a => Integer, b => {type => String, value => 'x'}}}]",
    "Object[{attributes => {a => Integer}, functions => {f => Callable[[], Integer]}}]",
    "Object[{name => 'Bar', parent => Error, constants => {c => 1}, equality => []}]",
];
const KEYS: &[&str] = &["a", "b", "c", "next"];

impl Writer<'_> {
    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        self.random.pick(choices)
    }

    fn type_(&mut self) -> String {
        self.depth += 1;
        let text = match self.random.below(if self.depth > 3 { 40 } else { 100 }) {
            0..20 => self.pick(PLAIN).to_owned(),
            20..26 => self.pick(ALIASES).to_owned(),
            26..40 => self.scalar(),
            40..52 => self.collection(),
            52..62 => self.variant(),
            62..70 => self.structure(),
            70..78 => self.tuple(),
            78..90 => self.wrapped(),
            90..95 => self.callable(),
            _ => self.other(),
        };
        self.depth -= 1;
        text
    }

    /// Returns the text with a small change.
    fn like(&mut self, text: &str) -> String {
        let changes = [
            ("Integer", "Integer[1, 5]"),
            ("String", "String[1]"),
            ("Array", "Tuple"),
            ("Optional", "NotUndef"),
            ("'a'", "'b'"),
            ("Variant", "Tuple"),
            ("1", "2"),
        ];
        let (from, to) = changes[self.random.below(changes.len())];
        match self.random.below(3) {
            0 => text.replacen(from, to, 1),
            1 => format!("Optional[{text}]"),
            _ => text.replace(from, to),
        }
    }

    fn size(&mut self) -> String {
        let from = self.random.below(3);
        match self.random.below(4) {
            0 => format!(", {from}"),
            1 => format!(", {from}, {}", from + self.random.below(3)),
            2 => format!(", {from}, default"),
            _ => String::new(),
        }
    }

    fn scalar(&mut self) -> String {
        match self.random.below(9) {
            0 => self.range("Integer"),
            1 => self.range("Float"),
            2 => format!("String[{}]", self.size().trim_start_matches(", ")).replace("[]", "[1]"),
            3 => self.enumeration(),
            4 => {
                let patterns = self.several(|writer| writer.pick(PATTERNS).to_owned());
                format!("Pattern[{patterns}]")
            }
            5 => format!("Regexp[{}]", self.pick(PATTERNS)),
            6 => format!("Boolean[{}]", self.pick(&["true", "false"])),
            7 => format!(
                "Enum[{}, true]",
                self.several(|writer| writer.pick(&["a", "'B'", "ro", "'RW'"]).to_owned())
            ),
            _ => self.range("Integer"),
        }
    }

    fn range(&mut self, name: &str) -> String {
        let from = self.random.below(6) * 2;
        match self.random.below(4) {
            0 => format!("{name}[{from}]"),
            1 => format!("{name}[default, {from}]"),
            2 => format!("{name}[-{from}, {}]", self.random.below(9)),
            _ => format!("{name}[{from}, {}]", from + self.random.below(9)),
        }
    }

    fn enumeration(&mut self) -> String {
        let values = self.several(|writer| format!("{:?}", writer.pick(WORDS)));
        format!("Enum[{values}]")
    }

    fn several(&mut self, mut f: impl FnMut(&mut Self) -> String) -> String {
        let count = self.random.between(1, 3);
        (0..count).map(|_| f(self)).collect::<Vec<_>>().join(", ")
    }

    fn collection(&mut self) -> String {
        match self.random.below(10) {
            0..5 => format!("Array[{}{}]", self.type_(), self.size()),
            5..8 => format!("Hash[{}, {}{}]", self.key_type(), self.type_(), self.size()),
            8 => format!("Collection[{}]", self.random.below(4)),
            _ => self.pick(&["Array[0, 0]", "Hash[0, 0]", "Array[1, 3]", "Hash[1, 2]"]).to_owned(),
        }
    }

    fn key_type(&mut self) -> String {
        match self.random.below(4) {
            0 => "String".to_owned(),
            1 => self.enumeration(),
            2 => "Integer".to_owned(),
            _ => self.type_(),
        }
    }

    fn variant(&mut self) -> String {
        format!("Variant[{}]", self.several(Self::type_))
    }

    fn structure(&mut self) -> String {
        let count = self.random.between(1, 3);
        let mut entries = Vec::new();
        for key in KEYS.iter().take(count) {
            let key = match self.random.below(5) {
                0 => format!("Optional[{key}]"),
                1 => format!("NotUndef[{key}]"),
                _ => (*key).to_owned(),
            };
            entries.push(format!("{key} => {}", self.type_()));
        }
        format!("Struct[{{{}}}]", entries.join(", "))
    }

    fn tuple(&mut self) -> String {
        format!("Tuple[{}{}]", self.several(Self::type_), self.size())
    }

    fn wrapped(&mut self) -> String {
        match self.random.below(12) {
            0..4 => format!("Optional[{}]", self.type_()),
            4..6 => format!("NotUndef[{}]", self.type_()),
            6..8 => format!("Type[{}]", self.type_()),
            8 => format!("Sensitive[{}]", self.type_()),
            9 => format!("Iterable[{}]", self.type_()),
            10 => format!("Iterator[{}]", self.type_()),
            _ => format!("{}['{}']", self.pick(&["Optional", "NotUndef"]), self.pick(KEYS)),
        }
    }

    fn callable(&mut self) -> String {
        let parameters = match self.random.below(4) {
            0 => "0, 0".to_owned(),
            1 => format!(
                "{}{}, {}",
                self.type_(),
                self.size(),
                self.pick(&["Callable", "Optional[Callable]", "Callable[Integer]"])
            ),
            _ => format!("{}{}", self.several(Self::type_), self.size()),
        };
        match self.random.below(4) {
            0 => format!("Callable[[{parameters}], {}]", self.type_()),
            _ => format!("Callable[{parameters}]"),
        }
    }

    fn other(&mut self) -> String {
        match self.random.below(6) {
            0 => self.pick(OTHERS).to_owned(),
            1 => format!("{}['{}']", self.pick(&["Class", "File", "Exec"]), self.pick(KEYS)),
            2 => format!("Resource['exec', '{}']", self.pick(KEYS)),
            3 => "Runtime[ruby, 'Foo']".to_owned(),
            4 => format!("Init[{}]", self.pick(&["Integer", "Boolean", "String", "Array"])),
            _ => format!("Unknown[{}]", self.type_()),
        }
    }

    fn value(&mut self) -> String {
        self.depth += 1;
        let limit = if self.depth > 3 { 60 } else { 100 };
        let text = match self.random.below(limit) {
            0..8 => "undef".to_owned(),
            8..10 => "default".to_owned(),
            10..14 => self.pick(&["true", "false"]).to_owned(),
            14..26 => format!("{}", self.random.below(12)),
            26..28 => "70000".to_owned(),
            28..33 => self.pick(&["1.5", "0.0", "3.0", "-2.5"]).to_owned(),
            33..50 => format!("{:?}", self.pick(WORDS)),
            50..54 => self.pick(PATTERNS).to_owned(),
            54..60 => self.type_(),
            60..82 => {
                let count = self.random.below(4);
                let values: Vec<String> = (0..count).map(|_| self.value()).collect();
                format!("[{}]", values.join(", "))
            }
            _ => self.hash(),
        };
        self.depth -= 1;
        text
    }

    fn hash(&mut self) -> String {
        let count = self.random.below(4);
        let odd = self.random.chance(20);
        let mut entries = Vec::new();
        for key in KEYS.iter().take(count) {
            let key = if odd { self.value() } else { (*key).to_owned() };
            entries.push(format!("{key} => {}", self.value()));
        }
        format!("{{{}}}", entries.join(", "))
    }
}
