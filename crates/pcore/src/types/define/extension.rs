//! Object types with type parameters.

use std::sync::Arc;

use super::super::{Member, ObjectExtension, ObjectType, Type, TypeError, mismatch};
use crate::Value;

/// Creates `Name[parameters]`.
pub fn extension(object: &Arc<ObjectType>, keys: &[Value]) -> Result<Type, TypeError> {
    let members = object.type_parameters();
    let label = object.label();
    let Some(first) = members.first() else {
        return Err(format!("The {label}-Type cannot be parameterized using []").into());
    };
    let mut parameters = Vec::new();
    let mut add = |member: &Member, value: &Value| {
        if *value != Value::Default {
            let subject = format!("type_parameter {label}[{}]", member.name);
            mismatch::assert_instance(&subject, &member.type_, value)?;
            parameters.push((member.name.clone(), value.clone()));
        }
        Ok::<(), TypeError>(())
    };
    match keys {
        [Value::Hash(hash)] if !first.type_.is_instance(&keys[0]) => {
            for (key, value) in hash.iter() {
                let name = crate::interpolate::text(key);
                let Some(member) = members.iter().find(|member| member.name == *name) else {
                    let message =
                        format!("'{name}' is not a known type parameter for {label}-Type");
                    return Err(message.into());
                };
                add(member, value)?;
            }
        }
        keys => {
            for (member, value) in members.iter().zip(keys) {
                add(member, value)?;
            }
        }
    }
    if parameters.is_empty() {
        let message =
            format!("The {label}-Type cannot be parameterized using an empty parameter list");
        return Err(message.into());
    }
    Ok(Type::ObjectExtension(Arc::new(ObjectExtension { base: Arc::clone(object), parameters })))
}
