//! Times for people: how long ago something was.

use kukla_store::time;
use maud::{Markup, html};

/// Shows how long ago a time was; the time itself is its title.
pub(super) fn ago(now: i64, milliseconds: Option<i64>) -> Markup {
    html! {
        @match milliseconds {
            None => { span.quiet { "never" } }
            Some(at) => {
                @let written = time::written(at);
                time datetime=(written) title=(written) { (span(now.saturating_sub(at))) }
            }
        }
    }
}

/// Returns a span of milliseconds in words, down to minutes.
pub(super) fn span(milliseconds: i64) -> String {
    let minutes = milliseconds / 60_000;
    match minutes {
        ..=-2 => "in the future".to_owned(),
        -1..=0 => "just now".to_owned(),
        1..=119 => format!("{minutes} min ago"),
        120..=2879 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_have_one_unit() {
        let minute = 60_000;
        for (minutes, words) in [
            (-100, "in the future"),
            (0, "just now"),
            (1, "1 min ago"),
            (119, "119 min ago"),
            (120, "2 h ago"),
            (2879, "47 h ago"),
            (2880, "2 days ago"),
        ] {
            assert_eq!(span(minutes * minute), words);
        }
    }
}
