//! Networks of which some lie in others. They cut all addresses into pieces, each with one innermost network.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::index::merged;
use crate::ip::Ip;

/// Rules by the network that an address must be in.
#[derive(Debug)]
pub(super) struct Networks {
    /// The first address of each piece.
    starts: Vec<u128>,
    /// The list of each piece.
    pieces: Vec<u32>,
    /// The rules of each network and of all around it; the first list is empty, for what is in no network.
    lists: Vec<Box<[u32]>>,
}

impl Networks {
    /// Networks by their first and last address. None: the lists would have more elements than that.
    pub(super) fn new(rules: BTreeMap<(u128, u128), Vec<u32>>, mut most: usize) -> Option<Self> {
        let mut sorted: Vec<_> = rules.into_iter().collect();
        // A network comes before those in it.
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

    /// Ends all networks that end before an address.
    fn leave(&mut self, around: &mut Vec<(u128, u32)>, low: u128) {
        while let Some((high, _)) = around.pop_if(|(high, _)| *high < low) {
            self.start(high + 1, around.last().map_or(0, |(_, list)| *list));
        }
    }

    /// Starts a piece; one that starts there already would be empty.
    fn start(&mut self, low: u128, list: u32) {
        if self.starts.last() == Some(&low) {
            self.starts.pop();
            self.pieces.pop();
        }
        self.starts.push(low);
        self.pieces.push(list);
    }

    /// The rules of all networks that an address is in.
    pub(super) fn around(&self, ip: Ip) -> &[u32] {
        let number = ip.number();
        let n_before = self.starts.partition_point(|start| *start <= number);
        &self.lists[self.pieces[n_before.saturating_sub(1)] as usize]
    }
}
