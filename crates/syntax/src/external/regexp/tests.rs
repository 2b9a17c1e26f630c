use super::{check, inspect};
