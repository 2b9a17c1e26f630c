//! Functions that render templates.

use kukla_compiler::{Call, Eval, Function, ModuleFolder, Signature, Stop, Template, issues};
use kukla_pcore::{Value, types};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "inline_epp",
        &[Signature::new(r"String template, Hash[Pattern[/^\w+$/], Any] parameters?", inline_epp)],
    ),
    Function::typed(
        "epp",
        &[Signature::new(r"String path, Hash[Pattern[/^\w+$/], Any] parameters?", epp)],
    ),
    Function::untyped("template", -2, template),
    Function::untyped("inline_template", -2, inline_template),
];

fn inline_epp(call: &mut Call<'_>) -> Eval<Value> {
    let template = Template {
        function: "inline_epp",
        file: "inlined-epp-text",
        text: call.string(0),
        is_global: false,
    };
    let parameters = call.hash(1);
    rendered(call, &template, parameters)
}

fn epp(call: &mut Call<'_>) -> Eval<Value> {
    let mut reference = call.string(0).to_owned();
    if !call.inputs().exists(&reference) && !reference.lines().any(|line| line.ends_with(".epp")) {
        reference.push_str(".epp");
    }
    let Some(path) = existing_template(call, &reference) else {
        return kukla_compiler::fault(issues::unknown_template(&reference));
    };
    let text = crate::files::read_text(call, &path)?;
    let template = Template { function: "epp", file: &path, text: &text, is_global: true };
    let parameters = call.hash(1);
    rendered(call, &template, parameters)
}

/// Returns the path of an existing template; the caller has tried the module's own.
fn existing_template(call: &Call<'_>, reference: &str) -> Option<String> {
    let path = call.inputs().find(ModuleFolder::Templates, reference)?;
    (path != reference || call.inputs().exists(&path)).then_some(path)
}

/// Renders ERB templates and concatenates them.
fn template(call: &mut Call<'_>) -> Eval<Value> {
    let mut out = String::new();
    for reference in call.arguments() {
        let reference = call.text(reference);
        let Some(path) = existing_template(call, &reference) else {
            return kukla_compiler::fault(issues::unknown_template(&reference));
        };
        let template = match call.erb(&path)? {
            Ok(template) => template,
            Err(reason) => {
                return kukla_compiler::fault(issues::ruby_unsupported(format!(
                    "the template '{path}' needs a real Ruby: {reason}"
                )));
            }
        };
        match call.render_erb(&*template) {
            Ok(text) => out.push_str(&text),
            Err(failure) => {
                let error = &failure.error;
                let (file, line, message) = (&error.file, error.line, &error.message);
                let issue = issues::invalid_template(format!(
                    "Failed to parse template {reference}:\n  Filepath: {file}\n  Line: {line}\n  Detail: {message}\n"
                ));
                return Err(call.template_fault(issue, &reference, *failure));
            }
        }
    }
    Ok(Value::from(out))
}

/// Renders ERB templates that are arguments themselves.
fn inline_template(call: &mut Call<'_>) -> Eval<Value> {
    let mut out = String::new();
    for text in call.arguments() {
        let text = call.text(text);
        let template = call
            .inline_erb(&text)
            .map_err(|reason| format!("the template needs a real Ruby: {reason}"))
            .map_err(|message| Stop::fault(issues::ruby_unsupported(message)))?;
        match call.render_erb(&*template) {
            Ok(text) => out.push_str(&text),
            Err(failure) => {
                let message = &failure.error.message;
                let issue =
                    issues::invalid_template(format!("Failed to parse inline template: {message}"));
                return Err(call.template_fault(issue, "(inline)", *failure));
            }
        }
    }
    Ok(Value::from(out))
}

/// Renders to a text, except that `return()` may give any value.
fn rendered(
    call: &mut Call<'_>,
    template: &Template<'_>,
    parameters: Option<&kukla_pcore::Hash>,
) -> Eval<Value> {
    let value = match call.render(template, parameters) {
        Err(stop) => match *stop {
            Stop::Return(value, _) => return Ok(value),
            other => return Err(Box::new(other)),
        },
        Ok(value) => value,
    };
    let type_ = call.parse_type("Variant[String, Sensitive[String]]")?;
    let subject = format!("value returned from function '{}'", template.function);
    match types::mismatch::assert_instance(&subject, &type_, &value) {
        Ok(()) => Ok(value),
        Err(error) => kukla_compiler::fault(issues::return_mismatch(error)),
    }
}
