//! Elements that are still to come: the values of `step`, `reverse_each` and `tree_each`.
//!
//! Iterators remember what they gave: whoever takes the elements of one takes them from everybody.
//! That is Ruby's doing. Some of its ways to iterate begin anew, though: see [`Iterator::restarted`].

use std::hash::{Hash as StdHash, Hasher};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoVec;

use crate::elements;
use crate::tree::Tree;
use crate::types::{EnumType, IntegerRange, RuntimeType, TypeError, infer_set};
use crate::{Hash, Type, Value};

/// Elements that are still to come.
#[derive(Debug)]
pub struct Iterator(Source);

#[derive(Debug)]
enum Source {
    /// Elements that are there already.
    Sequence { elements: Sequence, order: Order, taken: AtomicUsize, of: Element },
    /// Integers: from `range.min` upwards, or from `range.max` downwards if `step` is negative.
    Range { range: IntegerRange, step: i64, next: AtomicI64, is_over: AtomicUsize },
    /// Every `step`-th element of another iterator.
    Step { over: Arc<Iterator>, step: i64 },
    /// The nodes of a tree.
    Tree(Mutex<Tree>),
}

/// In which order the elements of a sequence come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// As they are.
    AsIs,
    /// Backwards.
    Reversed,
    /// Backwards twice: Puppet has forgotten that a hash was a hash.
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

/// What is known of the type of a sequence's elements.
#[derive(Clone, Debug)]
enum Element {
    /// It is that of the elements themselves.
    Infer,
    Character,
    Enum(Arc<EnumType>),
    /// It is that of another iterator's elements.
    Of(Arc<Iterator>),
}

impl Iterator {
    /// An iterator over a value that is `Iterable`.
    pub fn over(value: &Value) -> Option<Arc<Self>> {
        let sequence = |elements, of| {
            let taken = AtomicUsize::new(0);
            Some(Arc::new(Self(Source::Sequence { elements, order: Order::AsIs, taken, of })))
        };
        match value {
            Value::Array(values) => sequence(Sequence::Array(values.clone()), Element::Infer),
            Value::Hash(hash) => sequence(Sequence::Hash(Arc::clone(hash)), Element::Infer),
            Value::String(text) => {
                let characters = text.chars().map(elements::character).collect();
                sequence(Sequence::Array(characters), Element::Character)
            }
            Value::Integer(0) => sequence(Sequence::Array(EcoVec::new()), Element::Infer),
            Value::Integer(count @ 1..) => {
                Some(Arc::new(Self::range(IntegerRange::between(0, count - 1), 1)))
            }
            Value::Type(type_) => match elements::resolved(type_)? {
                Type::Integer(range) if range.is_finite() => Some(Arc::new(Self::range(*range, 1))),
                Type::Enum(enumeration) => {
                    let words = enumeration.values.iter().cloned().map(Value::String).collect();
                    sequence(Sequence::Array(words), Element::Enum(Arc::clone(enumeration)))
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

    /// The nodes of a tree.
    pub fn tree(tree: Tree) -> Self {
        Self(Source::Tree(Mutex::new(tree)))
    }

    fn range(range: IntegerRange, step: i64) -> Self {
        let first = if step < 0 { range.max } else { range.min };
        Self(Source::Range {
            range,
            step,
            next: AtomicI64::new(first),
            is_over: AtomicUsize::new(0),
        })
    }

    /// `step(n)`; fails if the step is wider than a range that is walked downwards.
    pub fn step(self: &Arc<Self>, n: i64) -> Result<Arc<Self>, TypeError> {
        match &self.0 {
            Source::Tree(_) => (),
            _ if n <= 1 => return Ok(Arc::clone(self)),
            Source::Range { range, step, .. } => return stepped(*range, *step, n).map(Arc::new),
            Source::Sequence { .. } | Source::Step { .. } => (),
        }
        Ok(Arc::new(Self(Source::Step { over: Arc::clone(self), step: n })))
    }

    /// `reverse_each()`
    pub fn reverse_each(self: &Arc<Self>) -> Self {
        let sequence = |elements: &Sequence, order: Order, of| {
            let (elements, taken) = (elements.clone(), AtomicUsize::new(0));
            Self(Source::Sequence { elements, order: order.reversed(), taken, of })
        };
        match &self.0 {
            Source::Sequence { elements, order, of, .. } => sequence(elements, *order, of.clone()),
            Source::Range { range, step, .. } => Self::range(*range, step.saturating_neg()),
            Source::Step { .. } | Source::Tree(_) => {
                let rest = Sequence::Array(self.rest().collect());
                sequence(&rest, Order::AsIs, Element::Of(Arc::clone(self)))
            }
        }
    }

    /// The next element.
    pub fn take(&self) -> Option<Value> {
        match &self.0 {
            Source::Sequence { elements, order, taken, .. } => {
                let n = taken.load(Ordering::Relaxed);
                let element = elements.nth(n, *order)?;
                taken.store(n + 1, Ordering::Relaxed);
                Some(element)
            }
            Source::Range { range, step, next, is_over } => {
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
            Source::Step { over, step } => {
                let element = over.take()?;
                for _ in 1..*step {
                    if over.take().is_none() {
                        break;
                    }
                }
                Some(element)
            }
            Source::Tree(tree) => tree.lock().unwrap_or_else(PoisonError::into_inner).next(),
        }
    }

    /// What was not taken yet.
    pub fn rest(&self) -> impl std::iter::Iterator<Item = Value> {
        std::iter::from_fn(|| self.take())
    }

    /// All elements, if they can be had without taking them.
    ///
    /// Ruby's enumerators can be asked twice; those of steps, ranges and trees can't.
    pub fn restarted(&self) -> Option<impl std::iter::Iterator<Item = Value> + '_> {
        let Source::Sequence { elements, order, .. } = &self.0 else { return None };
        Some((0..elements.len()).filter_map(|n| elements.nth(n, *order)))
    }

    /// Whether the elements are entries of a hash which a block may take apart.
    pub fn is_hash_style(&self) -> bool {
        matches!(&self.0, Source::Sequence { elements: Sequence::Hash(_), order: Order::AsIs, .. })
    }

    /// Whether it is the value of `tree_each`, which is no `Iterator` to Puppet's types.
    pub fn is_tree(&self) -> bool {
        matches!(self.0, Source::Tree(_))
    }

    /// The name of Ruby's class of a tree.
    pub fn class_name(&self) -> &'static str {
        match &self.0 {
            Source::Tree(tree) => {
                match tree.lock().unwrap_or_else(PoisonError::into_inner).is_depth_first() {
                    true => "Puppet::Pops::Types::Iterable::DepthFirstTreeIterator",
                    false => "Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator",
                }
            }
            Source::Sequence { elements: Sequence::Hash(_), order: Order::AsIs, .. } => {
                "Puppet::Pops::Types::HashIterator"
            }
            Source::Sequence { .. } => "Puppet::Pops::Types::Iterator",
            Source::Range { .. } => "Puppet::Pops::Types::IntegerRangeIterator",
            Source::Step { .. } => "Puppet::Pops::Types::StepIterator",
        }
    }

    /// Its type: a tree is no `Iterator` to Puppet.
    pub fn type_(&self) -> Type {
        match self.0 {
            Source::Tree(_) => Type::Runtime(Arc::new(RuntimeType {
                runtime: Some("ruby".into()),
                name: Some(self.class_name().into()),
                pattern: None,
            })),
            _ => Type::Iterator(Some(Arc::new(self.element_type()))),
        }
    }

    /// The type of the elements.
    pub fn element_type(&self) -> Type {
        match &self.0 {
            Source::Sequence { elements, of, .. } => match of {
                Element::Infer => elements.element_type(),
                Element::Character => Type::String(Some(IntegerRange::between(1, 1))),
                Element::Enum(enumeration) => Type::Enum(Arc::clone(enumeration)),
                Element::Of(other) => other.element_type(),
            },
            Source::Range { range, .. } => Type::Integer(*range),
            Source::Step { over, .. } => over.element_type(),
            Source::Tree(_) => Type::Any,
        }
    }
}

/// Puppet forgets numbers at the end that are stepped over.
fn stepped(range: IntegerRange, step: i64, by: i64) -> Result<Iterator, TypeError> {
    let step = step.saturating_mul(by);
    let span = i128::from(range.max) - i128::from(range.min);
    if step > 0 {
        let over = i64::try_from(span % i128::from(step)).unwrap_or(0);
        return Ok(Iterator::range(IntegerRange::between(range.min, range.max - over), step));
    }
    // Downwards, what is forgotten is what is missing to a full step: that is how Ruby's `%` works.
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

    /// The nth element in an order.
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

/// An iterator equals itself only.
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
