//! Classes, defined types and nodes.

use kukla_base::Symbol;
use kukla_pcore::types::mismatch::{ParameterError, ParameterFault};

use super::{Code, Issue};

/// `class { 'nope': }`
pub(crate) fn unknown_declared_class(title: &str) -> Issue {
    Issue::new(Code::UNKNOWN_CLASS, format!("Could not find declared class {title}"))
}

/// `include nope`
pub(crate) fn unknown_class(name: &str, node: &str) -> Issue {
    Issue::new(Code::UNKNOWN_CLASS, format!("Could not find class {name} for {node}"))
}

/// `require` of a class that is gone.
pub(crate) fn unknown_required_class() -> Issue {
    Issue::new(Code::UNKNOWN_CLASS, "Could not find class ")
}

/// `class a inherits nope { }`
pub(crate) fn unknown_parent_class(name: &str, environment: &str) -> Issue {
    let message = format!(
        "Could not find parent resource type '::{name}' of type hostclass in {environment}"
    );
    Issue::new(Code::UNKNOWN_CLASS, message)
}

/// A class whose inherited class was not evaluated.
pub(crate) fn unknown_parent_scope(name: &str) -> Issue {
    Issue::new(Code::UNKNOWN_CLASS, format!("Could not find scope for {name}"))
}

/// `class a inherits a { }`
pub(crate) fn inherits_itself(name: &str) -> Issue {
    Issue::new(Code::CLASS_INHERITS_ITSELF, format!("Class '{name}' inherits itself"))
}

/// `class { 'a': stage => 'nope' }`
pub(crate) fn unknown_stage(stage: &str, class: &str) -> Issue {
    Issue::new(Code::UNKNOWN_STAGE, format!("Could not find stage {stage} specified by {class}"))
}

/// `file { '/a': stage => 'first' }`
pub(crate) fn illegal_stage(resource: &str) -> Issue {
    let message = format!(
        "Only classes can set 'stage'; normal resources like {resource} cannot change run stage"
    );
    Issue::new(Code::ILLEGAL_STAGE, message)
}

/// A node that no node statement is for.
pub(crate) fn unknown_node(name: &str) -> Issue {
    let message = format!("Could not find node statement with name 'default' or '{name}'");
    Issue::new(Code::UNKNOWN_NODE, message)
        .with_help("add `node default { }`, or a node statement that matches the name")
}

/// A compilation without a main class.
pub(crate) fn no_main_class() -> Issue {
    Issue::new(Code::UNKNOWN_CLASS, "Couldn't find main")
}

/// The kind of a new definition, and of the one that has its name already.
#[derive(Clone, Copy)]
pub(crate) enum Clash {
    ClassAndClass,
    ClassAndNode,
    ClassAndDefine,
    DefineAndClass,
    DefineAndDefine,
    NodeAndNode,
    NodeAndClass,
}

/// A definition whose name is taken; `at` is where.
pub(crate) fn redefinition(clash: Clash, name: &str, at: &str) -> Issue {
    let message = match clash {
        Clash::ClassAndClass => format!("Class '{name}' is already defined{at}; cannot redefine"),
        Clash::ClassAndNode => {
            format!("Node '{name}' is already defined{at}; cannot be redefined as a class")
        }
        Clash::ClassAndDefine => {
            format!("Definition '{name}' is already defined{at}; cannot be redefined as a class")
        }
        Clash::DefineAndClass => {
            format!("'{name}' is already defined{at} as a class; cannot redefine as a definition")
        }
        Clash::DefineAndDefine => {
            format!("Definition '{name}' is already defined{at}; cannot be redefined")
        }
        Clash::NodeAndNode => format!("Node '{name}' is already defined{at}; cannot redefine"),
        Clash::NodeAndClass => {
            format!("Class '{name}' is already defined{at}; cannot be redefined as a node")
        }
    };
    Issue::new(Code::REDEFINITION, message)
}

/// Parameters that are unknown, missing, or of other types, in the words of the type system; `names` are all of them.
pub(crate) fn parameter_mismatch<'a>(
    error: ParameterError,
    names: impl IntoIterator<Item = &'a str>,
) -> Issue {
    let ParameterError { fault, message } = error;
    match fault {
        ParameterFault::Unknown(name) => {
            Issue::new(Code::UNKNOWN_PARAMETER, message).did_you_mean(&name, names)
        }
        ParameterFault::Missing(_) => Issue::new(Code::MISSING_PARAMETER, message),
        ParameterFault::Type => Issue::new(Code::PARAMETER_MISMATCH, message),
    }
}

/// A secret from data that is not of the parameter's type: Puppet would show its value.
pub(crate) fn secret_mismatch(class: &str, name: Symbol, type_: &str) -> Issue {
    let message =
        format!("Class[{class}]: parameter '{name}' expects {type_}, got a secret that is none");
    Issue::new(Code::PARAMETER_MISMATCH, message)
}
