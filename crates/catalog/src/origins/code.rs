//! The compiler's code, as seen by catalogs.

use std::fmt::Debug;

use ecow::EcoString;

/// Code whose expressions are origins.
///
/// Expressions are numbers below [`n_expressions`](Self::n_expressions).
pub trait Code: Debug + Send + Sync {
    /// Returns how many numbers its expressions take.
    fn n_expressions(&self) -> u32;
    /// Returns the file; empty for code without one.
    fn file(&self) -> &str;
    /// Returns the line and column of an expression, both counted from 1.
    fn position(&self, expression: u32) -> (u32, u32);
    /// Returns the role of an expression.
    fn role(&self, expression: u32) -> Role;
    /// Returns the values that the value of an expression is made of.
    fn inputs(&self, expression: u32) -> Vec<Input>;
    /// Returns the line and column of the title of a declaration.
    fn title_position(&self, declaration: u32) -> Option<(u32, u32)>;
    /// Returns the values that the title of a declaration is made of.
    fn title_inputs(&self, declaration: u32) -> Vec<Input>;
    /// Returns the values that a variable of a definition, or of the main program, is made of.
    ///
    /// `None` if the definition has no such variable.
    fn variable_inputs(&self, definition: u32, name: &str) -> Option<Vec<Input>>;
    /// Returns the calls of a function of the Puppet language, with the values that an argument of each is made of.
    fn arguments(&self, function: &str, number: usize) -> Vec<(u32, Vec<Input>)>;
    /// Returns the class that a class inherits.
    fn parent(&self, definition: u32) -> Option<EcoString>;
    /// Returns the definition that an expression is part of; `None` for the main program.
    fn definition(&self, expression: u32) -> Option<Definition>;
}

/// The role of an expression that sets parameters, edges or tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `attribute => value` or `* => hash` in the body of a resource.
    Attribute,
    /// An attribute of the body `default:`.
    BodyDefault,
    /// `Type { attribute => value }`
    ResourceDefault,
    /// The default of a parameter of a class or define.
    ParameterDefault,
    /// `Type['title'] { attribute => value }`
    Override,
    /// `Type<| |> { attribute => value }`
    Collector,
    /// `a -> b`
    Arrow,
    /// The call of a function that declares or changes resources.
    Call,
    /// `type { title: }`
    Declaration,
    /// `class name inherits parent` or `node name`
    Definition,
}

impl Role {
    /// Returns its name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attribute => "expression",
            Self::BodyDefault => "body_default",
            Self::ResourceDefault => "resource_default",
            Self::ParameterDefault => "parameter_default",
            Self::Override => "override",
            Self::Collector => "collector",
            Self::Arrow => "arrow",
            Self::Call => "call",
            Self::Declaration => "declaration",
            Self::Definition => "definition",
        }
    }

    /// Returns true for an `attribute => value` of any statement.
    pub const fn is_attribute(self) -> bool {
        matches!(
            self,
            Self::Attribute
                | Self::BodyDefault
                | Self::ResourceDefault
                | Self::Override
                | Self::Collector
        )
    }
}

/// A value that another value is made of, as far as the code alone shows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// A literal, or an expression without inputs of its own.
    Literal(u32),
    /// A parameter of the class or define around the expression.
    Parameter(EcoString),
    /// `$title` or `$name` of the class or define around the expression.
    Title,
    /// `$name`, which neither the expression's function nor its class or define sets.
    Outer(EcoString),
    /// `$class::name`
    Qualified(EcoString, EcoString),
    /// A fact, by its path: `facts.os.family`, `trusted.certname`.
    Fact(EcoString),
    /// A variable that the compiler sets, such as `$module_name`.
    Compiler,
    /// The call of a function, which may have looked up data.
    Call(u32),
    /// A parameter of a function written in the Puppet language: the function's name and the parameter's number.
    Argument(EcoString, usize),
    /// `Type['title']['attribute']`
    Attribute(EcoString, EcoString, EcoString),
}

/// The definition that an expression is part of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// A class, by its name.
    Class(EcoString),
    /// A defined type, by its name.
    Define(EcoString),
    /// A node.
    Node,
    /// A function written in the Puppet language.
    Function,
}
