//! Tests of the server for agents: requests that were recorded from Puppet Server, attacks, certificates.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

#[path = "agents/archives.rs"]
mod archives;
#[path = "agents/attacks/mod.rs"]
mod attacks;
#[path = "agents/authority.rs"]
mod authority;
#[path = "agents/client.rs"]
mod client;
#[path = "agents/deploys.rs"]
mod deploys;
#[path = "agents/fixture.rs"]
mod fixture;
#[path = "agents/page.rs"]
mod page;
#[path = "agents/pki.rs"]
mod pki;
#[path = "agents/proxies.rs"]
mod proxies;
#[path = "agents/puppetdb.rs"]
mod puppetdb;
#[path = "agents/quiet.rs"]
mod quiet;
#[path = "agents/replay.rs"]
mod replay;
#[path = "agents/rules_and_data.rs"]
mod rules_and_data;
#[path = "agents/service.rs"]
mod service;
#[path = "agents/site_rules.rs"]
mod site_rules;
#[path = "agents/static_catalogs.rs"]
mod static_catalogs;
#[path = "agents/store.rs"]
mod store;
#[path = "files/tree.rs"]
mod tree;
