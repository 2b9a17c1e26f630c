//! Quantifiers of quantifiers: `(?:a*)+`, `a**`.
//!
//! Ruby makes one of two where it can. That shows, since `(?:a+)?` is `a*` to it, and a pattern that
//! asks for the same in another way may match otherwise.

use super::tree::Repeat;

/// `outer` around `inner` as Ruby would have written them.
///
/// The second is what the inner one becomes; the first may not need it any more.
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

/// `(?:a+){2,5}` is `(?:a+){2}` to Ruby.
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

/// Which of `?`, `*`, `+`, `??`, `*?`, `+?` a quantifier is.
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

/// What Ruby makes of the inner quantifier (row) and the outer one (column).
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
