//! Methods of modules and classes themselves: `File.join`, `JSON.parse`, `Math.sqrt`.

use std::rc::Rc;

use kukla_rubytext::{base64, digest, json, shell, uri, versioncmp};

use crate::class::{Class, Data, Object};
use crate::methods::pack;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, RubyValue};

type Found = Eval<Option<RubyValue>>;

fn text(value: impl Into<ecow::EcoString>) -> Found {
    Ok(Some(RubyValue::str(value)))
}

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn library_method(&mut self, this: &Rc<Class>, name: &str, a: Args<'_>) -> Found {
        let class = this.name.borrow().clone();
        match class.as_str() {
            "File" | "Dir" | "IO" | "FileTest" => self.file_method(name, a),
            "JSON" | "PSON" | "Puppet::Util::Json" => self.json_method(name, a),
            "YAML" | "Psych" => self.yaml_method(name, a),
            "Regexp" => self.regexp_class_method(name, a),
            "Math" => self.math_method(name, a),
            "Base64" => self.base64_method(name, a),
            "Digest::MD5" | "Digest::SHA1" | "Digest::SHA256" | "Digest::SHA384"
            | "Digest::SHA512" => self.digest_method(&class, name, a),
            "Shellwords" => self.shell_method(name, a),
            "URI" => match name {
                "parse" => {
                    let source = self.text_arg(&a.get(0))?;
                    self.parse_uri(&source).map(Some)
                }
                _ => Ok(None),
            },
            "ERB::Util" | "CGI" => match name {
                "html_escape" | "h" | "escapeHTML" => {
                    let source = self.to_s(&a.get(0))?;
                    let escaped =
                        source.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                    text(escaped.replace('"', "&quot;").replace('\'', "&#39;"))
                }
                "url_encode" | "u" => {
                    let source = self.to_s(&a.get(0))?;
                    text(percent(
                        &source,
                        |b| b.is_ascii_alphanumeric() || b"_-.~".contains(&b),
                        false,
                    ))
                }
                "escape" => {
                    let source = self.text_arg(&a.get(0))?;
                    text(percent(
                        &source,
                        |b| b.is_ascii_alphanumeric() || b"_-.~*".contains(&b),
                        true,
                    ))
                }
                _ => Ok(None),
            },
            "Time" => match name {
                "now" => Ok(Some(self.now())),
                "at" => {
                    let seconds = self.int_arg(&a.get(0))?;
                    let (_, _, offset) = self.host.now();
                    Ok(Some(self.make_time(seconds, 0, offset, false)))
                }
                _ => Ok(None),
            },
            "Hash" => match name {
                "[]" => self.hash_from(a).map(Some),
                _ => Ok(None),
            },
            "Array" => match name {
                "[]" => Ok(Some(RubyValue::array(a.items.to_vec()))),
                _ => Ok(None),
            },
            "Integer" if name == "sqrt" => {
                let number = self.int_arg(&a.get(0))?;
                match u64::try_from(number) {
                    Ok(number) => {
                        Ok(Some(RubyValue::Int(i64::try_from(number.isqrt()).unwrap_or(0))))
                    }
                    Err(_) => self.raise(
                        "Math::DomainError",
                        "Numerical argument is out of domain - \"isqrt\"",
                    ),
                }
            }
            "Kernel" => {
                let top = Rc::clone(&self.vm.top);
                let value = RubyValue::Class(Rc::clone(&top));
                let frame = self.top_frame(value.clone(), top, 0);
                self.kernel(&value, name, a, &frame)
            }
            "SecureRandom" => self.secure_random_method(name, a),
            "Random" if name == "rand" => self.random_number(a).map(Some),
            "Process" | "Random" if name != "new" => self.unsupported(format!("{class}.{name}")),
            _ => self.puppet_class_method(this, &class, name, a),
        }
    }

    fn hash_from(&mut self, a: Args<'_>) -> Eval {
        match a.items {
            [RubyValue::Hash(map)] => Ok(RubyValue::hash(map.entries.borrow().clone())),
            [RubyValue::Array(list)] => {
                let mut entries = Entries::default();
                for pair in list.items.borrow().clone() {
                    let pair_items = match &pair {
                        RubyValue::Array(pair) => pair.items.borrow().clone(),
                        other => {
                            let class = crate::show::class_name(other);
                            return self.argument_error(format!(
                                "wrong element type {class} at 0 (expected array)"
                            ));
                        }
                    };
                    match &pair_items[..] {
                        [key] => entries.insert(Key::new(key), RubyValue::Nil),
                        [key, value] => entries.insert(Key::new(key), value.clone()),
                        other => {
                            let n = other.len();
                            return self.argument_error(format!(
                                "invalid number of elements ({n} for 1..2)"
                            ));
                        }
                    };
                }
                Ok(RubyValue::hash(entries))
            }
            items if items.len() % 2 == 0 => {
                let pairs = items.chunks(2).map(|pair| (Key::new(&pair[0]), pair[1].clone()));
                Ok(RubyValue::hash(pairs.collect::<Entries>()))
            }
            _ => self.argument_error("odd number of arguments for Hash"),
        }
    }

    fn json_method(&mut self, name: &str, a: Args<'_>) -> Found {
        match name {
            "parse" | "load" | "parse!" => {
                let source = match a.get(0) {
                    RubyValue::Nil if name == "load" => return Ok(Some(RubyValue::Nil)),
                    other => self.text_arg(&other)?,
                };
                self.parse_json(&source, a).map(Some)
            }
            "generate" | "dump" => text(self.to_json(&a.get(0), false)?),
            "load_file" => {
                let path = self.text_arg(&a.get(0))?;
                let source = self.host.read_file(&path);
                let source = self.from_host(source)?;
                self.parse_json(&source, a).map(Some)
            }
            "pretty_generate" => {
                let mut style = json::Style::pretty();
                for (part, name) in [
                    (&mut style.indent, "indent"),
                    (&mut style.space, "space"),
                    (&mut style.space_before, "space_before"),
                    (&mut style.object_nl, "object_nl"),
                    (&mut style.array_nl, "array_nl"),
                ] {
                    if let Some(given) = a.option(name).filter(|_| a.len() > 1) {
                        *part = self.text_arg(&given)?.as_str().to_owned();
                    }
                }
                text(self.to_json_in(&a.get(0), &style)?)
            }
            _ => Ok(None),
        }
    }

    fn yaml_method(&mut self, name: &str, a: Args<'_>) -> Found {
        match name {
            "load" | "safe_load" | "unsafe_load" => {
                let source = self.text_arg(&a.get(0))?;
                self.load_yaml(&source, name == "unsafe_load", a).map(Some)
            }
            "load_file" | "safe_load_file" | "unsafe_load_file" => {
                let path = self.text_arg(&a.get(0))?;
                let source = self.host.read_file(&path);
                let source = self.from_host(source)?;
                self.load_yaml(&source, name == "unsafe_load_file", a).map(Some)
            }
            "dump" => text(self.to_yaml(&a.get(0), Args::new(&a.items[1.min(a.len())..]))?),
            _ => Ok(None),
        }
    }

    fn regexp_class_method(&mut self, name: &str, a: Args<'_>) -> Found {
        match name {
            "escape" | "quote" => {
                let source = self.pattern_text(&a.get(0))?;
                text(crate::methods::escape(&source))
            }
            "union" => {
                let items = match a.items {
                    [RubyValue::Array(list)] => list.items.borrow().clone(),
                    items => items.to_vec(),
                };
                let mut parts = Vec::new();
                for item in &items {
                    parts.push(match item {
                        RubyValue::Regexp(regex) if items.len() == 1 => {
                            return Ok(Some(RubyValue::Regexp(Rc::clone(regex))));
                        }
                        RubyValue::Regexp(regex) => regex.to_s(),
                        other => crate::methods::escape(&self.pattern_text(other)?),
                    });
                }
                let source = if parts.is_empty() { "(?!)".to_owned() } else { parts.join("|") };
                self.make_regex(&source, kukla_regex::Options::default()).map(Some)
            }
            "compile" => {
                let class = RubyValue::Class(self.class_named("Regexp"));
                self.call_with(&class, "new", a).map(Some)
            }
            "last_match" => self.unsupported("Regexp.last_match"),
            _ => Ok(None),
        }
    }

    fn pattern_text(&mut self, value: &RubyValue) -> Eval<ecow::EcoString> {
        match value {
            RubyValue::Sym(name) => Ok(name.clone()),
            other => self.text_arg(other),
        }
    }

    fn math_method(&mut self, name: &str, a: Args<'_>) -> Found {
        let mut numbers = Vec::new();
        for item in a.items {
            let RubyValue::Float(number) = self.call(item, "to_f", &[])? else { return Ok(None) };
            numbers.push(number);
        }
        let x = numbers.first().copied().unwrap_or(f64::NAN);
        Ok(Some(RubyValue::Float(match (name, numbers.len()) {
            ("sqrt", 1) if x < 0.0 => {
                return self
                    .raise("Math::DomainError", "Numerical argument is out of domain - \"sqrt\"");
            }
            ("sqrt", 1) => x.sqrt(),
            ("cbrt", 1) => x.cbrt(),
            ("log2", 1) => x.log2(),
            ("log10", 1) => x.log10(),
            ("log", 1) => x.ln(),
            ("log", 2) => x.ln() / numbers[1].ln(),
            ("exp", 1) => x.exp(),
            ("pow", 2) => x.powf(numbers[1]),
            ("hypot", 2) => x.hypot(numbers[1]),
            ("sin", 1) => x.sin(),
            ("cos", 1) => x.cos(),
            ("floor", 1) => x.floor(),
            _ => return Ok(None),
        })))
    }

    fn base64_method(&mut self, name: &str, a: Args<'_>) -> Found {
        let source = self.bytes_arg(&a.get(0))?;
        match name {
            "encode64" => return text(base64::encode(&source)),
            "strict_encode64" => return text(base64::strict_encode(&source)),
            "urlsafe_encode64" => return text(base64::urlsafe_encode(&source)),
            _ => (),
        }
        let source = String::from_utf8_lossy(&source);
        let bytes = match name {
            "decode64" => base64::decode(&source),
            "strict_decode64" => self.from_text(base64::strict_decode(&source))?,
            "urlsafe_decode64" => self.from_text(base64::urlsafe_decode(&source))?,
            _ => return Ok(None),
        };
        if let Ok(text) = std::str::from_utf8(&bytes) {
            self.host.text_of_bytes(text);
        }
        Ok(Some(RubyValue::bytes(bytes)))
    }

    fn digest_method(&mut self, class: &str, name: &str, a: Args<'_>) -> Found {
        if !matches!(name, "hexdigest" | "digest" | "base64digest") {
            return match name {
                "new" => self.unsupported(format!("{class}.{name}")),
                _ => Ok(None),
            };
        }
        let bytes = self.bytes_arg(&a.get(0))?;
        let hex = match class {
            "Digest::MD5" => digest::md5(&bytes),
            "Digest::SHA1" => digest::sha1(&bytes),
            "Digest::SHA384" => digest::sha384(&bytes),
            "Digest::SHA512" => digest::sha512(&bytes),
            _ => digest::sha256(&bytes),
        };
        match name {
            "hexdigest" => text(hex),
            "digest" => Ok(Some(RubyValue::bytes(pack::from_hex(hex.as_bytes())))),
            _ => text(base64::strict_encode(&pack::from_hex(hex.as_bytes()))),
        }
    }

    fn shell_method(&mut self, name: &str, a: Args<'_>) -> Found {
        match name {
            "escape" | "shellescape" => {
                let word = self.to_s(&a.get(0))?;
                text(shell::escape(&word))
            }
            "split" | "shellsplit" | "shellwords" => {
                let RubyValue::Str(line) = a.get(0) else {
                    return self.no_method(&a.get(0), "scan", false);
                };
                let line = line.text.borrow().clone();
                let words = self.from_text(shell::split(&line))?;
                Ok(Some(RubyValue::array(words.into_iter().map(RubyValue::str).collect())))
            }
            "join" | "shelljoin" => {
                let mut words = Vec::new();
                for item in self.array_arg(&a.get(0))? {
                    words.push(self.to_s(&item)?);
                }
                text(shell::join(&words))
            }
            _ => Ok(None),
        }
    }

    /// The calls under way, each as a file and a line, the innermost first.
    fn stack(&mut self) -> impl Iterator<Item = RubyValue> + use<> {
        self.host.stack().into_iter().map(|(file, line)| {
            RubyValue::array(vec![RubyValue::str(file), RubyValue::Int(i64::from(line))])
        })
    }

    fn warn_once(&mut self, a: Args<'_>) -> Eval {
        if a.len() != 3 {
            return self.unsupported("Puppet.warn_once with a place");
        }
        let (key, message) = (self.to_s(&a.get(1))?, self.to_s(&a.get(2))?);
        self.acting().warn_once(&key, &message);
        Ok(RubyValue::Nil)
    }

    fn is_absolute(&mut self, a: Args<'_>) -> Eval {
        let given = a.get(0);
        let RubyValue::Str(path) = &given else {
            let (shown, class) = (self.to_s(&given)?, crate::show::class_name(&given));
            self.acting().log(
                "warning",
                &format!(
                    "Cannot check if {shown} is an absolute path because it is a '{class}' and not a String'"
                ),
            );
            return Ok(RubyValue::Bool(false));
        };
        let path = path.text.borrow();
        let is_windows = a.get(1).as_name().is_some_and(|platform| platform == "windows");
        let is_absolute = if is_windows { is_windows_path(&path) } else { path.starts_with('/') };
        Ok(RubyValue::Bool(is_absolute))
    }

    /// Puppet's own classes.
    fn puppet_class_method(
        &mut self,
        this: &Rc<Class>,
        class: &str,
        name: &str,
        a: Args<'_>,
    ) -> Found {
        match (class, name) {
            (
                "Puppet",
                "debug"
                | "info"
                | "notice"
                | "warning"
                | "err"
                | "alert"
                | "emerg"
                | "crit"
                | "deprecation_warning",
            ) => {
                let message = self.to_s(&a.get(0))?;
                let level = if name == "deprecation_warning" { "warning" } else { name };
                self.acting().log(level, &message);
                Ok(Some(RubyValue::Nil))
            }
            ("Puppet", "warn_once") => self.warn_once(a).map(Some),
            ("Puppet", "version") => text("7.23.0"),
            ("Puppet", "[]") => self.setting(a).map(Some),
            ("Puppet::Util::Package", "versioncmp") => {
                let (left, right) = (self.to_s(&a.get(0))?, self.to_s(&a.get(1))?);
                let order = versioncmp::versioncmp(&left, &right, a.get(2).truthy());
                Ok(Some(RubyValue::Int(order as i64)))
            }
            ("Puppet::Pops::PuppetStack", "stacktrace") => {
                Ok(Some(RubyValue::array(self.stack().collect())))
            }
            ("Puppet::Pops::PuppetStack", "top_of_stack") => {
                let top = self.stack().next();
                Ok(Some(top.unwrap_or_else(|| RubyValue::array(Vec::new()))))
            }
            ("Puppet::Pops::Lookup::HieraConfig", "symkeys_to_string") => {
                let value = self.with_text_keys(&a.get(0))?;
                Ok(Some(value))
            }
            ("Puppet::Util", "absolute_path?") => self.is_absolute(a).map(Some),
            ("Puppet::Util", "uri_encode" | "uri_query_encode") => {
                let source = self.text_arg(&a.get(0))?;
                text(uri::escape(&source))
            }
            ("Puppet::Parser::Functions", "newfunction") => self.new_function(a).map(Some),
            ("Puppet::Parser::Functions", "function") => {
                let asked = self.name_arg(&a.get(0))?;
                let known = self.host.has_function(&asked);
                let value = if known {
                    RubyValue::Sym(ecow::eco_format!("function_{asked}"))
                } else {
                    RubyValue::Bool(false)
                };
                Ok(Some(value))
            }
            ("Puppet::Parser::Functions", "autoloader") => {
                let class = self.class_named("Puppet::Module");
                Ok(Some(RubyValue::Object(Rc::new(Object::new(
                    class,
                    Data::Special("autoloader"),
                )))))
            }
            ("Puppet::Parser::Files", "find_template" | "find_file") => {
                let reference = self.to_s(&a.get(0))?;
                let folder = if name == "find_file" { "files" } else { "templates" };
                let found = self.host.find_file(folder, &reference);
                Ok(Some(found.map_or(RubyValue::Nil, RubyValue::str)))
            }
            (_, "dispatcher") => self.unsupported("the dispatcher of a function"),
            ("Puppet::Functions", "create_function") => self.create_function(a).map(Some),
            _ => self.function_class_method(this, name, a),
        }
    }
}

fn is_windows_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
        || (bytes.len() > 2
            && matches!(bytes, [b'\\' | b'/', b'\\' | b'/', next, ..] if !matches!(next, b'\\' | b'/')))
}

fn percent(source: &str, is_plain: fn(u8) -> bool, plus: bool) -> String {
    let mut out = String::new();
    for byte in source.bytes() {
        match byte {
            b' ' if plus => out.push('+'),
            byte if is_plain(byte) => out.push(char::from(byte)),
            byte => {
                use std::fmt::Write;
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
