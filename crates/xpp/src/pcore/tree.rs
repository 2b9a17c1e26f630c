//! Conversion of the stream to the numbers of `flat`.

use super::items::{Item, Items, Type, UNEXPECTED, to_number};
use super::{LOCATOR_INDEX, Read};
use crate::XppError;
use crate::model::{Absent, Class, Kind, MAX_ATTRIBUTES, class};
use kukla_rubytext::float;

/// The number of common attributes: locator, offset and length.
const N_COMMON: usize = 3;

/// The tree as far as it was read.
pub(super) struct Tree {
    /// The nodes whose attributes were all read, children before their parents.
    pub(super) code: Vec<u32>,
    /// The numbers of definitions in the outer table.
    pub(super) definitions: Vec<u32>,
    /// The arrays and nodes that are being read, the innermost last.
    open: Vec<Frame>,
    n_outer: u32,
}

/// An array or a node that is not complete yet.
enum Frame {
    Array { left: u32, len: u32 },
    Node(Node),
}

struct Node {
    class: &'static Class,
    outer: u32,
    n_attributes: usize,
    n_read: usize,
    /// Offset, length and the attributes of the class.
    values: [u32; MAX_ATTRIBUTES + 2],
}

impl Tree {
    pub(super) fn new(n_outer: u32) -> Self {
        Self { code: Vec::new(), definitions: Vec::new(), open: Vec::new(), n_outer }
    }

    /// Reads a node with its descendants, or undef.
    pub(super) fn read(&mut self, items: &mut Items<impl Read>) -> Result<(), XppError> {
        match items.next()? {
            Item::Undef => (),
            item => self.start_node(item)?,
        }
        while let Some(frame) = self.open.last_mut() {
            match frame {
                Frame::Array { left: 0, len } => {
                    let len = *len;
                    self.end(len);
                }
                Frame::Array { left, len: _ } => {
                    *left -= 1;
                    let item = items.next()?;
                    self.start_node(item)?;
                }
                Frame::Node(node) if node.n_read == node.n_attributes => {
                    node.default_values(items)?;
                    let (class, outer, values) = (node.class, node.outer, node.values);
                    self.write(class, outer, values);
                    self.end(1);
                }
                Frame::Node(node) => {
                    node.n_read += 1;
                    let item = items.next()?;
                    self.n_outer += u32::from(matches!(item, Item::Regexp(_)));
                    if let Some(value) = node.attribute(item, items)? {
                        node.set(value);
                    } else {
                        self.start(item)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the innermost array or node, and adds it to the enclosing one.
    fn end(&mut self, value: u32) {
        self.open.pop();
        if let Some(Frame::Node(node)) = self.open.last_mut() {
            node.set(value);
        }
    }

    fn start(&mut self, item: Item) -> Result<(), XppError> {
        match item {
            Item::Array(len) => {
                self.n_outer += 1;
                self.open.push(Frame::Array { left: len, len });
                Ok(())
            }
            _ => self.start_node(item),
        }
    }

    fn start_node(&mut self, item: Item) -> Result<(), XppError> {
        let Item::Object(Type::Node(class), n_attributes) = item else { return Err(UNEXPECTED) };
        let is_required = |&&(_, default): &&(Kind, Absent)| default == Absent::Required;
        let n_required = class.attributes.iter().filter(is_required).count();
        let n_all = class.attributes.len();
        if !(N_COMMON + n_required..=N_COMMON + n_all).contains(&n_attributes) {
            return Err(XppError::Corrupt("an object has too few or too many attributes"));
        }
        let outer = self.n_outer;
        self.n_outer += 1;
        let values = [0; MAX_ATTRIBUTES + 2];
        self.open.push(Frame::Node(Node { class, outer, n_attributes, n_read: 0, values }));
        Ok(())
    }

    fn write(&mut self, class: &Class, outer: u32, values: [u32; MAX_ATTRIBUTES + 2]) {
        self.code.push(class.id);
        self.code.extend_from_slice(&values[..class.attributes.len() + 2]);
        if is_definition(class) {
            self.definitions.push(outer);
        }
    }
}

impl Node {
    /// Sets the attribute that was read last.
    fn set(&mut self, value: u32) {
        // The locator is not kept, and always read by itself.
        if let Some(at) = self.n_read.checked_sub(2) {
            self.values[at] = value;
        }
    }

    /// Returns the value of the attribute that was read last; `None` if `item` is only its start.
    fn attribute(&self, item: Item, items: &mut Items<impl Read>) -> Result<Option<u32>, XppError> {
        let at = match (self.n_read, item) {
            (1, Item::Outer(LOCATOR_INDEX)) => return Ok(Some(0)),
            (2 | 3, Item::Integer(number)) => return to_number(number).map(Some),
            (0..=3, _) => return Err(UNEXPECTED),
            (n_read, _) => n_read - N_COMMON - 1,
        };
        let (kind, _) = self.class.attributes[at];
        Ok(Some(match (kind, item) {
            (Kind::Node, Item::Object(..)) | (Kind::Nodes, Item::Array(_)) => return Ok(None),
            (Kind::Node | Kind::Text | Kind::Flag, Item::Undef) => 0,
            (Kind::Text | Kind::Literal, Item::Text(number)) => number,
            // Puppet's result for "${true}".
            (Kind::Text, Item::Boolean(value)) if self.class.id == class::QUALIFIED_NAME => {
                items.add_text(if value { "true" } else { "false" })?
            }
            (Kind::Regexp, Item::Regexp(number)) => number,
            (Kind::Flag, Item::Boolean(value)) => 1 + u32::from(value),
            (Kind::Integer, Item::Integer(number)) => items.add_text(&number.to_string())?,
            (Kind::Float, Item::Float(number)) => items.add_text(&float::to_s(number))?,
            _ => return Err(UNEXPECTED),
        }))
    }

    /// Sets the attributes that were omitted.
    fn default_values(&mut self, items: &mut Items<impl Read>) -> Result<(), XppError> {
        let n_given = self.n_attributes - N_COMMON;
        for (at, &(_, default)) in self.class.attributes.iter().enumerate().skip(n_given) {
            self.values[at + 2] = match default {
                Absent::Required | Absent::Undef | Absent::Empty => 0,
                Absent::False => 1,
                Absent::Regular => items.add_text("regular")?,
                Absent::Ten => items.add_text("10")?,
            };
        }
        Ok(())
    }
}

fn is_definition(class: &Class) -> bool {
    matches!(
        class.id,
        class::FUNCTION_DEFINITION
            | class::RESOURCE_TYPE_DEFINITION
            | class::TYPE_ALIAS
            | class::TYPE_MAPPING
            | class::TYPE_DEFINITION
            | class::NODE_DEFINITION
            | class::HOST_CLASS_DEFINITION
            | class::PLAN_DEFINITION
    )
}
