//! Comparison with Ruby's `Dir.glob`.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::fs;

use super::{fits, glob};

#[track_caller]
fn check(pattern: &str, name: &str, expected: bool) {
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    assert_eq!(fits(&letters(pattern), &letters(name)), expected, "{pattern} {name}");
}

#[test]
fn names_fit_patterns() {
    check("m*", "modules", true);
    check("m*", "m", true);
    check("*s", "modules", true);
    check("*du*s", "modules", true);
    check("*du*x", "modules", false);
    check("m?d*", "mod", true);
    check("m?d", "md", false);
    check("m[0-9a]", "m3", true);
    check("m[0-9a]", "ma", true);
    check("m[^0-9]", "m3", false);
    check("m[!0-9]", "mx", true);
    check("[]a]", "]", true);
    check("a**b", "axxb", true);
    check("", "a", false);
    check("m[", "m[", false);
}

#[test]
fn directories_are_found_in_order() {
    let root = std::env::temp_dir().join(format!("kukla-glob-{}", std::process::id()));
    for path in ["m2/a", "m1/a", ".hidden/a", "x/y/a", "m10"] {
        fs::create_dir_all(root.join(path)).expect("it can be made");
    }
    let found = |pattern: &str| -> Vec<String> {
        let paths = glob(&format!("{}/{pattern}", root.display()), &kukla_world::Disk);
        let name = |path: &std::path::PathBuf| {
            path.strip_prefix(&root).expect("it is below").display().to_string()
        };
        paths.iter().map(name).collect()
    };
    assert_eq!(found("m*"), ["m1", "m10", "m2"]);
    assert_eq!(found("*/a"), ["m1/a", "m2/a"]);
    assert_eq!(found("**/a"), ["m1/a", "m2/a", "x/y/a"]);
    assert_eq!(found("{m2,m1,none}"), ["m2", "m1"]);
    assert_eq!(found("none*"), [""; 0]);
    fs::remove_dir_all(&root).expect("it is ours");
}
