//! Types that describe types and annotations.

use std::sync::{Arc, LazyLock};

use super::named::object;
use super::{ObjectBody, ObjectType, Type, TypeAlias};
use crate::regex::Regex;

/// `Annotation`, the parent of all annotations. None is equal to another.
pub(super) static ANNOTATION: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let annotation = ObjectType::new(Some("Annotation".into()));
    annotation.resolve(ObjectBody::default());
    Arc::new(annotation)
});

/// `Pcore`, which creates several annotations at once.
pub(super) static PCORE: LazyLock<Arc<ObjectType>> = LazyLock::new(|| object("Pcore", Vec::new()));

/// Returns an alias of these types by its name in lower case, without `pcore::`.
pub(super) fn alias(name: &str) -> Option<Type> {
    let (.., type_) = ALIASES.iter().find(|(other, _)| *other == name)?;
    Some(type_.clone())
}

/// A word with a colon and text behind it; Ruby's own expression, which is visible only in messages, is long.
const URI: &str = r"[a-zA-Z][\-+.a-zA-Z\d]*:[\-_.!~*'()a-zA-Z\d;?:@&=+$,\/%]";
const MEMBER_NAME: &str = r"\A[a-z_]\w*\z";
const SIMPLE_NAME: &str = r"\A[A-Z]\w*\z";
const QUALIFIED_NAME: &str = r"\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z";

static ALIASES: LazyLock<[(&str, Type); 6]> = LazyLock::new(|| {
    let regex = |source: &str| Regex::new(source).expect("it is written here");
    let pattern = |source: &str| Type::Pattern(Arc::new([regex(source)]));
    let named = |name: &str, type_: &Type| {
        let alias = TypeAlias::new(name);
        alias.resolve(type_).expect("it is a real type");
        Type::Alias(Arc::new(alias))
    };
    [
        ("uri", named("Pcore::URI", &pattern(URI))),
        ("uri_rx", named("Pcore::URI_RX", &Type::Regexp(Some(regex(URI))))),
        ("membername", named("Pcore::MemberName", &pattern(MEMBER_NAME))),
        ("simpletypename", named("Pcore::SimpleTypeName", &pattern(SIMPLE_NAME))),
        ("typename", named("Pcore::TypeName", &pattern(QUALIFIED_NAME))),
        ("qref", named("Pcore::QRef", &pattern(QUALIFIED_NAME))),
    ]
});
