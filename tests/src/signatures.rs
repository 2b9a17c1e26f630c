//! Errors of public signatures: each has a type of its own, none is a text.
//!
//! A text can only be printed: a caller that needs to know what happened would have to compare words.

use std::collections::BTreeSet;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{GenericArgument, PathArguments, PathSegment, Type, Visibility};
use walkdir::WalkDir;

use crate::ROOM;

/// Types of texts.
const TEXTS: &[&str] = &["String", "EcoString", "str"];

/// Types around a text.
const WRAPPERS: &[&str] = &["Arc", "Box", "Cow", "Rc"];

/// Returns the names of public items of a file that have a `Result<_, String>`.
fn faults(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).expect("the compiler has read it");
    let mut aliases = Aliases::default();
    aliases.visit_file(&file);
    let mut items = PublicItems { aliases: aliases.0, faults: Vec::new() };
    items.visit_file(&file);
    items.faults
}

/// Names of aliases such as `type Read<T> = Result<T, String>`, public or not.
#[derive(Default)]
struct Aliases(BTreeSet<String>);

impl<'a> Visit<'a> for Aliases {
    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        if TextErrors::are_in(&BTreeSet::new(), |errors| errors.visit_type(&item.ty)) {
            self.0.insert(item.ident.to_string());
        }
    }
}

/// Visits everything that other modules can name.
struct PublicItems {
    aliases: BTreeSet<String>,
    faults: Vec<String>,
}

impl PublicItems {
    fn check(&mut self, name: &syn::Ident, look: impl FnOnce(&mut TextErrors<'_>)) {
        if TextErrors::are_in(&self.aliases, look) {
            self.faults.push(name.to_string());
        }
    }
}

/// Returns whether an item is visible outside of the modules around it: `pub` or `pub(crate)`.
fn is_public(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Public(_) => true,
        Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
        Visibility::Inherited => false,
    }
}

impl<'a> Visit<'a> for PublicItems {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if is_public(&item.vis) {
            self.check(&item.sig.ident, |errors| errors.visit_signature(&item.sig));
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if is_public(&item.vis) {
            self.check(&item.sig.ident, |errors| errors.visit_signature(&item.sig));
        }
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        for method in item.items.iter().filter(|_| is_public(&item.vis)) {
            if let syn::TraitItem::Fn(method) = method {
                self.check(&method.sig.ident, |errors| errors.visit_signature(&method.sig));
            }
        }
    }

    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        if is_public(&item.vis) {
            self.check(&item.ident, |errors| errors.visit_type(&item.ty));
        }
    }

    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        if is_public(&item.vis) {
            self.check(&item.ident, |errors| visit::visit_item_enum(errors, item));
        }
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        for field in item.fields.iter().filter(|field| is_public(&field.vis)) {
            let name = field.ident.as_ref().unwrap_or(&item.ident);
            self.check(name, |errors| errors.visit_type(&field.ty));
        }
    }
}

/// Looks for types `Result<_, String>`, however deep.
struct TextErrors<'s> {
    aliases: &'s BTreeSet<String>,
    has_any: bool,
}

impl TextErrors<'_> {
    fn are_in(aliases: &BTreeSet<String>, look: impl FnOnce(&mut TextErrors<'_>)) -> bool {
        let mut errors = TextErrors { aliases, has_any: false };
        look(&mut errors);
        errors.has_any
    }
}

impl<'a> Visit<'a> for TextErrors<'_> {
    fn visit_path_segment(&mut self, segment: &'a PathSegment) {
        let has_text = segment.ident == "Result" && arguments(segment).nth(1).is_some_and(is_text);
        self.has_any |= has_text || self.aliases.contains(&segment.ident.to_string());
        visit::visit_path_segment(self, segment);
    }
}

/// Returns the types in the angle brackets of a path.
fn arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(brackets) => Some(&brackets.args),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(type_) => Some(type_),
        _ => None,
    })
}

/// Returns whether a type is a text: `String`, `&str`, `Box<str>`.
fn is_text(type_: &Type) -> bool {
    match type_ {
        Type::Reference(reference) => is_text(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| {
            let name = segment.ident.to_string();
            let is_wrapper = WRAPPERS.contains(&name.as_str());
            TEXTS.contains(&name.as_str()) || is_wrapper && arguments(segment).any(is_text)
        }),
        _ => false,
    }
}

#[test]
fn errors_of_public_signatures_have_types() {
    let rooms = Path::new(ROOM).join("../crates");
    let mut found = Vec::new();
    for entry in WalkDir::new(&rooms).sort_by_file_name() {
        let path = entry.expect("rooms can be listed").into_path();
        let relative = path.strip_prefix(&rooms).expect("it is below");
        let is_source = relative.iter().nth(1).is_some_and(|folder| folder == "src");
        if is_source && path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source can be read");
            let names = faults(&text).into_iter();
            found.extend(names.map(|name| format!("{}: `{name}`", relative.display())));
        }
    }
    assert!(found.is_empty(), "a text in place of a typed error: {found:#?}");
}

#[test]
fn texts_are_found_wherever_they_are() {
    let found = faults(
        "type Read<T> = Result<T, String>;
        pub fn plain() -> Result<(), String> {}
        pub(crate) fn nested(\n  x: u8,\n) -> Option<std::result::Result<Vec<u8>, Box<str>>> {}
        pub fn taken(f: impl Fn(&str) -> Result<(), &'static str>) {}
        pub fn aliased() -> Read<()> {}
        pub trait Door { fn open(&self) -> Result<(), Cow<'_, str>>; }
        pub struct Row { pub cell: Result<u8, Arc<str>>, own: Result<u8, String> }
        pub enum Choice { One(Result<u8, String>) }
        impl Row { pub fn method(&self) -> Result<(), ecow::EcoString> {} }
        fn private() -> Result<(), String> {}
        pub(super) fn near() -> Result<(), String> {}
        pub fn typed() -> Result<String, io::Error> {}
        pub fn one() -> io::Result<String> {}",
    );
    let expected = ["plain", "nested", "taken", "aliased", "open", "cell", "Choice", "method"]
        .map(str::to_owned);
    assert_eq!(found, expected);
}
