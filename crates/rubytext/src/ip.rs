//! IP addresses, parsed and printed as Ruby's `IPAddr` does.

use super::RubyError;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// An address, masked by its prefix length if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    bits: u128,
    is_v6: bool,
    /// The zone, as in `%eth0`.
    zone: Option<String>,
}

/// A network: `10.0.0.0/8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRange {
    first: Address,
    /// The number of bits after the prefix.
    cut: u32,
}

impl AddressRange {
    /// Returns true if the network contains `address`.
    pub fn includes(&self, address: &Address) -> bool {
        let network = |address: &Address| address.bits.checked_shr(self.cut).unwrap_or(0);
        self.first.is_v6 == address.is_v6 && network(&self.first) == network(address)
    }
}

impl Address {
    /// Parses `10.0.0.1`, `10.0.0.1/8`, `10.0.0.1/255.0.0.0`, `::1`, `[::1]`, `fe80::1%eth0`.
    pub fn parse(text: &str) -> Result<Self, RubyError> {
        let (mut prefix, length) = match text.split_once('/') {
            Some((prefix, length)) => (prefix, Some(length)),
            None => (text, None),
        };
        let mut only_v6 = false;
        if let Some(inner) = prefix.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (prefix, only_v6) = (inner, true);
        }
        let zone = zone(prefix).map(str::to_owned);
        if let Some(zone) = &zone {
            (prefix, only_v6) = (&prefix[..prefix.len() - zone.len()], true);
        }
        let v4 = if only_v6 { None } else { v4(prefix)? };
        let address = match v4 {
            Some(bits) => Self { bits: u128::from(u32::from(bits)), is_v6: false, zone },
            None => {
                let bits = v6(prefix)?;
                Self { bits: u128::from(bits), is_v6: true, zone }
            }
        };
        match length {
            Some(length) => address.masked(length),
            None => Ok(address),
        }
    }

    /// Parses a network; an address without a prefix length is a network of its own.
    pub fn parse_range(text: &str) -> Result<AddressRange, RubyError> {
        let first = Self::parse(text)?;
        let size = if first.is_v6 { 128 } else { 32 };
        let length = match text.split_once('/') {
            None => size,
            Some((_, length)) => match length.parse::<u32>() {
                Ok(length) => length,
                Err(_) => Self::parse(length)?.bits.count_ones(),
            },
        };
        Ok(AddressRange { first, cut: size.saturating_sub(length) })
    }

    /// Returns true for IPv6.
    pub fn is_v6(&self) -> bool {
        self.is_v6
    }

    fn masked(mut self, length: &str) -> Result<Self, RubyError> {
        let prefix_error = |message: String| RubyError::new("IPAddr::InvalidPrefixError", message);
        let size = if self.is_v6 { 128 } else { 32 };
        let address = self.bits;
        let is_digits = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
        if is_digits && length.len() > 1 && length.starts_with('0') {
            return Err(prefix_error("leading zeros in prefix".to_owned()));
        }
        if is_digits {
            let bits = length.parse::<u32>().ok().filter(|bits| *bits <= size);
            let Some(bits) = bits else {
                return Err(prefix_error(format!("invalid length: {address}")));
            };
            let cut = size - bits;
            self.bits = self.bits.checked_shr(cut).unwrap_or(0).checked_shl(cut).unwrap_or(0);
            return Ok(self);
        }
        let mask = Self::parse(length)?;
        if mask.is_v6 != self.is_v6 {
            return Err(prefix_error(format!("address family is not same: {address}")));
        }
        let full = if self.is_v6 { u128::MAX } else { u128::from(u32::MAX) };
        let rest = mask.bits ^ full;
        if rest.wrapping_add(1) & rest != 0 {
            return Err(prefix_error(format!("invalid mask {length}: {address}")));
        }
        self.bits &= mask.bits;
        Ok(self)
    }
}

/// Encloses IPv6 addresses in square brackets, as `enclose_ipv6` of stdlib does; an error names the text.
pub fn enclose(text: &str) -> Result<String, RubyError> {
    let address = Address::parse(text)?;
    Ok(if address.is_v6 { format!("[{address}]") } else { text.to_owned() })
}

/// Creates Ruby's error. The message ends where Ruby means to name the address, but has none yet.
fn invalid(message: &str) -> RubyError {
    RubyError::new("IPAddr::InvalidAddressError", message)
}

/// Returns the zone, the name of an interface behind `%` at the end.
fn zone(text: &str) -> Option<&str> {
    let at = text.rfind('%')?;
    let name = &text[at + 1..];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_word)).then(|| &text[at..])
}

/// Parses an IPv4 address; `None` if the text does not have its shape.
fn v4(text: &str) -> Result<Option<Ipv4Addr>, RubyError> {
    let parts: Vec<&str> = text.split('.').collect();
    let [a, b, c, d] = parts[..] else { return Ok(None) };
    let octets = [a, b, c, d];
    if octets.iter().any(|part| part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(None);
    }
    let mut bytes = [0; 4];
    for (byte, part) in bytes.iter_mut().zip(octets) {
        *byte = number(part).ok_or_else(|| invalid("invalid address: "))?;
        if part.len() > 1 && part.starts_with('0') {
            return Err(invalid("zero-filled number in IPv4 address is ambiguous: "));
        }
    }
    Ok(Some(Ipv4Addr::from(bytes)))
}

/// Parses a number below 256, with any number of leading zeros.
fn number(digits: &str) -> Option<u8> {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { Some(0) } else { digits.parse().ok() }
}

fn v6(text: &str) -> Result<Ipv6Addr, RubyError> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    // An IPv4 address at the end has errors of its own, if all before it is right.
    if let Some((front, back)) = text.rsplit_once(':')
        && format!("{front}:1.2.3.4").parse::<Ipv6Addr>().is_ok()
    {
        v4(back)?;
    }
    Err(invalid("invalid address: "))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(v4) = u32::try_from(self.bits) else { return self.fmt_v6(f) };
        if self.is_v6 { self.fmt_v6(f) } else { write!(f, "{}", Ipv4Addr::from(v4)) }
    }
}

impl Address {
    fn fmt_v6(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = Ipv6Addr::from(self.bits).segments();
        let zone = self.zone.as_deref().unwrap_or("");
        // The first of the longest runs of at least two zeros is left out.
        let run = longest_zeros(&groups);
        let hex = |part: &[u16]| {
            part.iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":")
        };
        let text = match run {
            Some((start, length)) => {
                format!("{}::{}", hex(&groups[..start]), hex(&groups[start + length..]))
            }
            None => hex(&groups),
        };
        let is_embedded = match run {
            Some((0, 6)) => groups[6] != 0,
            Some((0, 5)) => groups[5] == 0xffff,
            _ => false,
        };
        if is_embedded {
            let [a, b] = groups[6].to_be_bytes();
            let [c, d] = groups[7].to_be_bytes();
            let middle = if groups[5] == 0xffff { "ffff:" } else { "" };
            return write!(f, "::{middle}{a}.{b}.{c}.{d}{zone}");
        }
        write!(f, "{text}{zone}")
    }
}

fn longest_zeros(groups: &[u16; 8]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let mut start = 0;
    while start < 8 {
        let length = groups[start..].iter().take_while(|&&group| group == 0).count();
        if length > 1 && best.is_none_or(|(_, longest)| length > longest) {
            best = Some((start, length));
        }
        start += length.max(1);
    }
    best
}
