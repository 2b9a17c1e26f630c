//! Members of objects: `object.attribute`

use kukla_pcore::Value;
use kukla_pcore::types::{MemberKind, ObjectType};
use kukla_pcore::uri::Uri;
use kukla_pcore::value::{Object, Rare};

use crate::{Eval, fault};

/// The value of `receiver.name(arguments)` if the receiver has such a member; functions are asked otherwise.
pub(super) fn member(
    receiver: &Value,
    name: &str,
    n_arguments: usize,
    has_block: bool,
) -> Option<Eval<Value>> {
    let Value::Rare(rare) = receiver else { return None };
    let (label, value) = match &**rare {
        Rare::Object(object) => object_member(object, name)?,
        Rare::Uri(uri) => (format!("attribute URI[{name}]"), Ok(uri_member(uri, name)?)),
        Rare::Iterator(_) | Rare::SemVer(_) | Rare::SemVerRange(_) => return None,
    };
    Some(match (n_arguments, has_block) {
        (0, false) => value,
        (0, true) => fault(format!("'{label}' does not expect a block")),
        (n, _) => fault(format!("'{label}' expects no arguments, got {n}")),
    })
}

fn object_member(object: &Object, name: &str) -> Option<(String, Eval<Value>)> {
    let type_ = &object.type_;
    let is_member = |kind| kind != MemberKind::TypeParameter;
    let members = type_.all_members(is_member);
    // The last one is the innermost: a member that overrides another.
    let member = members.iter().rev().find(|member| member.name == name)?;
    Some(match member.kind {
        MemberKind::Function => {
            let label = format!("function {}[{name}]", type_.label());
            let value = function(type_, object, name, &label);
            (label, value)
        }
        MemberKind::Derived => {
            let label = format!("derived attribute {}[{name}]", type_.label());
            let value = fault(format!("no method is implemented for {label}"));
            (label, value)
        }
        _ => {
            let label = format!("attribute {}[{name}]", type_.label());
            (label, Ok(object.get(name).cloned().unwrap_or_default()))
        }
    })
}

/// Functions of objects are written in Ruby, so Puppet's own are all there is.
fn function(type_: &ObjectType, object: &Object, name: &str, label: &str) -> Eval<Value> {
    match (type_.label(), name) {
        ("Error", "message") => Ok(object.get("msg").cloned().unwrap_or_default()),
        _ => fault(format!("no method is implemented for {label}")),
    }
}

fn uri_member(uri: &Uri, name: &str) -> Option<Value> {
    let text = |part: Option<ecow::EcoString>| part.map_or(Value::Undef, Value::String);
    Some(match name {
        "scheme" => text(uri.scheme.clone()),
        "userinfo" => text(uri.userinfo.clone()),
        "host" => text(uri.host.clone()),
        "port" => uri.port.map_or(Value::Undef, Value::Integer),
        "path" => text(uri.path()),
        "query" => text(uri.query.clone()),
        "fragment" => text(uri.fragment.clone()),
        "opaque" => text(uri.opaque.clone()),
        _ => return None,
    })
}
