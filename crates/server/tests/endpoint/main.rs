//! The endpoint, as proxies see it.

mod beside;
mod doubled;
mod identity;
mod needs_caddy;
mod needs_nginx;
mod paths;
mod pki;
mod proxies;
mod real;
mod records;
mod reload;
mod rough;
mod support;
