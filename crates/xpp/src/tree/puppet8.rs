//! Manifests that Puppet 8 may report, though Puppet 7 does not.
//!
//! Both versions load a file and skip validation then, so a manifest that one of them may report
//! gets no file. Version 8 treats more expressions as literals: references, the values in their brackets, and
//! negative numbers. So it finds more duplicate keys of hashes, and it requires the types of
//! the parameters of classes to be literal.

use std::collections::HashSet;

use kukla_syntax::Ast;
use kukla_syntax::ast::{Child, Expr, ExprId, NamedKind, UnaryOp};

/// The maximum depth of literals; for deeper ones Puppet has to decide.
const MAX_DEPTH: usize = 64;

/// Returns whether Puppet 8 may report an error or a warning.
pub(super) fn may_complain(ast: &Ast) -> bool {
    let mut rest: Vec<Child> = ast.body().map(Child::Node).into_iter().collect();
    while let Some(child) = rest.pop() {
        let Some(id) = child.id() else { continue };
        if has_twins(ast, id) || has_open_type(ast, id) {
            return true;
        }
        ast.push_children(id, &mut rest);
    }
    false
}

/// Returns whether a node is a hash with a duplicate key among its literal ones.
fn has_twins(ast: &Ast, id: ExprId) -> bool {
    let Expr::Hash(entries) = ast[id] else { return false };
    let mut known = HashSet::new();
    ast.list(entries).iter().any(|&entry| {
        let Expr::KeyedEntry { key, value: _ } = ast[entry] else { return false };
        match literal(ast, key, 0) {
            Literal::Value(value) => !known.insert(value),
            Literal::None => false,
            Literal::TooDeep => true,
        }
    })
}

/// Returns whether a node is a class with a parameter whose type is not literal.
fn has_open_type(ast: &Ast, id: ExprId) -> bool {
    let Expr::Named(named) = ast[id] else { return false };
    let named = ast.named(named);
    let is_open = |&parameter: &ExprId| match ast[parameter] {
        Expr::Parameter { type_: Some(type_), .. } => {
            !matches!(literal(ast, type_, 0), Literal::Value(value) if value != UNDEF)
        }
        _ => false,
    };
    named.kind == NamedKind::Class && ast.list(named.parameters).iter().any(is_open)
}

enum Literal {
    /// Text that is equal for equal values.
    Value(String),
    None,
    TooDeep,
}

const UNDEF: &str = "undef";

/// Returns the value of an expression, if Puppet 8 treats it as a literal.
fn literal(ast: &Ast, id: ExprId, depth: usize) -> Literal {
    if depth > MAX_DEPTH {
        return Literal::TooDeep;
    }
    let inner = |id: ExprId| literal(ast, id, depth + 1);
    Literal::Value(match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => format!("{:?}", ast.text(text)),
        Expr::QualifiedReference(name) => format!("{:?}", ast.text(name).to_lowercase()),
        Expr::Integer { digits, radix } => format!("{:?}", ast.integer(digits, radix)),
        Expr::Float(digits) => format!("{:?}", ast.float(digits)),
        Expr::Boolean(value) => value.to_string(),
        Expr::Undef => UNDEF.to_owned(),
        Expr::Default => "default".to_owned(),
        Expr::Regexp(source) => format!("/{}/", ast.text(source)),
        Expr::Unary { op: UnaryOp::Minus, expr } => match inner(expr) {
            Literal::Value(value) => format!("-{value}"),
            other => return other,
        },
        Expr::Concat(segments) => match ast.list(segments) {
            &[only] if matches!(ast[only], Expr::String(_)) => return inner(only),
            _ => return Literal::None,
        },
        Expr::Access { left: _, keys } => match ast.list(keys) {
            &[only] if matches!(ast[only], Expr::List(_)) => return Literal::None,
            keys => return all(keys.iter().map(|&key| inner(key))),
        },
        Expr::List(values) => return all(ast.list(values).iter().map(|&value| inner(value))),
        Expr::Hash(entries) => {
            let entries = ast.list(entries).iter().flat_map(|&entry| match ast[entry] {
                Expr::KeyedEntry { key, value } => [inner(key), inner(value)],
                _ => [Literal::None, Literal::None],
            });
            return all(entries);
        }
        _ => return Literal::None,
    })
}

fn all(values: impl Iterator<Item = Literal>) -> Literal {
    let mut words = "[".to_owned();
    for value in values {
        match value {
            Literal::Value(value) => words.extend([&value, ", "]),
            other => return other,
        }
    }
    Literal::Value(words + "]")
}

#[cfg(test)]
mod tests {
    use kukla_base::Edition;
    use kukla_syntax::{Options, check};

    use super::may_complain;

    #[track_caller]
    fn says(source: &str, expected: bool) {
        let options = Options { edition: Edition::Seven, ..Options::default() };
        let checked = check(source, &options);
        assert_eq!(checked.diagnostics, [], "Puppet 7 has nothing to say");
        assert_eq!(may_complain(&checked.ast), expected, "{source}");
        // Nothing that a later edition says is lost by loading a tree.
        let later = check(source, &Options { edition: Edition::Nine, ..Options::default() });
        assert!(expected || later.diagnostics.is_empty(), "{source}");
    }

    #[test]
    fn keys_that_version_8_takes_for_the_same() {
        says("type A::B = Struct[{ Optional['a'] => String, NotUndef['a'] => Integer }]", true);
        says("$a = { -1 => 1, -1 => 2 }", true);
        says("$a = { File => 1, File => 2 }", true);
        says("$a = { File['a'] => 1, File['b'] => 2, -1 => 1, 1 => 2, 'x' => 1 }", false);
        says("$a = { $b => 1, $b => 2, Optional[['a']] => 1, Optional[['a']] => 2 }", false);
    }

    #[test]
    fn types_of_parameters_of_classes() {
        says("class a (String[$b] $c) { }", true);
        says("class a (Optional[[String]] $c) { }", true);
        says("define a (String[$b] $c) { }", false);
        says(
            "class a (Variant[String[1], Enum['x'], Pattern[/x/], Integer[-1, default]] $c) { }",
            false,
        );
        says("class a (Struct[{ 'a' => Hash[String, A::B] }] $c) { }", false);
        for open in ["60*24", "$b", "\"a${b}\"", "[1]", "*[1, 2]", "1 + 1", "f(1)"] {
            says(&format!("class a (Integer[0, {open}] $c) {{ }}"), open != "[1]");
            says(&format!("class a (Optional[Enum['x', {open}]] $c) {{ }}"), open != "[1]");
        }
        for literal in ["/x/", "'x'", "x", "default", "undef", "-1", "1.5", "true", "A::B"] {
            says(&format!("class a (Array[Struct[{{ a => T[{literal}] }}]] $c) {{ }}"), false);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("class a ({}String{} $c) {{ }}", "Array[".repeat(200), "]".repeat(200));
        says(&deep, true);
    }
}
