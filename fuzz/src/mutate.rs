//! Mutation of inputs.

use std::ops::Range;

use crate::Target;
use crate::dictionary::{HTTP, JSON, PUPPET, REGEXP, WIRE};
use crate::random::Random;

/// The maximum size of inputs: small ones find as much, and more of them run per second.
const MAX_LENGTH: usize = 2_000;

/// Returns an input for `target` made from one of `seeds`, changed in a few places.
pub fn mutate(target: Target, seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(seeds).clone();
    if target == Target::Xpp && !random.one_in(8) {
        (0..=random.below(4)).for_each(|_| set(&mut bytes, random));
        return bytes;
    }
    for _ in 0..=random.below(6) {
        change(target, &mut bytes, seeds, random);
    }
    bytes.truncate(MAX_LENGTH);
    bytes
}

fn change(target: Target, bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let here = piece(bytes, random);
    match random.below(12) {
        0 => flip(bytes, random),
        1 | 2 => drop(bytes.splice(here.start..here.start, token(target, random))),
        3 => drop(bytes.splice(here, token(target, random))),
        4 | 5 => drop(bytes.drain(here)),
        6 => {
            let copy = bytes[here.clone()].repeat(1 + random.below(3));
            bytes.splice(here.end..here.end, copy);
        }
        7 | 8 => {
            let other = random.pick(seeds);
            let taken = other[piece(other, random)].to_vec();
            bytes.splice(here, taken);
        }
        9 => {
            let taken = bytes[here].to_vec();
            let there = border(bytes, random);
            bytes.splice(there..there, taken);
        }
        10 => bytes.truncate(here.end),
        _ => nest(bytes, here, random),
    }
}

/// Returns a range of the bytes, most often short, between character boundaries.
fn piece(bytes: &[u8], random: &mut Random) -> Range<usize> {
    let start = border(bytes, random);
    let most = if random.one_in(4) { bytes.len() - start } else { (bytes.len() - start).min(12) };
    let mut end = start + random.below(most + 1);
    while !is_border(bytes, end) {
        end += 1;
    }
    start..end
}

fn border(bytes: &[u8], random: &mut Random) -> usize {
    let mut at = random.below(bytes.len() + 1);
    while !is_border(bytes, at) {
        at += 1;
    }
    at
}

fn is_border(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| byte & 0xC0 != 0x80)
}

/// Flips a bit; the result may be invalid UTF-8.
fn flip(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        let bits = if random.one_in(8) { 8 } else { 7 };
        *byte ^= 1 << random.below(bits);
    }
}

/// Sets a byte to a likely count or tag: these are small.
fn set(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    let any = u8::try_from(random.below(256)).unwrap_or(0);
    if let Some(byte) = bytes.get_mut(at) {
        *byte = match random.below(5) {
            0 => 0,
            1 => 0xFF,
            2 => byte.wrapping_add(1),
            3 => byte.wrapping_sub(1),
            _ => any % if any % 2 == 0 { 64 } else { 255 },
        };
    }
}

/// Returns a token of the dictionary, or a character of any script.
fn token(target: Target, random: &mut Random) -> Vec<u8> {
    if random.one_in(20) {
        let bound = [0x80, 0x800, 0x3100, 0x11_0000][random.below(4)];
        let code = u32::try_from(random.below(bound)).unwrap_or(0);
        return char::from_u32(code).unwrap_or('\u{fffd}').to_string().into_bytes();
    }
    let dictionary = match target {
        Target::Manifest | Target::Template | Target::Eval | Target::Compile | Target::Ruby => PUPPET,
        Target::Regexp => REGEXP,
        Target::Json | Target::Xpp | Target::Request | Target::Query => JSON,
        Target::Http | Target::AuthConf => HTTP,
        Target::H1 | Target::Icap => WIRE,
    };
    random.pick(dictionary).as_bytes().to_vec()
}

/// Surrounds a range with brackets or quotes, once or many times.
fn nest(bytes: &mut Vec<u8>, here: Range<usize>, random: &mut Random) {
    const PAIRS: &[(&str, &str)] = &[
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("'", "'"),
        ("\"", "\""),
        ("\"${", "}\""),
        ("if a { ", " }"),
        ("class a { ", " }"),
        ("<%= ", " %>"),
        ("/", "/"),
        ("/*", "*/"),
        ("@(\"X\")\n", "\nX\n"),
        ("@(X:pp)\n", "\nX\n"),
    ];
    let (open, close) = random.pick(PAIRS);
    let times = if random.one_in(10) { 1 + random.below(40) } else { 1 };
    bytes.splice(here.end..here.end, close.repeat(times).into_bytes());
    bytes.splice(here.start..here.start, open.repeat(times).into_bytes());
}
