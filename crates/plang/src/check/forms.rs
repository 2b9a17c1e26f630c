//! Checks of constant arguments against the form that their parameter requires.

use kukla_base::Span;

use super::build::Checker;
use super::constant::Constant;
use crate::ip::{Ip, Network};
use crate::issues;
use crate::mail::canonical;
use crate::module::{Form, Param};
use crate::modules::http::is_field_name;
use crate::program::NodeId;
use kukla_base::nearest::likely;

/// Maximum length of a checked argument: names, networks and paths are shorter.
const LONGEST: usize = 4 << 10;

impl Checker<'_> {
    /// Checks a constant argument against its parameter's form; false after an error was reported.
    pub(super) fn check_form(&mut self, param: &Param, node: NodeId) -> bool {
        let span = self.span_of(node);
        let Some(constant) = self.constant(node).cloned() else {
            let must_be = matches!(
                param.form,
                Form::Constant | Form::Cidr | Form::List | Form::Refusal | Form::Delay
            );
            if must_be {
                let what = format!("`{}`", param.name);
                self.diagnostics.push(issues::not_constant(span, &what));
            }
            return !must_be;
        };
        let issue = match &constant {
            Constant::Text(_) if matches!(param.form, Form::Any | Form::Constant) => None,
            Constant::Text(text) if text.len() > LONGEST => {
                let message = format!("`{}` is longer than {LONGEST} bytes", param.name);
                Some(issues::bad_argument(span, "too-long", message, ""))
            }
            Constant::Text(text) => {
                self.text_issue(param.form, &String::from_utf8_lossy(text), span)
            }
            Constant::Number(number) => number_issue(param, *number, span),
            Constant::Boolean(_) | Constant::Service(_) | Constant::Fails(_) => None,
        };
        match issue {
            Some(issue) => {
                self.diagnostics.push(issue);
                false
            }
            None => true,
        }
    }

    fn text_issue(&self, form: Form, text: &str, span: Span) -> Option<kukla_base::Diagnostic> {
        let bad = |code, message: String, help: &str| {
            Some(issues::bad_argument(span, code, message, help))
        };
        match form {
            Form::HeaderName if !is_field_name(text.as_bytes()) => {
                let help = "a name has letters, digits and `-`; no colon, no space";
                bad(
                    "bad-header-name",
                    format!("`{text}` can't be the name of a header field"),
                    help,
                )
            }
            Form::Cidr => {
                let reason = Network::parse(text).err()?;
                let message = format!("`{text}` is no network: {reason}");
                bad("bad-network", message, "write it as in `10.0.0.0/8` or `2001:db8::/32`")
            }
            Form::Ip if Ip::parse(text.as_bytes()).is_none() => {
                bad("bad-address", format!("`{text}` is no address"), "")
            }
            Form::Mailbox if canonical(text.as_bytes()).is_none() => {
                let help = "write it as in `alice@example.com`, without angle brackets";
                bad("bad-mailbox", format!("`{text}` is no address of mail"), help)
            }
            Form::Path if !text.starts_with('/') => {
                bad("bad-path", format!("the path `{text}` does not start with a slash"), "")
            }
            Form::Path if text.contains([' ', '\r', '\n', '#']) => {
                bad("bad-path", format!("`{text}` is no path"), "")
            }
            Form::Scheme if !is_field_name(text.as_bytes()) => {
                let help = "a scheme is one word, such as `Basic` or `Bearer`";
                bad("bad-scheme", format!("`{text}` is no scheme of authentication"), help)
            }
            Form::Pool => {
                let pools = self.options.registry.as_ref()?.pools.as_ref()?;
                let near = likely(text, pools.iter().map(String::as_str));
                let is_known = pools.iter().any(|pool| pool == text);
                (!is_known).then(|| issues::unknown_pool(span, text, near))
            }
            Form::List => {
                let list = self.options.registry.as_ref().and_then(|registry| registry.list(text));
                list.is_none().then(|| issues::unknown_list(span, text))
            }
            Form::Service if !is_uri(text) => {
                let help = "a service is named as in `opes://example.com/service`";
                bad("bad-uri", format!("`{text}` is no URI"), help)
            }
            Form::Version if !crate::is_language_version(text.as_bytes()) => {
                let help = "this is P 1.0";
                bad("language-version", format!("version `{text}` of P is not known"), help)
            }
            _ => None,
        }
    }
}

fn number_issue(param: &Param, number: i64, span: Span) -> Option<kukla_base::Diagnostic> {
    let (range, what) = match param.form {
        Form::Status => (100..=599, "a status of HTTP is a number from 100 to 599"),
        Form::Refusal => (500..=599, "a mail is refused for good with a status from 500 to 599"),
        Form::Delay => (400..=499, "a mail is refused for now with a status from 400 to 499"),
        Form::Natural => (0..=i64::MAX, "it can't be negative"),
        Form::Hour => (0..=23, "an hour is a number from 0 to 23"),
        Form::Minute => (0..=59, "a minute is a number from 0 to 59"),
        _ => return None,
    };
    if range.contains(&number) {
        return None;
    }
    let message = format!("`{}` can't be {number}: {what}", param.name);
    Some(issues::bad_argument(span, "out-of-range", message, ""))
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_scheme && !rest.is_empty() && !rest.contains([' ', '\t', '\n', '"'])
}
