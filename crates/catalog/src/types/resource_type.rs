//! What is known of one resource type.

use kukla_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use super::metaparameters;
use super::title::{self, TitlePatterns, WholeTitle};

/// A resource type, as far as a compiler asks.
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
    kinds: FxHashMap<Box<str>, Kind>,
    /// The names of all of these.
    symbols: FxHashSet<Symbol>,
}

/// What an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A state of the thing that is managed.
    Property,
    /// Says how to manage it.
    Parameter,
    /// Every type has it.
    Metaparameter,
}

/// Where resources of a type can be managed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppliesTo {
    /// On the agent's own machine.
    #[default]
    Host,
    /// On a device that an agent speaks for.
    Device,
    /// On both.
    Both,
}

/// Which names are valid beyond those that were declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leniency {
    /// `name`, which a type written in Ruby takes always.
    #[default]
    Name,
    /// None: so are the types that `puppet generate types` wrote.
    Nothing,
    /// All, since the type could not be read to its end.
    Anything,
}

/// The facts that a [`ResourceType`] is made of.
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
    /// How a title becomes the values of keys.
    pub title_patterns: TitlePatterns,
    /// `@isomorphic = false`: two resources may have the same name.
    pub is_not_isomorphic: bool,
    /// Where it can be managed.
    pub applies_to: AppliesTo,
    /// Which other names are valid.
    pub leniency: Leniency,
}

impl ResourceType {
    /// The name in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name with capital letters, as references have it: `File`, `Cisco_interface`.
    pub fn symbol(&self) -> Symbol {
        self.symbol
    }

    /// The attribute that `name` stands for, as a symbol.
    pub fn namevar_symbol(&self) -> Symbol {
        self.namevar
    }

    /// The names of properties.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = &str> {
        self.properties.iter().map(|name| &**name)
    }

    /// The names of parameters.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parameters.iter().map(|name| &**name)
    }

    /// Puppet's `key_attributes`: the attributes that make a resource unique, as they were declared.
    pub fn key_attributes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.keys.iter().map(|name| &**name)
    }

    /// The keys in the order of a uniqueness key.
    pub(crate) fn sorted_keys(&self) -> &[Box<str>] {
        &self.sorted_keys
    }

    /// The attribute that `name` stands for: the only key, or else `name` itself.
    pub fn namevar(&self) -> &str {
        match &self.keys[..] {
            [key] => key,
            _ => "name",
        }
    }

    /// How a title becomes the values of keys.
    pub fn title_patterns(&self) -> &TitlePatterns {
        &self.title_patterns
    }

    /// The attribute that the whole title is the value of, where that can be told without taking the title apart.
    pub fn whole_title(&self, title: &str) -> Option<Symbol> {
        self.whole_title.as_ref().filter(|whole| whole.is_whole(title)).map(|whole| whole.attribute)
    }

    /// Whether the title, as it is, tells a resource apart from others, unless its key is given.
    pub fn is_title_unique(&self, title: &str) -> bool {
        self.keys.len() == 1 && self.whole_title(title) == Some(self.namevar)
    }

    /// Whether two resources with the same key are the same thing; not so for `exec`.
    pub fn is_isomorphic(&self) -> bool {
        self.is_isomorphic
    }

    /// Where its resources can be managed.
    pub fn applies_to(&self) -> AppliesTo {
        self.applies_to
    }

    /// Which names are valid beyond those that were declared.
    pub fn leniency(&self) -> Leniency {
        self.leniency
    }

    /// What `name` is, if it was declared or is a metaparameter.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        match self.kinds.get(name) {
            Some(&kind) => Some(kind),
            None => metaparameters::is_metaparameter(name).then_some(Kind::Metaparameter),
        }
    }

    /// Whether an attribute of this name was declared: most names that are asked for are.
    pub fn is_declared(&self, name: Symbol) -> bool {
        self.symbols.contains(&name)
    }

    /// Puppet's `valid_parameter?`: whether a resource may have an attribute of this name.
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

/// As Puppet asks: first properties, then parameters, then metaparameters.
fn kinds(facts: &TypeDeclaration) -> FxHashMap<Box<str>, Kind> {
    let parameters = facts.parameters.iter().map(|name| (name, Kind::Parameter));
    let properties = facts.properties.iter().map(|name| (name, Kind::Property));
    parameters.chain(properties).map(|(name, kind)| (name.as_str().into(), kind)).collect()
}

fn boxed(names: Vec<String>) -> Vec<Box<str>> {
    names.into_iter().map(Into::into).collect()
}
