//! The picture in the README: `kukla validate` in a terminal, as SVG.

use std::path::Path;

use anstyle_svg::Term;
use anyhow::{Result, ensure};

use crate::docs::kukla;

/// A file with more errors than fit on a screen.
const FILE: &str = "docs/broken/limits.pp";

/// The errors that the picture shows.
const CODES: [&str; 2] = ["duplicate-parameter", "duplicate-key"];

/// Draws the terminal after `kukla validate` of a file with errors; `…` stands for errors that are left out.
pub(crate) fn validate(root: &Path) -> Result<String> {
    let output = kukla(root, &["validate", "--color", "always", FILE])?;
    let (errors, summary) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    let excerpt = excerpt(&errors);
    for code in CODES {
        ensure!(excerpt.contains(code), "`kukla validate {FILE}` no longer reports `{code}`");
    }
    Ok(Term::new().render_svg(&format!("$ kukla validate {FILE}\n{excerpt}\n\n{summary}")))
}

/// Replaces each run of other errors by one `…`.
fn excerpt(errors: &str) -> String {
    let is_shown = |error: &str| CODES.iter().any(|code| error.contains(&format!("[{code}]")));
    let mut parts: Vec<&str> = errors
        .trim_end()
        .split("\n\n")
        .map(|error| if is_shown(error) { error } else { "…" })
        .collect();
    parts.dedup();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn errors_that_are_not_shown_become_one_ellipsis() {
        let errors = "error[duplicate-key]: a\n\nerror[x]: b\n\nerror[y]: c\n\n";
        assert_eq!(excerpt(errors), "error[duplicate-key]: a\n\n…");
    }
}
