//! Interactive evaluation, line by line.

use std::borrow::Cow;

use kukla_base::{Diagnostic, DiagnosticPlace};
use kukla_compiler::Session;
use kukla_pcore::{format, types};
use kukla_syntax::{Options, parse};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};

use super::print_log;
use crate::Exit;
use crate::shell::{Errors, Shell, Stream};

const WELCOME: &str = "\
Type code; a line that is not complete goes on in the next.
  :type EXPR  its type      :help  this      :quit  or Ctrl-D
";

/// Types whose names are completed.
const TYPES: &str = "Any Array Binary Boolean Callable CatalogEntry Class Collection Data Default Deferred Enum Error
    Float Hash Init Integer Iterable Iterator NotUndef Numeric Object Optional Pattern Regexp Resource RichData
    Runtime Scalar ScalarData SemVer SemVerRange Sensitive String Struct Timespan Timestamp Tuple Type TypeSet Undef
    URI Variant";

/// Reads, evaluates and prints until the end of the input.
pub(super) fn run(mut session: Session, errors: Errors, shell: &Shell) -> anyhow::Result<Exit> {
    let mut editor: Editor<ReplHelper, _> = Editor::new()?;
    editor.set_helper(Some(ReplHelper { words: words() }));
    let history = history_file();
    if let Some(file) = &history {
        // There is no history the first time.
        let _ = editor.load_history(file);
    }
    shell.print(Stream::Output, WELCOME)?;
    loop {
        match editor.readline("> ") {
            Ok(line) => {
                editor.add_history_entry(&line)?;
                if line.trim() == ":quit" {
                    break;
                }
                answer(&mut session, line.trim(), errors, shell)?;
            }
            Err(ReadlineError::Interrupted) => (),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(file) = &history {
        let _ = editor.save_history(file);
    }
    Ok(Exit::Success)
}

fn answer(session: &mut Session, line: &str, errors: Errors, shell: &Shell) -> anyhow::Result<()> {
    let (code, wants_type) = match line.strip_prefix(":type ") {
        Some(code) => (code, true),
        None => (line, false),
    };
    if line.starts_with(':') && !wants_type {
        shell.print(Stream::Output, WELCOME)?;
        return Ok(());
    }
    if code.is_empty() {
        return Ok(());
    }
    let evaluated = session.evaluate(code, "");
    print_log(&evaluated.log, shell)?;
    match &evaluated.value {
        Ok(value) => {
            let text = match wants_type {
                true => types::infer_set(value).to_string(),
                false => format::program(value),
            };
            shell.print(Stream::Output, &format!("{text}\n"))?;
        }
        Err(failure) => shell.failure(failure, errors),
    }
    Ok(())
}

/// Returns the path of the history.
fn history_file() -> Option<std::path::PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(std::path::PathBuf::from).or_else(|| {
        std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".local/state"))
    })?;
    let folder = state.join("kukla");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// Returns the names for completion: functions and types.
fn words() -> Vec<String> {
    let functions = kukla_stdlib::BUILT_IN.iter().copied().flatten();
    let mut words: Vec<String> = functions.map(|function| function.name.to_owned()).collect();
    words.extend(TYPES.split_whitespace().map(str::to_owned));
    words.sort();
    words
}

/// Completion, and whether a line is complete.
struct ReplHelper {
    words: Vec<String>,
}

impl Helper for ReplHelper {}

impl Hinter for ReplHelper {
    type Hint = String;
}

impl Highlighter for ReplHelper {
    fn highlight_char(
        &self,
        _line: &str,
        _pos: usize,
        _kind: rustyline::highlight::CmdKind,
    ) -> bool {
        false
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Borrowed(prompt)
    }
}

impl Completer for ReplHelper {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..pos];
        let start = before
            .rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let begun = &before[start..];
        let candidates =
            self.words.iter().filter(|word| word.starts_with(begun)).cloned().collect();
        Ok((start, candidates))
    }
}

/// Whether an error may only mean that more text is needed.
fn ends_early(diagnostic: &Diagnostic) -> bool {
    match diagnostic.code {
        "unclosed-quote" | "unclosed-mlcomment" | "heredoc-unclosed-parenthesis" => true,
        // Puppet reports no line for an error at the end of input.
        "syntax-error" => diagnostic.place == DiagnosticPlace::File,
        _ => false,
    }
}

impl Validator for ReplHelper {
    /// Continues an incomplete line on the next.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let line = context.input();
        let code = line.strip_prefix(":type ").unwrap_or(line);
        if line.starts_with(':') && code == line {
            return Ok(ValidationResult::Valid(None));
        }
        let parsed = parse(code, &Options::default());
        let ends_early = parsed.diagnostics.iter().any(ends_early);
        Ok(match ends_early {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}
