//! Objects of the library: `new`, and what they can do.

use std::rc::Rc;

use kukla_rubytext::BigInt;
use kukla_rubytext::random::Random;

use crate::class::{Class, Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    pub(crate) fn library_new(
        &mut self,
        class: &Rc<Class>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "IPAddr" => match a.get(0) {
                RubyValue::Str(text) if a.len() == 1 => {
                    let text = text.text.borrow().clone();
                    let ip = self.parse_ip(&text)?;
                    Ok(Some(self.make_ip(ip)))
                }
                RubyValue::Str(_) => self.unsupported("family of IPAddr.new"),
                number => {
                    let ip = self.ip_of_number(&number, &a.get(1))?;
                    Ok(Some(self.make_ip(ip)))
                }
            },
            "Gem::Version" => self.make_version(a).map(Some),
            "Time" if a.is_empty() => Ok(Some(self.now())),
            "Random" => {
                let seed = match a.get(0) {
                    RubyValue::Big(seed) => (*seed).clone(),
                    other => BigInt::from(self.int_arg(&other)?),
                };
                let data = Data::Random(Box::new(Random::new(&seed)));
                Ok(Some(RubyValue::Object(Rc::new(Object::new(Rc::clone(class), data)))))
            }
            "Puppet::Pops::Types::PSensitiveType::Sensitive" => {
                let value = self.to_puppet(&a.get(0))?;
                let value = kukla_pcore::Value::Sensitive(std::sync::Arc::new(value));
                Ok(Some(RubyValue::Puppet(Rc::new(value))))
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn library_object_method(
        &mut self,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        enum What {
            Ip(crate::library::ip::Ip),
            Uri(Box<crate::library::uri::Uri>),
            Time(i64, u32, i32, bool),
            Random,
            Version(String),
            Resource(Rc<crate::value::Map>),
            Scope,
            Special(&'static str),
            None,
        }
        let what = match &*this.data.borrow() {
            Data::Ip(ip) => What::Ip(ip.clone()),
            Data::Uri(uri) => What::Uri(Box::new(uri.clone())),
            Data::Time { seconds, nanoseconds, offset, utc } => {
                What::Time(*seconds, *nanoseconds, *offset, *utc)
            }
            Data::Random(_) => What::Random,
            Data::Resource(RubyValue::Hash(map)) => What::Resource(Rc::clone(map)),
            Data::Version(text) => What::Version(text.clone()),
            Data::Scope => What::Scope,
            Data::Special(what) => What::Special(what),
            Data::Template(_) => What::Special("template"),
            _ => What::None,
        };
        match what {
            What::Ip(ip) => self.ip_method(&ip, name, a),
            What::Uri(uri) => self.uri_method(&uri, name, a),
            What::Time(seconds, nanoseconds, offset, utc) => {
                self.time_method((seconds, nanoseconds, offset, utc), name, a)
            }
            What::Random => self.random_method(this, name, a),
            What::Version(text) => self.version_method(&text, name, a),
            What::Resource(map) => self.resource_method(&map, name, a),
            What::Scope => self.scope_method(name, a),
            What::Special(what) => self.special_method(what, name, a),
            What::None => Ok(None),
        }
    }

    fn random_method(
        &mut self,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if name != "rand" {
            return Ok(None);
        }
        let mut data = this.data.borrow_mut();
        let Data::Random(random) = &mut *data else { return Ok(None) };
        if matches!(a.items.first(), Some(RubyValue::Int(0))) {
            return self.argument_error("invalid argument - 0");
        }
        self.number_of(random, &a.get(0)).map(Some)
    }

    /// `require`: the library is there already, other files come from the host.
    pub(crate) fn require(&mut self, name: &str, how: &str) -> Eval<bool> {
        let plain = name.trim_end_matches(".rb");
        if how == "require" && crate::library::is_library(plain) {
            return Ok(true);
        }
        let asked: ecow::EcoString = match how {
            "require_relative" => {
                let base = self.vm.file.rsplit_once('/').map_or("", |(base, _)| base);
                ecow::eco_format!("{base}/{plain}")
            }
            _ => plain.into(),
        };
        if self.vm.required.contains(&asked) {
            return Ok(false);
        }
        let helper = self.vm.helpers.iter().find(|(name, _)| *name == asked || *name == plain);
        if let Some(helper) = helper.map(|(_, program)| std::sync::Arc::clone(program)) {
            self.vm.required.push(asked);
            self.run_file(&helper)?;
            return Ok(true);
        }
        let Some((path, text)) = self.host.ruby_file(&asked) else {
            return self.raise("LoadError", format!("cannot load such file -- {asked}"));
        };
        self.vm.required.push(asked);
        let program = match crate::read::read(&path, &text) {
            Ok(program) => program,
            Err(unsupported) => return self.unsupported(format!("{unsupported} of {path}")),
        };
        self.run_file(&program)?;
        Ok(true)
    }

    /// Runs the code of a file at the top.
    pub(crate) fn run_file(&mut self, program: &crate::read::tree::Program) -> Eval {
        let (file, line) = self.place();
        self.vm.file = program.file.clone();
        let top = Rc::clone(&self.vm.top);
        let main = RubyValue::Object(Rc::new(Object::new(Rc::clone(&top), Data::Special("main"))));
        let frame = self.top_frame(main, top, program.n_locals);
        let result = self.eval(&program.body, &frame)?;
        self.vm.file = file;
        self.vm.line = line;
        Ok(result)
    }
}
