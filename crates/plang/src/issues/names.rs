//! Complaints about names, members and modules.

use kukla_base::{Diagnostic, Span};

use crate::module::Protocol;

/// Reports an undefined name.
pub fn undefined(
    span: Span,
    name: &str,
    near: Option<&str>,
    importable: Option<&str>,
) -> Diagnostic {
    let issue = Diagnostic::error("undefined-name", span, format!("`{name}` is not defined"));
    match (importable, near) {
        (Some(module), _) => issue.help(format!("add `{name} := import \"{module}\";` before it")),
        (None, Some(near)) => issue.help(format!("did you mean `{near}`?")),
        (None, None) => issue,
    }
}

/// Reports a member whose module is not looked up.
pub fn undefined_member(span: Span, name: &str, module: &str) -> Diagnostic {
    Diagnostic::error("undefined-name", span, format!("`{name}` is not defined"))
        .help(format!("it is a member of {module}: import that, and write `{module}.{name}`"))
}

/// Reports a name that is assigned later, or never on this path.
pub fn unassigned(span: Span, name: &str, site: Option<Span>, on_some_paths: bool) -> Diagnostic {
    let (code, words) = match on_some_paths {
        true => ("maybe-unassigned", "has no value on some paths to here"),
        false => ("unassigned", "is used before it is assigned"),
    };
    let issue = Diagnostic::error(code, span, format!("`{name}` {words}"));
    let issue = match site {
        Some(site) => issue.label_at(site, "it is assigned here"),
        None => issue,
    };
    match on_some_paths {
        true => issue.help("assign it on all paths, in every arm of the `if`"),
        false => issue.help("a block, too, can only use names that are assigned before it"),
    }
}

/// Reports `h := 1; h := 2;`.
pub fn double_assignment(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error("double-assignment", span, format!("`{name}` is assigned twice"))
        .label_at(first, "first assigned here")
        .help("a name stands for one expression; give the other one a name of its own")
}

/// Reports `message`, when two modules have one.
pub fn ambiguous(span: Span, name: &str, candidates: &[String]) -> Diagnostic {
    let list = candidates.join("`, `");
    Diagnostic::error("ambiguous-name", span, format!("`{name}` may mean `{list}`"))
        .help("write the module's name before it")
}

/// Reports `"text".nosuchmember`.
pub fn no_such_member(span: Span, of: &str, name: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("there is no `{name}` in {of}");
    let issue = Diagnostic::error("no-such-member", span, message);
    match near {
        Some(near) => issue.help(format!("did you mean `{near}`?")),
        None => issue,
    }
}

/// Reports `import x`.
pub fn import_not_constant(span: Span) -> Diagnostic {
    Diagnostic::error("import-not-constant", span, "`import` takes a constant string")
        .help("`import` needs a constant: files are loaded when the program is checked")
}

/// Reports `import "Nonsense"`.
pub fn unknown_module(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("there is no module `{name}`");
    let issue = Diagnostic::error("unknown-module", span, message);
    match near {
        Some(near) => issue.help(format!("did you mean `{near}`?")),
        None => issue.help("`kukla p modules` lists them"),
    }
}

/// Reports `import "file:common.p"`.
pub fn file_import(span: Span) -> Diagnostic {
    Diagnostic::error("file-import", span, "this interpreter does not import files")
}

/// Reports `import "file:/etc/passwd"`.
pub fn file_outside(span: Span) -> Diagnostic {
    let message = "a file is imported by its path below the folder of the program";
    Diagnostic::error("file-import", span, message).help("such as `import \"file:lib/common.p\"`")
}

/// Reports a file that can't be read.
pub fn file_unreadable(span: Span, path: &str, why: &str) -> Diagnostic {
    let message = format!("`{path}` can't be imported: {why}");
    Diagnostic::error("file-import", span, message)
}

/// Reports `if (x) { import "file:common.p"; }`.
pub fn file_import_place(span: Span) -> Diagnostic {
    let message = "a file is imported by a statement of its own, outside of blocks";
    Diagnostic::error("file-import", span, message)
        .help("write `Name := import \"file:…\";` at the start")
}

/// Reports a file that imports itself, directly or indirectly.
pub fn import_cycle(span: Span, uri: &str) -> Diagnostic {
    Diagnostic::error("import-cycle", span, format!("`{uri}` is being imported already"))
}

/// Reports too many files.
pub fn too_many_files(span: Span, limit: usize) -> Diagnostic {
    let message = format!("the program imports more than {limit} files");
    Diagnostic::error("too-many-files", span, message)
}

/// Reports a service that the registry does not have.
pub fn unknown_service(span: Span, uri: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("the registry has no service `{uri}`");
    let issue = Diagnostic::error("unknown-service", span, message);
    match near {
        Some(near) => issue.help(format!("did you mean `{near}`?")),
        None => issue,
    }
}

/// Reports a parameter that the service does not have.
pub fn unknown_parameter(span: Span, name: &str, of: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("{of} has no parameter `{name}`");
    let issue = Diagnostic::error("unknown-parameter", span, message);
    match near {
        Some(near) => issue.help(format!("did you mean `{near}`?")),
        None => issue,
    }
}

/// Reports `Route.to("nowhere")`.
pub fn unknown_pool(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("the deployment has no pool `{name}`");
    let issue = Diagnostic::error("unknown-pool", span, message);
    match near {
        Some(near) => issue.help(format!("did you mean `{near}`?")),
        None => issue,
    }
}

/// Reports `Core.list("nowhere")`.
pub fn unknown_list(span: Span, name: &str) -> Diagnostic {
    let message = format!("the deployment has no list `{name}`");
    Diagnostic::error("unknown-list", span, message)
        .help("lists stand under `[list]` in the registry; name it with `--services`")
}

/// Reports `Http.response` where there is none.
pub fn wrong_phase(span: Span, name: &str) -> Diagnostic {
    let message = format!("`{name}` is not there when a request is processed");
    Diagnostic::error("wrong-phase", span, message)
        .help("run the program where responses are processed (`--point respmod`)")
}

/// Reports `import "Smtp"` where messages of HTTP are processed.
pub fn other_protocol(span: Span, module: &str, own: Protocol, other: Protocol) -> Diagnostic {
    let message = format!("`{module}` is about {own}, but the program processes {other}");
    Diagnostic::error("other-protocol", span, message)
        .help("write one program for each protocol; `--point mail` checks one for mails")
}

/// Reports too many names.
pub fn too_many_names(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::error("too-many-names", span, format!("the program has more than {limit} names"))
}
