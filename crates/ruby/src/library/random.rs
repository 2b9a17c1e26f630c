//! `SecureRandom`, `rand`, `shuffle`: what comes out differently each time, unless a seed is given.

use std::rc::Rc;

use kukla_rubytext::random::Random;
use kukla_rubytext::{BigInt, base64, digest};

use crate::class::Data;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// So many bytes come without asking for a number.
const BYTES: usize = 16;

/// More are not given at once.
const MAX_BYTES: usize = 1 << 20;

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

impl Run<'_> {
    fn random_bytes(&mut self, n: usize) -> Eval<Vec<u8>> {
        self.charge(n)?;
        match self.host.random(n.min(MAX_BYTES)) {
            Some(bytes) if bytes.len() == n => Ok(bytes),
            _ => self.unsupported("random numbers"),
        }
    }

    /// Numbers that nobody can know before.
    fn fresh_random(&mut self) -> Eval<Random> {
        let seed = self.random_bytes(BYTES)?;
        Ok(Random::new(&BigInt::from_bytes(&seed)))
    }

    pub(crate) fn secure_random_method(
        &mut self,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let n = match a.items.first() {
            Some(RubyValue::Int(n)) => usize::try_from(*n).unwrap_or(0),
            _ => BYTES,
        };
        Ok(Some(match name {
            "hex" => RubyValue::str(digest::hex(&self.random_bytes(n)?)),
            "base64" => RubyValue::str(base64::strict_encode(&self.random_bytes(n)?)),
            "urlsafe_base64" => {
                let text = base64::urlsafe_encode(&self.random_bytes(n)?);
                RubyValue::str(text.trim_end_matches('='))
            }
            "random_bytes" | "bytes" => RubyValue::bytes(self.random_bytes(n)?),
            "uuid" => {
                let mut bytes = self.random_bytes(16)?;
                bytes[6] = bytes[6] & 0x0f | 0x40;
                bytes[8] = bytes[8] & 0x3f | 0x80;
                let hex = digest::hex(&bytes);
                let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
                RubyValue::str(parts.join("-"))
            }
            "alphanumeric" => {
                let mut random = self.fresh_random()?;
                self.charge(n)?;
                let mut text = String::new();
                for _ in 0..n.min(MAX_BYTES) {
                    let at = random.below(62).unwrap_or(0);
                    text.push(char::from(LETTERS[usize::try_from(at).unwrap_or(0)]));
                }
                RubyValue::str(text)
            }
            "random_number" | "rand" => self.random_number(a)?,
            _ => return Ok(None),
        }))
    }

    /// `rand`, `rand(10)`, `rand(1..6)`
    pub(crate) fn random_number(&mut self, a: Args<'_>) -> Eval {
        let mut random = self.fresh_random()?;
        self.number_of(&mut random, &a.get(0))
    }

    /// The next number of a generator: below one, below an integer, or within a range.
    pub(crate) fn number_of(&mut self, random: &mut Random, limit: &RubyValue) -> Eval {
        match limit {
            RubyValue::Nil | RubyValue::Int(0) => Ok(RubyValue::Float(random.float())),
            RubyValue::Int(below) => {
                let number = self.from_text(random.below(*below))?;
                Ok(RubyValue::Int(number))
            }
            RubyValue::Range(range) => match (&range.from, &range.to) {
                (RubyValue::Int(from), RubyValue::Int(to)) => {
                    let n = to.checked_sub(*from);
                    let n = n.and_then(|n| n.checked_add(i64::from(!range.excludes_end)));
                    let Some(n) = n.filter(|n| *n > 0) else { return Ok(RubyValue::Nil) };
                    let number = self.from_text(random.below(n))?;
                    Ok(RubyValue::Int(from + number))
                }
                _ => self.unsupported("random numbers of such a range"),
            },
            _ => self.unsupported("random numbers of such a kind"),
        }
    }

    /// `shuffle`, `shuffle(random: Random.new(seed))` and the same of `sample`.
    pub(crate) fn shuffled(&mut self, mut items: Vec<RubyValue>, name: &str, a: Args<'_>) -> Eval {
        let given = a.option("random");
        let object = match &given {
            Some(RubyValue::Object(object)) => Some(Rc::clone(object)),
            _ => None,
        };
        let mut data = object.as_ref().map(|object| object.data.borrow_mut());
        let mut fresh;
        let random: &mut Random = match data.as_deref_mut() {
            Some(Data::Random(random)) => random,
            Some(_) => return self.unsupported("a generator of random numbers"),
            None => {
                fresh = self.fresh_random()?;
                &mut fresh
            }
        };
        let below = |random: &mut Random, n: usize| {
            let n = i64::try_from(n).unwrap_or(i64::MAX);
            random.below(n).ok().and_then(|at| usize::try_from(at).ok()).unwrap_or(0)
        };
        if name == "sample" {
            return match (items.len(), a.items.first()) {
                (0, None | Some(RubyValue::Hash(_))) => Ok(RubyValue::Nil),
                (n, None | Some(RubyValue::Hash(_))) => Ok(items.swap_remove(below(random, n))),
                _ => self.unsupported("sample of several elements"),
            };
        }
        for n in (1..=items.len()).rev() {
            let at = below(random, n);
            items.swap(n - 1, at);
        }
        Ok(RubyValue::array(items))
    }
}
