//! Arguments of a call.

use super::super::{CallableType, IntegerRange, TupleType, Type};
use super::describe::describe;
use super::merge::{SizeWording, merge};
use super::path::{Step, then};
use super::{Mismatch, MismatchKind};

/// A signature of a function.
#[derive(Clone, Debug)]
pub struct Signature<'a> {
    /// The types of the parameters and of the block.
    pub type_: &'a CallableType,
    /// Their names, if they have any.
    pub names: &'a [&'a str],
    /// The name of the block's parameter.
    pub block_name: &'a str,
}

/// Describes why no signature accepts the arguments, the last of which may be a block; `None` if there are no signatures.
///
/// `name` is the function's; `lambda` is a block.
pub fn describe_signatures(
    name: &str,
    signatures: &[Signature<'_>],
    arguments: &[Type],
) -> Option<String> {
    if signatures.is_empty() {
        return None;
    }
    let all = mismatches(signatures, arguments);
    let label = if name == "lambda" { "block".to_owned() } else { format!("'{name}'") };
    let merged = merge(0, SizeWording::Count, &all);
    if let [only] = &merged[..] {
        return Some(format!("{label}{}", only.format()));
    }
    let mut lines = Vec::new();
    if let ([signature], [errors]) = (signatures, &all[..]) {
        lines.push(format!("{label} expects ({})", signature.text()));
        lines.extend(rejections("  ", errors));
        return Some(lines.join("\n"));
    }
    lines.push(format!(
        "The function {label} was called with arguments it does not accept. It expects one of:"
    ));
    for (signature, errors) in signatures.iter().zip(&all) {
        lines.push(format!("  ({})", signature.text()));
        lines.extend(rejections("    ", errors));
    }
    Some(lines.join("\n"))
}

fn rejections(indent: &str, errors: &[Mismatch]) -> Vec<String> {
    let line = |error: &Mismatch| format!("{indent}rejected:{}", error.clone().without(0).format());
    errors.iter().map(line).collect()
}

/// Returns the mismatches of each signature: those of arguments, otherwise those of blocks.
fn mismatches(signatures: &[Signature<'_>], arguments: &[Type]) -> Vec<Vec<Mismatch>> {
    let each = |f: &dyn Fn(&Signature<'_>, &[Step]) -> Vec<Mismatch>| -> Vec<Vec<Mismatch>> {
        let numbered = signatures.iter().enumerate();
        numbered.map(|(index, signature)| f(signature, &[Step::Signature(index)])).collect()
    };
    let mut of_arguments = each(&|signature, path| signature.arguments(arguments, path));
    if of_arguments.iter().all(|errors| !errors.is_empty()) {
        return of_arguments;
    }
    let of_blocks = each(&|signature, path| signature.block(arguments, path));
    if of_blocks.iter().all(|errors| !errors.is_empty()) {
        return of_blocks;
    }
    for (errors, blocks) in of_arguments.iter_mut().zip(of_blocks) {
        if errors.is_empty() {
            *errors = blocks;
        }
    }
    of_arguments
}

impl Signature<'_> {
    fn arguments(&self, arguments: &[Type], path: &[Step]) -> Vec<Mismatch> {
        let none = TupleType { types: Vec::new(), size: None };
        let parameters = self.type_.parameters.as_ref().unwrap_or(&none);
        let arguments = match arguments.split_last() {
            Some((block, arguments)) if block.is_kind_of_callable(true) => arguments,
            _ => arguments,
        };
        let (expected, actual) = (parameters.size_range(), IntegerRange::exactly(arguments.len()));
        if !expected.covers(actual) {
            return vec![Mismatch::new(path, MismatchKind::Count { expected, actual })];
        }
        let last = parameters.types.len().saturating_sub(1);
        for (index, argument) in arguments.iter().enumerate() {
            let place = index.min(last);
            let Some(type_) = parameters.types.get(place) else { continue };
            if type_.is_assignable(argument) {
                continue;
            }
            let name = self.names.get(place).copied().unwrap_or_default().to_owned();
            let errors = describe(type_, argument, &then(path, Step::Parameter(name)));
            if !errors.is_empty() {
                return errors;
            }
        }
        Vec::new()
    }

    fn block(&self, arguments: &[Type], path: &[Step]) -> Vec<Mismatch> {
        let actual = arguments.last().filter(|last| last.is_kind_of_callable(true));
        match (&self.type_.block, actual) {
            (None, Some(_)) => vec![Mismatch::new(path, MismatchKind::UnexpectedBlock)],
            (Some(expected), Some(actual)) => describe(expected, actual, &then(path, Step::Block)),
            (Some(expected), None) if !expected.is_assignable(&Type::Undef) => {
                vec![Mismatch::new(path, MismatchKind::MissingBlock)]
            }
            _ => Vec::new(),
        }
    }

    /// Formats the parameters in one line: `String a, Integer b?`
    pub fn text(&self) -> String {
        let Some(parameters) = &self.type_.parameters else { return String::new() };
        let size = parameters.size_range();
        if size == IntegerRange::ZERO {
            return String::new();
        }
        let unnamed = vec![""; parameters.types.len()];
        let names = if self.names.is_empty() { &unnamed[..] } else { self.names };
        let mut parts: Vec<String> = names
            .iter()
            .enumerate()
            .filter_map(|(index, name)| {
                let (type_, indicator) = parameter(parameters.at(index)?, index, names.len(), size);
                let type_ = type_.map_or_else(String::new, Type::text);
                Some(format!("{type_} {name}{indicator}"))
            })
            .collect();
        match &self.type_.block {
            Some(Type::Optional(Some(block))) => {
                parts.push(format!("{} {}?", block.text(), self.block_name));
            }
            Some(block @ Type::Callable(_)) => {
                parts.push(format!("{} {}", block.text(), self.block_name));
            }
            _ => (),
        }
        parts.join(", ")
    }
}

/// Formats the type of a parameter and its repetition; `Optional` alone is left out.
fn parameter(
    type_: &Type,
    index: usize,
    count: usize,
    size: IntegerRange,
) -> (Option<&Type>, &'static str) {
    let place = IntegerRange::exactly(index + 1).min;
    if size.is_open_above() && index + 1 == count {
        let indicator = if size.min == IntegerRange::exactly(count).min { "+" } else { "*" };
        return (Some(type_), indicator);
    }
    match type_ {
        Type::Optional(inner) if place > size.min => (inner.as_deref(), "?"),
        type_ if place > size.min => (Some(type_), "?"),
        type_ => (Some(type_), ""),
    }
}
