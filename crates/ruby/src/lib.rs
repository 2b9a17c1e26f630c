//! The Ruby that modules carry, read with Ruby's own parser.
