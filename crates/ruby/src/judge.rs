//! Decides before code runs whether the interpreter supports it.

use crate::library;
use crate::methods::registry;
use crate::read::tree::Program;
use kukla_foreign::Unsupported;

/// Functions that code must not call here, or that need a real Ruby around them.
const NEVER: &[&str] = &[
    "`", "abort", "at_exit", "binding", "caller", "eval", "exec", "exit", "fork", "gets", "glob",
    "open", "popen", "readline", "sleep", "spawn", "srand", "syscall", "system", "trap",
];

/// Refuses files that use a method or constant which Ruby has and neither the files nor the interpreter define.
pub(crate) fn judge(programs: &[&Program]) -> Result<(), Unsupported> {
    let own = programs.len();
    let mut programs = programs.to_vec();
    let constants = programs.iter().flat_map(|program| &program.uses.constants);
    let files: Vec<&Program> = constants
        .filter_map(|(path, _)| library::prelude::file_of(path.split("::").next()?))
        .collect();
    programs.extend(files);
    for program in programs.iter().take(own) {
        for (name, line) in &program.uses.methods {
            let is_defined = programs.iter().any(|program| program.uses.defines.contains(name));
            // A method that no class of Ruby's has raises an exception when it is called, as in Ruby.
            let is_missing = !registry().has_name(name) && crate::names::is_anywhere(name);
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

#[cfg(test)]
mod tests {
    use crate::Template;

    /// Returns the reason why a template is refused.
    fn refusal(code: &str) -> Option<String> {
        Template::parse(None, &format!("<% {code} %>")).err().map(|error| error.reason)
    }

    #[test]
    fn a_method_that_ruby_has_and_no_table_is_refused() {
        assert_eq!(refusal("[].bsearch { }").as_deref(), Some("method bsearch"));
        assert_eq!(refusal("system('ls')").as_deref(), Some("method system"));
    }

    #[test]
    fn methods_of_all_tables_are_known() {
        assert_eq!(refusal("[].each_slice(2) { }; File.join('a'); scope.lookupvar('x')"), None);
        assert_eq!(refusal("format('%d', 1); has_variable?('x'); scope.function_x([])"), None);
    }

    #[test]
    fn a_method_that_the_code_defines_is_known() {
        assert_eq!(refusal("def bsearch; end; bsearch"), None);
        assert_eq!(refusal("X = Struct.new(:mode); X.new(1).mode"), None);
        assert_eq!(refusal("x.mode").as_deref(), Some("method mode"));
    }

    #[test]
    fn a_method_that_no_class_of_rubys_has_fails_when_it_is_reached() {
        assert_eq!(refusal("x = nil; x.frobnicate if x"), None);
    }
}
