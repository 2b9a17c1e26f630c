//! The endpoint, as proxies see it.

mod beside;
mod nginx;
mod proxies;
mod reload;
mod rough;
mod support;
