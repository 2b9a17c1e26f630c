//! P compared with other policy engines: the same rules in each of their languages, on one message.
//!
//! - A: two terms, the method and a prefix of the path
//! - B: six terms, with an address in a network and a header that contains a word
//! - C: a hundred rules like B, of which the last applies
//!
//! With context, each gets the same parts of a message (method, path, query, header fields, the client's address) and
//! builds its input from them: P a message, the others values for their variables.
//!
//! wirefilter has neither prefixes nor suffixes and uses `contains`, which is less work; cel, rhai and Cedar have no
//! networks for texts and get the address as a number, or as Cedar's own type.

pub mod p;
pub mod peers;
pub mod time;

/// The message of all decisions.
pub mod message {
    /// The method.
    pub const METHOD: &str = "GET";
    /// The path.
    pub const PATH: &str = "/puppet/v3/catalog/agent1.example.com";
    /// The query.
    pub const QUERY: &str = "environment=production";
    /// The client's address.
    pub const CLIENT: &str = "10.20.3.4";
    /// The user agent.
    pub const AGENT: &str = "Puppet/7.23.0 Ruby/3.1.2 (x86_64-linux)";
    /// The header fields.
    pub static HEADERS: [(&str, &str); 3] = [
        ("Host", "puppet.example.com:8140"),
        ("Accept", "application/json"),
        ("User-Agent", AGENT),
    ];
    /// The client's address as a number.
    pub const NUMBER: i64 = (10 << 24) | (20 << 16) | (3 << 8) | 4;

    /// Returns the user agent, found among the header fields, which is part of the cost of a context.
    pub fn agent() -> &'static str {
        let fields: &'static [(&str, &str)] = std::hint::black_box(&HEADERS);
        let field = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("user-agent"));
        field.map_or("", |(_, value)| value)
    }
    /// The first and the last address of 10.0.0.0/8 as numbers.
    pub const NETWORK: (i64, i64) = (10 << 24, (11 << 24) - 1);
}

/// A function that decides on the message, called many times.
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
    /// B, with the engine's input built anew for each decision.
    Context,
}

impl Rules {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::Context];

    /// Returns the prefixes of the path in rules, one per rule; the last is that of the message.
    pub fn prefixes(self) -> Vec<String> {
        let n_others = if self == Self::C { 99 } else { 0 };
        let others = (0..n_others).map(|n| format!("/puppet/v3/kind{n}/"));
        others.chain(["/puppet/v3/catalog/".to_owned()]).collect()
    }
}
