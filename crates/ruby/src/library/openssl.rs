//! Digests as objects, `OpenSSL::HMAC`, key derivation and `Zlib.crc32`.

use std::rc::Rc;

use kukla_rubytext::base64;
use kukla_rubytext::digest::{self, Algorithm};

use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The most blocks that one key derivation may compute; a real Ruby does more.
const MAX_BLOCKS: u64 = 2_000_000;

/// A digest or HMAC of the bytes so far.
#[derive(Clone)]
pub(crate) struct Digester {
    algorithm: Algorithm,
    /// The key of an HMAC.
    key: Option<Rc<[u8]>>,
    bytes: Vec<u8>,
}

impl Digester {
    fn finish(&self, bytes: &[u8]) -> Vec<u8> {
        match &self.key {
            Some(key) => self.algorithm.hmac(key, bytes),
            None => self.algorithm.digest(bytes),
        }
    }
}

/// The methods of a digest.
pub(crate) static METHODS: &[Builtin<Rc<Object>>] = &[
    method("update", update),
    method("<<", update),
    method("reset", reset),
    method("digest", |run, this, a| {
        let digest = finish(run, this, a)?;
        Ok(run.bytes(digest))
    }),
    method("hexdigest", |run, this, a| text(digest::hex(&finish(run, this, a)?))),
    method("base64digest", |run, this, a| text(base64::strict_encode(&finish(run, this, a)?))),
    method("to_s", |run, this, _| text(digest::hex(&finish(run, this, Args::new(&[]))?))),
    method("name", |run, this, _| text(digester(run, this)?.algorithm.name())),
    method("digest_length", length),
    method("length", length),
    method("size", length),
];

/// The methods of `Digest::SHA256` and its kind that make objects, and of `OpenSSL::Digest` and the classes below it.
pub(crate) static DIGEST: &[Builtin<Rc<Class>>] = &[
    method("new", new),
    method("digest", |run, this, a| {
        let digest = digest_of(run, this, a)?;
        Ok(run.bytes(digest))
    }),
    method("hexdigest", |run, this, a| text(digest::hex(&digest_of(run, this, a)?))),
    method("base64digest", |run, this, a| text(base64::strict_encode(&digest_of(run, this, a)?))),
];

/// The methods of `OpenSSL::HMAC`.
pub(crate) static HMAC: &[Builtin<Rc<Class>>] = &[
    method("new", new_hmac).arity(2, 2),
    method("digest", |run, _, a| {
        let code = hmac(run, a)?;
        Ok(run.bytes(code))
    })
    .arity(3, 3),
    method("hexdigest", |run, _, a| text(digest::hex(&hmac(run, a)?))).arity(3, 3),
    method("base64digest", |run, _, a| text(base64::strict_encode(&hmac(run, a)?))).arity(3, 3),
];

/// The methods of `OpenSSL::KDF`.
pub(crate) static KDF: &[Builtin<Rc<Class>>] = &[method("pbkdf2_hmac", derive_key)];

/// The methods of `OpenSSL::PKCS5`.
pub(crate) static PKCS5: &[Builtin<Rc<Class>>] = &[
    method("pbkdf2_hmac", |run, _, a| {
        let algorithm = run.algorithm(&a.get(4))?;
        run.derive(algorithm, [&a.get(0), &a.get(1), &a.get(2), &a.get(3)])
    })
    .arity(5, 5),
    method("pbkdf2_hmac_sha1", |run, _, a| {
        run.derive(Algorithm::Sha1, [&a.get(0), &a.get(1), &a.get(2), &a.get(3)])
    })
    .arity(4, 4),
];

/// The methods of `OpenSSL` itself.
pub(crate) static OPENSSL: &[Builtin<Rc<Class>>] = &[
    method("fixed_length_secure_compare", is_equal).arity(2, 2),
    method("secure_compare", is_equal).arity(2, 2),
];

/// The methods of `Zlib`.
pub(crate) static ZLIB: &[Builtin<Rc<Class>>] = &[method("crc32", |run, _, a| {
    let bytes = run.bytes_arg(&a.get(0))?;
    Ok(RubyValue::Int(i64::from(digest::crc32(&bytes))))
})
.when(|_, a| a.len() == 1)];

fn is_equal(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (left, right) = (run.bytes_arg(&a.get(0))?, run.bytes_arg(&a.get(1))?);
    yes(left == right)
}

fn digester(run: &mut Run<'_>, this: &Object) -> Eval<Digester> {
    match &*this.data.borrow() {
        Data::Digest(digester) => Ok((**digester).clone()),
        _ => run.unsupported("a digest"),
    }
}

fn update(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let more = run.bytes_arg(&a.get(0))?;
    run.charge(more.len())?;
    if let Data::Digest(digester) = &mut *this.data.borrow_mut() {
        digester.bytes.extend_from_slice(&more);
    }
    Ok(RubyValue::Object(Rc::clone(this)))
}

fn reset(_run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    if let Data::Digest(digester) = &mut *this.data.borrow_mut() {
        digester.bytes.clear();
    }
    Ok(RubyValue::Object(Rc::clone(this)))
}

/// Returns the digest so far, or that of an argument; the latter forgets what came before, as in Ruby.
fn finish(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval<Vec<u8>> {
    let digester = digester(run, this)?;
    match a.items.first() {
        None => Ok(digester.finish(&digester.bytes)),
        Some(_) if digester.key.is_some() => run.wrong_count(a.len(), (0, 0)),
        Some(given) => {
            let bytes = run.bytes_arg(given)?;
            reset(run, this, a)?;
            Ok(digester.finish(&bytes))
        }
    }
}

fn length(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let length = digester(run, this)?.algorithm.length();
    Ok(RubyValue::Int(i64::try_from(length).unwrap_or_default()))
}

/// Returns the algorithm that the name of a class has, and whether the first argument names it instead.
fn class_algorithm(this: &Class) -> Option<Algorithm> {
    let name = this.name.borrow();
    Algorithm::named(name.rsplit("::").next().unwrap_or_default())
}

fn new(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (algorithm, given) = match class_algorithm(this) {
        Some(algorithm) => (algorithm, a.items.first()),
        None => (run.algorithm(&a.get(0))?, a.items.get(1)),
    };
    let bytes = given.map_or(Ok(Rc::default()), |given| run.bytes_arg(given))?.to_vec();
    let data = Data::Digest(Box::new(Digester { algorithm, key: None, bytes }));
    Ok(RubyValue::Object(run.new_object(this, data)))
}

fn digest_of(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval<Vec<u8>> {
    let (algorithm, given) = match class_algorithm(this) {
        Some(algorithm) => (algorithm, a.get(0)),
        None => (run.algorithm(&a.get(0))?, a.get(1)),
    };
    Ok(algorithm.digest(&run.bytes_arg(&given)?))
}

fn new_hmac(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (key, algorithm) = (Some(run.bytes_arg(&a.get(0))?), run.algorithm(&a.get(1))?);
    let data = Data::Digest(Box::new(Digester { algorithm, key, bytes: Vec::new() }));
    Ok(RubyValue::Object(run.new_object(this, data)))
}

/// `OpenSSL::HMAC.digest('SHA256', key, data)`
fn hmac(run: &mut Run<'_>, a: Args<'_>) -> Eval<Vec<u8>> {
    let algorithm = run.algorithm(&a.get(0))?;
    let (key, bytes) = (run.bytes_arg(&a.get(1))?, run.bytes_arg(&a.get(2))?);
    Ok(algorithm.hmac(&key, &bytes))
}

/// `OpenSSL::KDF.pbkdf2_hmac(password, salt:, iterations:, length:, hash:)`
fn derive_key(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let names = ["salt", "iterations", "length", "hash"];
    let [Some(salt), Some(iterations), Some(length), Some(hash)] = names.map(|name| a.option(name))
    else {
        return run.unsupported("OpenSSL::KDF.pbkdf2_hmac without all of its keywords");
    };
    let algorithm = run.algorithm(&hash)?;
    run.derive(algorithm, [&a.get(0), &salt, &iterations, &length])
}

impl Run<'_> {
    /// Returns the algorithm of a name or of a digest.
    fn algorithm(&mut self, value: &RubyValue) -> Eval<Algorithm> {
        if let RubyValue::Object(object) = value
            && let Data::Digest(digester) = &*object.data.borrow()
        {
            return Ok(digester.algorithm);
        }
        let name = value.as_name().unwrap_or_default();
        match Algorithm::named(&name) {
            Some(algorithm) => Ok(algorithm),
            None => self.unsupported(format!("the digest {name}")),
        }
    }

    /// Derives a key from password, salt, number of iterations and number of bytes.
    fn derive(&mut self, algorithm: Algorithm, parts: [&RubyValue; 4]) -> Eval {
        let [password, salt, iterations, length] = parts;
        let (password, salt) = (self.bytes_arg(password)?, self.bytes_arg(salt)?);
        let iterations = u32::try_from(self.int_arg(iterations)?).unwrap_or_default();
        let length = usize::try_from(self.int_arg(length)?).unwrap_or_default();
        let blocks = length.div_ceil(algorithm.length()) as u64;
        if iterations == 0 || length == 0 || blocks.saturating_mul(iterations.into()) > MAX_BLOCKS {
            return self.unsupported("a key of such a size");
        }
        let key = algorithm.pbkdf2(&password, &salt, iterations, length);
        Ok(self.bytes(key))
    }
}
