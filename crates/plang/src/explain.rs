//! Explanation of a run: each statement, each value, why a rule did not match, where a failure was caught.

use std::fmt::Write as _;

use crate::dump::quoted;
use crate::files::Sources;
use crate::program::{Node, NodeId, Program};
use crate::reference::Run;
use crate::reference::trace::{Event, EventResult};
use crate::types::{Plain, Type};
use crate::value::Value;

/// Returns the explanation: each statement with its line number, and below it the values it was computed from.
pub fn explain(run: &Run<'_>, program: &Program, sources: &Sources) -> String {
    let mut teller = Teller { program, sources, out: String::new() };
    for event in &run.trace.events {
        teller.event(event);
    }
    teller.out
}

struct Teller<'p> {
    program: &'p Program,
    sources: &'p Sources,
    out: String,
}

impl Teller<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if !self.is_shown(event) {
            return;
        }
        let span = self.program.span(event.node);
        let line = self.sources.line(span);
        let indent = "  ".repeat(event.depth as usize);
        let text = one_line(self.sources.slice(span));
        let came = self.came(event);
        let _ = writeln!(self.out, "{line:>4}  {indent}{text}{came}");
    }

    /// Whether the explanation shows an event; constants, modules and blocks only repeat the source.
    fn is_shown(&self, event: &Event<'_>) -> bool {
        let is_plain = match &self.program[event.node] {
            Node::Boolean(_) | Node::Number(_) | Node::Text(_) | Node::Object | Node::Nothing => {
                true
            }
            Node::Set(_) | Node::NetSet(_) | Node::Block(_) => true,
            Node::Assign { value, .. } => self.is_module(*value),
            Node::Read(_) | Node::Name(_) => {
                matches!(event.result, EventResult::Value(Value::Nothing | Value::Headers(_)))
            }
            _ => false,
        };
        !is_plain
    }

    fn is_module(&self, node: NodeId) -> bool {
        matches!(self.program.type_of(node), Type::Plain(Plain::Module(_) | Plain::File(_)))
    }

    fn came(&self, event: &Event<'_>) -> String {
        match (event.result, &self.program[event.node]) {
            (EventResult::Caught(fail), _) => {
                let line = self.sources.line(self.program.span(fail.node()));
                format!("   ⇒ failed at line {line} ({}), caught here", fail.code().words())
            }
            (EventResult::Failed(fail), _) if fail.node() == event.node => {
                format!("   ⇒ fails: {}", fail.code().words())
            }
            (EventResult::Failed(_), _) => "   ⇒ fails".to_owned(),
            (EventResult::Left, Node::End(_)) => "   ⇒ decided".to_owned(),
            (EventResult::Left, Node::Restart) => "   ⇒ starts again".to_owned(),
            (EventResult::Left | EventResult::Open, _) => String::new(),
            (EventResult::Value(_), Node::Assign { value, .. }) => {
                match self.program.traits(*value).acts {
                    true => String::new(),
                    false => "   (computed when it is used)".to_owned(),
                }
            }
            (EventResult::Value(Value::Nothing), _) => String::new(),
            (EventResult::Value(value), _) => format!("   = {}", format_value(value)),
        }
    }
}

/// Returns the first line of a piece of source.
fn one_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim_end();
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}

/// Formats a value for people.
pub fn format_value(value: Value<'_>) -> String {
    match value {
        Value::Nothing => "nothing".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => quoted(&text[..text.len().min(200)]),
        Value::Code(_) => "code".to_owned(),
        Value::Ip(ip) => ip.to_string(),
        Value::Header(field) => match field.value {
            Some(value) => format!("{}: {}", quoted(field.name), quoted(value)),
            None => quoted(field.name),
        },
        Value::Headers(_) => "headers".to_owned(),
        Value::Set(_) => "a set".to_owned(),
        Value::NetSet(_) => "a set of networks".to_owned(),
        Value::Service(_) => "a service".to_owned(),
    }
}

/// Nodes that tests reached, and conditions that were true and false.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    reached: Vec<bool>,
    was_true: Vec<bool>,
    was_false: Vec<bool>,
}

impl Coverage {
    /// Adds a run.
    pub fn add(&mut self, run: &Run<'_>, program: &Program) {
        let n_nodes = program.nodes.len();
        for list in [&mut self.reached, &mut self.was_true, &mut self.was_false] {
            list.resize(n_nodes, false);
        }
        for event in &run.trace.events {
            let index = event.node.index();
            self.reached[index] = true;
            match event.result {
                EventResult::Value(Value::Boolean(true)) => self.was_true[index] = true,
                EventResult::Value(Value::Boolean(false)) | EventResult::Caught(_) => {
                    self.was_false[index] = true
                }
                _ => (),
            }
        }
    }

    /// Returns statements that were never reached, and conditions that were never true or never false.
    pub fn missing(&self, program: &Program) -> Missing {
        let mut missing = Missing::default();
        let get = |list: &[bool], node: NodeId| list.get(node.index()).copied().unwrap_or(false);
        for &statement in program.blocks.iter().flatten() {
            missing.n_statements += 1;
            if !get(&self.reached, statement) {
                missing.statements.push(statement);
            }
            if let Node::If { arms, otherwise: _ } = &program[statement] {
                for (condition, _) in arms {
                    missing.n_branches += 2;
                    if !get(&self.was_true, *condition) {
                        missing.branches.push((*condition, true));
                    }
                    if !get(&self.was_false, *condition) {
                        missing.branches.push((*condition, false));
                    }
                }
            }
        }
        missing.statements.sort_by_key(|node| program.span(*node));
        missing.branches.sort_by_key(|(node, _)| program.span(*node));
        missing
    }
}

/// Statements and branches without test coverage.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    /// Number of statements.
    pub n_statements: usize,
    /// Statements that were never reached.
    pub statements: Vec<NodeId>,
    /// Number of branches: two per condition.
    pub n_branches: usize,
    /// Conditions that never had this value.
    pub branches: Vec<(NodeId, bool)>,
}
