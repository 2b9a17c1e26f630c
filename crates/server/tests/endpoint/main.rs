//! The endpoint, as proxies see it.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

mod beside;
mod doubled;
mod identity;
mod needs_caddy;
mod needs_haproxy;
mod needs_nginx;
mod paths;
mod pki;
mod proxies;
mod real;
mod records;
mod reload;
mod rough;
mod support;
mod table;
