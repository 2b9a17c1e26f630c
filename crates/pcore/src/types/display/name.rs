//! Names of types.

use kukla_base::name::segments;

use super::super::Type;

impl Type {
    /// Returns its name without parameters: `Integer`, `File`, `My::Alias`.
    pub fn name(&self) -> String {
        match self {
            Self::Alias(alias) => alias.name.to_string(),
            Self::Object(object) => object.label().to_owned(),
            Self::TypeSet(set) => set.name.as_deref().unwrap_or("TypeSet").to_owned(),
            _ => self.simple_name().to_owned(),
        }
    }

    /// Returns the name of its kind: `Integer`, `Resource`, `TypeAlias`.
    pub fn simple_name(&self) -> &str {
        match self {
            Self::Any => "Any",
            Self::Unit => "Unit",
            Self::Undef => "Undef",
            Self::Default => "Default",
            Self::Scalar => "Scalar",
            Self::ScalarData => "ScalarData",
            Self::Numeric => "Numeric",
            Self::Integer(_) => "Integer",
            Self::Float(_) => "Float",
            Self::String(_) | Self::StringValue(_) => "String",
            Self::Enum(_) => "Enum",
            Self::Pattern(_) => "Pattern",
            Self::Regexp(_) => "Regexp",
            Self::Boolean(_) => "Boolean",
            Self::Optional(_) => "Optional",
            Self::NotUndef(_) => "NotUndef",
            Self::Variant(_) => "Variant",
            Self::Array(_) => "Array",
            Self::Hash(_) => "Hash",
            Self::Collection(_) => "Collection",
            Self::Tuple(_) => "Tuple",
            Self::Struct(_) => "Struct",
            Self::Iterable(_) => "Iterable",
            Self::Iterator(_) => "Iterator",
            Self::Callable(_) => "Callable",
            Self::Type(_) => "Type",
            Self::Runtime(_) => "Runtime",
            Self::Sensitive(_) => "Sensitive",
            Self::Init(_) => "Init",
            Self::Binary => "Binary",
            Self::Timestamp(_) => "Timestamp",
            Self::Timespan(_) => "Timespan",
            Self::SemVer(_) => "SemVer",
            Self::SemVerRange => "SemVerRange",
            Self::Uri(_) => "URI",
            Self::Object(object) => last_segment(object.label()),
            Self::ObjectExtension(extension) => last_segment(extension.base.label()),
            Self::TypeSet(_) => "TypeSet",
            Self::Reference(_) => "TypeReference",
            Self::Alias(_) => "TypeAlias",
            Self::CatalogEntry => "CatalogEntry",
            Self::Resource(_) => "Resource",
            Self::Class(_) => "Class",
        }
    }
}

fn last_segment(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// Returns `Apache::Vhost` for `apache::vhost`; text that starts with a capital letter is unchanged.
pub fn capitalize_segments(name: &str) -> String {
    if name.starts_with(|first: char| first.is_ascii_uppercase()) {
        return name.to_owned();
    }
    if !name.is_ascii() {
        return name.split("::").map(capitalize).collect::<Vec<_>>().join("::");
    }
    let mut capital = name.to_ascii_lowercase();
    let mut start = 0;
    for segment in segments(name) {
        if let Some(first) = capital.get_mut(start..start + 1) {
            first.make_ascii_uppercase();
        }
        start += segment.len() + 2;
    }
    capital
}

/// Capitalizes as Ruby's `capitalize` does.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        None => String::new(),
        Some(first) => first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect(),
    }
}
