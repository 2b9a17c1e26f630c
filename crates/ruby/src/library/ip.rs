//! `IPAddr`

use std::net::{Ipv4Addr, Ipv6Addr};

use kukla_rubytext::BigInt;
use kukla_rubytext::ip::Address;

use crate::class::{Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;
use std::rc::Rc;

/// An address with the length of its prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ip {
    bits: u128,
    is_v6: bool,
    prefix: u32,
}

impl Ip {
    fn size(&self) -> u32 {
        if self.is_v6 { 128 } else { 32 }
    }

    fn text(&self) -> String {
        if self.is_v6 {
            return Ipv6Addr::from(self.bits).to_string();
        }
        Ipv4Addr::from(u32::try_from(self.bits).unwrap_or(0)).to_string()
    }

    /// The name under which the name service knows the address.
    fn reverse(&self) -> String {
        if self.is_v6 {
            let digits = format!("{:032x}", self.bits);
            let digits: Vec<String> = digits.chars().rev().map(String::from).collect();
            return format!("{}.ip6.arpa", digits.join("."));
        }
        let text = self.text();
        let parts: Vec<&str> = text.split('.').rev().collect();
        format!("{}.in-addr.arpa", parts.join("."))
    }

    fn mask(&self) -> u128 {
        let all = if self.is_v6 { u128::MAX } else { u128::from(u32::MAX) };
        all ^ self.host_bits()
    }

    fn host_bits(&self) -> u128 {
        let cut = self.size() - self.prefix;
        if cut >= 128 { u128::MAX } else { (1 << cut) - 1 }
    }

    fn with_prefix(&self, prefix: u32) -> Self {
        let mut new = Self { prefix, ..self.clone() };
        new.bits &= new.mask();
        new
    }

    fn includes(&self, other: &Self) -> bool {
        self.is_v6 == other.is_v6
            && other.bits & self.mask() == self.bits
            && other.prefix >= self.prefix
    }
}

impl Run<'_> {
    pub(crate) fn parse_ip(&mut self, text: &str) -> Eval<Ip> {
        let address = self.from_text(Address::parse(text))?;
        let shown = address.to_string();
        if shown.contains('%') {
            return self.unsupported("addresses with a zone");
        }
        let is_v6 = address.is_v6();
        let bits = if is_v6 {
            shown.parse::<Ipv6Addr>().map(u128::from).unwrap_or(0)
        } else {
            shown.parse::<Ipv4Addr>().map(|ip| u128::from(u32::from(ip))).unwrap_or(0)
        };
        let size = if is_v6 { 128 } else { 32 };
        let prefix = match text.split_once('/') {
            None => size,
            Some((_, length)) => match length.parse::<u32>() {
                Ok(length) => length,
                Err(_) => {
                    let mask = self.from_text(Address::parse(length))?.to_string();
                    match mask.parse::<Ipv4Addr>() {
                        Ok(mask) => u32::from(mask).count_ones(),
                        Err(_) => mask
                            .parse::<Ipv6Addr>()
                            .map_or(size, |mask| u128::from(mask).count_ones()),
                    }
                }
            },
        };
        Ok(Ip { bits, is_v6, prefix })
    }

    /// `IPAddr.new(number, family)`: Ruby asks for a family before it looks at what else it was given.
    pub(crate) fn ip_of_number(&mut self, number: &RubyValue, family: &RubyValue) -> Eval<Ip> {
        let is_v6 = match family {
            RubyValue::Int(2) => false,
            RubyValue::Int(10) => true,
            RubyValue::Nil | RubyValue::Int(0) => {
                return self
                    .raise("IPAddr::AddressFamilyError", "address family must be specified");
            }
            RubyValue::Int(other) => {
                let message = format!("unsupported address family: {other}");
                return self.raise("IPAddr::AddressFamilyError", &message);
            }
            _ => return self.unsupported("family of IPAddr.new"),
        };
        let size = if is_v6 { 128 } else { 32 };
        let bits = match number {
            RubyValue::Int(number) => u128::try_from(*number).ok(),
            RubyValue::Big(number) if number.is_negative() => None,
            RubyValue::Big(number) => u128::from_str_radix(&number.digits(16), 16).ok(),
            _ => return self.unsupported("IPAddr.new of what is no number"),
        };
        match bits.filter(|bits| is_v6 || *bits <= u128::from(u32::MAX)) {
            Some(bits) => Ok(Ip { bits, is_v6, prefix: size }),
            None => self.raise("IPAddr::InvalidAddressError", "invalid address: "),
        }
    }

    pub(crate) fn make_ip(&mut self, ip: Ip) -> RubyValue {
        let class = self.class_named("IPAddr");
        RubyValue::Object(Rc::new(Object::new(class, Data::Ip(ip))))
    }

    fn ip_arg(&mut self, value: &RubyValue) -> Eval<Ip> {
        if let RubyValue::Object(object) = value
            && let Data::Ip(ip) = &*object.data.borrow()
        {
            return Ok(ip.clone());
        }
        let text = self.text_arg(value)?;
        self.parse_ip(&text)
    }

    pub(crate) fn ip_method(
        &mut self,
        ip: &Ip,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "to_s" => RubyValue::str(ip.text()),
            "to_string" if !ip.is_v6 => RubyValue::str(ip.text()),
            "inspect" => {
                let (family, mask) = if ip.is_v6 {
                    ("IPv6", long(ip.mask()))
                } else {
                    ("IPv4", Ipv4Addr::from(u32::try_from(ip.mask()).unwrap_or(0)).to_string())
                };
                let shown = if ip.is_v6 { long(ip.bits) } else { ip.text() };
                RubyValue::str(format!("#<IPAddr: {family}:{shown}/{mask}>"))
            }
            "reverse" => RubyValue::str(ip.reverse()),
            "ipv4?" => RubyValue::Bool(!ip.is_v6),
            "ipv6?" => RubyValue::Bool(ip.is_v6),
            "prefix" => RubyValue::Int(i64::from(ip.prefix)),
            "to_i" => self.big(&BigInt::from_bytes(&ip.bits.to_be_bytes()))?,
            "include?" | "===" | "member?" => {
                let other = self.ip_arg(&a.get(0))?;
                RubyValue::Bool(ip.includes(&other))
            }
            "==" | "eql?" => match &a.get(0) {
                value @ (RubyValue::Str(_) | RubyValue::Object(_)) => {
                    let other = self.ip_arg(value)?;
                    RubyValue::Bool(other.bits == ip.bits && other.is_v6 == ip.is_v6)
                }
                _ => RubyValue::Bool(false),
            },
            "<=>" => {
                let other = self.ip_arg(&a.get(0))?;
                if other.is_v6 == ip.is_v6 {
                    RubyValue::Int(ip.bits.cmp(&other.bits) as i64)
                } else {
                    RubyValue::Nil
                }
            }
            "mask" | "&" if name == "mask" => {
                let length = match a.get(0) {
                    RubyValue::Int(length) => u32::try_from(length).unwrap_or(u32::MAX),
                    RubyValue::Str(text) => {
                        let text = text.text.borrow().clone();
                        match text.parse::<u32>() {
                            Ok(length) => length,
                            Err(_) => self.parse_ip(&text)?.bits.count_ones(),
                        }
                    }
                    other => return self.no_conversion(&other, "String"),
                };
                if length > ip.size() {
                    return self.raise(
                        "IPAddr::InvalidPrefixError",
                        format!("invalid length: {}", ip.text()),
                    );
                }
                let new = ip.with_prefix(length);
                self.make_ip(new)
            }
            "succ" => {
                let next = Ip { bits: ip.bits.wrapping_add(1), ..ip.clone() };
                self.make_ip(next)
            }
            "to_range" => {
                let last = Ip { bits: ip.bits | ip.host_bits(), prefix: ip.size(), ..ip.clone() };
                let first = Ip { prefix: ip.size(), ..ip.clone() };
                let (first, last) = (self.make_ip(first), self.make_ip(last));
                RubyValue::range(first, last, false)
            }
            "family" => RubyValue::Int(if ip.is_v6 { 10 } else { 2 }),
            "loopback?" => {
                RubyValue::Bool(if ip.is_v6 { ip.bits == 1 } else { ip.bits >> 24 == 127 })
            }
            "hash" => RubyValue::Int(i64::try_from(ip.bits & 0xffff_ffff).unwrap_or(0)),
            _ => return Ok(None),
        }))
    }
}

/// All digits of an address of version 6.
fn long(bits: u128) -> String {
    Ipv6Addr::from(bits).segments().map(|part| format!("{part:04x}")).join(":")
}
