//! Numbers, words, regular expressions, arrays and hashes.

use super::Writer;
use super::words::KEYWORDS;

impl Writer {
    pub(super) fn literal(&mut self) {
        match self.random.below(24) {
            0..=4 => self.number(),
            5..=11 => self.string(),
            12 => self.put_one(&["true", "false"]),
            13 => self.put("undef"),
            14 => self.put("default"),
            15..=16 => self.name(),
            17..=18 => self.type_name(),
            19 => self.regexp(),
            20 if self.odd => {
                self.put_one(&["foo.bar", "a-b", "x-1-y", "a-", "-a", "192.168.0.1", "Foo-bar"])
            }
            21 if self.odd => self.put_one(KEYWORDS),
            _ => self.collection(),
        }
    }

    pub(super) fn number(&mut self) {
        match self.random.below(20) {
            0..=7 => self.put_one(&["0", "1", "42", "7", "100", "65535", "9223372036854775807"]),
            8 => self.put_one(&["0x1F", "0Xff", "0xDEADbeef", "0x7fffffffffffffff", "0x0"]),
            9 => self.put_one(&["017", "0777", "00", "01", "0644"]),
            10..=12 => self.put_one(&["1.5", "0.1", "3.14159", "10.0", "0.0", "123456789.125"]),
            13 => self.put_one(&["1e10", "1E5", "2.5e-3", "1e-7", "1.0e20", "12e3", "0.5E-10"]),
            14..=15 => self.put_one(&["-1", "- 5", "-1.5", "-0x10", "-0"]),
            16 if self.odd => {
                self.put_one(&["9223372036854775808", "-9223372036854775808", "0x8000000000000000"])
            }
            17 if self.odd => {
                self.put_one(&["0x", "08", "1.", "1.e", "1a", "0xg", "1_000", "1e", "1.5.2", "0b1"])
            }
            _ => {
                let number = self.random.below(10_000).to_string();
                self.put(&number);
            }
        }
    }

    pub(super) fn regexp(&mut self) {
        let good = [
            "/a/",
            "/^foo$/",
            r"/\A\d+\.\d+\Z/",
            r"/a\/b/",
            "/[a-z]+(x|y)?/",
            "/(?i)é/",
            r"/\\/",
            "/(?<year>\\d+)/",
            r"/\n\t/",
            "/a{2,3}/",
            "/#{x}/",
            "/$x/",
        ];
        self.put_or(
            &good,
            &["//", "/[/]/", "/ /", "/(/", "/*/", "/[b-a]/", "/\n/", "/(?<n>a)\\1/"],
        );
    }

    pub(super) fn collection(&mut self) {
        if self.is_deep() {
            return self.put_one(&["[]", "{}", "[1]", "{a => 1}"]);
        }
        if self.chance(50) { self.array() } else { self.hash() }
    }

    pub(super) fn array(&mut self) {
        self.put("[");
        self.tight();
        self.deeper(|writer| {
            writer.list(0, 4, |writer| match writer.random.below(15) {
                0 => writer.hash_pair(),
                1 => writer.put_one(&["type", "function", "*$a", "type => 1"]),
                _ => writer.expression(),
            });
        });
        self.tight();
        self.put("]");
    }

    pub(super) fn hash(&mut self) {
        self.put("{");
        self.tight();
        self.deeper(|writer| writer.list(0, 4, Self::hash_pair));
        self.tight();
        self.put("}");
    }

    /// Writes a key that no other pair has.
    fn key(&mut self) {
        self.n_keys += 1;
        let number = self.n_keys;
        let key = match self.random.below(4) {
            0 => format!("k{number}"),
            1 => format!("\"k{number}\""),
            2 => format!("m::k{number}"),
            _ => format!("'k {number}'"),
        };
        self.put(&key);
    }

    pub(super) fn hash_pair(&mut self) {
        match self.random.below(10) {
            0..=6 if !self.loose => self.key(),
            0..=3 => self.name(),
            4..=6 => self.string(),
            7 => self.put_or(&["type", "function", "default", "undef", "1"], &["if", "a b", "*$x"]),
            _ => self.expression(),
        }
        self.gap();
        self.put("=>");
        self.gap();
        if self.chance(3) { self.put_one(&["type", "function"]) } else { self.expression() }
    }
}
