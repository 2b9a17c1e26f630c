//! Importers: rules of other programs as programs of P.

pub mod auth_conf;
pub mod hocon;

#[cfg(test)]
mod tests;
