//! The endpoint, as proxies see it.

mod beside;
mod caddy;
mod doubled;
mod identity;
mod nginx;
mod paths;
mod pki;
mod proxies;
mod real;
mod records;
mod reload;
mod rough;
mod support;
