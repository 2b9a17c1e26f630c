//! Metadata of a resource type.

use kukla_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use super::metaparameters;
use super::title::{self, TitlePatterns, WholeTitle};

/// A resource type, as far as the compiler needs it.
///
/// The order of names is that of their declarations, as in Puppet.
#[derive(Clone, Debug)]
pub struct ResourceType {
    name: Box<str>,
    symbol: Symbol,
    namevar: Symbol,
    properties: Vec<Box<str>>,
    parameters: Vec<Box<str>>,
    keys: Vec<Box<str>>,
    sorted_keys: Vec<Box<str>>,
    title_patterns: TitlePatterns,
    whole_title: Option<WholeTitle>,
    is_isomorphic: bool,
    applies_to: AppliesTo,
    leniency: Leniency,
    kinds: FxHashMap<Box<str>, AttributeKind>,
    /// The names of all attributes.
    symbols: FxHashSet<Symbol>,
}

/// The kind of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// A state of the managed resource.
    Property,
    /// An option of its management.
    Parameter,
    /// An attribute of every type.
    Metaparameter,
}

/// The targets on which resources of a type can be managed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppliesTo {
    /// On the agent's own machine.
    #[default]
    Host,
    /// On a device that an agent manages remotely.
    Device,
    /// On both.
    Both,
}

/// Valid names beyond the declared ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leniency {
    /// `name`, which a type written in Ruby always accepts.
    #[default]
    Name,
    /// None, as for the types that `puppet generate types` wrote.
    Nothing,
    /// All, since the type could not be read completely.
    Anything,
}

/// The declaration of a [`ResourceType`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeDeclaration {
    /// The name in lower case.
    pub name: String,
    /// The properties; Puppet has `ensure` first.
    pub properties: Vec<String>,
    /// The parameters, `provider` among them if the type has providers.
    pub parameters: Vec<String>,
    /// Those that make a resource unique; Puppet's `key_attributes`.
    pub keys: Vec<String>,
    /// The mapping of titles to values of keys.
    pub title_patterns: TitlePatterns,
    /// `@isomorphic = false`: two resources may have the same name.
    pub is_not_isomorphic: bool,
    /// The targets on which it can be managed.
    pub applies_to: AppliesTo,
    /// Valid names beyond the declared ones.
    pub leniency: Leniency,
}

impl ResourceType {
    /// Returns the name in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name as in references: `File`, `Cisco_interface`.
    pub fn symbol(&self) -> Symbol {
        self.symbol
    }

    /// Returns the attribute that `name` is an alias of, as a symbol.
    pub fn namevar_symbol(&self) -> Symbol {
        self.namevar
    }

    /// Returns the names of properties.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = &str> {
        self.properties.iter().map(|name| &**name)
    }

    /// Returns the names of parameters.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parameters.iter().map(|name| &**name)
    }

    /// Returns the attributes that make a resource unique, as declared: Puppet's `key_attributes`.
    pub fn key_attributes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.keys.iter().map(|name| &**name)
    }

    /// Returns the keys in the order of a uniqueness key.
    pub(crate) fn sorted_keys(&self) -> &[Box<str>] {
        &self.sorted_keys
    }

    /// Returns the attribute that `name` is an alias of: the only key, otherwise `name` itself.
    pub fn namevar(&self) -> &str {
        match &self.keys[..] {
            [key] => key,
            _ => "name",
        }
    }

    /// Returns the mapping of titles to values of keys.
    pub fn title_patterns(&self) -> &TitlePatterns {
        &self.title_patterns
    }

    /// Returns the attribute whose value is the whole title, where that is certain without a match of patterns.
    pub fn whole_title(&self, title: &str) -> Option<Symbol> {
        self.whole_title.as_ref().filter(|whole| whole.is_whole(title)).map(|whole| whole.attribute)
    }

    /// Returns true if the title alone makes a resource unique, unless its key is set.
    pub fn is_title_unique(&self, title: &str) -> bool {
        self.keys.len() == 1 && self.whole_title(title) == Some(self.namevar)
    }

    /// Returns true if two resources with the same key are the same; false for `exec`.
    pub fn is_isomorphic(&self) -> bool {
        self.is_isomorphic
    }

    /// Returns the targets on which its resources can be managed.
    pub fn applies_to(&self) -> AppliesTo {
        self.applies_to
    }

    /// Returns the valid names beyond the declared ones.
    pub fn leniency(&self) -> Leniency {
        self.leniency
    }

    /// Returns the kind of an attribute that was declared or is a metaparameter.
    pub fn kind(&self, name: &str) -> Option<AttributeKind> {
        match self.kinds.get(name) {
            Some(&kind) => Some(kind),
            None => metaparameters::is_metaparameter(name).then_some(AttributeKind::Metaparameter),
        }
    }

    /// Fast path: returns true for a declared attribute, as most names are.
    pub fn is_declared(&self, name: Symbol) -> bool {
        self.symbols.contains(&name)
    }

    /// Returns true if a resource may have an attribute of this name: Puppet's `valid_parameter?`.
    pub fn is_valid_parameter(&self, name: &str) -> bool {
        self.kind(name).is_some()
            || match self.leniency {
                Leniency::Name => name == "name",
                Leniency::Nothing => false,
                Leniency::Anything => true,
            }
    }
}

impl From<TypeDeclaration> for ResourceType {
    fn from(facts: TypeDeclaration) -> Self {
        let kinds = kinds(&facts);
        let keys = boxed(facts.keys);
        let mut sorted_keys = keys.clone();
        sorted_keys.sort();
        let namevar = match &keys[..] {
            [key] => Symbol::new(key),
            _ => Symbol::new("name"),
        };
        Self {
            symbol: Symbol::new(&title::capitalize(&facts.name)),
            namevar,
            whole_title: WholeTitle::new(&facts.title_patterns, &keys),
            name: facts.name.into(),
            properties: boxed(facts.properties),
            parameters: boxed(facts.parameters),
            keys,
            sorted_keys,
            title_patterns: facts.title_patterns,
            is_isomorphic: !facts.is_not_isomorphic,
            applies_to: facts.applies_to,
            leniency: facts.leniency,
            symbols: kinds.keys().map(|name| Symbol::new(name)).collect(),
            kinds,
        }
    }
}

/// Returns the kinds of names, by Puppet's precedence: properties, parameters, metaparameters.
fn kinds(facts: &TypeDeclaration) -> FxHashMap<Box<str>, AttributeKind> {
    let parameters = facts.parameters.iter().map(|name| (name, AttributeKind::Parameter));
    let properties = facts.properties.iter().map(|name| (name, AttributeKind::Property));
    parameters.chain(properties).map(|(name, kind)| (name.as_str().into(), kind)).collect()
}

fn boxed(names: Vec<String>) -> Vec<Box<str>> {
    names.into_iter().map(Into::into).collect()
}
