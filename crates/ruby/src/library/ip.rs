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
    method("to_string", |_, ip, _| text(ip.shown())),
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
    method("private?", |_, ip, _| yes(ip.is_private())),
    method("link_local?", |_, ip, _| yes(ip.is_link_local())),
    method("netmask", |_, ip, _| text(Ip { bits: ip.mask(), ..ip.clone() }.shown())),
    method("|", |run, ip, a| change(run, ip, &a.get(0), |left, right| left | right)),
    method("&", |run, ip, a| change(run, ip, &a.get(0), |left, right| left & right)),
    method("~", |run, ip: &Ip, _| Ok(run.make_ip(ip.with_bits(!ip.bits)))).arity(0, 0),
    method("<<", |run, ip: &Ip, a| shift(run, ip, &a.get(0), u128::checked_shl)).arity(1, 1),
    method(">>", |run, ip: &Ip, a| shift(run, ip, &a.get(0), u128::checked_shr)).arity(1, 1),
    method("native", |run, ip, _| Ok(run.make_ip(ip.native()))),
    method("ipv4_mapped", |run, ip: &Ip, _| Ok(run.make_ip(ip.mapped()))).when(|ip, _| !ip.is_v6),
    method("ipv4_mapped?", |_, ip, _| yes(ip.is_mapped())),
    method("hton", |run, ip, _| Ok(run.bytes(ip.octets()))),
    method("ip6_arpa", |_, ip: &Ip, _| text(ip.reverse())).when(|ip, _| ip.is_v6),
    method("hash", hash),
];

/// The methods of `IPAddr` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] = &[method("new", new)];

/// `|` and `&`: the other side may be an address of another family, a text or a number.
fn change(run: &mut Run<'_>, ip: &Ip, other: &RubyValue, change: fn(u128, u128) -> u128) -> Eval {
    let other = match other {
        RubyValue::Int(number) => match u128::try_from(*number) {
            Ok(number) if number <= ip.all() => number,
            _ => return run.raise("IPAddr::InvalidAddressError", "invalid address: "),
        },
        RubyValue::Big(_) | RubyValue::Nil => return run.unsupported("a number beside an IPAddr"),
        other => run.ip_arg(other)?.bits,
    };
    let bits = change(ip.bits, other);
    if bits > ip.all() {
        let message = format!("invalid address: {}", ip.bits);
        return run.raise("IPAddr::InvalidAddressError", message);
    }
    Ok(run.make_ip(Ip { bits, ..ip.clone() }))
}

/// `<<` and `>>`
fn shift(
    run: &mut Run<'_>,
    ip: &Ip,
    count: &RubyValue,
    shift: fn(u128, u32) -> Option<u128>,
) -> Eval {
    let Ok(count) = u32::try_from(run.int_arg(count)?) else {
        return run.unsupported("an IPAddr shifted by a negative number");
    };
    let bits = shift(ip.bits, count).unwrap_or(0);
    Ok(run.make_ip(ip.with_bits(bits)))
}

fn inspect(_run: &mut Run<'_>, ip: &Ip, _a: Args<'_>) -> Eval {
    let (family, mask) = if ip.is_v6 {
        ("IPv6", long(ip.mask()))
    } else {
        ("IPv4", Ipv4Addr::from(u32::try_from(ip.mask()).unwrap_or(0)).to_string())
    };
    text(format!("#<IPAddr: {family}:{}/{mask}>", ip.shown()))
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
        RubyValue::Str(text) => {
            let ip = run.parse_ip(&text.to_text())?;
            let is_fitting = match a.get(1) {
                RubyValue::Nil | RubyValue::Int(0) => true,
                RubyValue::Int(2) => !ip.is_v6,
                RubyValue::Int(10) => ip.is_v6,
                _ => return run.unsupported("family of IPAddr.new"),
            };
            if !is_fitting {
                return run.unsupported("an address of another family");
            }
            ip
        }
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

    /// Returns the address with all of its digits.
    fn shown(&self) -> String {
        if self.is_v6 { long(self.bits) } else { self.text() }
    }

    /// Returns the greatest address of the family.
    fn all(&self) -> u128 {
        if self.is_v6 { u128::MAX } else { u128::from(u32::MAX) }
    }

    fn mask(&self) -> u128 {
        self.all() ^ self.host_bits()
    }

    /// Returns another address of the family, without the bits that it has no place for.
    fn with_bits(&self, bits: u128) -> Self {
        Self { bits: bits & self.all(), ..self.clone() }
    }

    fn octets(&self) -> Vec<u8> {
        let octets = self.bits.to_be_bytes();
        octets.get(if self.is_v6 { 0 } else { 12 }..).unwrap_or_default().to_vec()
    }

    /// Whether it is an address of version 4 written as one of version 6: `::ffff:10.0.0.1`.
    fn is_mapped(&self) -> bool {
        self.is_v6 && self.bits >> 32 == 0xffff
    }

    fn mapped(&self) -> Self {
        Self { bits: self.bits | 0xffff << 32, is_v6: true, prefix: self.prefix + 96 }
    }

    fn native(&self) -> Self {
        if !self.is_mapped() {
            return self.clone();
        }
        let (bits, prefix) = (self.bits & u128::from(u32::MAX), self.prefix.saturating_sub(96));
        Self { bits, is_v6: false, prefix }
    }

    fn is_private(&self) -> bool {
        if self.is_v6 {
            return self.bits >> 121 == 0xfc >> 1;
        }
        self.bits >> 24 == 10 || self.bits >> 20 == 0xac1 || self.bits >> 16 == 0xc0a8
    }

    fn is_link_local(&self) -> bool {
        if self.is_v6 { self.bits >> 118 == 0xfe80 >> 6 } else { self.bits >> 16 == 0xa9fe }
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
