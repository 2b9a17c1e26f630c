//! Lazy elements: the values of `step`, `reverse_each` and `tree_each`.
//!
//! Iterators have a state: an element that is taken is gone for all users of the iterator. That is Ruby's behaviour. Some of
//! its methods restart, though: see [`Iterator::restarted`].

use std::hash::{Hash as StdHash, Hasher};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoVec;

use crate::elements;
use crate::tree::Tree;
use crate::types::{EnumType, IntegerRange, RuntimeType, TypeError, infer_set};
use crate::{Hash, Type, Value};

/// A lazy sequence of elements.
#[derive(Debug)]
pub struct Iterator(ElementSource);

#[derive(Debug)]
enum ElementSource {
    /// The elements of a value.
    Sequence { elements: Sequence, order: Order, taken: AtomicUsize, of: ElementType },
    /// Integers: from `range.min` upwards, or from `range.max` downwards if `step` is negative.
    Range { range: IntegerRange, step: i64, next: AtomicI64, is_over: AtomicUsize },
    /// Every `step`-th element of another iterator.
    Step { over: Arc<Iterator>, step: i64 },
    /// The nodes of a tree.
    Tree(Mutex<Tree>),
}

/// The order of the elements of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// Forwards.
    AsIs,
    /// Backwards.
    Reversed,
    /// Backwards twice: Puppet has lost the fact that a hash was a hash.
    Restored,
}

impl Order {
    const fn reversed(self) -> Self {
        match self {
            Self::AsIs | Self::Restored => Self::Reversed,
            Self::Reversed => Self::Restored,
        }
    }
}

#[derive(Clone, Debug)]
enum Sequence {
    Array(EcoVec<Value>),
    Hash(Arc<Hash>),
}

/// The type of a sequence's elements.
#[derive(Clone, Debug)]
enum ElementType {
    /// Inferred from the elements.
    Infer,
    Character,
    Enum(Arc<EnumType>),
    /// That of another iterator's elements.
    Of(Arc<Iterator>),
}

impl Iterator {
    /// Creates an iterator over a value that is `Iterable`.
    pub fn over(value: &Value) -> Option<Arc<Self>> {
        let sequence = |elements, of| {
            let taken = AtomicUsize::new(0);
            Some(Arc::new(Self(ElementSource::Sequence {
                elements,
                order: Order::AsIs,
                taken,
                of,
            })))
        };
        match value {
            Value::Array(values) => sequence(Sequence::Array(values.clone()), ElementType::Infer),
            Value::Hash(hash) => sequence(Sequence::Hash(Arc::clone(hash)), ElementType::Infer),
            Value::String(text) => {
                let characters = text.chars().map(elements::character).collect();
                sequence(Sequence::Array(characters), ElementType::Character)
            }
            Value::Integer(0) => sequence(Sequence::Array(EcoVec::new()), ElementType::Infer),
            Value::Integer(count @ 1..) => {
                Some(Arc::new(Self::range(IntegerRange::between(0, count - 1), 1)))
            }
            Value::Type(type_) => match elements::resolved(type_)? {
                Type::Integer(range) if range.is_finite() => Some(Arc::new(Self::range(*range, 1))),
                Type::Enum(enumeration) => {
                    let words = enumeration.values.iter().cloned().map(Value::String).collect();
                    sequence(Sequence::Array(words), ElementType::Enum(Arc::clone(enumeration)))
                }
                _ => None,
            },
            Value::Rare(rare) => match &**rare {
                crate::value::Rare::Iterator(iterator) => Some(Arc::clone(iterator)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Creates an iterator over the nodes of a tree.
    pub fn tree(tree: Tree) -> Self {
        Self(ElementSource::Tree(Mutex::new(tree)))
    }

    fn range(range: IntegerRange, step: i64) -> Self {
        let first = if step < 0 { range.max } else { range.min };
        Self(ElementSource::Range {
            range,
            step,
            next: AtomicI64::new(first),
            is_over: AtomicUsize::new(0),
        })
    }

    /// Implements `step(n)`; fails if the step is wider than a range in descending order.
    pub fn step(self: &Arc<Self>, n: i64) -> Result<Arc<Self>, TypeError> {
        match &self.0 {
            ElementSource::Tree(_) => (),
            _ if n <= 1 => return Ok(Arc::clone(self)),
            ElementSource::Range { range, step, .. } => {
                return stepped(*range, *step, n).map(Arc::new);
            }
            ElementSource::Sequence { .. } | ElementSource::Step { .. } => (),
        }
        Ok(Arc::new(Self(ElementSource::Step { over: Arc::clone(self), step: n })))
    }

    /// Implements `reverse_each()`.
    pub fn reverse_each(self: &Arc<Self>) -> Self {
        let sequence = |elements: &Sequence, order: Order, of| {
            let (elements, taken) = (elements.clone(), AtomicUsize::new(0));
            Self(ElementSource::Sequence { elements, order: order.reversed(), taken, of })
        };
        match &self.0 {
            ElementSource::Sequence { elements, order, of, .. } => {
                sequence(elements, *order, of.clone())
            }
            ElementSource::Range { range, step, .. } => Self::range(*range, step.saturating_neg()),
            ElementSource::Step { .. } | ElementSource::Tree(_) => {
                let rest = Sequence::Array(self.rest().collect());
                sequence(&rest, Order::AsIs, ElementType::Of(Arc::clone(self)))
            }
        }
    }

    /// Takes the next element.
    pub fn take(&self) -> Option<Value> {
        match &self.0 {
            ElementSource::Sequence { elements, order, taken, .. } => {
                let n = taken.load(Ordering::Relaxed);
                let element = elements.nth(n, *order)?;
                taken.store(n + 1, Ordering::Relaxed);
                Some(element)
            }
            ElementSource::Range { range, step, next, is_over } => {
                let value = next.load(Ordering::Relaxed);
                if is_over.load(Ordering::Relaxed) != 0 || !range.contains(value) {
                    return None;
                }
                match value.checked_add(*step) {
                    Some(following) => next.store(following, Ordering::Relaxed),
                    None => is_over.store(1, Ordering::Relaxed),
                }
                Some(Value::Integer(value))
            }
            ElementSource::Step { over, step } => {
                let element = over.take()?;
                for _ in 1..*step {
                    if over.take().is_none() {
                        break;
                    }
                }
                Some(element)
            }
            ElementSource::Tree(tree) => tree.lock().unwrap_or_else(PoisonError::into_inner).next(),
        }
    }

    /// Takes the remaining elements.
    pub fn rest(&self) -> impl std::iter::Iterator<Item = Value> {
        std::iter::from_fn(|| self.take())
    }

    /// Returns all elements without taking them, if that is possible.
    ///
    /// Ruby's enumerators can be restarted; those of steps, ranges and trees can't.
    pub fn restarted(&self) -> Option<impl std::iter::Iterator<Item = Value> + '_> {
        let ElementSource::Sequence { elements, order, .. } = &self.0 else { return None };
        Some((0..elements.len()).filter_map(|n| elements.nth(n, *order)))
    }

    /// Returns true if the elements are entries of a hash that a block may destructure.
    pub fn is_hash_style(&self) -> bool {
        matches!(
            &self.0,
            ElementSource::Sequence { elements: Sequence::Hash(_), order: Order::AsIs, .. }
        )
    }

    /// Returns true for the value of `tree_each`, which is no `Iterator` to Puppet's types.
    pub fn is_tree(&self) -> bool {
        matches!(self.0, ElementSource::Tree(_))
    }

    /// Returns the name of Ruby's class of a tree.
    pub fn class_name(&self) -> &'static str {
        match &self.0 {
            ElementSource::Tree(tree) => {
                match tree.lock().unwrap_or_else(PoisonError::into_inner).is_depth_first() {
                    true => "Puppet::Pops::Types::Iterable::DepthFirstTreeIterator",
                    false => "Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator",
                }
            }
            ElementSource::Sequence { elements: Sequence::Hash(_), order: Order::AsIs, .. } => {
                "Puppet::Pops::Types::HashIterator"
            }
            ElementSource::Sequence { .. } => "Puppet::Pops::Types::Iterator",
            ElementSource::Range { .. } => "Puppet::Pops::Types::IntegerRangeIterator",
            ElementSource::Step { .. } => "Puppet::Pops::Types::StepIterator",
        }
    }

    /// Returns its type: a tree is no `Iterator` to Puppet.
    pub fn type_(&self) -> Type {
        match self.0 {
            ElementSource::Tree(_) => Type::Runtime(Arc::new(RuntimeType {
                runtime: Some("ruby".into()),
                name: Some(self.class_name().into()),
                pattern: None,
            })),
            _ => Type::Iterator(Some(Arc::new(self.element_type()))),
        }
    }

    /// Returns the type of the elements.
    pub fn element_type(&self) -> Type {
        match &self.0 {
            ElementSource::Sequence { elements, of, .. } => match of {
                ElementType::Infer => elements.element_type(),
                ElementType::Character => Type::String(Some(IntegerRange::between(1, 1))),
                ElementType::Enum(enumeration) => Type::Enum(Arc::clone(enumeration)),
                ElementType::Of(other) => other.element_type(),
            },
            ElementSource::Range { range, .. } => Type::Integer(*range),
            ElementSource::Step { over, .. } => over.element_type(),
            ElementSource::Tree(_) => Type::Any,
        }
    }
}

/// Creates a stepped range. Puppet drops numbers at the end that are stepped over.
fn stepped(range: IntegerRange, step: i64, by: i64) -> Result<Iterator, TypeError> {
    let step = step.saturating_mul(by);
    let span = i128::from(range.max) - i128::from(range.min);
    if step > 0 {
        let over = i64::try_from(span % i128::from(step)).unwrap_or(0);
        return Ok(Iterator::range(IntegerRange::between(range.min, range.max - over), step));
    }
    // Downwards, Ruby's `%` gives the numbers that are missing to a full step.
    let missing = (-span).rem_euclid(-i128::from(step));
    let min = i128::from(range.min) + missing;
    if min > i128::from(range.max) {
        let message = format!("'from' must be less or equal to 'to'. Got ({min}, {}", range.max);
        return Err(message.into());
    }
    let min = i64::try_from(min).unwrap_or(range.max);
    Ok(Iterator::range(IntegerRange::between(min, range.max), step))
}

impl Sequence {
    fn len(&self) -> usize {
        match self {
            Self::Array(values) => values.len(),
            Self::Hash(hash) => hash.len(),
        }
    }

    /// Returns the nth element in an order.
    fn nth(&self, n: usize, order: Order) -> Option<Value> {
        let n = if order == Order::Reversed { self.len().checked_sub(n + 1)? } else { n };
        match self {
            Self::Array(values) => values.get(n).cloned(),
            Self::Hash(hash) => hash.entry(n).map(elements::entry),
        }
    }

    fn element_type(&self) -> Type {
        match self {
            Self::Array(values) if values.is_empty() => Type::Unit,
            Self::Array(values) => Type::variant(values.iter().map(infer_set)),
            Self::Hash(hash) => {
                let (key, value) = match hash.is_empty() {
                    true => (Type::Unit, Type::Unit),
                    false => (
                        Type::variant(hash.keys().map(infer_set)),
                        Type::variant(hash.values().map(infer_set)),
                    ),
                };
                Type::tuple(vec![key, value], Some(IntegerRange::between(2, 2)))
            }
        }
    }
}

/// An iterator is equal only to itself.
impl PartialEq for Iterator {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Iterator {}

impl StdHash for Iterator {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self).hash(state);
    }
}
