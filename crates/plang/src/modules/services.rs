//! Module Services: services that adapt a message.

use super::special;
use crate::module::{Count, Form, Member, Module, Object, Param, Returns, Special, Touches};

/// The module.
pub static MODULE: Module = Module {
    name: "Services",
    uri: "http://ietf.org/opes/rules/p/Services",
    doc: "Services of the deployment's registry that adapt the message.",
    is_preset: true,
    protocol: None,
    members: MEMBERS,
    objects: &[&SERVICE],
};

/// A service.
pub static SERVICE: Object = Object {
    name: "Service",
    doc: "A service of the registry. Its parameters are its members: `service.toDialect(\"southern\")` sets one.",
    is_single: false,
    members: &[],
};

static URI: &[Param] = &[Param::text("uri").form(Form::Service)];
static APPLY: &[Param] = &[
    Param::new("service", &[Returns::Object(&SERVICE)]),
    Param::new("part", super::http::PARTS).count(Count::Any),
];

static MEMBERS: &[Member] = &[
    special("findOne", "The service of that URI.", URI, Returns::Object(&SERVICE), Special::FindOne)
        .fails("the registry has no such service"),
    special("find", "An alias of `findOne`.", URI, Returns::Object(&SERVICE), Special::FindOne)
        .fails("the registry has no such service"),
    special(
        "applyOne",
        "Lets the service adapt the current message; parts of the message may be shown to it. True.",
        APPLY,
        Returns::Boolean,
        Special::ApplyOne,
    )
    .fails("the service fails")
    .touches(Touches::Changes),
];
