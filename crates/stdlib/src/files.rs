//! Functions that find and read files, and that run programs.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, ExecuteError, Function, ModuleFolder, Signature, Stop, issues};
use kukla_pcore::{Value, ruby};

use crate::fault::{failed, fault};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::untyped("file", -2, file),
    Function::typed(
        "find_file",
        &[
            Signature::new("String *paths", |call| find(call, ModuleFolder::Files)),
            Signature::new("Array[String] *paths_array", |call| {
                find_any(call, ModuleFolder::Files)
            }),
        ],
    ),
    Function::typed(
        "find_template",
        &[
            Signature::new("String *paths", |call| find(call, ModuleFolder::Templates)),
            Signature::new("Array[String] *paths_array", |call| {
                find_any(call, ModuleFolder::Templates)
            }),
        ],
    ),
    Function::typed("binary_file", &[Signature::new("String path", binary_file)]),
    Function::typed(
        "module_directory",
        &[
            Signature::new("String *names", |call| Ok(module_directory(call, call.arguments()))),
            Signature::new("Array[String] *names", |call| {
                only_array(call).map(|names| module_directory(call, names))
            }),
        ],
    ),
    Function::untyped("generate", -2, generate),
];

/// Returns the path of the first file that exists.
fn existing(call: &Call<'_>, kind: ModuleFolder, reference: &str) -> Option<String> {
    let path = call.inputs().find(kind, reference)?;
    call.inputs().exists(&path).then_some(path)
}

fn first_existing(call: &Call<'_>, kind: ModuleFolder, references: &[Value]) -> Value {
    let mut texts = references.iter().filter_map(Value::as_str);
    texts.find_map(|reference| existing(call, kind, reference)).map_or(Value::Undef, Value::from)
}

fn find(call: &mut Call<'_>, kind: ModuleFolder) -> Eval<Value> {
    Ok(first_existing(call, kind, call.arguments()))
}

fn find_any(call: &mut Call<'_>, kind: ModuleFolder) -> Eval<Value> {
    only_array(call).map(|references| first_existing(call, kind, references))
}

/// Returns the only argument. The signature allows any number of arrays, but Puppet's code takes one.
fn only_array<'a>(call: &Call<'a>) -> Eval<&'a [Value]> {
    match call.arguments().len() {
        1 => Ok(call.array(0)),
        n => crate::fault::wrong_arguments(format!(
            "wrong number of arguments (given {}, expected 2)",
            n + 1
        )),
    }
}

/// Returns the text of a file.
pub(crate) fn read_text(call: &Call<'_>, path: &str) -> Eval<String> {
    let bytes = read(call, path)?;
    String::from_utf8(bytes).map_err(|_| failed(format!("{path} is not valid UTF-8")))
}

fn read(call: &Call<'_>, path: &str) -> Eval<Vec<u8>> {
    call.inputs()
        .read(path)
        .map_err(|error| Stop::fault(issues::unreadable_file(format!("{error} - {path}"))))
}

fn file(call: &mut Call<'_>) -> Eval<Value> {
    for reference in call.arguments() {
        let Value::String(text) = reference else { return not_a_path(call, reference) };
        if let Some(path) = existing(call, ModuleFolder::Files, text) {
            return read_text(call, &path).map(Value::from);
        }
    }
    let names = ruby::join(call.arguments(), ", ");
    kukla_compiler::fault(issues::unreadable_file(format!("Could not find any files from {names}")))
}

/// Warns twice, as Puppet does, about a value that can't be a path.
fn not_a_path(call: &mut Call<'_>, value: &Value) -> Eval<Value> {
    warn_of_path(call, value);
    warn_of_path(call, value);
    let problem = ruby::no_method("split", value);
    fault(format!("{problem}\n\n      path.split(File::SEPARATOR, 2)\n          ^^^^^^"))
}

fn warn_of_path(call: &mut Call<'_>, value: &Value) {
    let (text, class) = (ruby::to_s(value), ruby::class_name(value));
    call.say(
        Level::Warning,
        format!(
            "Cannot check if {text} is an absolute path because it is a '{class}' and not a String'"
        ),
    );
}

fn binary_file(call: &mut Call<'_>) -> Eval<Value> {
    let reference = call.string(0);
    match existing(call, ModuleFolder::Files, reference) {
        Some(path) => Ok(Value::Binary(read(call, &path)?.into())),
        None => fault(format!("binary_file(): The given file '{reference}' does not exist")),
    }
}

fn module_directory(call: &Call<'_>, names: &[Value]) -> Value {
    let mut names = names.iter().filter_map(Value::as_str);
    names.find_map(|name| call.inputs().module_directory(name)).map_or(Value::Undef, Value::from)
}

fn generate(call: &mut Call<'_>) -> Eval<Value> {
    let Value::String(program) = call.value(0) else {
        warn_of_path(call, call.value(0));
        return fault("Generators must be fully qualified");
    };
    if !program.starts_with('/') {
        return fault("Generators must be fully qualified");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-/_.+".contains(c);
    let is_valid = |line: &str| !line.is_empty() && line.chars().all(is_plain);
    if !program.split('\n').any(is_valid) {
        return fault("Generators can only contain alphanumerics, file separators, and dashes");
    }
    if program.contains("..") {
        return fault("Can not use generators with '..' in them.");
    }
    let command: Vec<String> = call.arguments().iter().map(ruby::resource_to_s).collect();
    match call.inputs().execute(&command) {
        Ok(output) => Ok(Value::from(output)),
        Err(ExecuteError::Unavailable) => crate::catalog::unavailable(call),
        Err(ExecuteError::NoDirectory(directory)) => {
            fault(format!("No such file or directory @ dir_chdir - {directory}"))
        }
        Err(ExecuteError::Limit(reason)) => {
            fault(format!("Failed to execute generator {program}: {reason}"))
        }
        Err(ExecuteError::Failed { status, output }) => fault(format!(
            "Failed to execute generator {program}: Execution of '{}' returned {status}: {output}",
            command.join(" ")
        )),
    }
}
