//! Encoder of `flat`.

use std::borrow::Cow;
use std::collections::HashMap;

use kukla_base::{Diagnostic, source::line_starts};

use super::{LENGTHS, MAGIC, MODEL, NATIVE, SOURCE};
use crate::complaints::{Atom, to_atoms};
use crate::model::{self, Kind, class};
use crate::shape::{Field, Name, Shape, shape};
use crate::{SourceCheck, native};
use kukla_rubytext::float;
use kukla_syntax::ast::{Ast, ExprId};

/// Returns the payload of diagnostics and of a tree, if there is one.
pub(crate) fn payload(
    ast: &Ast,
    has_tree: bool,
    diagnostics: &[Diagnostic],
    with_source: bool,
) -> Vec<u8> {
    let source = ast.source();
    let code = if has_tree { Code::of(ast).unwrap_or_default() } else { Code::default() };
    let has_tree = !code.numbers.is_empty();
    let lines = line_starts(source);
    let has_nul = code.strings.iter().any(|string| string.contains('\0'));
    let blob = if has_nul { with_lengths(&code.strings) } else { joined(&code.strings) };
    let diagnostics = self::diagnostics(diagnostics);
    let is_wide = code.numbers.iter().any(|&number| number > u32::from(u16::MAX));
    let flags = if has_nul { LENGTHS } else { 0 } | if with_source { SOURCE } else { 0 };

    let mut out = Vec::with_capacity(64 + code.numbers.len() * 4 + blob.len());
    out.extend_from_slice(MAGIC);
    out.extend([if is_wide { 4 } else { 2 }, flags]);
    out.extend(MODEL.to_le_bytes());
    let sizes = [code.numbers.len(), lines.len(), code.strings.len(), blob.len()];
    let check = SourceCheck::of(source);
    let head = [check.size, check.crc32].into_iter();
    let head = head.chain(sizes.map(to_u32)).chain([to_u32(diagnostics.len())]);
    out.extend(head.flat_map(u32::to_le_bytes));
    for &number in &code.numbers {
        let bytes = number.to_le_bytes();
        out.extend_from_slice(if is_wide { &bytes } else { &bytes[..2] });
    }
    out.extend(lines.into_iter().flat_map(u32::to_le_bytes));
    out.extend_from_slice(&blob);
    out.extend_from_slice(&diagnostics);
    if with_source {
        out.extend_from_slice(source.as_bytes());
    }
    // Kukla reads its section only if the source has no diagnostics.
    let section = (has_tree && diagnostics.is_empty()).then(|| native::section(ast, check));
    if let Some(section) = section.flatten() {
        out[FLAGS] |= NATIVE;
        out.extend_from_slice(&section);
    }
    out
}

/// The offset of the flags.
const FLAGS: usize = 5;

/// Returns a length as `u32`: sources are smaller than 4 GB, and so is everything derived from them.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("sources are limited")
}

fn joined(strings: &[Cow<'_, str>]) -> Vec<u8> {
    strings.join("\0").into_bytes()
}

fn with_lengths(strings: &[Cow<'_, str>]) -> Vec<u8> {
    let lengths = strings.iter().flat_map(|string| to_u32(string.len()).to_le_bytes());
    lengths.chain(strings.iter().flat_map(|string| string.bytes())).collect()
}

fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<u8> {
    let mut out = Vec::new();
    if diagnostics.is_empty() {
        return out;
    }
    out.extend(to_u32(diagnostics.len()).to_le_bytes());
    for diagnostic in diagnostics {
        let atoms = to_atoms(diagnostic);
        out.extend(to_u32(atoms.len()).to_le_bytes());
        for atom in atoms {
            match atom {
                Atom::Undef => out.push(0),
                Atom::Number(number) => {
                    out.push(1);
                    out.extend(number.to_le_bytes());
                }
                Atom::Text(text) => {
                    out.push(2);
                    out.extend(to_u32(text.len()).to_le_bytes());
                    out.extend_from_slice(text.as_bytes());
                }
            }
        }
    }
    out
}

/// The numbers and the strings of a tree.
#[derive(Default)]
struct Code<'a> {
    numbers: Vec<u32>,
    strings: Vec<Cow<'a, str>>,
    shared: HashMap<Cow<'a, str>, u32>,
}

/// A pending step of writing.
enum Task<'a> {
    /// A node with its descendants.
    Tree(ExprId),
    /// A node whose children were written.
    Node(ExprId, Shape<'a>),
    Name(Name<'a>),
}

impl<'a> Code<'a> {
    /// Returns the numbers and strings of a tree; `None` if it has nodes that Puppet's model can't have.
    fn of(ast: &'a Ast) -> Option<Self> {
        let mut code = Self::default();
        let mut tasks: Vec<Task<'a>> = ast.body().map(Task::Tree).into_iter().collect();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Tree(id) => {
                    let at = tasks.len();
                    let shape = shape(ast, id)?;
                    code.push_children(ast, &shape, &mut tasks);
                    tasks.push(Task::Node(id, shape));
                    tasks[at..].reverse();
                }
                Task::Node(id, shape) => code.node(ast, id, shape),
                Task::Name(name) => code.name(name),
            }
        }
        Some(code)
    }

    fn push_children(&self, ast: &Ast, shape: &Shape<'a>, tasks: &mut Vec<Task<'a>>) {
        for field in &shape.fields {
            match field {
                Field::Node(node) => tasks.extend(node.map(Task::Tree)),
                Field::Nodes(list) => tasks.extend(ast.list(*list).iter().copied().map(Task::Tree)),
                Field::Name(name) if shape.class != class::VARIABLE_EXPRESSION => {
                    tasks.push(Task::Name(*name));
                }
                _ => (),
            }
        }
    }

    fn node(&mut self, ast: &'a Ast, id: ExprId, shape: Shape<'a>) {
        let Shape { class, fields } = shape;
        let span = ast.span(id);
        if let (class::VARIABLE_EXPRESSION, Field::Name(name)) = (class, &fields[0]) {
            self.numbers.extend([class::NAMED_VARIABLE, span.start, span.len]);
            let text = self.shared(name.text.into());
            self.numbers.extend([name.span.start, name.span.len, text]);
            return;
        }
        self.numbers.extend([class, span.start, span.len]);
        let attributes = model::by_id(class).expect("shapes have classes").attributes;
        for (field, &(kind, _)) in fields.into_iter().zip(attributes) {
            let number = self.field(field, kind);
            self.numbers.push(number);
        }
    }

    fn name(&mut self, name: Name<'a>) {
        let text = self.shared(name.text.into());
        self.numbers.extend([class::QUALIFIED_NAME, name.span.start, name.span.len, text]);
    }

    fn field(&mut self, field: Field<'a>, kind: Kind) -> u32 {
        match field {
            Field::None | Field::Node(None) | Field::Text(None) | Field::Flag(None) => 0,
            Field::Node(Some(_)) | Field::Name(_) => 1,
            Field::Nodes(list) => to_u32(list.len()),
            Field::Flag(Some(value)) => 1 + u32::from(value),
            Field::Text(Some(text)) if kind == Kind::Literal => self.own(text),
            Field::Text(Some(text)) => self.shared(text),
            Field::Regexp(source) => self.own(source.into()),
            Field::Integer(number) => self.shared(number.to_string().into()),
            Field::Float(number) => self.shared(float::to_s(number).into()),
        }
    }

    /// Returns a string that no other node refers to, so that changing it in place changes no other node.
    fn own(&mut self, text: Cow<'a, str>) -> u32 {
        self.strings.push(text);
        to_u32(self.strings.len())
    }

    fn shared(&mut self, text: Cow<'a, str>) -> u32 {
        if let Some(&number) = self.shared.get(&text) {
            return number;
        }
        let number = self.own(text.clone());
        self.shared.insert(text, number);
        number
    }
}
