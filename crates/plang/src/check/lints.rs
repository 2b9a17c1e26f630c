//! Lints: warnings about programs that run but are probably mistakes.

use std::collections::HashMap;

use kukla_base::Span;

use super::build::Checker;
use super::constant::Constant;
use crate::ast::{BinaryOp, Expr, ExprId, LogicOp, TextOp, TextTest, UnaryOp};
use crate::dump;
use crate::issues;
use crate::module::Member;
use crate::program::{Node, NodeId};
use kukla_base::nearest::likely;

/// Methods of HTTP.
const METHODS: &[&str] =
    &["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"];

/// Endpoints of a Puppet server.
const ENDPOINTS: &[&str] = &[
    "catalog",
    "certificate",
    "certificate_clean",
    "certificate_renewal",
    "certificate_request",
    "certificate_requests",
    "certificate_revocation_list",
    "certificate_status",
    "certificate_statuses",
    "environment",
    "environment_classes",
    "environment_modules",
    "environment_transports",
    "environments",
    "environment-cache",
    "expirations",
    "facts",
    "file_bucket_file",
    "file_content",
    "file_metadata",
    "file_metadatas",
    "jruby-pool",
    "node",
    "report",
    "static_file_content",
    "status",
    "tasks",
    "plans",
    "clean",
    "sign",
    "sign-all",
];

impl Checker<'_> {
    /// Warns of a comparison of a well-known member with a constant that it can never equal.
    pub(super) fn lint_comparison(
        &mut self,
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
        span: Span,
    ) {
        if let Some(member) = self.member_behind(left)
            && let Some(constant) = self.constant(right).cloned()
        {
            self.lint_member(op, member, &constant, span);
        } else if let Some(member) = self.member_behind(right)
            && let Some(constant) = self.constant(left).cloned()
            && matches!(op, BinaryOp::Equal | BinaryOp::Text(TextOp { test: TextTest::Equal, .. }))
        {
            self.lint_member(op, member, &constant, span);
        }
    }

    /// Returns the member that a node reads, directly or through names.
    fn member_behind(&self, mut node: NodeId) -> Option<&'static Member> {
        // Bounds the time on hostile input; real programs have one or two levels of names.
        for _ in 0..8 {
            match self.node(node) {
                Node::Read(access) => return Some(access.member),
                Node::Name(slot) => node = self.names[slot.index()].value?,
                _ => return None,
            }
        }
        None
    }

    fn lint_member(&mut self, op: BinaryOp, member: &Member, constant: &Constant, span: Span) {
        let finding = match constant {
            // Long texts are no typos, and comparing them takes time.
            Constant::Text(text) if text.len() > 1000 => return,
            Constant::Text(text) => {
                let Ok(text) = std::str::from_utf8(text) else { return };
                text_lint(op, member, text)
            }
            Constant::Number(number) => number_lint(op, member, *number),
            _ => None,
        };
        if let Some((reason, help)) = finding {
            let is_negated = op == BinaryOp::NotEqual;
            self.diagnostics.push(issues::never_true(span, is_negated, &reason, &help));
        }
    }

    /// Like [`Self::lint_comparison`], for the members of a set: `Core.set("gte").has(request.method)`.
    pub(super) fn lint_set(&mut self, set: Option<NodeId>, args: &[NodeId]) {
        let set = set.and_then(|set| match self.node(set) {
            Node::Name(slot) => self.names[slot.index()].value,
            _ => Some(set),
        });
        let texts = set.and_then(|set| self.sets.get(&set)).filter(|texts| texts.len() <= 100);
        let texts = texts.cloned().unwrap_or_default();
        let Some(member) = args.first().and_then(|arg| self.member_behind(*arg)) else { return };
        for text in texts {
            if let Some(constant) = self.constant(text).cloned() {
                self.lint_member(BinaryOp::Equal, member, &constant, self.span_of(text));
            }
        }
    }

    /// Notes how much of the body a call of `preview` reads.
    pub(super) fn lint_preview(&mut self, member: &'static Member, args: &[NodeId]) {
        if member.name != "preview" {
            return;
        }
        let wanted = args.first().and_then(|arg| self.constant(*arg)).and_then(Constant::number);
        let wanted = wanted.and_then(|wanted| u64::try_from(wanted).ok());
        self.uses.preview = self.uses.preview.max(wanted.unwrap_or(self.options.limits.field));
    }

    /// Warns of operands that contradict or repeat each other.
    pub(super) fn lint_logic(&mut self, op: LogicOp, operands: &[ExprId], nodes: &[NodeId]) {
        self.lint_constant_operands(operands, nodes);
        // Equal operands are found by their dump, since comparing all pairs of a long chain is quadratic.
        let mut seen: HashMap<String, Span> = HashMap::new();
        let mut equals: HashMap<String, (String, Span)> = HashMap::new();
        for (&operand, &node) in operands.iter().zip(nodes) {
            if self.traits_of(node).acts {
                // An effect may change the value of the conditions after it.
                seen.clear();
                equals.clear();
                continue;
            }
            let span = self.ast.span(operand);
            let dumped = dump::node(self.ast, operand);
            let opposite = match &self.ast[operand] {
                Expr::Unary { op: UnaryOp::Not, operand } => dump::node(self.ast, *operand),
                _ => format!("(! {dumped})"),
            };
            if let Some(first) = seen.get(&dumped) {
                self.diagnostics.push(issues::repeated_operand(span, *first));
            } else if let Some(first) = seen.get(&opposite) {
                self.diagnostics.push(issues::opposite_operand(span, *first, op == LogicOp::Or));
            }
            seen.insert(dumped, span);
            if let Some((subject, value)) = self.equality(operand, op) {
                match equals.get(&subject) {
                    Some((other, first)) if *other != value => {
                        let issue = issues::opposite_operand(span, *first, op == LogicOp::Or);
                        self.diagnostics.push(issue);
                    }
                    _ => drop(equals.insert(subject, (value, span))),
                }
            }
        }
    }

    fn lint_constant_operands(&mut self, operands: &[ExprId], nodes: &[NodeId]) {
        for (&operand, &node) in operands.iter().zip(nodes) {
            let value = self.constant(node).and_then(Constant::boolean);
            let is_literal = matches!(self.ast[operand], Expr::Boolean(_));
            if let (Some(value), false) = (value, is_literal) {
                self.diagnostics.push(issues::constant_condition(self.ast.span(operand), value));
            }
        }
    }

    /// Returns subject and value of `x == "a"` under `and`, or of `x != "a"` under `or`.
    fn equality(&self, operand: ExprId, op: LogicOp) -> Option<(String, String)> {
        let Expr::Binary { op: test, left, right } = &self.ast[operand] else { return None };
        let fits = match (op, test) {
            (LogicOp::And, BinaryOp::Equal) | (LogicOp::Or, BinaryOp::NotEqual) => true,
            (LogicOp::And, BinaryOp::Text(op)) => op.test == TextTest::Equal && !op.ignores_case,
            _ => false,
        };
        let is_literal = matches!(self.ast[*right], Expr::Text(_) | Expr::Number(_));
        (fits && is_literal).then(|| (dump::node(self.ast, *left), dump::node(self.ast, *right)))
    }
}

type Reason = Option<(String, String)>;

fn text_lint(op: BinaryOp, member: &Member, text: &str) -> Reason {
    let is_whole = match op {
        BinaryOp::Equal | BinaryOp::NotEqual => true,
        BinaryOp::Text(op) if op.test == TextTest::Equal => !op.ignores_case,
        _ => false,
    };
    let ignores_case = matches!(op, BinaryOp::Text(op) if op.ignores_case);
    let is_start =
        is_whole || matches!(op, BinaryOp::Text(TextOp { test: TextTest::BeginsWith, .. }));
    let is_pattern = matches!(op, BinaryOp::Text(TextOp { test: TextTest::Matches, .. }));
    if is_pattern {
        return None;
    }
    let reason = |reason: &str, help: &str| Some((reason.to_owned(), help.to_owned()));
    let one_of = |words: &[&str], what: &str| {
        if !is_whole || words.contains(&text) {
            return None;
        }
        let near = likely(text, words.iter().copied());
        let near = near.filter(|near| near.len() > 1);
        let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        Some((format!("`{text}` is no {what}"), help))
    };
    match member.name {
        "method" if !ignores_case && text.bytes().any(|byte| byte.is_ascii_lowercase()) => {
            reason("methods are in upper case", "")
        }
        // Extension methods exist, so only likely typos are reported.
        "method" if is_whole && likely(text, METHODS.iter().copied()).is_some() => {
            one_of(METHODS, "method of HTTP")
        }
        "path" | "rawPath" if is_start && !text.starts_with('/') => {
            reason("a path starts with a slash", "")
        }
        "path" | "rawPath" if text.contains('?') => {
            reason("the query is not part of the path", "look at `uri.query` or `uri.param(…)`")
        }
        "path" if is_start && *crate::uri::normalize(text.as_bytes()) != *text.as_bytes() => {
            reason(
                "a path has no `.`, `..`, empty segments and unneeded escapes here",
                "`rawPath` is the path as it came",
            )
        }
        "host" if !ignores_case && text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            reason("hosts are in lower case here", "")
        }
        "host" if text.contains([':', '/']) && !text.starts_with('[') => {
            reason("a host has no scheme, port or path", "")
        }
        "scheme" => one_of(&["http", "https"], "scheme of these requests"),
        "phase" if member.doc.contains("rcpt") => {
            one_of(&["mail", "rcpt", "data"], "phase of a mail")
        }
        "domain" if !ignores_case && text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            reason("domains are in lower case here", "")
        }
        "phase" => one_of(&["request", "response"], "phase"),
        "version"
            if is_start
                && member.doc.contains("HTTP")
                && !"HTTP/".starts_with(text)
                && !text.starts_with("HTTP/") =>
        {
            reason("a version starts with `HTTP/`", "")
        }
        "endpoint" | "indirection" => one_of(ENDPOINTS, "endpoint of a Puppet server"),
        "certname" if !ignores_case && text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            reason("certnames are in lower case", "")
        }
        _ => None,
    }
}

fn number_lint(op: BinaryOp, member: &Member, number: i64) -> Reason {
    let range = match member.name {
        "status" => 100..=599,
        "port" => 0..=65_535,
        "weekday" => 1..=7,
        "current" => 0..=86_399,
        "size" | "count" => 0..=i64::MAX,
        "point" => 1..=4,
        _ => return None,
    };
    let is_outside = match op {
        BinaryOp::Equal | BinaryOp::NotEqual => !range.contains(&number),
        BinaryOp::Less => number <= *range.start(),
        BinaryOp::LessEqual => number < *range.start(),
        BinaryOp::Greater => number >= *range.end(),
        BinaryOp::GreaterEqual => number > *range.end(),
        _ => false,
    };
    let words = format!("`{}` is from {} to {}", member.name, range.start(), range.end());
    is_outside.then(|| (words, String::new()))
}
