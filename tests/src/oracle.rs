//! Real Puppet as an oracle, in a warm Ruby process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use data_encoding::BASE64;
use kukla_base::{Phase, Severity};
use serde_json::{Value, json};

use crate::cores::on_all_cores;
use crate::edition::puppet_sources;
use crate::eval::Modules;
use crate::issue::{Place, kebab_case, one_line};
use crate::{Case, Code, Issue, ROOM, View};

/// A running Puppet.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Puppet's version.
    pub version: String,
}

impl Oracle {
    /// Starts Puppet; fails with the reason if there is none.
    pub fn start() -> Result<Self> {
        Self::start_script("puppet.rb")
    }

    /// Starts the Puppet that evaluates expressions.
    pub fn start_eval() -> Result<Self> {
        Self::start_script("eval.rb")
    }

    /// Starts Puppet with another script of `oracle/`.
    pub fn start_script(script: &str) -> Result<Self> {
        // Another Ruby or Puppet can be chosen: `RUBY="jruby"`, `PUPPET=…` (a directory with sources).
        let ruby = std::env::var("RUBY").unwrap_or_else(|_| "ruby".to_owned());
        let mut command = Command::new(&ruby);
        // In another locale Ruby escapes letters beyond ASCII in its messages.
        command.env("LC_ALL", "C.UTF-8");
        if let Some(sources) = puppet_sources() {
            command.env("RUBYLIB", sources.join("lib"));
        }
        let mut child = command
            .arg(Path::new(ROOM).join("oracle").join(script))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{ruby}`"))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("`ruby` has no output")?);
        let mut oracle = Self { child, questions, answers, version: String::new() };
        let hello = oracle.answer().context("Ruby is here, but Puppet is not")?;
        oracle.version = hello["puppet"].as_str().unwrap_or("unknown").to_owned();
        Ok(oracle)
    }

    /// Returns Puppet's view of a source.
    pub fn ask(&mut self, case: &Case) -> Result<View> {
        let answer = self.ask_json(&json!({
            "text": BASE64.encode(&case.bytes),
            "base64": true,
            "epp": case.template,
            "file": case.file,
            "tasks": case.tasks,
            "strict": case.strict_word(),
        }))?;
        view(&answer)
    }

    /// Sends one question and waits for its answer.
    pub fn ask_json(&mut self, question: &Value) -> Result<Value> {
        let questions = self.questions.as_mut().context("Puppet was stopped")?;
        writeln!(questions, "{question}").context("Puppet has gone")?;
        self.answer()
    }

    /// Sends a message without waiting for an answer.
    pub fn tell(&mut self, words: &Value) -> Result<()> {
        let questions = self.questions.as_mut().context("Puppet was stopped")?;
        writeln!(questions, "{words}").context("Puppet has gone")
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.answers.read_line(&mut line).context("Puppet's answer is not readable")? == 0 {
            bail!("Puppet has gone");
        }
        serde_json::from_str(&line).context("Puppet's answer is not JSON")
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The process ends at the end of its input.
        self.questions = None;
        let _ = self.child.wait();
    }
}

/// Returns Puppet's views of many sources, asked on all cores; calls `done` with their number.
pub fn ask_all(cases: &[Case], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<View>> {
    ask_each("puppet.rb", cases, &|oracle, case| oracle.ask(case), done)
}

/// Returns Puppet's answers about many expressions, asked on all cores; calls `done` with their number.
pub fn evaluate_all(
    codes: &[String],
    modules: Modules,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Value>> {
    let ask = |oracle: &mut Oracle, code: &String| {
        let mut answer = oracle.ask_json(&crate::eval::question(code, modules))?;
        if let Some(answer) = answer.as_object_mut() {
            answer.shift_remove("id");
        }
        Ok(answer)
    };
    ask_each("eval.rb", codes, &ask, done)
}

/// Asks about each item, on all cores; answers are in the order of the items.
pub fn ask_each<I: Sync, A: Send>(
    script: &str,
    items: &[I],
    ask: &(dyn Fn(&mut Oracle, &I) -> Result<A> + Sync),
    done: &(dyn Fn(usize) + Sync),
) -> Result<Vec<A>> {
    on_all_cores(items, &|| Oracle::start_script(script), ask, done)
}

fn view(answer: &Value) -> Result<View> {
    if let Some(failure) = answer["failure"].as_str() {
        return Ok(View { failure: Some(failure.to_owned()), ..View::default() });
    }
    let issues = answer["issues"].as_array().context("Puppet's answer has no issues")?;
    let view = View::with_issues(issues.iter().map(issue).collect::<Result<_>>()?);
    Ok(View {
        pn: answer["pn"].as_str().map(str::to_owned),
        json: answer["json"].as_str().map(str::to_owned),
        nodes: answer["nodes"].as_array().map(|nodes| nodes.iter().map(node_line).collect()),
        ..view
    })
}

fn node_line(node: &Value) -> String {
    let kind = node[0].as_str().unwrap_or("?");
    format!("{kind} {} {}\n", node[1], node[2])
}

fn issue(answer: &Value) -> Result<Issue> {
    let word = |key: &str| answer[key].as_str().unwrap_or_default();
    let number = |key: &str| answer[key].as_u64().and_then(|number| u32::try_from(number).ok());
    let message = one_line(word("message"));
    let code = code(word("code"), word("class"), &message);
    Ok(Issue {
        phase: match word("phase") {
            "parse" => Phase::Parse,
            "load" => Phase::Load,
            _ => Phase::Validate,
        },
        severity: match word("severity") {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "deprecation" => Severity::Deprecation,
            other => bail!("Puppet has a severity `{other}` that is not known here"),
        },
        place: match (word("place"), number("line"), number("column")) {
            ("at", Some(line), Some(column)) => Place::At(line, column),
            ("line", Some(line), _) => Place::Line(line),
            ("file", ..) => Place::File,
            _ => Place::Nowhere,
        },
        // Ruby's messages about its own objects differ from run to run.
        message: if matches!(code, Code::Crash(_)) { String::new() } else { message },
        code,
    })
}

/// Returns the code of an exception; one without a code is a crash, unless its message is for users.
fn code(code: &str, class: &str, message: &str) -> Code {
    let for_users = class == "RegexpError"
        || message == "invalid byte sequence in UTF-8"
        || message.starts_with("Attempt to redefine entity");
    match (code, class) {
        ("", "") => Code::Unnamed,
        ("", _) if for_users => Code::Unnamed,
        ("", class) => Code::Crash(class.to_owned()),
        (code, _) => Code::Named(kebab_case(code)),
    }
}
