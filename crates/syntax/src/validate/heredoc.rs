//! The text of heredocs with a syntax: `@(END:json)`.

use kukla_base::{Diagnostic, DiagnosticPlace, Phase, Source};

use super::Validator;
use crate::ast::{Expr, ExprId, Text};
use crate::{Home, Language, Options, issues};
use kukla_rubytext::{base64, json};

/// The length of another parser's message that Puppet quotes.
const MAX_JSON_MESSAGE: usize = 100;
const MAX_PUPPET_MESSAGE: usize = 500;

/// The maximum nesting of `pp` and `epp` heredocs that are checked.
const MAX_NESTING: usize = 8;

/// The code of a diagnostic, and its message.
pub(super) type HeredocFault = (&'static str, String);

impl Validator<'_> {
    /// Checks the text of a heredoc that has no interpolation.
    pub(super) fn heredoc(&mut self, text: ExprId, syntax: Text) {
        let Expr::String(content) = self.ast[text] else { return };
        let (syntax, content) = (self.ast.text(syntax), self.ast.text(content));
        let Some(name) = checked_syntax(syntax) else { return };
        let span = self.span(text);
        let fault = match name {
            "json" => json::check(content).err().map(|error| json_message(&error.message)),
            "base64" => base64::check(content).err().map(|it| ("illegal-base64", it.to_string())),
            "pp" if syntax != "pp" => {
                return self.raise(issues::illegal_external_tag("illegal-pp", span, "PP"));
            }
            "epp" if syntax != "epp" => {
                return self.raise(issues::illegal_external_tag("illegal-epp", span, "EPP"));
            }
            name => match self.contents.get(&text) {
                Some(cached) => cached.clone(),
                None => {
                    let fault = match name {
                        "pp" => self.puppet("illegal-pp", "PP", content, Language::Manifest),
                        _ => self.puppet("illegal-epp", "EPP", content, Language::Template),
                    };
                    self.contents.insert(text, fault.clone());
                    fault
                }
            },
        };
        if let Some((code, message)) = fault {
            self.raise(issues::illegal_external(code, span, syntax, &message));
        }
    }

    /// Checks a heredoc of Puppet code.
    fn puppet(
        &self,
        code: &'static str,
        name: &str,
        content: &str,
        language: Language,
    ) -> Option<HeredocFault> {
        match self.depth < MAX_NESTING {
            true => puppet(code, name, content, language, self.options, self.depth + 1),
            false => None,
        }
    }
}

fn puppet(
    code: &'static str,
    name: &str,
    content: &str,
    language: Language,
    options: &Options,
    depth: usize,
) -> Option<HeredocFault> {
    let options =
        Options { language, home: Home::Anywhere, file: String::new(), ..options.clone() };
    let checked = crate::check_without_loading(content, &options, depth);
    let errors: Vec<&Diagnostic> =
        checked.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    let message = match errors.as_slice() {
        [] => return None,
        [first, ..] if first.is_raised() || errors.len() == 1 => {
            with_place(first, &Source::new("", content))
        }
        _ => giving_up(&checked.diagnostics, errors.len()),
    };
    let message: String = message.chars().take(MAX_PUPPET_MESSAGE).collect();
    Some((code, format!("{name} syntax checker: \"{}\"", on_one_line(&message))))
}

/// Validates text that was produced for a heredoc with a syntax.
///
/// Text without interpolation is checked by validation already.
pub(crate) fn produced_text(text: &str, syntax: &str, options: &Options) -> Option<HeredocFault> {
    let (code, message) = match checked_syntax(syntax)? {
        "json" => json_message(&json::check(text).err()?.message),
        "base64" => ("illegal-base64", base64::check(text).err()?.to_string()),
        "pp" if syntax == "pp" => puppet("illegal-pp", "PP", text, Language::Manifest, options, 1)?,
        "epp" if syntax == "epp" => {
            puppet("illegal-epp", "EPP", text, Language::Template, options, 1)?
        }
        _ => return None,
    };
    Some((code, format!("Invalid produced text having syntax: '{syntax}'. {message}")))
}

/// Returns the syntax that is checked: of `data+json`, `json`.
fn checked_syntax(syntax: &str) -> Option<&str> {
    let mut rest = syntax;
    while !matches!(rest, "json" | "base64" | "pp" | "epp") {
        rest = rest.split_once('+')?.1;
    }
    Some(rest)
}

fn json_message(message: &str) -> HeredocFault {
    let message: String = message.chars().take(MAX_JSON_MESSAGE).collect();
    let message = on_one_line(&message);
    let message = format!("JSON syntax checker: Cannot parse invalid JSON string. \"{message}\"");
    ("illegal-json", message)
}

fn on_one_line(message: &str) -> String {
    message.replace("\r\n", "\\n").replace('\n', "\\n")
}

/// Returns a message with its location, as Puppet formats it without a file.
fn with_place(diagnostic: &Diagnostic, source: &Source) -> String {
    match (diagnostic.place, diagnostic.line_column(source)) {
        (DiagnosticPlace::At(_), Some(place)) => {
            format!("{} (line: {}, column: {})", diagnostic.message, place.line, place.column)
        }
        _ => diagnostic.message.clone(),
    }
}

fn giving_up(diagnostics: &[Diagnostic], errors: usize) -> String {
    let is_warning = |it: &&Diagnostic| !it.is_error() && it.phase == Phase::Validate;
    match diagnostics.iter().filter(is_warning).count() {
        0 => format!("Language validation logged {errors} errors. Giving up"),
        warnings => format!(
            "Language validation logged {errors} errors, and {warnings} warnings. Giving up"
        ),
    }
}
