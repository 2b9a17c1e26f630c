//! `URI`

use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::Value;
use kukla_pcore::value::Rare;

use super::encode::percent;
use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

pub(crate) type Uri = kukla_pcore::uri::Uri;

/// The methods of this file.
pub(crate) static METHODS: &[Builtin<Uri>] = &[
    method("scheme", |_, uri, _| Ok(part(uri.scheme.as_ref()))),
    method("host", |_, uri, _| Ok(part(uri.host.as_ref()))),
    method("hostname", host_name),
    method("port", |_, uri, _| Ok(port(uri).map_or(RubyValue::Nil, RubyValue::Int))),
    method("path", |_, uri, _| Ok(part(uri.path().as_ref()))),
    method("query", |_, uri, _| Ok(part(uri.query.as_ref()))),
    method("fragment", |_, uri, _| Ok(part(uri.fragment.as_ref()))),
    method("opaque", |_, uri, _| Ok(part(uri.opaque.as_ref()))),
    method("userinfo", |_, uri, _| Ok(part(uri.userinfo.as_ref()))),
    method("user", |_, uri, _| Ok(credentials(uri).0)),
    method("password", |_, uri, _| Ok(credentials(uri).1)),
    method("to_s", to_s),
    method("absolute?", |_, uri, _| yes(uri.scheme.is_some())),
    method("relative?", |_, uri, _| yes(uri.scheme.is_none())),
];

/// The methods of `URI` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] = &[
    method("parse", parse),
    method("encode_www_form", encode_form).arity(1, 1),
    method("encode_www_form_component", |run, _, a| {
        let part = run.to_s(&a.get(0))?;
        text(form_part(&part))
    })
    .arity(1, 1),
];

/// Escapes a name or value of a form.
fn form_part(part: &str) -> String {
    percent(part, |b| b.is_ascii_alphanumeric() || b"*-._".contains(&b), true)
}

/// `URI.encode_www_form('q' => ['a', 'b'])`
fn encode_form(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let pairs: Vec<(RubyValue, RubyValue)> = match a.get(0) {
        RubyValue::Hash(map) => {
            map.entries.borrow().iter().map(|(key, value)| (key.0.clone(), value.clone())).collect()
        }
        _ => return run.unsupported("a form that is no hash"),
    };
    let mut parts = Vec::new();
    for (name, value) in pairs {
        let name = form_part(&run.to_s(&name)?);
        match value {
            RubyValue::Nil => parts.push(name),
            RubyValue::Array(list) => {
                for item in list.items.borrow().clone() {
                    parts.push(match item {
                        RubyValue::Nil => name.clone(),
                        item => format!("{name}={}", form_part(&run.to_s(&item)?)),
                    });
                }
            }
            value => parts.push(format!("{name}={}", form_part(&run.to_s(&value)?))),
        }
    }
    text(parts.join("&"))
}

fn part(text: Option<&EcoString>) -> RubyValue {
    text.cloned().map_or(RubyValue::Nil, RubyValue::str)
}

fn host_name(_run: &mut Run<'_>, uri: &Uri, _a: Args<'_>) -> Eval {
    let bare = |host: &EcoString| host.trim_start_matches('[').trim_end_matches(']').into();
    let host: Option<EcoString> = uri.host.as_ref().map(bare);
    Ok(part(host.as_ref()))
}

fn port(uri: &Uri) -> Option<i64> {
    uri.port.or(match uri.scheme.as_deref() {
        Some("http") => Some(80),
        Some("https") => Some(443),
        Some("ftp") => Some(21),
        Some("ldap") => Some(389),
        _ => None,
    })
}

/// Returns name and password of `name:password@`.
fn credentials(uri: &Uri) -> (RubyValue, RubyValue) {
    let Some(info) = &uri.userinfo else { return (RubyValue::Nil, RubyValue::Nil) };
    match info.split_once(':') {
        Some((user, password)) => (RubyValue::str(user), RubyValue::str(password)),
        None => (RubyValue::str(info.clone()), RubyValue::Nil),
    }
}

fn to_s(_run: &mut Run<'_>, uri: &Uri, _a: Args<'_>) -> Eval {
    let value = Value::rare(Rare::Uri(uri.clone()));
    text(kukla_pcore::ruby::to_s(&value))
}

fn parse(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = run.text_arg(&a.get(0))?;
    run.parse_uri(&source)
}

impl Run<'_> {
    pub(crate) fn parse_uri(&mut self, text: &str) -> Eval {
        match Uri::parse(text) {
            Ok(uri) => {
                let class = self.class_named(uri.class_name());
                Ok(RubyValue::Object(Rc::new(Object::new(class, Data::Uri(uri)))))
            }
            Err(error) => self.raise("URI::InvalidURIError", error.0),
        }
    }
}
