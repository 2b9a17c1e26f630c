//! Sets that are built at compile time.

use std::collections::HashSet;

use crate::ip::{Ip, Network};
use crate::text::{first_word, same};

/// Number of members up to which comparing all is faster than hashing.
const FEW: usize = 6;

/// A set of texts.
#[derive(Debug)]
pub enum TextSet {
    /// A few texts, each with its first word.
    Few(Box<[(u64, Box<[u8]>)]>),
    /// Many texts.
    Many(HashSet<Box<[u8]>>),
}

impl TextSet {
    /// Creates a set of texts.
    pub fn new(texts: Vec<Box<[u8]>>) -> Self {
        if texts.len() <= FEW {
            Self::Few(texts.into_iter().map(|text| (first_word(&text), text)).collect())
        } else {
            Self::Many(texts.into_iter().collect())
        }
    }

    /// Returns the members, in no particular order.
    pub fn texts(&self) -> Vec<&[u8]> {
        match self {
            Self::Few(texts) => texts.iter().map(|(_, text)| &**text).collect(),
            Self::Many(texts) => texts.iter().map(|text| &**text).collect(),
        }
    }

    /// Whether the text is a member.
    pub fn has(&self, text: &[u8]) -> bool {
        match self {
            Self::Few(texts) => {
                let word = first_word(text);
                texts.iter().any(|(first, member)| *first == word && same(member, text))
            }
            Self::Many(texts) => texts.contains(text),
        }
    }
}

/// A set of networks: sorted, disjoint ranges.
#[derive(Debug)]
pub struct NetSet {
    bounds: Box<[(u128, u128)]>,
}

impl NetSet {
    /// Creates a set of networks.
    pub fn new(mut networks: Vec<Network>) -> Self {
        networks.sort_unstable();
        let mut bounds: Vec<(u128, u128)> = Vec::new();
        for network in &networks {
            match bounds.last_mut() {
                Some((_, high)) if network.low() <= *high => *high = (*high).max(network.high()),
                _ => bounds.push((network.low(), network.high())),
            }
        }
        Self { bounds: bounds.into() }
    }

    /// Returns the first and the last address of each range; overlapping networks are merged.
    pub fn bounds(&self) -> &[(u128, u128)] {
        &self.bounds
    }

    /// Whether the address is in one of the networks.
    pub fn has(&self, ip: Ip) -> bool {
        let number = ip.number();
        if let [(low, high)] = *self.bounds {
            return low <= number && number <= high;
        }
        let index = self.bounds.partition_point(|(low, _)| *low <= number);
        index > 0 && number <= self.bounds[index - 1].1
    }
}
