//! Nested networks, as ranges of addresses that each have one innermost network.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::index::merged;
use crate::ip::Ip;

/// Rules by the network that an address must be in.
#[derive(Debug)]
pub(super) struct Networks {
    /// The first address of each range.
    starts: Vec<u128>,
    /// The list of each range.
    pieces: Vec<u32>,
    /// For each network, its rules and those of all networks around it; list 0 is empty, for addresses in no network.
    lists: Vec<Box<[u32]>>,
}

impl Networks {
    /// Builds the ranges from networks given by first and last address. None: the lists would exceed `most` elements.
    pub(super) fn new(rules: BTreeMap<(u128, u128), Vec<u32>>, mut most: usize) -> Option<Self> {
        let mut sorted: Vec<_> = rules.into_iter().collect();
        // Sorts a network before those inside of it.
        sorted.sort_by_key(|((low, high), _)| (*low, Reverse(*high)));
        let mut networks = Self { starts: vec![0], pieces: vec![0], lists: vec![Box::default()] };
        let mut around: Vec<(u128, u32)> = Vec::new();
        for ((low, high), own) in sorted {
            networks.leave(&mut around, low);
            let outer = around.last().map_or(0, |(_, list)| *list);
            let rules = merged(&own, &networks.lists[outer as usize]);
            most = most.checked_sub(rules.len())?;
            let list = u32::try_from(networks.lists.len()).ok()?;
            networks.lists.push(rules);
            networks.start(low, list);
            around.push((high, list));
        }
        networks.leave(&mut around, u128::MAX);
        Some(networks)
    }

    /// Closes all networks that end before an address.
    fn leave(&mut self, around: &mut Vec<(u128, u32)>, low: u128) {
        while let Some((high, _)) = around.pop_if(|(high, _)| *high < low) {
            self.start(high + 1, around.last().map_or(0, |(_, list)| *list));
        }
    }

    /// Starts a range; replaces one that starts at the same address and would be empty.
    fn start(&mut self, low: u128, list: u32) {
        if self.starts.last() == Some(&low) {
            self.starts.pop();
            self.pieces.pop();
        }
        self.starts.push(low);
        self.pieces.push(list);
    }

    /// Returns the rules of all networks that contain an address.
    pub(super) fn around(&self, ip: Ip) -> &[u32] {
        let number = ip.number();
        let n_before = self.starts.partition_point(|start| *start <= number);
        &self.lists[self.pieces[n_before.saturating_sub(1)] as usize]
    }
}
