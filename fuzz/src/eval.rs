//! Target that evaluates code, with limits.

use std::cell::OnceCell;
use std::sync::Arc;

use kukla_compiler::{Function, Functions, Limits, Session, Strictness};
use kukla_pcore::{Hash, format, types};
use kukla_stdlib::module::{self, Generation};

thread_local! {
    /// All functions: the built-in ones and those of both generations of stdlib.
    static LIBRARY: OnceCell<Arc<Functions>> = const { OnceCell::new() };
}

/// Evaluates a text, and formats the result in every way.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(code) = std::str::from_utf8(bytes) else { return };
    let library = LIBRARY.with(|library| Arc::clone(library.get_or_init(|| Arc::new(library_of_all()))));
    // Enough for every case of the specs, and quickly exhausted.
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let mut session = Session::new(library, Strictness::default(), limits, &Hash::new());
    let outcome = session.evaluate(code, "/fuzz.pp");
    if let Ok(value) = &outcome.value {
        let _ = format::program(value);
        let type_ = types::infer_set(value);
        let _ = type_.to_string();
        // Every value is an instance of its own type, except NaN.
        let _ = type_.is_instance(value);
    }
    let _ = kukla_compiler::answer::json(&outcome, "test.example.com");
}

fn library_of_all() -> Functions {
    Functions::new(kukla_stdlib::BUILT_IN)
        .with(quick(Generation::Eight))
        .with(quick(Generation::Nine).filter(|row| row.name.contains("::")))
}

/// Returns the functions of stdlib except those that hash passwords, which are slow on purpose.
fn quick(generation: Generation) -> impl Iterator<Item = &'static Function> {
    let is_slow = |name: &str| name == "pw_hash" || name.starts_with("str2salted");
    module::functions(generation).into_iter().filter(move |row| !is_slow(row.name))
}
