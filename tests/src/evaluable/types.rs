//! Types and regular expressions.

use super::{Kind, Writer};

impl Writer {
    /// Generates a type that takes parameters of other kinds than types.
    pub(super) fn other_type(&mut self, depth: usize) -> String {
        let depth = depth.min(2);
        let (a, b) = (self.leaf(Kind::Integer), self.leaf(Kind::Integer));
        let (text, float) = (self.leaf(Kind::Text), self.leaf(Kind::Float));
        match self.random.below(26) {
            0 => format!("Integer[{a}, {b}]"),
            1 => format!("Float[{float}, {b}]"),
            2 => format!("String[{a}, {b}]"),
            3 => format!("Enum[{text}, 'x', true]"),
            4 => format!("Enum[{text}, 'x']"),
            5 => format!("Pattern[{}, {text}]", self.regexp()),
            6 => format!("Struct[{{{text} => {}}}]", self.expression(Kind::Type, depth)),
            7 => format!(
                "Struct[{{Optional['a'] => {}, NotUndef[b] => {}}}]",
                self.expression(Kind::Type, depth),
                self.leaf(Kind::Type)
            ),
            8 => format!(
                "Hash[{}, {}, {a}, {b}]",
                self.leaf(Kind::Type),
                self.expression(Kind::Type, depth)
            ),
            9 => format!("Array[{}, {a}]", self.expression(Kind::Type, depth)),
            10 => format!("Tuple[{}, {a}, {b}]", self.expression(Kind::Type, depth)),
            11 => format!("Callable[{}, {a}, {b}]", self.leaf(Kind::Type)),
            12 => format!("Callable[[{}], {}]", self.leaf(Kind::Type), self.leaf(Kind::Type)),
            13 => format!("Type[{}]", self.expression(Kind::Type, depth)),
            14 => format!("Iterable[{}]", self.expression(Kind::Type, depth)),
            15 => format!("Sensitive[{}]", self.expression(Kind::Type, depth)),
            16 => format!("NotUndef[{}]", self.expression(Kind::Type, depth)),
            17 => format!("Regexp[{}]", self.regexp()),
            18 => format!("Collection[{a}, {b}]"),
            19 => format!("Init[{}]", self.leaf(Kind::Type)),
            20 => format!("Boolean[{}]", self.leaf(Kind::Boolean)),
            21 => format!("Timespan[{a}, {b}]"),
            22 => self
                .pick(&[
                    "SemVer['1.x']",
                    "SemVer['>=1.0.0', SemVerRange('2.x')]",
                    "URI['http://a/b']",
                    "Timestamp['2000-01-01']",
                ])
                .to_owned(),
            23 => self
                .pick(&[
                    "Iterator[Integer]",
                    "RichData",
                    "Scalar",
                    "ScalarData",
                    "Undef",
                    "Default",
                    "Binary",
                    "CatalogEntry",
                    "Resource['file']",
                    "Class['a']",
                    "Deferred",
                    "Error",
                    "Runtime['ruby', 'X']",
                    "Object",
                    "TypeSet",
                    "Init",
                ])
                .to_owned(),
            24 => format!("Optional[{text}]"),
            _ => format!("{}[{}]", self.leaf(Kind::Type), self.leaf(Kind::Any)),
        }
    }

    /// Generates a regular expression.
    pub(super) fn regexp(&mut self) -> String {
        self.pick(&[
            "/b/",
            "/(a)(b)?/",
            "/^[a-z]+$/",
            "/\\d/",
            "/(?i:B)/",
            "/ /",
            "/\\Aa/",
            "/./",
            "/(x)|(y)/",
        ])
        .to_owned()
    }
}
