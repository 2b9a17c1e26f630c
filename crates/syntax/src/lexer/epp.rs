//! Templates: text with code between `<%` and `%>`.

use kukla_base::Span;

use super::{Lexer, offset};
use crate::ast::Text;
use crate::issues;
use crate::token::TokenKind;

/// The part of a template that is being lexed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// A manifest.
    Off,
    /// Text of a template.
    Text,
    /// `<% code %>`
    Code,
    /// `<%= expression %>`
    Expression,
}

/// The end of a stretch of text.
enum TextEnd {
    /// The end of the template.
    Text,
    Code,
    Expression,
    Error(fn(Span) -> kukla_base::Diagnostic),
}

impl Lexer<'_, '_> {
    pub(super) fn template(&mut self) {
        self.push(TokenKind::EppStart, 0, 0, Text::default());
        self.epp_text(false);
        while self.pos < self.bytes.len() {
            self.token();
        }
        if matches!(self.epp, Mode::Code | Mode::Expression) {
            let span = self.global(Span::new(offset(self.pos), 0));
            self.error(issues::epp_unbalanced_tag(span), self.pos);
        }
    }

    /// Lexes `%>` or `-%>`.
    #[inline(never)]
    pub(super) fn end_epp(&mut self, trim: bool) {
        let start = self.pos;
        self.pos += if trim { 3 } else { 2 };
        if self.epp == Mode::Expression {
            let kind = if trim { TokenKind::EppEndTrim } else { TokenKind::EppEnd };
            self.push(kind, start, self.pos, Text::default());
        }
        self.epp_text(trim);
    }

    /// Lexes the text up to the next tag.
    fn epp_text(&mut self, skip_leading: bool) {
        let start = self.pos;
        let (text, end) = self.scan_text(skip_leading);
        match end {
            TextEnd::Error(issue) => {
                let span = self.global(Span::new(offset(self.pos), 0));
                self.error(issue(span), self.bytes.len());
                self.epp = Mode::Text;
            }
            TextEnd::Text => {
                self.render_string(text.as_deref(), start);
                self.epp = Mode::Text;
            }
            TextEnd::Code => {
                self.render_string(text.filter(|text| !text.is_empty()).as_deref(), start);
                self.epp = Mode::Code;
            }
            TextEnd::Expression => {
                self.render_string(text.filter(|text| !text.is_empty()).as_deref(), start);
                self.push(TokenKind::RenderExpr, start, start, Text::default());
                self.epp = Mode::Expression;
            }
        }
    }

    fn render_string(&mut self, text: Option<&str>, start: usize) {
        if let Some(text) = text {
            let text = if self.text[start..].starts_with(text) {
                self.slice(start, start + text.len())
            } else {
                self.out.ast.add_text(text)
            };
            self.push(TokenKind::RenderString, start, self.pos, text);
        }
    }

    /// Scans text up to and with `<%`, `<%-` or `<%=`; comments are left out.
    ///
    /// Puppet drops text that is followed only by a comment or an escaped tag at the very end of the template; so do we.
    fn scan_text(&mut self, mut skip_leading: bool) -> (Option<String>, TextEnd) {
        let mut text = String::new();
        while self.pos < self.bytes.len() {
            let tag = memchr::memmem::find(&self.bytes[self.pos..], b"<%");
            let end = tag.map_or(self.bytes.len(), |length| self.pos + length + 2);
            let mut part = &self.text[self.pos..end];
            if std::mem::take(&mut skip_leading) {
                part = without_leading(part);
            }
            text.push_str(&part.replace("%%>", "%>"));
            self.pos = end;
            match self.bytes.get(self.pos) {
                None if text.ends_with("<%") => {
                    return (Some(text), TextEnd::Error(issues::epp_unbalanced_expression));
                }
                None => return (Some(text), TextEnd::Text),
                Some(b'-') => {
                    self.pos += 1;
                    cut_tag(&mut text);
                    cut_blanks(&mut text);
                    return (Some(text), TextEnd::Code);
                }
                Some(b'%') => self.pos += 1,
                Some(b'=') => {
                    self.pos += 1;
                    cut_tag(&mut text);
                    return (Some(text), TextEnd::Expression);
                }
                Some(b'#') => {
                    cut_tag(&mut text);
                    let Some(comment) = self.epp_comment() else {
                        return (Some(text), TextEnd::Error(issues::epp_unbalanced_comment));
                    };
                    if comment.chars().nth(1) == Some('-') {
                        cut_blanks(&mut text);
                    }
                    skip_leading = comment.ends_with("-%>");
                }
                Some(_) => {
                    cut_tag(&mut text);
                    return (Some(text), TextEnd::Code);
                }
            }
        }
        (None, TextEnd::Text)
    }

    /// Scans a comment from its `#` to its `%>`; `%%>` does not end it.
    fn epp_comment(&mut self) -> Option<&str> {
        let start = self.pos;
        let ends = memchr::memmem::find_iter(&self.bytes[start..], b"%>");
        let end = ends.map(|at| start + at).find(|&at| at > start && self.bytes[at - 1] != b'%')?;
        self.pos = end + 2;
        Some(&self.text[start..self.pos])
    }
}

/// Returns the text after blanks and a line break.
fn without_leading(text: &str) -> &str {
    let text = text.trim_start_matches([' ', '\t']);
    let text = text.strip_prefix('\r').unwrap_or(text);
    text.strip_prefix('\n').unwrap_or(text)
}

fn cut_tag(text: &mut String) {
    text.truncate(text.len().saturating_sub(2));
}

fn cut_blanks(text: &mut String) {
    text.truncate(text.trim_end_matches([' ', '\t']).len());
}
