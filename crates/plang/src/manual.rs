//! The language reference as Markdown, generated from the grammar and the signatures.

use std::fmt::Write as _;

use crate::module::{Member, Module};
use crate::modules;

/// The grammar in ABNF (RFC 5234 and RFC 7405).
pub const GRAMMAR: &str = include_str!("grammar.abnf");

/// Returns the page.
pub fn page() -> String {
    let mut out = String::from(
        "# The language P\n\nWhat programs can say, ask and do. [How P works](../concepts/p.md) tells what it means.\n\n\
         ## Grammar\n\nABNF of RFC 5234 and RFC 7405; a token is as long as it can be.\n\n```abnf\n",
    );
    out.push_str(GRAMMAR);
    out.push_str(
        "```\n\n## Modules\n\n`!`: may fail. `*`: does something, and is done where it stands.\n",
    );
    for module in modules::ALL {
        describe(&mut out, module);
    }
    out
}

fn describe(out: &mut String, module: &Module) {
    let (name, doc) = (module.name, module.doc);
    let availability = match module.is_preset {
        true => "Available without an import.".to_owned(),
        false => format!("`{name} := import \"{name}\";`"),
    };
    let _ = write!(out, "\n### {name}\n\n{doc} {availability}\n");
    members(out, module.members);
    for object in module.objects {
        let _ = write!(out, "\n#### {}\n\n{}\n", object.name, object.doc);
        members(out, object.members);
    }
}

fn members(out: &mut String, members: &[Member]) {
    if members.is_empty() {
        return;
    }
    out.push_str("\n| member | |\n|---|---|\n");
    for member in members {
        let fails = match member.fails {
            None => String::new(),
            Some("always") => " Fails always.".to_owned(),
            Some(when) => format!(" Fails when {when}."),
        };
        let signature = member.signature().replace('|', "\\|");
        let _ = writeln!(out, "| `{signature}` | {}{fails} |", member.doc);
    }
}
