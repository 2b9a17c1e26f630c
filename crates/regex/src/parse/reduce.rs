//! Quantifiers of quantifiers: `(?:a*)+`, `a**`.
//!
//! Ruby merges the two where it can. That is observable, since `(?:a+)?` is `a*` to it, and an equivalent pattern in another
//! form may match differently.

use super::tree::Repeat;

/// Merges `outer` around `inner`, as Ruby does.
///
/// The second result is the new inner quantifier; the first may not need it any more.
pub(super) fn reduce(outer: Repeat, inner: Repeat) -> (Repeat, Repeat) {
    let (Some(outer_kind), Some(inner_kind)) = (kind(&outer), kind(&inner)) else {
        return (outer, inner);
    };
    let instead =
        |lower, upper, is_greedy| (Repeat { lower, upper, is_greedy, body: inner.body }, inner);
    match TABLE[inner_kind][outer_kind] {
        Reduction::None => (outer, inner),
        Reduction::Inner => (inner, inner),
        Reduction::Any => instead(0, None, true),
        Reduction::LazyAny => instead(0, None, false),
        Reduction::LazyOptional => instead(0, Some(1), false),
        Reduction::LazyOptionalSome => {
            let some = Repeat { lower: 1, upper: None, is_greedy: true, ..inner };
            (Repeat { lower: 0, upper: Some(1), is_greedy: false, ..outer }, some)
        }
    }
}

/// Drops a pointless upper bound: `(?:a+){2,5}` is `(?:a+){2}` to Ruby.
pub(super) fn without_pointless_upper(outer: Repeat, inner: Repeat) -> Repeat {
    let is_any_or_some = matches!(kind(&inner), Some(ANY | SOME));
    let is_pointless = kind(&outer).is_none() && outer.is_greedy;
    match outer.upper {
        Some(2..) if is_any_or_some && is_pointless => {
            Repeat { upper: Some(outer.lower.max(1)), ..outer }
        }
        _ => outer,
    }
}

const ANY: usize = 1;
const SOME: usize = 2;

/// Returns the index of `?`, `*`, `+`, `??`, `*?`, `+?` in [`TABLE`]; `None` for other quantifiers.
fn kind(repeat: &Repeat) -> Option<usize> {
    let kind = match (repeat.lower, repeat.upper) {
        (0, Some(1)) => 0,
        (0, None) => ANY,
        (1, None) => SOME,
        _ => return None,
    };
    Some(if repeat.is_greedy { kind } else { kind + 3 })
}

#[derive(Clone, Copy)]
enum Reduction {
    None,
    /// The outer one is dropped.
    Inner,
    /// `*`
    Any,
    /// `*?`
    LazyAny,
    /// `??`
    LazyOptional,
    /// `(?:…+)??`
    LazyOptionalSome,
}

/// Ruby's reductions by the inner quantifier (row) and the outer one (column).
const TABLE: [[Reduction; 6]; 6] = {
    use Reduction::{Any, Inner, LazyAny, LazyOptional, LazyOptionalSome, None};
    [
        [Inner, Any, Any, LazyOptional, LazyAny, None],
        [Inner, Inner, Inner, LazyOptionalSome, LazyOptionalSome, Inner],
        [Any, Any, Inner, None, LazyOptionalSome, Inner],
        [Inner, LazyAny, LazyAny, Inner, LazyAny, LazyAny],
        [Inner, Inner, Inner, Inner, Inner, Inner],
        [None, None, None, LazyAny, LazyAny, Inner],
    ]
};
