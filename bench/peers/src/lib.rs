//! P beside other engines that decide on messages: the same rules in each of their languages, on one message.
//!
//! - A: two terms, the method and a prefix of the path
//! - B: six terms, with an address in a network and a header that contains a word
//! - C: a hundred rules like B, of which the last applies
//!
//! With context, each is given the same parts of a message (method, path, query, header fields, the client's address)
//! and makes of them what it needs: P a message, the others values for their variables.
//!
//! wirefilter has neither prefixes nor suffixes and is asked for `contains`, which is less work; cel, rhai and
//! Cedar have no networks for texts and are given the address as a number, or Cedar's own type.

pub mod p;
pub mod peers;
pub mod time;

/// The message that all decide on.
pub mod message {
    /// The method.
    pub const METHOD: &str = "GET";
    /// The path.
    pub const PATH: &str = "/puppet/v3/catalog/agent1.example.com";
    /// What stands behind the path.
    pub const QUERY: &str = "environment=production";
    /// Who asks.
    pub const CLIENT: &str = "10.20.3.4";
    /// What asks.
    pub const AGENT: &str = "Puppet/7.23.0 Ruby/3.1.2 (x86_64-linux)";
    /// The header fields.
    pub static HEADERS: [(&str, &str); 3] = [
        ("Host", "puppet.example.com:8140"),
        ("Accept", "application/json"),
        ("User-Agent", AGENT),
    ];
    /// The client's address as a number.
    pub const NUMBER: i64 = (10 << 24) | (20 << 16) | (3 << 8) | 4;

    /// What asks, found among the header fields, which is part of what a context costs.
    pub fn agent() -> &'static str {
        let fields: &'static [(&str, &str)] = std::hint::black_box(&HEADERS);
        let field = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("user-agent"));
        field.map_or("", |(_, value)| value)
    }
    /// The first and the last address of 10.0.0.0/8 as numbers.
    pub const NETWORK: (i64, i64) = (10 << 24, (11 << 24) - 1);
}

/// What rules decide on a message, again and again.
pub type Decide = Box<dyn FnMut() -> bool>;

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Two terms.
    A,
    /// Six terms.
    B,
    /// A hundred rules.
    C,
    /// B, and what the engine needs to know of a message is made anew for each.
    Context,
}

impl Rules {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::Context];

    /// The prefixes of the path that rules ask for, one a rule; the last is that of the message.
    pub fn prefixes(self) -> Vec<String> {
        let n_others = if self == Self::C { 99 } else { 0 };
        let others = (0..n_others).map(|n| format!("/puppet/v3/kind{n}/"));
        others.chain(["/puppet/v3/catalog/".to_owned()]).collect()
    }
}
