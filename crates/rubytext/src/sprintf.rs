//! `Kernel#format`, which Puppet's `sprintf` and the formats of `String.new` use.
//!
//! [`format()`] walks over the format; [`directive`] parses each `%…`, and [`integers`] and [`floats`] print numbers.
//! Arguments implement [`Argument`].

mod arguments;
mod directive;
mod floats;
mod halves;
mod integers;

pub use arguments::{Argument, Kind};

use super::RubyError;
use arguments::Arguments;
use directive::Directive;

/// The maximum width, above which Ruby would try to build a text of gigabytes.
const MAX_WIDTH: i64 = 1 << 24;

/// Formats arguments.
///
/// ```
/// use kukla_rubytext::sprintf::format;
/// assert_eq!(format("%05.1f", &[&3.14159]).as_deref(), Ok("003.1"));
/// ```
pub fn format(format: &str, args: &[&dyn Argument]) -> Result<String, RubyError> {
    let mut out = String::with_capacity(format.len());
    let mut args = Arguments::new(args);
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        out.push_str(&rest[..percent]);
        rest = &rest[percent + 1..];
        if rest.is_empty() {
            return Err(RubyError::argument(
                "incomplete format specifier; use %% (double %) instead",
            ));
        }
        let directive = Directive::read(&mut rest, &mut args)?;
        directive.print(&mut args, &mut out)?;
    }
    out.push_str(rest);
    Ok(out)
}
