//! `IPAddr`

use std::net::{Ipv4Addr, Ipv6Addr};

use kukla_rubytext::ip::Address;
use kukla_rubytext::{BigInt, RubyInteger as _};

use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;
use std::rc::Rc;

/// The methods of this file; those of `Comparable` come after them.
pub(crate) static METHODS: &[Builtin<Ip>] = &[
    method("to_s", |_, ip, _| text(ip.text())),
    method("to_string", to_string).when(|ip, _| !ip.is_v6),
    method("inspect", inspect),
    method("reverse", |_, ip, _| text(ip.reverse())),
    method("ipv4?", |_, ip, _| yes(!ip.is_v6)),
    method("ipv6?", |_, ip, _| yes(ip.is_v6)),
    method("prefix", |_, ip, _| Ok(RubyValue::Int(i64::from(ip.prefix)))),
    method("to_i", |run, ip, _| run.big(&BigInt::from_bytes(&ip.bits.to_be_bytes()))),
    method("include?", includes),
    method("===", includes),
    method("member?", includes),
    method("==", equal),
    method("eql?", equal),
    method("<=>", compare),
    method("mask", mask),
    method("succ", succ),
    method("to_range", to_range),
    method("family", |_, ip, _| Ok(RubyValue::Int(if ip.is_v6 { 10 } else { 2 }))),
    method("loopback?", is_loopback),
    method("hash", hash),
];

/// The methods of `IPAddr` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] = &[method("new", new)];

fn to_string(_run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    text(ip.text())
}

fn inspect(_run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    let (family, mask) = if ip.is_v6 {
        ("IPv6", long(ip.mask()))
    } else {
        ("IPv4", Ipv4Addr::from(u32::try_from(ip.mask()).unwrap_or(0)).to_string())
    };
    let shown = if ip.is_v6 { long(ip.bits) } else { ip.text() };
    text(format!("#<IPAddr: {family}:{shown}/{mask}>"))
}

fn includes(run: &mut Run<'_>, ip: &Ip, a: Args<'_>) -> Eval {
    let other = run.ip_arg(&a.get(0))?;
    yes(ip.includes(&other))
}

fn equal(run: &mut Run<'_>, ip: &Ip, a: Args<'_>) -> Eval {
    match &a.get(0) {
        value @ (RubyValue::Str(_) | RubyValue::Object(_)) => {
            let other = run.ip_arg(value)?;
            yes(other.bits == ip.bits && other.is_v6 == ip.is_v6)
        }
        _ => yes(false),
    }
}

fn compare(run: &mut Run<'_>, ip: &Ip, a: Args<'_>) -> Eval {
    let other = run.ip_arg(&a.get(0))?;
    Ok(if other.is_v6 == ip.is_v6 {
        RubyValue::Int(ip.bits.cmp(&other.bits) as i64)
    } else {
        RubyValue::Nil
    })
}

fn mask(run: &mut Run<'_>, ip: &Ip, a: Args<'_>) -> Eval {
    let length = match a.get(0) {
        RubyValue::Int(length) => u32::try_from(length).unwrap_or(u32::MAX),
        RubyValue::Str(text) => {
            let text = text.to_text();
            match text.parse::<u32>() {
                Ok(length) => length,
                Err(_) => run.parse_ip(&text)?.bits.count_ones(),
            }
        }
        other => return run.no_conversion(&other, "String"),
    };
    if length > ip.size() {
        return run.raise("IPAddr::InvalidPrefixError", format!("invalid length: {}", ip.text()));
    }
    let new = ip.with_prefix(length);
    Ok(run.make_ip(new))
}

fn succ(run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    let next = Ip { bits: ip.bits.wrapping_add(1), ..ip.clone() };
    Ok(run.make_ip(next))
}

fn to_range(run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    let last = Ip { bits: ip.bits | ip.host_bits(), prefix: ip.size(), ..ip.clone() };
    let first = Ip { prefix: ip.size(), ..ip.clone() };
    let (first, last) = (run.make_ip(first), run.make_ip(last));
    Ok(RubyValue::range(first, last, false))
}

fn is_loopback(_run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    yes(if ip.is_v6 { ip.bits == 1 } else { ip.bits >> 24 == 127 })
}

fn hash(_run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Int(i64::try_from(ip.bits & 0xffff_ffff).unwrap_or(0)))
}

/// `IPAddr.new('10.0.0.0/8')`, `IPAddr.new(number, family)`
fn new(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let ip = match a.get(0) {
        RubyValue::Str(text) if a.len() == 1 => run.parse_ip(&text.to_text())?,
        RubyValue::Str(_) => return run.unsupported("family of IPAddr.new"),
        number => run.ip_of_number(&number, &a.get(1))?,
    };
    Ok(run.make_ip(ip))
}

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

    /// Returns the name of the address in the reverse zone of the DNS.
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
    fn parse_ip(&mut self, text: &str) -> Eval<Ip> {
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

    /// `IPAddr.new(number, family)`: Ruby checks the family before the number.
    fn ip_of_number(&mut self, number: &RubyValue, family: &RubyValue) -> Eval<Ip> {
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

    fn make_ip(&mut self, ip: Ip) -> RubyValue {
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
}

/// Returns an address of version 6 with all of its digits.
fn long(bits: u128) -> String {
    Ipv6Addr::from(bits).segments().map(|part| format!("{part:04x}")).join(":")
}
