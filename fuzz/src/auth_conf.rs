//! `auth.conf`: what is imported is a program, and each rule has a line.

use kukla_plang::{Options, check};
use kukla_server::auth_conf;

/// Imports a text; a program that comes of it passes the check.
pub(crate) fn run(text: &str) {
    let n_lines = text.lines().count();
    for (_, line) in auth_conf::lines(text) {
        assert!((1..=n_lines.max(1)).contains(&line), "a line outside of the file");
    }
    let Ok(program) = auth_conf::program(text) else { return };
    let checked = check(&program, &Options::default());
    let errors: Vec<_> = checked.diagnostics.iter().filter(|it| it.is_error()).collect();
    // Patterns of the file may be none that P takes; everything else is the importer's.
    let is_pattern = |message: &str| message.contains("pattern") || message.contains("regular");
    assert!(errors.iter().all(|error| is_pattern(&error.message)), "{errors:?} in {program}");
}
