//! Puppet's functions: built-in ones, and those of the stdlib module.
//!
//! One file per subject, each with a table. A function gets a [`Call`](kukla_compiler::Call) and nothing else.

mod annotate;
mod catalog;
mod collections;
mod digests;
mod fault;
mod files;
mod flow;
mod formats;
mod groups;
mod iterate;
mod logging;
mod lookup;
pub mod module;
mod navigate;
mod numbers;
mod order;
mod patterns;
mod shell;
mod sorting;
mod steps;
mod strings;
mod templates;
mod time;
mod types;

use kukla_compiler::Function;

/// The functions that are built into Puppet.
pub const BUILT_IN: &[&[Function]] = &[
    annotate::FUNCTIONS,
    catalog::FUNCTIONS,
    collections::FUNCTIONS,
    digests::FUNCTIONS,
    files::FUNCTIONS,
    flow::FUNCTIONS,
    formats::FUNCTIONS,
    groups::FUNCTIONS,
    iterate::FUNCTIONS,
    logging::FUNCTIONS,
    lookup::FUNCTIONS,
    navigate::FUNCTIONS,
    numbers::FUNCTIONS,
    order::FUNCTIONS,
    patterns::FUNCTIONS,
    shell::FUNCTIONS,
    steps::FUNCTIONS,
    strings::FUNCTIONS,
    templates::FUNCTIONS,
    time::FUNCTIONS,
    types::FUNCTIONS,
];
