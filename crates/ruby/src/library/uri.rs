//! `URI`

use std::rc::Rc;

use crate::class::{Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

pub(crate) type Uri = kukla_pcore::uri::Uri;

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

    pub(crate) fn uri_method(
        &mut self,
        uri: &Uri,
        name: &str,
        _a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let text =
            |part: &Option<ecow::EcoString>| part.clone().map_or(RubyValue::Nil, RubyValue::str);
        Ok(Some(match name {
            "scheme" => text(&uri.scheme),
            "host" => text(&uri.host),
            "hostname" => match &uri.host {
                Some(host) => RubyValue::str(host.trim_start_matches('[').trim_end_matches(']')),
                None => RubyValue::Nil,
            },
            "port" => match (uri.port, uri.scheme.as_deref()) {
                (Some(port), _) => RubyValue::Int(port),
                (None, Some("http")) => RubyValue::Int(80),
                (None, Some("https")) => RubyValue::Int(443),
                (None, Some("ftp")) => RubyValue::Int(21),
                (None, Some("ldap")) => RubyValue::Int(389),
                _ => RubyValue::Nil,
            },
            "path" => text(&uri.path()),
            "query" => text(&uri.query),
            "fragment" => text(&uri.fragment),
            "opaque" => text(&uri.opaque),
            "userinfo" => text(&uri.userinfo),
            "user" | "password" => match &uri.userinfo {
                Some(info) => {
                    let (user, password) =
                        info.split_once(':').map_or((info.as_str(), None), |(u, p)| (u, Some(p)));
                    if name == "user" {
                        RubyValue::str(user)
                    } else {
                        password.map_or(RubyValue::Nil, RubyValue::str)
                    }
                }
                None => RubyValue::Nil,
            },
            "to_s" => RubyValue::str(kukla_pcore::ruby::to_s(&kukla_pcore::Value::rare(
                kukla_pcore::value::Rare::Uri(uri.clone()),
            ))),
            "absolute?" => RubyValue::Bool(uri.scheme.is_some()),
            "relative?" => RubyValue::Bool(uri.scheme.is_none()),
            _ => return Ok(None),
        }))
    }
}
