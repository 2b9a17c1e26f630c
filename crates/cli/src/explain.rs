//! `kukla explain`: explains diagnostics.

use kukla_base::nearest::nearest;
use kukla_compiler::explain::{Explanation, all, find};

use crate::Exit;
use crate::shell::{Shell, Stream};

mod markdown;
#[cfg(test)]
mod tests;

const EXAMPLES: &str = "\
Examples:
  kukla explain                  all codes
  kukla explain syntax-error     one of them
  kukla explain SYNTAX_ERROR     in Puppet's spelling";

/// Explain a diagnostic and how to fix it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Code, as printed in brackets after `error` [default: list all codes]
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Prints the explanation of a code, or the list of all codes.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let Some(argument) = &args.code else {
        shell.print(Stream::Output, &list())?;
        return Ok(Exit::Success);
    };
    let code = argument.to_ascii_lowercase().replace('_', "-");
    let Some(explanation) = find(&code) else {
        shell.problem(&unknown(argument, &code));
        return Ok(Exit::Failure);
    };
    let drawn = shell.has_colour(Stream::Output).then(|| markdown::draw(explanation.text));
    shell.print(Stream::Output, drawn.as_deref().unwrap_or(explanation.text))?;
    Ok(Exit::Success)
}

fn list() -> String {
    let width = all().iter().map(|explanation| explanation.code.len()).max().unwrap_or(0);
    let line = |explanation: &Explanation| {
        format!("{:width$}  {}\n", explanation.code, title(explanation.text))
    };
    all().iter().map(line).collect()
}

/// Returns the text of the first heading.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
}

fn unknown(argument: &str, code: &str) -> String {
    let codes = all().iter().map(|explanation| explanation.code);
    match nearest(code, codes).as_slice() {
        [] => format!("no such code `{argument}`; `kukla explain` lists all"),
        near => format!("no such code `{argument}`; did you mean `{}`?", near.join("`, `")),
    }
}
