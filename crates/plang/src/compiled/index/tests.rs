//! Tests: the index finds the rules that a linear search finds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::networks::Networks;
use super::super::prefixes::Prefixes;
use super::{Selection, merged};
use crate::ip::{Ip, Network};

/// Rules for texts, some of which are prefixes of others.
fn texts() -> BTreeMap<Arc<[u8]>, Vec<u32>> {
    let texts = ["", "/", "/a", "/a/", "/a/b", "/ab", "/b/c/d", "/b/c/e", "x", "/a/bcdefghijklmn"];
    let rules =
        texts.iter().zip(0_u32..).map(|(text, n)| (text.as_bytes().into(), vec![n, n + 20]));
    rules.collect()
}

#[test]
fn prefixes_are_all_that_a_text_begins_with() {
    for without in 0..10 {
        let mut rules = texts();
        rules.retain(|_, rules| rules[0] != without);
        let prefixes = Prefixes::new(rules.clone(), 1000).expect("they are few");
        for text in ["", "/", "/a", "/a/bc", "/a/bcdefghijklmno", "/abc", "/b/c/", "/b/c/ef", "y"] {
            let found = rules.iter().filter(|(key, _)| text.as_bytes().starts_with(key));
            let wanted = found.fold(Box::default(), |all, (_, rules)| merged(rules, &all));
            assert_eq!(prefixes.of(text.as_bytes()), &*wanted, "{text} without {without}");
        }
    }
    assert!(Prefixes::new(texts(), 10).is_none(), "there are more rules than that");
    assert!(Prefixes::new(BTreeMap::new(), 0).expect("none").of(b"/").is_empty(), "no rule");
}

#[test]
fn networks_are_all_that_an_address_is_in() {
    let texts = [
        "0.0.0.0/0",
        "10.0.0.0/8",
        "10.0.0.0/16",
        "10.255.0.0/16",
        "10.1.2.3",
        "11.0.0.0/8",
        "2001:db8::/32",
        "::/0",
        "ffff::/16",
    ];
    let all: Vec<Network> =
        texts.iter().map(|text| Network::parse(text).expect("it is a network")).collect();
    for without in 0..all.len() {
        let mut rules: BTreeMap<(u128, u128), Vec<u32>> = BTreeMap::new();
        for (n, network) in (0_u32..).zip(&all).filter(|(n, _)| *n as usize != without) {
            rules.insert((network.low(), network.high()), vec![n]);
        }
        let networks = Networks::new(rules.clone(), 1000).expect("they are few");
        for network in &all {
            let near = [network.low(), network.high(), network.low().wrapping_sub(1)];
            for number in near.into_iter().chain([network.high().wrapping_add(1)]) {
                let ip = Ip::from(std::net::IpAddr::from(number.to_be_bytes()));
                let found =
                    rules.iter().filter(|((low, high), _)| *low <= number && number <= *high);
                let wanted = found.fold(Box::default(), |all, (_, rules)| merged(rules, &all));
                assert_eq!(networks.around(ip), &*wanted, "{ip} without {without}");
            }
        }
    }
}

#[test]
fn a_selection_gives_each_rule_once_and_in_order() {
    let mut selection = Selection([&[1, 4, 6], &[2, 4], &[0, 6, 7]]);
    let rules: Vec<u32> = std::iter::from_fn(|| selection.next()).collect();
    assert_eq!(rules, [0, 1, 2, 4, 6, 7]);
}
