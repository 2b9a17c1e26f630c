//! IP addresses and networks. An IPv4 address is stored as the IPv6 address that maps it.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// An IP address, IPv4 or IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ip([u8; 16]);

/// A network: an address and the number of leading bits that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Network {
    low: u128,
    high: u128,
}

/// A reason why a text is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The part before the slash is no address.
    NoAddress,
    /// The part behind the slash is no number.
    NoLength,
    /// There are more bits than an address has.
    TooLong,
    /// Bits behind the prefix are not zero.
    BitsBehind,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoAddress => "it is no address",
            Self::NoLength => "its length is no number",
            Self::TooLong => "its length is too large",
            Self::BitsBehind => "it has bits behind its length",
        })
    }
}

impl std::error::Error for NetworkError {}

impl Ip {
    /// The unspecified address, `::`.
    pub const UNSPECIFIED: Self = Self([0; 16]);

    /// Parses `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let text = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        text.parse::<IpAddr>().ok().map(Self::from)
    }

    /// Returns the address as a number.
    pub fn number(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// Returns the IP version, 4 or 6.
    pub fn version(self) -> i64 {
        if Ipv6Addr::from(self.0).to_ipv4_mapped().is_some() { 4 } else { 6 }
    }
}

impl From<IpAddr> for Ip {
    fn from(address: IpAddr) -> Self {
        let mapped = match address {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        Self(mapped.octets())
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Ipv6Addr::from(self.0);
        match address.to_ipv4_mapped() {
            Some(address) => address.fmt(out),
            None => address.fmt(out),
        }
    }
}

impl Network {
    /// Parses `10.0.0.0/8` or a single address. The bits behind the prefix must be zero: `10.1.2.3/8` is more likely a
    /// mistake than intended.
    pub fn parse(text: &str) -> Result<Self, NetworkError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address = address.parse::<IpAddr>().map_err(|_| NetworkError::NoAddress)?;
        let width: u32 = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => width,
            Some(bits) => bits.parse().map_err(|_| NetworkError::NoLength)?,
        };
        if bits > width {
            return Err(NetworkError::TooLong);
        }
        // In an IPv4-mapped address only the last 32 bits vary.
        let low = Ip::from(address).number();
        let n_free = width - bits;
        let rest = if n_free == 0 { 0 } else { u128::MAX >> (128 - n_free) };
        if low & rest != 0 {
            return Err(NetworkError::BitsBehind);
        }
        Ok(Self { low, high: low | rest })
    }

    /// Returns the first address.
    pub fn low(&self) -> u128 {
        self.low
    }

    /// Returns the last address.
    pub fn high(&self) -> u128 {
        self.high
    }
}
