//! Sets that are built when the program is checked.

use std::collections::HashSet;

use crate::ip::{Ip, Network};
use crate::text::{first_word, same};

/// Few members are compared one by one: that is quicker than to hash.
const FEW: usize = 6;

/// A set of texts.
#[derive(Debug)]
pub enum TextSet {
    /// A few, each behind its first word.
    Few(Box<[(u64, Box<[u8]>)]>),
    /// Many.
    Many(HashSet<Box<[u8]>>),
}

impl TextSet {
    /// A set of these texts.
    pub fn new(texts: Vec<Box<[u8]>>) -> Self {
        if texts.len() <= FEW {
            Self::Few(texts.into_iter().map(|text| (first_word(&text), text)).collect())
        } else {
            Self::Many(texts.into_iter().collect())
        }
    }

    /// The members, in no order that means anything.
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

/// A set of networks: sorted ranges that do not touch.
#[derive(Debug)]
pub struct NetSet {
    bounds: Box<[(u128, u128)]>,
}

impl NetSet {
    /// A set of these networks.
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

    /// The first and the last address of each network; of two that share some, the larger.
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
