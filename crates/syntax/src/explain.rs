//! Explanations of diagnostics, with an example and its correction.
//!
//! The texts are Markdown files beside this one, named by code. `kukla explain` prints them, and the reference in the book is
//! generated from them. Every text starts with a title, and its fenced blocks are checked: `pp,invalid` must give the
//! diagnostic, `pp,valid` none (`epp` for templates, `pdl` and `data_access` for data). More words on the fence control the
//! check: `tasks`, `file=` (the path below a module path), `noeol` (without the final line break), `escaped` (`\xHH` is a
//! byte) and `also=` (another code that is reported for the same mistake).

/// The explanation of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code of the diagnostic, such as `duplicate-parameter`.
    pub code: &'static str,
    /// The explanation as Markdown.
    pub text: &'static str,
}

impl Explanation {
    /// Returns the first line, without the mark of a heading.
    pub fn title(&self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.trim_start_matches('#').trim_start()
    }

    /// Returns everything but the title.
    pub fn body(&self) -> &'static str {
        self.text.split_once('\n').map_or("", |(_, body)| body.trim_start())
    }
}

/// Returns all explanations, sorted by code.
pub fn all() -> &'static [Explanation] {
    EXPLANATIONS
}

/// Returns the explanation of the diagnostic with that code.
pub fn find(code: &str) -> Option<&'static Explanation> {
    let index = EXPLANATIONS.binary_search_by(|explanation| explanation.code.cmp(code)).ok()?;
    EXPLANATIONS.get(index)
}

const fn text(code: &'static str, text: &'static str) -> Explanation {
    Explanation { code, text }
}

// Invariant: sorted by code, since `find` is a binary search.
const EXPLANATIONS: &[Explanation] = &[
    text(
        "appends-deletes-no-longer-supported",
        include_str!("explain/appends-deletes-no-longer-supported.md"),
    ),
    text("arguments-without-parentheses", include_str!("explain/arguments-without-parentheses.md")),
    text("captures-rest-not-last", include_str!("explain/captures-rest-not-last.md")),
    text("captures-rest-not-supported", include_str!("explain/captures-rest-not-supported.md")),
    text("class-keyword-as-name", include_str!("explain/class-keyword-as-name.md")),
    text("class-not-virtualizable", include_str!("explain/class-not-virtualizable.md")),
    text("cross-scope-assignment", include_str!("explain/cross-scope-assignment.md")),
    text("data-access-condition", include_str!("explain/data-access-condition.md")),
    text("data-access-statement", include_str!("explain/data-access-statement.md")),
    text("data-access-untrusted", include_str!("explain/data-access-untrusted.md")),
    text("duplicate-default", include_str!("explain/duplicate-default.md")),
    text("duplicate-key", include_str!("explain/duplicate-key.md")),
    text("duplicate-parameter", include_str!("explain/duplicate-parameter.md")),
    text("epp-unbalanced-comment", include_str!("explain/epp-unbalanced-comment.md")),
    text("epp-unbalanced-expression", include_str!("explain/epp-unbalanced-expression.md")),
    text("epp-unbalanced-tag", include_str!("explain/epp-unbalanced-tag.md")),
    text("exported-not-resource", include_str!("explain/exported-not-resource.md")),
    text(
        "expression-not-supported-when-compiling",
        include_str!("explain/expression-not-supported-when-compiling.md"),
    ),
    text(
        "expression-not-supported-when-scripting",
        include_str!("explain/expression-not-supported-when-scripting.md"),
    ),
    text("future-reserved-word", include_str!("explain/future-reserved-word.md")),
    text("heredoc-empty-endtag", include_str!("explain/heredoc-empty-endtag.md")),
    text("heredoc-invalid-escape", include_str!("explain/heredoc-invalid-escape.md")),
    text("heredoc-invalid-syntax", include_str!("explain/heredoc-invalid-syntax.md")),
    text("heredoc-multiple-at-escapes", include_str!("explain/heredoc-multiple-at-escapes.md")),
    text("heredoc-unclosed-parenthesis", include_str!("explain/heredoc-unclosed-parenthesis.md")),
    text(
        "heredoc-without-end-tagged-line",
        include_str!("explain/heredoc-without-end-tagged-line.md"),
    ),
    text("heredoc-without-text", include_str!("explain/heredoc-without-text.md")),
    text("idem-expression-not-last", include_str!("explain/idem-expression-not-last.md")),
    text("idem-not-allowed-last", include_str!("explain/idem-not-allowed-last.md")),
    text("illegal-assignment", include_str!("explain/illegal-assignment.md")),
    text("illegal-assignment-context", include_str!("explain/illegal-assignment-context.md")),
    text("illegal-attribute-append", include_str!("explain/illegal-attribute-append.md")),
    text("illegal-base64", include_str!("explain/illegal-base64.md")),
    text("illegal-bom", include_str!("explain/illegal-bom.md")),
    text("illegal-class-reference", include_str!("explain/illegal-class-reference.md")),
    text("illegal-comma-list", include_str!("explain/illegal-comma-list.md")),
    text("illegal-definition-location", include_str!("explain/illegal-definition-location.md")),
    text("illegal-definition-name", include_str!("explain/illegal-definition-name.md")),
    text("illegal-epp", include_str!("explain/illegal-epp.md")),
    text("illegal-epp-parameters", include_str!("explain/illegal-epp-parameters.md")),
    text("illegal-expression", include_str!("explain/illegal-expression.md")),
    text(
        "illegal-fully-qualified-class-reference",
        include_str!("explain/illegal-fully-qualified-class-reference.md"),
    ),
    text("illegal-fully-qualified-name", include_str!("explain/illegal-fully-qualified-name.md")),
    text("illegal-hostname-chars", include_str!("explain/illegal-hostname-chars.md")),
    text(
        "illegal-hostname-interpolation",
        include_str!("explain/illegal-hostname-interpolation.md"),
    ),
    text("illegal-indexed-assignment", include_str!("explain/illegal-indexed-assignment.md")),
    text("illegal-json", include_str!("explain/illegal-json.md")),
    text("illegal-node-inheritance", include_str!("explain/illegal-node-inheritance.md")),
    text(
        "illegal-nonliteral-parameter-type",
        include_str!("explain/illegal-nonliteral-parameter-type.md"),
    ),
    text("illegal-number", include_str!("explain/illegal-number.md")),
    text("illegal-numeric-assignment", include_str!("explain/illegal-numeric-assignment.md")),
    text("illegal-numeric-parameter", include_str!("explain/illegal-numeric-parameter.md")),
    text("illegal-numeric-var-name", include_str!("explain/illegal-numeric-var-name.md")),
    text("illegal-param-name", include_str!("explain/illegal-param-name.md")),
    text("illegal-pp", include_str!("explain/illegal-pp.md")),
    text("illegal-query-expression", include_str!("explain/illegal-query-expression.md")),
    text(
        "illegal-top-construct-location",
        include_str!("explain/illegal-top-construct-location.md"),
    ),
    text("illegal-type-mapping", include_str!("explain/illegal-type-mapping.md")),
    text("illegal-unicode-escape", include_str!("explain/illegal-unicode-escape.md")),
    text("illegal-var-name", include_str!("explain/illegal-var-name.md")),
    text("interpolated-boolean", include_str!("explain/interpolated-boolean.md")),
    text("invalid-decimal-number", include_str!("explain/invalid-decimal-number.md")),
    text("invalid-hex-number", include_str!("explain/invalid-hex-number.md")),
    text("invalid-octal-number", include_str!("explain/invalid-octal-number.md")),
    text("invalid-regexp", include_str!("explain/invalid-regexp.md")),
    text("metaparameter", include_str!("explain/metaparameter.md")),
    text("multiple-attributes-unfold", include_str!("explain/multiple-attributes-unfold.md")),
    text("nested-heredoc", include_str!("explain/nested-heredoc.md")),
    text("not-a-resource", include_str!("explain/not-a-resource.md")),
    text("not-absolute-top-level", include_str!("explain/not-absolute-top-level.md")),
    text("not-rvalue", include_str!("explain/not-rvalue.md")),
    text("not-top-level", include_str!("explain/not-top-level.md")),
    text("not-utf-8", include_str!("explain/not-utf-8.md")),
    text("not-virtualizeable", include_str!("explain/not-virtualizeable.md")),
    text("numeric-overflow", include_str!("explain/numeric-overflow.md")),
    text("pdl-element-assignment", include_str!("explain/pdl-element-assignment.md")),
    text("pdl-end-of-line", include_str!("explain/pdl-end-of-line.md")),
    text("pdl-statement", include_str!("explain/pdl-statement.md")),
    text("pdl-unsupported", include_str!("explain/pdl-unsupported.md")),
    text("quoted-name", include_str!("explain/quoted-name.md")),
    text("redefinition", include_str!("explain/redefinition.md")),
    text("reserved-parameter", include_str!("explain/reserved-parameter.md")),
    text("reserved-type-name", include_str!("explain/reserved-type-name.md")),
    text("reserved-word", include_str!("explain/reserved-word.md")),
    text("resource-without-title", include_str!("explain/resource-without-title.md")),
    text(
        "resource-without-title-or-hash",
        include_str!("explain/resource-without-title-or-hash.md"),
    ),
    text("syntax-error", include_str!("explain/syntax-error.md")),
    text("too-deep", include_str!("explain/too-deep.md")),
    text("too-large", include_str!("explain/too-large.md")),
    text("unclosed-mlcomment", include_str!("explain/unclosed-mlcomment.md")),
    text("unclosed-quote", include_str!("explain/unclosed-quote.md")),
    text("unclosed-regexp", include_str!("explain/unclosed-regexp.md")),
    text("unrecognized-escape", include_str!("explain/unrecognized-escape.md")),
    text("unsupported-expression", include_str!("explain/unsupported-expression.md")),
    text("virtual-not-resource", include_str!("explain/virtual-not-resource.md")),
];
