//! `SecureRandom`, `rand`, `shuffle`: random numbers, reproducible only with a seed.

use std::rc::Rc;

use kukla_rubytext::random::Random;
use kukla_rubytext::{BigInt, RubyInteger as _, base64, digest};

use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::text;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The default number of bytes.
const BYTES: usize = 16;

/// The most bytes in one request to the host.
const MAX_BYTES: usize = 1 << 20;

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The methods of `SecureRandom`.
pub(crate) static SECURE: &[Builtin<Rc<Class>>] = &[
    method("hex", |run, _, a| text(digest::hex(&run.random_bytes(n_bytes(a))?))),
    method("base64", |run, _, a| text(base64::strict_encode(&run.random_bytes(n_bytes(a))?))),
    method("urlsafe_base64", urlsafe_base64),
    method("random_bytes", random_string),
    method("bytes", random_string),
    method("uuid", uuid),
    method("alphanumeric", alphanumeric),
    method("random_number", |run, _, a| run.random_number(a)),
    method("rand", |run, _, a| run.random_number(a)),
];

/// The methods of `Random` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] =
    &[method("new", new), method("rand", |run, _, a| run.random_number(a))];

/// The methods of a generator.
pub(crate) static METHODS: &[Builtin<Rc<Object>>] = &[method("rand", rand)];

/// Returns the number of bytes that a call of `SecureRandom` asks for.
fn n_bytes(a: Args<'_>) -> usize {
    match a.items.first() {
        Some(RubyValue::Int(n)) => usize::try_from(*n).unwrap_or(0),
        _ => BYTES,
    }
}

fn random_string(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let bytes = run.random_bytes(n_bytes(a))?;
    Ok(run.bytes(bytes))
}

fn urlsafe_base64(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let encoded = base64::urlsafe_encode(&run.random_bytes(n_bytes(a))?);
    text(encoded.trim_end_matches('='))
}

fn uuid(run: &mut Run<'_>, _this: &Rc<Class>, _a: Args<'_>) -> Eval {
    text(digest::uuid(4, &run.random_bytes(16)?))
}

fn alphanumeric(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (n, mut random) = (n_bytes(a), run.fresh_random()?);
    run.charge(n)?;
    let letters = (0..n.min(MAX_BYTES)).map(|_| char::from(LETTERS[below(&mut random, 62)]));
    text(letters.collect::<String>())
}

/// `Random.new(seed)`
fn new(run: &mut Run<'_>, class: &Rc<Class>, a: Args<'_>) -> Eval {
    let seed = match a.get(0) {
        RubyValue::Big(seed) => (*seed).clone(),
        other => BigInt::from(run.int_arg(&other)?),
    };
    let data = Data::Random(Box::new(Random::new(&seed)));
    Ok(RubyValue::Object(Rc::new(Object::new(Rc::clone(class), data))))
}

fn rand(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    if matches!(a.items.first(), Some(RubyValue::Int(0))) {
        return run.argument_error("invalid argument - 0");
    }
    match &mut *this.data.borrow_mut() {
        Data::Random(random) => run.number_of(random, &a.get(0)),
        _ => run.unsupported("a generator of random numbers"),
    }
}

impl Run<'_> {
    /// `Puppet::Util.deterministic_rand_int(seed, limit)`
    pub(super) fn seeded_number(&mut self, a: Args<'_>) -> Eval {
        let seed = match a.get(0) {
            RubyValue::Big(seed) => (*seed).clone(),
            other => BigInt::from(self.int_arg(&other)?),
        };
        if matches!(a.get(1), RubyValue::Int(0)) {
            return self.argument_error("invalid argument - 0");
        }
        self.number_of(&mut Random::new(&seed), &a.get(1))
    }

    fn random_bytes(&mut self, n: usize) -> Eval<Vec<u8>> {
        self.charge(n)?;
        match self.host.random(n.min(MAX_BYTES)) {
            Some(bytes) if bytes.len() == n => Ok(bytes),
            _ => self.unsupported("random numbers"),
        }
    }

    /// Creates a generator with a random seed from the host.
    fn fresh_random(&mut self) -> Eval<Random> {
        let seed = self.random_bytes(BYTES)?;
        Ok(Random::new(&BigInt::from_bytes(&seed)))
    }

    /// `rand`, `rand(10)`, `rand(1..6)`
    pub(crate) fn random_number(&mut self, a: Args<'_>) -> Eval {
        let mut random = self.fresh_random()?;
        self.number_of(&mut random, &a.get(0))
    }

    /// Returns the next number of a generator: below one, below an integer, or within a range.
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

    /// Calls a function with the generator of the option `random:`, or with a new one.
    fn with_random<T>(&mut self, a: Args<'_>, function: impl FnOnce(&mut Random) -> T) -> Eval<T> {
        match a.option("random") {
            Some(RubyValue::Object(object)) => match &mut *object.data.borrow_mut() {
                Data::Random(random) => Ok(function(random)),
                _ => self.unsupported("a generator of random numbers"),
            },
            _ => Ok(function(&mut self.fresh_random()?)),
        }
    }

    /// `shuffle`, `shuffle(random: Random.new(seed))`
    pub(crate) fn shuffle(&mut self, mut items: Vec<RubyValue>, a: Args<'_>) -> Eval {
        self.with_random(a, |random| {
            for n in (1..=items.len()).rev() {
                let at = below(random, n);
                items.swap(n - 1, at);
            }
            RubyValue::array(items)
        })
    }

    /// `sample`, `sample(random: Random.new(seed))`
    pub(crate) fn sample(&mut self, mut items: Vec<RubyValue>, a: Args<'_>) -> Eval {
        if !matches!(a.items.first(), None | Some(RubyValue::Hash(_))) {
            return self.unsupported("sample of several elements");
        }
        self.with_random(a, |random| match items.len() {
            0 => RubyValue::Nil,
            n => items.swap_remove(below(random, n)),
        })
    }
}

/// Returns a random number in `0..n`.
fn below(random: &mut Random, n: usize) -> usize {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    random.below(n).ok().and_then(|at| usize::try_from(at).ok()).unwrap_or(0)
}
