//! Object types and sets of types, made of the hashes that describe them.

use std::sync::Arc;

use ecow::EcoString;

use super::parse::Names;
use super::{
    Member, MemberKind, ObjectBody, ObjectExtension, ObjectType, Type, TypeSet, infer_generic,
    mismatch, named,
};
use crate::{Hash, Value};

/// `Object[{…}]`: an Object type from its hash.
pub fn object(name: Option<EcoString>, init: &Value, _names: &dyn Names) -> Result<Type, String> {
    let Value::Hash(hash) = init else {
        return Err(mismatch::assertion("object initializer", &INIT, init));
    };
    if hash.is_empty() && name.is_none() {
        return Ok(named::any_object());
    }
    let name = name.or_else(|| hash.get_str("name").and_then(Value::as_str).map(Into::into));
    let object = ObjectType::new(name);
    resolve(&object, hash)?;
    Ok(Type::Object(Arc::new(object)))
}

/// Fills an Object type from its hash; the type may be used in the hash already.
pub fn resolve(object: &ObjectType, hash: &Hash) -> Result<(), String> {
    mismatch::assert_instance("object initializer", &INIT, &Value::hash(hash.clone()))?;
    let parent = match hash.get_str("parent") {
        Some(Value::Type(parent)) => Some((**parent).clone()),
        _ => None,
    };
    if let Some(Type::Reference(name)) = &parent {
        return Err(format!("reference to unresolved type '{name}'"));
    }
    let inherited = inherited(parent.as_ref());
    let builder = Builder { label: object.label(), inherited: &inherited };
    let mut members = builder.type_parameters(hash)?;
    members.extend(builder.attributes(hash)?);
    members.extend(builder.functions(hash, &members)?);
    let equality_include_type =
        !matches!(hash.get_str("equality_include_type"), Some(Value::Boolean(false)));
    let equality = builder.equality(hash, &members, equality_include_type)?;
    object.resolve(ObjectBody {
        parent,
        members,
        equality,
        equality_include_type,
        checks: hash.get_str("checks").cloned(),
        annotations: hash.get_str("annotations").cloned(),
    });
    Ok(())
}

/// All members of the parent.
fn inherited(parent: Option<&Type>) -> Vec<Member> {
    match parent {
        Some(Type::Object(parent)) => parent.all_members(|_| true).into_iter().cloned().collect(),
        Some(Type::Alias(alias)) => inherited(alias.resolved()),
        _ => Vec::new(),
    }
}

static INIT: std::sync::LazyLock<Type> = std::sync::LazyLock::new(|| {
    let name = r"Pattern[/\A[a-z_]\w*\z/]";
    let text = format!(
        "Struct[{{
            Optional[name] => Pattern[/\\A[A-Z][\\w]*(?:::[A-Z][\\w]*)*\\z/],
            Optional[parent] => Type,
            Optional[type_parameters] => Hash[{name}, NotUndef],
            Optional[attributes] => Hash[{name}, NotUndef],
            Optional[constants] => Hash[{name}, Any],
            Optional[functions] => Hash[Variant[{name}, Enum['[]']], NotUndef],
            Optional[equality] => Variant[{name}, Array[{name}]],
            Optional[equality_include_type] => Boolean,
            Optional[checks] => Any,
            Optional[annotations] => Hash[Type, Hash[{name}, Any]]
        }}]"
    );
    super::parse(&text, &super::NoNames).expect("it is written here")
});

static ATTRIBUTE: std::sync::LazyLock<Type> = std::sync::LazyLock::new(|| {
    let text = "Struct[{
        type => Type,
        Optional[final] => Boolean,
        Optional[override] => Boolean,
        Optional[kind] => Enum[constant, derived, given_or_derived, reference],
        value => Any,
        Optional[annotations] => Hash[Type, Hash[String, Any]]
    }]";
    super::parse(text, &super::NoNames).expect("it is written here")
});

static FUNCTION: std::sync::LazyLock<Type> = std::sync::LazyLock::new(|| {
    let text = "Struct[{
        type => Type[Callable],
        Optional[final] => Boolean,
        Optional[override] => Boolean,
        Optional[annotations] => Hash[Type, Hash[String, Any]]
    }]";
    super::parse(text, &super::NoNames).expect("it is written here")
});

struct Builder<'a> {
    label: &'a str,
    inherited: &'a [Member],
}

impl Builder<'_> {
    fn section<'h>(&self, hash: &'h Hash, key: &str) -> Vec<(EcoString, &'h Value)> {
        let Some(Value::Hash(section)) = hash.get_str(key) else { return Vec::new() };
        let named = |(key, value): (&Value, &'h Value)| Some((key.as_str()?.into(), value));
        // The section is borrowed from the hash, which outlives this.
        section_entries(section).into_iter().filter_map(named).collect()
    }

    fn label_of(&self, member: &Member) -> String {
        format!("{} {}[{}]", member.kind.feature(), self.label, member.name)
    }

    fn type_parameters(&self, hash: &Hash) -> Result<Vec<Member>, String> {
        let mut members = Vec::new();
        for (name, spec) in self.section(hash, "type_parameters") {
            let (type_, value) = match spec {
                Value::Hash(spec) => (
                    spec.get_str("type").cloned().unwrap_or_default(),
                    spec.get_str("value").cloned(),
                ),
                spec => (spec.clone(), None),
            };
            let subject = format!("type_parameter {}[{name}]", self.label);
            let type_ = assert_type(&subject, &Type::Type(None), &type_)?;
            let type_ = match type_ {
                type_ @ Type::Optional(_) => type_,
                type_ => Type::optional(type_),
            };
            let member = Member { value, ..plain(name, MemberKind::TypeParameter, type_) };
            members.push(self.overriding(member)?);
        }
        Ok(members)
    }

    fn attributes(&self, hash: &Hash) -> Result<Vec<Member>, String> {
        let specs = self.section(hash, "attributes");
        let mut members = Vec::new();
        for (name, spec) in &specs {
            let member = self.attribute(name.clone(), spec)?;
            members.push(self.overriding(member)?);
        }
        for (name, value) in self.section(hash, "constants") {
            if specs.iter().any(|(other, _)| *other == name) {
                return Err(format!(
                    "attribute {}[{name}] is defined as both a constant and an attribute",
                    self.label
                ));
            }
            let is_override = self.inherited.iter().any(|member| member.name == name);
            let member = Member {
                value: Some(value.clone()),
                is_final: true,
                is_override,
                ..plain(name, MemberKind::Constant, infer_generic(value))
            };
            members.push(self.overriding(member)?);
        }
        Ok(members)
    }

    fn attribute(&self, name: EcoString, spec: &Value) -> Result<Member, String> {
        let Value::Hash(spec) = spec else {
            let subject = format!("attribute {}[{name}]", self.label);
            let type_ = assert_type(&subject, &Type::Type(None), spec)?;
            let value = matches!(type_, Type::Optional(_)).then_some(Value::Undef);
            return Ok(Member { value, ..plain(name, MemberKind::Attribute, type_) });
        };
        let subject = format!("initializer for attribute {}[{name}]", self.label);
        mismatch::assert_instance(&subject, &ATTRIBUTE, &Value::Hash(Arc::clone(spec)))?;
        if name == "__ptype" || name == "__pvalue" {
            return Err(format!("The attribute '{name}' is reserved and cannot be used"));
        }
        let kind = match spec.get_str("kind").and_then(Value::as_str) {
            Some("constant") => MemberKind::Constant,
            Some("derived") => MemberKind::Derived,
            Some("given_or_derived") => MemberKind::GivenOrDerived,
            Some("reference") => MemberKind::Reference,
            _ => MemberKind::Attribute,
        };
        let type_ = type_of(spec.get_str("type"));
        let mut member = Member {
            value: spec.get_str("value").cloned(),
            is_final: is_true(spec.get_str("final")),
            is_override: is_true(spec.get_str("override")),
            annotations: spec.get_str("annotations").cloned(),
            ..plain(name, kind, type_)
        };
        self.check_value(&mut member, spec)?;
        Ok(member)
    }

    fn check_value(&self, member: &mut Member, spec: &Hash) -> Result<(), String> {
        let label = self.label_of(member);
        if member.kind == MemberKind::Constant {
            if matches!(spec.get_str("final"), Some(Value::Boolean(false))) {
                return Err(format!(
                    "{label} of kind 'constant' cannot be combined with final => false"
                ));
            }
            member.is_final = true;
        }
        match (&member.value, member.kind) {
            (Some(_), MemberKind::Derived | MemberKind::GivenOrDerived) => Err(format!(
                "{label} of kind '{}' cannot be combined with an attribute value",
                member.kind.as_str().unwrap_or_default()
            )),
            (Some(value), _) if *value != Value::Default => {
                mismatch::assert_instance(&format!("{label} value"), &member.type_, value)
            }
            (None, MemberKind::Constant) => {
                Err(format!("{label} of kind 'constant' requires a value"))
            }
            _ => Ok(()),
        }
    }

    fn functions(&self, hash: &Hash, attributes: &[Member]) -> Result<Vec<Member>, String> {
        let mut members = Vec::new();
        for (name, spec) in self.section(hash, "functions") {
            let member = match spec {
                Value::Hash(spec) => {
                    let subject = format!("initializer for function '{name}'");
                    mismatch::assert_instance(&subject, &FUNCTION, &Value::Hash(Arc::clone(spec)))?;
                    Member {
                        is_final: is_true(spec.get_str("final")),
                        is_override: is_true(spec.get_str("override")),
                        annotations: spec.get_str("annotations").cloned(),
                        ..plain(name, MemberKind::Function, type_of(spec.get_str("type")))
                    }
                }
                spec => {
                    let subject = format!("function {}[{name}]", self.label);
                    let expected = Type::meta(named::all_callables());
                    let type_ = assert_type(&subject, &expected, spec)?;
                    plain(name, MemberKind::Function, type_)
                }
            };
            let clashes = |other: &Member| other.name == member.name && other.kind.is_attribute();
            if attributes.iter().any(clashes) {
                let label = self.label_of(&member);
                return Err(format!("{label} conflicts with attribute with the same name"));
            }
            members.push(self.overriding(member)?);
        }
        Ok(members)
    }

    /// Whether a member may take the place of one that is inherited.
    fn overriding(&self, member: Member) -> Result<Member, String> {
        let same_sort = |other: &&Member| {
            other.name == member.name
                && (other.kind == MemberKind::TypeParameter)
                    == (member.kind == MemberKind::TypeParameter)
        };
        let label = self.label_of(&member);
        let feature = member.kind.feature();
        let Some(parent) = self.inherited.iter().find(same_sort) else {
            if member.is_override && member.kind != MemberKind::Constant {
                return Err(format!(
                    "expected {label} to override an inherited {feature}, but no such {feature} was found"
                ));
            }
            return Ok(member);
        };
        let other = self.label_of(parent);
        let constants = parent.kind == MemberKind::Constant && member.kind == MemberKind::Constant;
        if parent.kind.feature() != feature {
            Err(format!("{label} attempts to override {other}"))
        } else if parent.is_final && !constants {
            Err(format!("{label} attempts to override final {other}"))
        } else if !member.is_override {
            Err(format!("{label} attempts to override {other} without having override => true"))
        } else if !parent.type_.is_assignable(&member.type_) {
            Err(format!("{label} attempts to override {other} with a type that does not match"))
        } else {
            Ok(member)
        }
    }

    fn equality(
        &self,
        hash: &Hash,
        members: &[Member],
        include_type: bool,
    ) -> Result<Option<Vec<EcoString>>, String> {
        let names: Vec<EcoString> = match hash.get_str("equality") {
            Some(Value::String(name)) => vec![name.clone()],
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).map(Into::into).collect()
            }
            _ => return Ok(None),
        };
        if !names.is_empty() && !include_type {
            return Err("equality_include_type = false cannot be combined with non empty equality specification".to_owned());
        }
        for name in &names {
            self.check_equality(name, members)?;
        }
        Ok(Some(names))
    }

    fn check_equality(&self, name: &EcoString, members: &[Member]) -> Result<(), String> {
        let label = self.label;
        let found = self.inherited.iter().chain(members).find(|member| member.name == *name);
        let Some(member) = found else {
            return Err(format!("{label} equality is referencing non existent attribute '{name}'"));
        };
        let other = self.label_of(member);
        if !member.kind.is_attribute() {
            return Err(format!(
                "{label} equality is referencing {other}. Only attribute references are allowed"
            ));
        }
        if member.kind == MemberKind::Constant {
            return Err(format!(
                "{label} equality is referencing constant {other}. Reference to constant is not allowed in equality"
            ));
        }
        if self.inherited.iter().any(|inherited| inherited.name == *name) {
            return Err(format!(
                "{label} equality is referencing {other} which is included in equality of {label}"
            ));
        }
        Ok(())
    }
}

fn section_entries(section: &Hash) -> Vec<(&Value, &Value)> {
    section.iter().collect()
}

fn plain(name: EcoString, kind: MemberKind, type_: Type) -> Member {
    Member {
        name,
        kind,
        type_,
        value: None,
        is_final: false,
        is_override: false,
        annotations: None,
    }
}

fn is_true(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Boolean(true)))
}

fn type_of(value: Option<&Value>) -> Type {
    match value {
        Some(Value::Type(type_)) => (**type_).clone(),
        _ => Type::Any,
    }
}

fn assert_type(subject: &str, expected: &Type, value: &Value) -> Result<Type, String> {
    mismatch::assert_instance(subject, expected, value)?;
    Ok(type_of(Some(value)))
}

/// `Name[parameters]`
pub fn extension(object: &Arc<ObjectType>, keys: &[Value]) -> Result<Type, String> {
    let known = object.type_parameters();
    let label = object.label();
    let Some(first) = known.first() else {
        return Err(format!("The {label}-Type cannot be parameterized using []"));
    };
    let mut parameters = Vec::new();
    let mut add = |member: &Member, value: &Value| {
        if *value != Value::Default {
            let subject = format!("type_parameter {label}[{}]", member.name);
            mismatch::assert_instance(&subject, &member.type_, value)?;
            parameters.push((member.name.clone(), value.clone()));
        }
        Ok::<(), String>(())
    };
    match keys {
        [Value::Hash(hash)] if !first.type_.is_instance(&keys[0]) => {
            for (key, value) in hash.iter() {
                let name = key.as_str().unwrap_or_default();
                let Some(member) = known.iter().find(|member| member.name == name) else {
                    return Err(format!("'{name}' is not a known type parameter for {label}-Type"));
                };
                add(member, value)?;
            }
        }
        keys => {
            for (member, value) in known.iter().zip(keys) {
                add(member, value)?;
            }
        }
    }
    if parameters.is_empty() {
        return Err(format!(
            "The {label}-Type cannot be parameterized using an empty parameter list"
        ));
    }
    Ok(Type::ObjectExtension(Arc::new(ObjectExtension { base: Arc::clone(object), parameters })))
}

/// `TypeSet[{…}]`
pub fn type_set(init: &Value) -> Result<Type, String> {
    let Value::Hash(hash) = init else {
        return Err("TypeSet initializer must be a Hash".to_owned());
    };
    let text = |key: &str| hash.get_str(key).and_then(Value::as_str).map(EcoString::from);
    let types = match hash.get_str("types") {
        Some(Value::Hash(types)) => types
            .iter()
            .filter_map(|(name, type_)| Some((name.as_str()?.into(), type_of(Some(type_)))))
            .collect(),
        _ => Vec::new(),
    };
    Ok(Type::TypeSet(Arc::new(TypeSet {
        pcore_uri: text("pcore_uri"),
        pcore_version: text("pcore_version").unwrap_or_default(),
        name_authority: text("name_authority"),
        name: text("name").unwrap_or_default(),
        version: text("version"),
        types,
        references: Vec::new(),
    })))
}
