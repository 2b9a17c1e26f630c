//! `String`

use std::rc::Rc;

use ecow::EcoString;
use kukla_rubytext::{case, float, inspect, integer};

use super::chars;
use super::tools::int;
use crate::run::{Args, Eval, Run};
use crate::value::{Key, RubyValue, Str};

fn text(value: impl Into<EcoString>) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::str(value)))
}

fn yes(value: bool) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::Bool(value)))
}

/// What Ruby takes for a blank.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r' | '\0')
}

fn lstrip(s: &str) -> &str {
    s.trim_start_matches(is_space)
}

fn rstrip(s: &str) -> &str {
    s.trim_end_matches(is_space)
}

fn chomp(s: &str) -> &str {
    s.strip_suffix("\r\n").or_else(|| s.strip_suffix(['\n', '\r'])).unwrap_or(s)
}

impl Run<'_> {
    pub(crate) fn string_method(
        &mut self,
        this: &Rc<Str>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        // Before anyone else holds the text: a template appends to it again and again.
        if name == "<<" || name == "concat" {
            return self.string_append(this, a).map(Some);
        }
        let s = this.text.borrow().clone();
        if let Some(value) = self.string_plain(this, &s, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.string_with_args(this, &s, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.string_matching(&s, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.string_sets(&s, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.string_indexing(this, &s, name, a)? {
            return Ok(Some(value));
        }
        self.string_change(this, &s, name, a)
    }

    /// Methods without arguments.
    fn string_plain(
        &mut self,
        this: &Rc<Str>,
        s: &EcoString,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if !a.is_empty() {
            return Ok(None);
        }
        match name {
            "to_s" | "to_str" | "itself" => Ok(Some(RubyValue::Str(Rc::clone(this)))),
            "empty?" => yes(s.is_empty()),
            "length" | "size" => Ok(Some(int(chars::len(s)))),
            "bytesize" => Ok(Some(int(s.len()))),
            "upcase" => text(case::upcase(s)),
            "downcase" => text(case::downcase(s)),
            "capitalize" => text(case::capitalize(s)),
            "swapcase" => text(case::swapcase(s)),
            "strip" => text(rstrip(lstrip(s))),
            "lstrip" => text(lstrip(s)),
            "rstrip" => text(rstrip(s)),
            "chomp" => text(chomp(s)),
            "chop" => {
                let mut rest = s.strip_suffix("\r\n").unwrap_or(s);
                if rest.len() == s.len() {
                    rest = rest.char_indices().next_back().map_or("", |(at, _)| &s[..at]);
                }
                text(rest)
            }
            "chr" => text(s.chars().take(1).collect::<EcoString>()),
            "reverse" => text(s.chars().rev().collect::<EcoString>()),
            "to_sym" | "intern" => Ok(Some(RubyValue::Sym(s.clone()))),
            "to_i" => {
                self.check_digits(s)?;
                let number = self.from_text(integer::to_i(s, 10))?;
                self.big(&number).map(Some)
            }
            "to_f" => Ok(Some(RubyValue::Float(float::to_f(s)))),
            "hex" => {
                self.check_digits(s)?;
                let number = self.from_text(integer::to_i(s, 16))?;
                self.big(&number).map(Some)
            }
            "oct" => {
                self.check_digits(s)?;
                let number = self.from_text(integer::to_i(s, radix_of_oct(s)))?;
                self.big(&number).map(Some)
            }
            "ord" => match s.chars().next() {
                Some(c) => Ok(Some(RubyValue::Int(i64::from(u32::from(c))))),
                None => self.argument_error("empty string"),
            },
            "chars" => Ok(Some(RubyValue::array(
                s.chars().map(|c| RubyValue::str(EcoString::from(c))).collect(),
            ))),
            "bytes" => Ok(Some(RubyValue::array(
                s.bytes().map(|b| RubyValue::Int(i64::from(b))).collect(),
            ))),
            "codepoints" => Ok(Some(RubyValue::array(
                s.chars().map(|c| RubyValue::Int(i64::from(u32::from(c)))).collect(),
            ))),
            "inspect" => text(inspect::inspect(s)),
            "dump" if s.is_ascii() => text(inspect::inspect(s)),
            "+@" => Ok(Some(if this.frozen.get() {
                RubyValue::str(s.clone())
            } else {
                RubyValue::Str(Rc::clone(this))
            })),
            "-@" => Ok(Some(RubyValue::frozen_str(s.clone()))),
            "ascii_only?" => yes(s.is_ascii()),
            "valid_encoding?" => yes(true),
            "scrub" | "unicode_normalize" if s.is_ascii() => text(s.clone()),
            "succ" | "next" => text(chars::succ(s)),
            "hash" => Ok(Some(RubyValue::Int(hash_of(s)))),
            "sum" => Ok(Some(RubyValue::Int(s.bytes().map(i64::from).sum::<i64>() & 0xffff))),
            "shellescape" => text(kukla_rubytext::shell::escape(s)),
            "shellsplit" => {
                let words = self.from_text(kukla_rubytext::shell::split(s))?;
                Ok(Some(RubyValue::array(words.into_iter().map(RubyValue::str).collect())))
            }
            _ => Ok(None),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn string_with_args(
        &mut self,
        this: &Rc<Str>,
        s: &EcoString,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "+" => {
                self.arity(a, 1, 1)?;
                let other = self.text_arg(&a.items[0])?;
                self.charge(s.len() + other.len())?;
                let mut sum = s.clone();
                sum.push_str(&other);
                text(sum)
            }
            "*" => {
                self.arity(a, 1, 1)?;
                let times = self.usize_arg(&a.items[0], "negative argument")?;
                self.charge(s.len().saturating_mul(times))?;
                text(s.repeat(times))
            }
            "%" => {
                self.arity(a, 1, 1)?;
                let args = match &a.items[0] {
                    RubyValue::Array(list) => list.items.borrow().clone(),
                    other => vec![other.clone()],
                };
                text(self.sprintf(s, &args)?)
            }
            "==" | "===" | "eql?" => {
                self.arity(a, 1, 1)?;
                yes(crate::value::eql(&RubyValue::Str(Rc::clone(this)), &a.items[0]))
            }
            "casecmp" | "casecmp?" => {
                let RubyValue::Str(other) = a.get(0) else {
                    return match a.get(0) {
                        RubyValue::Nil | RubyValue::Int(_) if name == "casecmp" => {
                            self.no_conversion(&a.get(0), "String")
                        }
                        _ => self.no_conversion(&a.get(0), "String"),
                    };
                };
                let other = other.text.borrow();
                if name == "casecmp?" {
                    return yes(case::downcase(s) == case::downcase(&other));
                }
                let order = s.to_ascii_lowercase().cmp(&other.to_ascii_lowercase());
                Ok(Some(RubyValue::Int(order as i64)))
            }
            "start_with?" => {
                for prefix in a.items {
                    let starts = match prefix {
                        RubyValue::Regexp(regex) => {
                            let found = regex.captures(s, 0);
                            self.from_regex(found)?.is_some_and(|found| found.start() == 0)
                        }
                        other => s.starts_with(self.text_arg(other)?.as_str()),
                    };
                    if starts {
                        return yes(true);
                    }
                }
                yes(false)
            }
            "end_with?" => {
                for suffix in a.items {
                    if s.ends_with(self.text_arg(suffix)?.as_str()) {
                        return yes(true);
                    }
                }
                yes(false)
            }
            "include?" => {
                self.arity(a, 1, 1)?;
                let part = self.text_arg(&a.items[0])?;
                yes(s.contains(part.as_str()))
            }
            "delete_prefix" => {
                let prefix = self.text_arg(&a.get(0))?;
                text(s.strip_prefix(prefix.as_str()).unwrap_or(s))
            }
            "delete_suffix" => {
                let suffix = self.text_arg(&a.get(0))?;
                text(s.strip_suffix(suffix.as_str()).unwrap_or(s))
            }
            "chomp" => {
                let end = match a.get(0) {
                    RubyValue::Nil => return text(s.clone()),
                    other => self.text_arg(&other)?,
                };
                text(match end.as_str() {
                    "" => s.trim_end_matches("\r\n").trim_end_matches('\n'),
                    "\n" => chomp(s),
                    end => s.strip_suffix(end).unwrap_or(s),
                })
            }
            "ljust" | "rjust" | "center" => self.string_justify(s, name, a).map(Some),
            "to_i" => {
                let radix = self.int_arg(&a.get(0))?;
                self.check_digits(s)?;
                let number = self.from_text(integer::to_i(s, radix))?;
                self.big(&number).map(Some)
            }
            "each_char" | "each_byte" | "each_line" => {
                let block = self.need_block(&a, name)?;
                let items = match name {
                    "each_char" => s.chars().map(|c| RubyValue::str(EcoString::from(c))).collect(),
                    "each_byte" => s.bytes().map(|b| RubyValue::Int(i64::from(b))).collect(),
                    _ => self.lines(s, a)?,
                };
                for item in &items {
                    self.yield1(block, item)?;
                }
                Ok(Some(RubyValue::Str(Rc::clone(this))))
            }
            "lines" => Ok(Some(RubyValue::array(self.lines(s, a)?))),
            "upto" => {
                let block = self.need_block(&a, name)?;
                let to = self.text_arg(&a.get(0))?;
                for item in self.string_range(s, &to, a.get(1).truthy())? {
                    self.yield1(block, &item)?;
                }
                Ok(Some(RubyValue::Str(Rc::clone(this))))
            }
            "upcase" | "downcase" | "capitalize" | "swapcase" => {
                self.string_plain(this, s, name, Args::new(&[]))
            }
            "encode" | "force_encoding" | "unicode_normalize" => {
                let known = a.items.iter().all(|arg| match arg {
                    RubyValue::Str(name) => name.text.borrow().eq_ignore_ascii_case("utf-8"),
                    RubyValue::Hash(options) => {
                        !options.entries.borrow().contains_key(&Key(RubyValue::sym("xml")))
                    }
                    other => matches!(other, RubyValue::Object(_)),
                });
                if known {
                    Ok(Some(RubyValue::Str(Rc::clone(this))))
                } else {
                    self.unsupported("encodings")
                }
            }
            "unpack" | "unpack1" => self.unpack(s.as_bytes(), name, a).map(Some),
            "b" => Ok(Some(RubyValue::bytes(s.as_bytes().to_vec()))),
            "crypt" => {
                let salt = self.text_arg(&a.get(0))?;
                if salt.len() < 2 {
                    return self.argument_error("salt too short (need >=2 bytes)");
                }
                // About as many steps as are made in the same time otherwise.
                self.work(kukla_rubytext::crypt::cost(&salt).saturating_mul(640))?;
                let crypted = kukla_rubytext::crypt::crypt(s, &salt);
                let crypted = self.from_text(crypted)?;
                self.host.text_of_bytes(&crypted);
                Ok(Some(RubyValue::str(crypted)))
            }
            "encoding" => self.unsupported(format!("method String#{name}")),
            "between?" | "clamp" | "<" | "<=" | ">" | ">=" | "<=>" => {
                self.comparable(&RubyValue::Str(Rc::clone(this)), name, a)
            }
            _ => Ok(None),
        }
    }

    fn lines(&mut self, s: &str, a: Args<'_>) -> Eval<Vec<RubyValue>> {
        let chomps = a.option("chomp").is_some_and(|value| value.truthy());
        let separator = match a.items.first() {
            Some(RubyValue::Str(text)) => text.text.borrow().clone(),
            _ => "\n".into(),
        };
        if separator.is_empty() {
            return self.unsupported("lines by paragraphs");
        }
        let line = |line: &str| {
            let shown = match (chomps, separator.as_str()) {
                (true, "\n") => {
                    line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line)
                }
                (true, separator) => line.strip_suffix(separator).unwrap_or(line),
                (false, _) => line,
            };
            RubyValue::str(shown)
        };
        Ok(s.split_inclusive(separator.as_str()).map(line).collect())
    }

    fn string_justify(&mut self, s: &str, name: &str, a: Args<'_>) -> Eval {
        self.arity(a, 1, 2)?;
        let width = self.int_arg(&a.items[0])?;
        let pad = match a.items.get(1) {
            Some(pad) => self.text_arg(pad)?,
            None => " ".into(),
        };
        if pad.is_empty() {
            return self.argument_error("zero width padding");
        }
        let len = chars::len(s);
        let missing = usize::try_from(width).unwrap_or(0).saturating_sub(len);
        self.charge(missing.saturating_mul(4))?;
        let fill = |n: usize| pad.chars().cycle().take(n).collect::<String>();
        Ok(RubyValue::str(match name {
            "ljust" => format!("{s}{}", fill(missing)),
            "rjust" => format!("{}{s}", fill(missing)),
            _ => format!("{}{s}{}", fill(missing / 2), fill(missing - missing / 2)),
        }))
    }

    fn string_change(
        &mut self,
        this: &Rc<Str>,
        s: &EcoString,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "replace" | "clear" | "prepend" | "insert" => {
                self.change_check(this)?;
                let new = match name {
                    "replace" => self.text_arg(&a.get(0))?,
                    "clear" => EcoString::new(),
                    "prepend" => {
                        let mut new = EcoString::new();
                        for arg in a.items {
                            new.push_str(&self.text_arg(arg)?);
                        }
                        new.push_str(s);
                        new
                    }
                    _ => self.inserted(s, a)?,
                };
                this.text.replace(new);
                Ok(Some(RubyValue::Str(Rc::clone(this))))
            }
            "freeze" => {
                this.frozen.set(true);
                Ok(Some(RubyValue::Str(Rc::clone(this))))
            }
            "frozen?" => yes(this.frozen.get()),
            "slice!" => {
                self.change_check(this)?;
                let taken = self.string_method(this, "[]", a)?.unwrap_or_default();
                if !taken.is_nil() {
                    let mut args = a.items.to_vec();
                    args.push(RubyValue::str(""));
                    self.string_method(this, "[]=", Args::new(&args))?;
                }
                Ok(Some(taken))
            }
            other => match other.strip_suffix('!') {
                Some(plain) if BANG.contains(&plain) => {
                    self.change_check(this)?;
                    let copy = Rc::new(Str { text: s.clone().into(), frozen: false.into() });
                    let Some(new) = self.string_method(&copy, plain, a)? else { return Ok(None) };
                    let new = new.as_text().unwrap_or_default();
                    if new == *s && !matches!(plain, "succ" | "next" | "reverse" | "encode") {
                        return Ok(Some(RubyValue::Nil));
                    }
                    this.text.replace(new);
                    Ok(Some(RubyValue::Str(Rc::clone(this))))
                }
                _ => Ok(None),
            },
        }
    }

    fn string_append(&mut self, this: &Rc<Str>, a: Args<'_>) -> Eval {
        self.change_check(this)?;
        for arg in a.items {
            let more = match arg {
                RubyValue::Int(code) => match u32::try_from(*code).ok().and_then(char::from_u32) {
                    Some(c) => EcoString::from(c),
                    None => return self.raise("RangeError", format!("{code} out of char range")),
                },
                other => self.text_arg(other)?,
            };
            self.charge(more.len())?;
            this.text.borrow_mut().push_str(&more);
        }
        Ok(RubyValue::Str(Rc::clone(this)))
    }

    fn inserted(&mut self, s: &EcoString, a: Args<'_>) -> Eval<EcoString> {
        let index = self.int_arg(&a.get(0))?;
        let more = self.text_arg(&a.get(1))?;
        let len = i64::try_from(chars::len(s)).unwrap_or(i64::MAX);
        let at = if index < 0 { index + len + 1 } else { index };
        let byte = usize::try_from(at).ok().and_then(|at| chars::byte_at(s, at));
        match byte {
            Some(byte) => Ok(ecow::eco_format!("{}{more}{}", &s[..byte], &s[byte..])),
            None => self.raise("IndexError", format!("index {index} out of string")),
        }
    }

    pub(super) fn change_check(&mut self, this: &Rc<Str>) -> Eval<()> {
        if this.frozen.get() {
            return self.frozen(&RubyValue::Str(Rc::clone(this)));
        }
        Ok(())
    }
}

/// Methods that have a twin with `!`.
const BANG: &[&str] = &[
    "upcase",
    "downcase",
    "capitalize",
    "swapcase",
    "strip",
    "lstrip",
    "rstrip",
    "chomp",
    "chop",
    "reverse",
    "succ",
    "next",
    "gsub",
    "sub",
    "tr",
    "tr_s",
    "delete",
    "squeeze",
    "delete_prefix",
    "delete_suffix",
    "scrub",
    "encode",
    "unicode_normalize",
];

fn hash_of(s: &str) -> i64 {
    use std::hash::BuildHasher;
    let hash = foldhash::fast::FixedState::default().hash_one(Key::str(s));
    i64::try_from(hash >> 2).unwrap_or(0)
}

/// `oct` takes digits for octal ones unless they have a prefix.
fn radix_of_oct(text: &str) -> i64 {
    let digits = text.trim_start().trim_start_matches(['+', '-']);
    let letter = digits.strip_prefix('0').and_then(|rest| rest.chars().next());
    if letter.is_some_and(|letter| "xXbBoOdD".contains(letter)) { 0 } else { 8 }
}
