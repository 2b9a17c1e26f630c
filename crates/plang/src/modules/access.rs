//! Module Access: decisions about access. The first decision that a run reaches ends the program.

use super::{NO_PARAMS, special};
use crate::module::{Form, Member, Module, Param, Returns, Special, Touches};

/// The module.
pub static MODULE: Module = Module {
    name: "Access",
    uri: "https://kukla.dev/p/Access",
    doc: "Decisions. The first that is reached counts and ends the program; without any, access is denied.",
    is_preset: true,
    protocol: None,
    members: MEMBERS,
    objects: &[],
};

static REASON: &[Param] = &[Param::text("reason")];
static SCHEME: &[Param] = &[Param::text("scheme").form(Form::Scheme)];

static MEMBERS: &[Member] = &[
    special("allow", "The message may pass.", NO_PARAMS, Returns::Never, Special::Allow)
        .touches(Touches::Acts),
    special(
        "deny",
        "The message may not pass, for the reason given.",
        REASON,
        Returns::Never,
        Special::Deny,
    )
    .touches(Touches::Acts),
    special(
        "challenge",
        "The client must authenticate first, by a scheme such as `Basic`.",
        SCHEME,
        Returns::Never,
        Special::Challenge,
    )
    .touches(Touches::Acts),
];
