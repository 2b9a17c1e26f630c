//! The map: one cell per node, in rows by the age of the last run.

use maud::{Markup, html};

use super::super::frame::segment;
use super::super::times::span;
use super::member::Member;

/// Up to so many nodes, cells have names.
const MOST_NAMED: usize = 150;

/// Shows nodes, which are sorted.
pub(super) fn map(members: &[Member], now: i64) -> Markup {
    let is_named = members.len() <= MOST_NAMED;
    html! {
        @for row in members.chunk_by(|a, b| a.age(now) == b.age(now)) {
            section.row {
                h2 { (row[0].age(now).words()) " " span.quiet { (row.len()) } }
                ul.map.named[is_named] {
                    @for member in row { li { (cell(member, now, is_named)) } }
                }
            }
        }
    }
}

fn cell(member: &Member, now: i64, is_named: bool) -> Markup {
    let when = member.report.map_or_else(|| "never".to_owned(), |at| span(now - at));
    let words = format!("{}: {}, {when}", member.name, member.state.words());
    let state = member.state;
    html! {
        a.cell.(state.class()) href=(format!("/kukla/node/{}", segment(&member.name)))
            title=(words) aria-label=(words) {
            (state.sign())
            @if is_named { " " span.name { (member.name) } }
        }
    }
}
