//! Attacks that were written down, one per line of a file.

use crate::{Arena, Expected};

/// How many of the attacks are run.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// Those below the line `# Quick`.
    Quick,
    All,
}

/// Runs them.
pub(crate) fn run(arena: &mut Arena, extent: Extent) {
    for (expected, program) in lines(include_str!("puppet.txt"), extent) {
        arena.check(program, expected, program);
    }
    arena.write("modules/m/templates/self.erb", "<%= scope.function_template(['m/self.erb']) %>");
    arena.write("modules/m/templates/self.epp", "<%= template('m/both.erb') %>");
    arena
        .write("modules/m/templates/both.erb", "<%= scope.call_function('epp', ['m/self.epp']) %>");
    for (n, (expected, ruby)) in lines(include_str!("ruby.txt"), extent).enumerate() {
        arena.write(&format!("modules/m/templates/r{n}.erb"), &format!("<%= ({ruby}) %>"));
        arena.check(ruby, expected, &format!("notice(template('m/r{n}.erb').length)"));
    }
}

/// Returns what is expected of each line, and the rest of it.
fn lines(text: &str, extent: Extent) -> impl Iterator<Item = (Expected, &str)> {
    let (_, quick) = text.split_once("\n# Quick\n").expect("some are quick");
    let text = if extent == Extent::Quick { quick } else { text };
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (word, rest) = line.split_once(' ').expect("a word comes first");
        let expected = match word {
            "limit" => Expected::Limit,
            "error" => Expected::Error,
            "ends" => Expected::Ends,
            other => panic!("{other}: {line}"),
        };
        (expected, rest)
    })
}
