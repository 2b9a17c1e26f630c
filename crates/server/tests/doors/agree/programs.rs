//! Generated programs of edits, services and handlers of failures.

use std::fmt::Write as _;

/// The services.
pub(super) const NAMES: [&str; 3] = ["a", "b", "c"];

const FAILS: &str =
    "if (Http.message.body.preview(40) contains \"+b\") { Core.interpreter.fail(\"b\"); } ";
const DENIES: &str = "if (Http.message.headers.count(\"X-S\") > 2) { Access.deny(\"many\"); } ";
const RESTARTS: &str = "if (Http.message.headers.count(\"X-E\") == 1) { Http.message.headers.add(\"X-E\", \"again\"); Core.interpreter.restart(); } ";

/// A small source of random numbers.
pub(super) struct Dice(u64);

impl Dice {
    /// Creates a source; near seeds give numbers that are far apart.
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            dice.below(2);
        }
        dice
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// Generates a program for requests or responses.
pub(super) fn program(dice: &mut Dice) -> String {
    let mut out = String::from("Http := import(\"Http\");\n");
    for index in 0..=dice.below(3) {
        let (one, two) = (block(dice, index), block(dice, index));
        let _ = match dice.below(6) {
            0 => writeln!(out, "{one} or {two};"),
            1 => writeln!(out, "{one} otherwise {two};"),
            2 => writeln!(out, "c{index} := {one}; c{index} or c{index} or c{index};"),
            3 => writeln!(
                out,
                "c{index} := {one}; try c{index} otherwise try c{index} otherwise {two};"
            ),
            4 => writeln!(out, "{one}"),
            _ => writeln!(out, "if (try {one} otherwise false) {two}"),
        };
    }
    out + "Access.allow();\n"
}

fn block(dice: &mut Dice, index: u64) -> String {
    let mut block = String::new();
    for _ in 0..=dice.below(2) {
        let name = NAMES[usize::try_from(dice.below(3)).expect("it is small")];
        let service = format!("Services.findOne(\"opes://x/{name}\")");
        let statement = match dice.below(14) {
            0 | 1 => format!("Http.message.headers.add(\"X-E\", \"{index}\"); "),
            2 | 3 => FAILS.to_owned(),
            4 => DENIES.to_owned(),
            5 => RESTARTS.to_owned(),
            6 => format!("Services.applyOne({service}, Http.message.headers, \"part\"); "),
            _ => format!("Services.applyOne({service}); "),
        };
        block.push_str(&statement);
    }
    format!("{{ {block}}}")
}
