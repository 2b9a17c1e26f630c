//! Whether a source can be run, decided before it does.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::library;
use crate::read::tree::Program;
use kukla_foreign::Unsupported;

/// Every name that one of our methods has; a test keeps it complete.
const KNOWN: &str = include_str!("names/known.txt");

/// Functions that do what code may not do here, or that would need a real Ruby around them.
const NEVER: &[&str] = &[
    "`", "abort", "at_exit", "binding", "caller", "eval", "exec", "exit", "fork", "gets", "glob",
    "open", "popen", "readline", "sleep", "spawn", "srand", "syscall", "system", "trap",
];

/// Refuses what is called or named in these files and known to none of them nor to us.
pub(crate) fn judge(programs: &[&Program]) -> Result<(), Unsupported> {
    for program in programs {
        for (name, line) in &program.uses.methods {
            let is_defined = programs.iter().any(|program| program.uses.defines.contains(name));
            // What no class has raises an exception when it is reached, as in Ruby.
            let is_missing = !is_known(name) && crate::names::is_anywhere(name);
            if !is_defined && (is_missing || NEVER.contains(&name.as_str())) {
                return Err(Unsupported::new(format!("method {name}"), *line));
            }
        }
        for (path, line) in &program.uses.constants {
            let is_defined = |name: &str| {
                programs
                    .iter()
                    .any(|program| program.uses.defines_constants.iter().any(|known| known == name))
            };
            let path = &path.replace("YAML::", "Psych::");
            let last = path.rsplit("::").next().unwrap_or_default();
            let is_ours = library::class_info(path).is_some()
                || library::constant_value(path).is_some()
                || matches!(path.as_str(), "Object" | "ENV");
            if !is_ours && !is_defined(last) && library::exists_in_ruby(path) {
                return Err(Unsupported::new(format!("constant {path}"), *line));
            }
        }
    }
    Ok(())
}

/// Whether any of our classes has a method of that name.
pub(crate) fn is_known(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| KNOWN.lines().collect());
    name.starts_with("function_") || NAMES.contains(name)
}
