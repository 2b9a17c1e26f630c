//! Encoder of the stream.

use std::borrow::Cow;
use std::collections::HashMap;

use kukla_base::{Diagnostic, Span, source::line_starts};

use super::{LOCATOR, LOCATOR_INDEX, NAMESPACE, PROGRAM, Plain, Write, extension};
use crate::SourceCheck;
use crate::complaints::{Atom, to_atoms};
use crate::model::{self, MAX_ATTRIBUTES, class};
use crate::shape::{Field, Name, Shape, shape};
use kukla_syntax::ast::{Ast, ExprId};

/// Returns the payload of diagnostics and of a tree, if there is one.
pub(super) fn payload<W: Write>(
    writer: impl Fn() -> W,
    ast: &Ast,
    has_tree: bool,
    file: &str,
    diagnostics: &[Diagnostic],
) -> Vec<u8> {
    let mut stream = Stream::new(writer());
    let is_written = has_tree && stream.program(ast, file).is_some();
    if !is_written {
        stream = Stream::new(writer());
        stream.plain(Plain::Undef);
    }
    if !is_written || !diagnostics.is_empty() {
        stream.complaints(SourceCheck::of(ast.source()), file, diagnostics);
    }
    stream.writer.finish()
}

struct Stream<'a, W> {
    writer: W,
    /// The inner table: strings, regular expressions, starts of objects.
    strings: HashMap<Cow<'a, str>, usize>,
    regexps: HashMap<&'a str, usize>,
    objects: HashMap<(&'static str, usize), usize>,
    n_inner: usize,
    /// The size of the outer table.
    n_outer: u32,
}

impl<'a, W: Write> Stream<'a, W> {
    fn new(writer: W) -> Self {
        Self {
            writer,
            strings: HashMap::new(),
            regexps: HashMap::new(),
            objects: HashMap::new(),
            n_inner: 0,
            n_outer: 0,
        }
    }

    /// Writes the program of a tree; `None` if it has nodes that Puppet's model can't have.
    fn program(&mut self, ast: &'a Ast, file: &'a str) -> Option<()> {
        let definitions = ast.definitions();
        let n_attributes = match ast.body() {
            _ if !definitions.is_empty() => 3,
            Some(_) => 2,
            None => 1,
        };
        self.object(PROGRAM, n_attributes);
        self.object(LOCATOR, 3);
        self.text(ast.source().into());
        self.text(file.into());
        let lines = line_starts(ast.source());
        self.array(lines.len());
        lines.into_iter().for_each(|line| self.number(line));
        let mut places = vec![0; definitions.len()];
        if n_attributes > 1 {
            self.tree(ast, Field::Node(ast.body()), &mut places)?;
        }
        if n_attributes > 2 {
            self.array(places.len());
            places.into_iter().for_each(|place| self.outer(place));
        }
        Some(())
    }

    /// Writes a node with its descendants, and records the positions of definitions in the outer table.
    fn tree(&mut self, ast: &'a Ast, root: Field<'a>, places: &mut [u32]) -> Option<()> {
        let numbers: HashMap<ExprId, usize> =
            ast.definitions().iter().enumerate().map(|(number, &id)| (id, number)).collect();
        let mut rest = vec![root];
        while let Some(field) = rest.pop() {
            match field {
                Field::None => (),
                Field::Node(Some(id)) => {
                    if let Some(&number) = numbers.get(&id) {
                        places[number] = self.n_outer;
                    }
                    self.node(ast, id, &mut rest)?;
                }
                Field::Nodes(list) => {
                    self.array(list.len());
                    rest.extend(ast.list(list).iter().rev().map(|&id| Field::Node(Some(id))));
                }
                Field::Name(name) => self.name(name),
                Field::Node(None) | Field::Text(None) | Field::Flag(None) => {
                    self.plain(Plain::Undef);
                }
                Field::Text(Some(text)) => self.text(text),
                Field::Flag(Some(value)) => self.plain(Plain::Boolean(value)),
                Field::Integer(number) => self.plain(Plain::Integer(number)),
                Field::Float(number) => self.plain(Plain::Float(number)),
                Field::Regexp(source) => self.regexp(source),
            }
        }
        Some(())
    }

    fn node(&mut self, ast: &'a Ast, id: ExprId, rest: &mut Vec<Field<'a>>) -> Option<()> {
        let Shape { class, fields } = shape(ast, id)?;
        let class = model::by_id(class).expect("shapes have classes");
        let mut n_fields = class.attributes.len();
        while n_fields > 0 && fields[n_fields - 1].is(class.attributes[n_fields - 1].1) {
            n_fields -= 1;
        }
        self.start(class.name, n_fields, ast.span(id));
        rest.extend(fields.into_iter().rev().skip(MAX_ATTRIBUTES - n_fields));
        Some(())
    }

    fn name(&mut self, name: Name<'a>) {
        let class = model::by_id(class::QUALIFIED_NAME).expect("there is such a class");
        self.start(class.name, 1, name.span);
        match name.is_boolean {
            true => self.plain(Plain::Boolean(name.text == "true")),
            false => self.text(name.text.into()),
        }
    }

    /// Starts a node.
    fn start(&mut self, name: &'static str, n_fields: usize, span: Span) {
        self.object(name, n_fields + 3);
        self.outer(LOCATOR_INDEX);
        self.number(span.start);
        self.number(span.len);
    }

    /// Writes the array after the tree, which only Kukla reads.
    fn complaints(&mut self, check: SourceCheck, file: &'a str, diagnostics: &[Diagnostic]) {
        self.array(4);
        self.number(check.size);
        self.number(check.crc32);
        self.text(file.into());
        self.array(diagnostics.len());
        for diagnostic in diagnostics {
            let atoms = to_atoms(diagnostic);
            self.array(atoms.len());
            for atom in atoms {
                match atom {
                    Atom::Undef => self.plain(Plain::Undef),
                    Atom::Number(number) => self.number(number),
                    Atom::Text(text) => self.text(text.into()),
                }
            }
        }
    }
}

/// The values of the stream.
impl<'a, W: Write> Stream<'a, W> {
    fn plain(&mut self, value: Plain<'_>) {
        self.writer.plain(value);
    }

    fn number(&mut self, number: u32) {
        self.plain(Plain::Integer(number.into()));
    }

    fn text(&mut self, text: Cow<'a, str>) {
        if let Some(&index) = self.strings.get(&text) {
            return self.inner(index);
        }
        self.plain(Plain::Text(&text));
        self.strings.insert(text, self.n_inner);
        self.n_inner += 1;
    }

    fn regexp(&mut self, source: &'a str) {
        self.n_outer += 1;
        if let Some(&index) = self.regexps.get(source) {
            return self.inner(index);
        }
        self.writer.extension(extension::REGEXP, &[Plain::Text(source)], 0);
        self.regexps.insert(source, self.n_inner);
        self.n_inner += 1;
    }

    fn array(&mut self, len: usize) {
        self.n_outer += 1;
        self.writer.extension(extension::ARRAY, &[to_integer(len)], len);
    }

    fn object(&mut self, name: &'static str, n_attributes: usize) {
        self.n_outer += 1;
        if let Some(&index) = self.objects.get(&(name, n_attributes)) {
            return self.inner(index);
        }
        let segments = [NAMESPACE[0], NAMESPACE[1], name].map(|segment| self.segment(segment));
        let [first, second, third] = segments;
        let payload = [to_integer(3), first, second, third, to_integer(n_attributes)];
        self.writer.extension(extension::OBJECT, &payload, n_attributes);
        self.objects.insert((name, n_attributes), self.n_inner);
        self.n_inner += 1;
    }

    /// Writes a part of the name of a type: itself, or its number in the table.
    fn segment(&mut self, segment: &'static str) -> Plain<'static> {
        if let Some(&index) = self.strings.get(segment) {
            return to_integer(index);
        }
        self.strings.insert(segment.into(), self.n_inner);
        self.n_inner += 1;
        Plain::Text(segment)
    }

    fn inner(&mut self, index: usize) {
        self.writer.extension(extension::INNER, &[to_integer(index)], 0);
    }

    fn outer(&mut self, index: u32) {
        self.writer.extension(extension::OUTER, &[Plain::Integer(index.into())], 0);
    }
}

fn to_integer(number: usize) -> Plain<'static> {
    Plain::Integer(i64::try_from(number).expect("sources are limited"))
}
