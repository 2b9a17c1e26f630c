//! Explanations of the issues of evaluations, each with an example and a way out.
//!
//! The texts are Markdown files beside this one, named by code; those of diagnostics are in `kukla_syntax::explain`.
//! Fenced blocks say what they are: `pp,invalid` fails with the issue, `pp,valid` compiles. More words on the fence
//! say how to compile the block: `depth=` and `steps=` (limits), `strict=` (as the setting), and `node=` (the name).

use std::sync::LazyLock;

use kukla_syntax::explain as syntax;
pub use kukla_syntax::explain::Explanation;

/// All explanations, sorted by code: of diagnostics, and of what happens while code is evaluated.
pub fn all() -> &'static [Explanation] {
    static ALL: LazyLock<Vec<Explanation>> = LazyLock::new(|| {
        let mut all: Vec<Explanation> = syntax::all().iter().chain(own()).copied().collect();
        all.sort_by_key(|explanation| explanation.code);
        all
    });
    &ALL
}

/// The explanations of issues that only an evaluation has, sorted by code.
pub fn own() -> &'static [Explanation] {
    EXPLANATIONS
}

/// The explanation of a code.
pub fn find(code: &str) -> Option<&'static Explanation> {
    let index = all().binary_search_by(|explanation| explanation.code.cmp(code)).ok()?;
    all().get(index)
}

macro_rules! explanations {
    ($($code:literal)*) => {
        &[$(Explanation { code: $code, text: include_str!(concat!("explain/", $code, ".md")) },)*]
    };
}

// Invariant: sorted by code.
const EXPLANATIONS: &[Explanation] = explanations! {
    "argument-mismatch"
    "assignment-in-parameters"
    "bad-slice"
    "bad-type-parameters"
    "cancelled"
    "catalog-change-in-data"
    "class-inherits-itself"
    "classes-not-collectable"
    "comparison-not-possible"
    "context-after-lookup"
    "conversion-failed"
    "data-not-found"
    "data-too-deep"
    "div-by-zero"
    "duplicate-alias"
    "duplicate-attribute"
    "duplicate-declaration"
    "duplicate-export"
    "duplicate-resource-default"
    "duplicate-title"
    "exports-unreadable"
    "fail-function"
    "function-failed"
    "illegal-attributes"
    "illegal-jump"
    "illegal-operand"
    "illegal-override"
    "illegal-query"
    "illegal-reassignment"
    "illegal-reference"
    "illegal-relationship-operand"
    "illegal-reserved-assignment"
    "illegal-resource-type"
    "illegal-stage"
    "illegal-title"
    "illegal-type-definition"
    "illegal-type-expression"
    "internal-error"
    "invalid-tag"
    "invalid-template"
    "iterator-not-supported"
    "lookup-failed"
    "match-not-regexp"
    "match-not-string"
    "missing-block"
    "missing-definition"
    "missing-parameter"
    "multi-assignment-mismatch"
    "no-catalog"
    "not-numeric"
    "numeric-coercion"
    "operator-not-applicable"
    "override-after-evaluation"
    "override-not-inherited"
    "parameter-already-set"
    "parameter-mismatch"
    "parameter-order"
    "regexp-limit"
    "required-after-optional"
    "resource-not-found"
    "result-is-infinity"
    "return-mismatch"
    "ruby-error"
    "ruby-unsupported"
    "title-mismatch"
    "too-deep-calls"
    "too-deep-value"
    "too-large-value"
    "too-many-resources"
    "too-many-rounds"
    "too-many-steps"
    "unknown-class"
    "unknown-function"
    "unknown-method"
    "unknown-node"
    "unknown-parameter"
    "unknown-resource"
    "unknown-resource-type"
    "unknown-stage"
    "unknown-template"
    "unknown-variable"
    "unmatched-selector"
    "unreadable-file"
    "unsupported-value"
    "validation-failed"
};
