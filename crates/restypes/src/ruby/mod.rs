//! Ruby as a small tree of our own: what declarations are made of.
//!
//! Prism's nodes live as long as their parser; methods and blocks of many files are called from
//! each other here, so [`parse`] copies what matters into a [`Node`].

mod lower;
mod tree;

pub(crate) use lower::parse;
pub(crate) use tree::{Block, Call, Node, Op, Params, Tree, What};
