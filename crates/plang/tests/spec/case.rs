//! One heading: a program, a message, and the expected results.

use std::ops::Range;
use std::sync::Arc;

use bumpalo::Bump;
use kukla_base::{Severity, Source};
use kukla_plang::check::{Checked, Options, Point};
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::files::{Files, ReadError, Sources};
use kukla_plang::limits::Limits;
use kukla_plang::recorded::{Metadata, Recorded};
use kukla_plang::reference::{self, trace::EventResult};
use kukla_plang::transaction::Transaction;
use kukla_plang::types::{Plain, Type};
use kukla_plang::verdict::Ending;
use kukla_plang::{Registry, check, dump, parser};

use crate::markdown::{Block, sections};
use crate::outcome::{self, Canned};

/// Imports for the expressions of `values`.
const PRELUDE: &str = "Http := import \"Http\"; Net := import \"Net\"; Time := import \"Time\"; \
                       Puppet := import \"Puppet\"; ";

/// Imports for the expressions of `values` about mails.
const MAIL_PRELUDE: &str =
    "Smtp := import \"Smtp\"; Net := import \"Net\"; Time := import \"Time\"; ";

/// Files that a program can import.
#[derive(Debug)]
struct Shelf(Vec<(String, String)>);

impl Files for Shelf {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let file = self.0.iter().find(|(name, _)| name == path);
        file.map(|(_, text)| text.clone().into_bytes()).ok_or(ReadError::NotFound)
    }
}

/// One heading.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) title: String,
    blocks: Vec<Block>,
}

/// Returns all headings of a file.
pub(crate) fn cases(lines: &[String]) -> Vec<Case> {
    let sections = sections(lines).into_iter();
    sections.map(|section| Case { title: section.title, blocks: section.blocks }).collect()
}

impl Case {
    fn block(&self, kind: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.kind == kind)
    }

    fn text(&self, kind: &str) -> Option<&str> {
        self.block(kind).map(|block| block.text.as_str())
    }

    /// Returns the number of cases: a program is one, and so is every line of `values`.
    pub(crate) fn n_cases(&self) -> usize {
        let values = self.text("values").unwrap_or_default();
        values.lines().filter(|line| line.contains("=>")).count()
            + usize::from(self.block("p").is_some())
    }

    /// Returns the differences from the expected results.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = self.value_problems();
        for (lines, actual) in self.actual() {
            let expected = &self.blocks.iter().find(|block| block.lines == lines);
            let expected = expected.map_or("", |block| block.text.as_str());
            if expected != actual {
                problems.push(format!("--- expected\n{expected}--- found\n{actual}"));
            }
        }
        let is_silent = self.block("diagnostics").is_none() && self.block("p").is_some();
        if is_silent && self.block("tree").is_none() {
            let actual = self.diagnostics();
            if !actual.is_empty() {
                problems.push(format!("--- no diagnostics expected, found\n{actual}"));
            }
        }
        problems
    }

    /// Returns the actual text of each block with expected results.
    pub(crate) fn actual(&self) -> Vec<(Range<usize>, String)> {
        let mut actual = Vec::new();
        for block in &self.blocks {
            let text = match block.kind.as_str() {
                "tree" => self.trees(),
                "diagnostics" => self.diagnostics(),
                "outcome" => self.outcome(),
                _ => continue,
            };
            actual.push((block.lines.clone(), text));
        }
        actual
    }

    fn source(&self) -> Source {
        Source::new("spec.p", self.text("p").unwrap_or_default())
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        for word in self.block("p").map_or(&[][..], |block| &block.words) {
            match word.as_str() {
                "point=request" => options.point = Point::Request,
                "point=response" => options.point = Point::Response,
                "point=mail" => options.point = Point::Mail,
                "lenient" => options.is_lenient = true,
                word => panic!("`{word}` is not known"),
            }
        }
        let registry = self.text("toml").map(Registry::parse);
        options.registry = registry.map(|registry| registry.expect("the registry is valid"));
        let files = self.blocks.iter().filter(|block| block.kind == "file");
        let files: Vec<(String, String)> =
            files.map(|block| (block.words.concat(), block.text.clone())).collect();
        if !files.is_empty() {
            options.files = Some(Arc::new(Shelf(files)));
        }
        options
    }

    /// Returns the tree that all programs of the heading must have.
    fn trees(&self) -> String {
        let programs = self.blocks.iter().filter(|block| block.kind == "p");
        let limits = Limits::DEFAULT;
        let mut trees = programs.map(|block| dump::dump(&parser::parse(&block.text, &limits).ast));
        let first = trees.next().unwrap_or_default();
        match trees.find(|tree| *tree != first) {
            Some(other) => format!("{first}--- but also\n{other}"),
            None => first,
        }
    }

    fn diagnostics(&self) -> String {
        let source = self.source();
        let Checked { diagnostics, included, .. } = check(source.text(), &self.options());
        let sources = Sources::new(source, &included);
        let line = |diagnostic: &kukla_base::Diagnostic| {
            let (source, span) = sources.at(diagnostic.span);
            let at = source.line_column(span.start);
            let file = match source.name() {
                "spec.p" => String::new(),
                name => format!("{name}:"),
            };
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning | Severity::Deprecation => "warning",
            };
            let (code, message) = (diagnostic.code, &diagnostic.message);
            format!("{file}{}:{} {severity}[{code}] {message}\n", at.line, at.column)
        };
        diagnostics.iter().map(line).collect()
    }

    fn recorded(&self) -> Recorded {
        let text = self
            .text("smtp")
            .or(self.text("http"))
            .unwrap_or("GET / HTTP/1.1\nHost: example.com\n");
        let mut recorded = Recorded::parse(text.as_bytes()).expect("the message is valid");
        if let Some(text) = self.text("json") {
            recorded.metadata = Metadata::parse(text).expect("the metadata is valid");
        }
        recorded
    }

    fn outcome(&self) -> String {
        let source = self.source();
        let checked = check(source.text(), &self.options());
        let sources = Sources::new(source, &checked.included);
        match checked.program {
            None => "it can't be run\n".to_owned(),
            Some(program) => self.outcome_of(program, &sources),
        }
    }

    /// Returns the outcome of both back ends; a difference between them is part of it.
    fn outcome_of(&self, program: kukla_plang::Program, sources: &Sources) -> String {
        let recorded = self.recorded();
        let compiled = Compiled::new(program);
        let program = &compiled.program;
        let arena = Bump::new();
        let message = recorded.message(&arena);
        let start = || Transaction::new(&message, &arena, &program.limits);
        let mut services = Canned::new(self.text("answers").unwrap_or_default());
        let mut same_services = services.clone();
        let run = reference::run(program, start(), &mut services);
        let other = compiled::run(&compiled, start(), &mut same_services);
        let mut text = outcome::text(&run.outcome, program, sources);
        text.extend(services.calls.iter().map(|call| format!("{call}\n")));
        let mut other_text = outcome::text(&other, program, sources);
        other_text.extend(same_services.calls.iter().map(|call| format!("{call}\n")));
        if text != other_text {
            text = format!("--- reference\n{text}--- compiled\n{other_text}");
        }
        if run.n_steps > program.cost.steps {
            let (taken, bound) = (run.n_steps, program.cost.steps);
            text.extend([format!("took {taken} steps, bound {bound}\n")]);
        }
        text
    }

    /// Returns the lines of `values` that do not hold.
    fn value_problems(&self) -> Vec<String> {
        let values = self.text("values").unwrap_or_default();
        let lines = values.lines().filter_map(|line| line.rsplit_once("=>"));
        let mut problems = Vec::new();
        for (expression, expected) in lines {
            let (expression, expected) = (expression.trim(), expected.trim());
            let actual = self.value_of(expression);
            if actual != expected {
                problems.push(format!("{expression} => {expected}, but found {actual}"));
            }
        }
        problems
    }

    fn prelude(&self) -> &'static str {
        if self.block("smtp").is_some() { MAIL_PRELUDE } else { PRELUDE }
    }

    fn value_of(&self, expression: &str) -> String {
        let text = format!("{}{expression};", self.prelude());
        let checked = check(&text, &self.options());
        let (Some(program), None) = (
            checked.program,
            checked.diagnostics.iter().find(|d| d.is_error() && d.code != "always-fails"),
        ) else {
            let errors = checked.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
            let mut codes: Vec<&str> = errors.map(|diagnostic| diagnostic.code).collect();
            if codes == ["always-fails"] {
                return self.failing(expression);
            }
            codes.dedup();
            return format!("error {}", codes.join(" "));
        };
        let last = program.block(program.main).last().copied();
        let type_ = last.map(|node| program.type_of(node));
        self.run_value(program, expression, type_)
    }

    /// Wraps an expression that always fails, which is an error as a statement, in an assignment.
    fn failing(&self, expression: &str) -> String {
        let prelude = self.prelude();
        let phase = if self.block("smtp").is_some() { "Smtp.phase" } else { "Http.phase" };
        let text = format!(
            "{prelude}x := {expression}; {{ if ({phase} == \"\") {{ x; }} else {{ x; }} }}"
        );
        match check(&text, &self.options()).program {
            Some(program) => self.run_value(program, "x", None),
            None => {
                let named = format!("{prelude}c := {{ {expression}; }}; c;");
                match check(&named, &self.options()).program {
                    Some(program) => self.run_value(program, "c", None),
                    None => "error always-fails".to_owned(),
                }
            }
        }
    }

    fn run_value(
        &self,
        program: kukla_plang::Program,
        expression: &str,
        type_: Option<Type>,
    ) -> String {
        let recorded = self.recorded();
        let arena = Bump::new();
        let message = recorded.message(&arena);
        let compiled = Compiled::new(program);
        let program = &compiled.program;
        let start = || Transaction::new(&message, &arena, &program.limits);
        let mut services = Canned::new(self.text("answers").unwrap_or_default());
        let run = reference::run(program, start(), &mut services.clone());
        let other = compiled::run(&compiled, start(), &mut services);
        let same = match (run.outcome.ending, other.ending) {
            (Ending::Failed(one, _), Ending::Failed(other, _)) => one == other,
            (one, other) => one == other,
        };
        if !same {
            return format!("{:?} by reference, {:?} compiled", run.outcome.ending, other.ending);
        }
        if let Ending::Failed(fail, _) = run.outcome.ending {
            return format!("fails {}", fail.code().code());
        }
        let statement = program.block(program.main).last().copied();
        let events = run.trace.events.iter();
        let mut last = events.filter(|event| Some(event.node) == statement && event.depth == 0);
        let value = match last.next_back().map(|event| event.result) {
            Some(EventResult::Value(value)) => outcome::value(value),
            Some(EventResult::Caught(_))
            | None
            | Some(EventResult::Open | EventResult::Failed(_) | EventResult::Left) => {
                "caught".to_owned()
            }
        };
        match type_.and_then(|type_| self.logged(expression, type_)) {
            Some(logged) if value != "caught" && logged != value => {
                format!("{value} by reference, {logged} compiled")
            }
            Some(logged) => logged,
            None => value,
        }
    }

    /// Returns the value in the compiled back end, read from the log.
    fn logged(&self, expression: &str, type_: Type) -> Option<String> {
        let (program, is_text) = match type_ {
            Type::Plain(Plain::Boolean) => (
                format!(
                    "if ({expression}) {{ Core.log(\"true\"); }} else {{ Core.log(\"false\"); }}"
                ),
                false,
            ),
            Type::Plain(Plain::Number) => (format!("Core.log(Core.text({expression}));"), false),
            Type::Plain(Plain::Text) => (format!("Core.log({expression});"), true),
            _ => return None,
        };
        let program = check(&format!("{}{program}", self.prelude()), &self.options()).program?;
        let recorded = self.recorded();
        let arena = Bump::new();
        let message = recorded.message(&arena);
        let compiled = Compiled::new(program);
        let start = Transaction::new(&message, &arena, &compiled.program.limits);
        let mut services = Canned::new(self.text("answers").unwrap_or_default());
        let outcome = compiled::run(&compiled, start, &mut services);
        let line = outcome.transaction.logs.first()?;
        Some(match is_text {
            true => dump::quoted(line),
            false => String::from_utf8_lossy(line).into_owned(),
        })
    }
}
