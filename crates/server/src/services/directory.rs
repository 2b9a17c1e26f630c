//! The services of a registry, ready to be called.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kukla_plang::Registry;
use kukla_plang::registry::{Edits, OnFailure, Protocol, Service, ServiceKind};
use rustls::ClientConfig;

use super::callout::{Callout, IDLE};
use crate::body::Keep;
use crate::icap::{IcapClient, IcapError, IcapOptions, IcapSettings};
use crate::idle::IdleConnections;
use crate::net::{Address, AddressError, ClientTlsError, ClientTlsFiles};

/// The services of a registry, in its order.
#[derive(Debug, Default)]
pub struct Directory {
    pub(super) services: Vec<Ready>,
}

/// A service that can be called.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) uri: String,
    pub(super) kind: ReadyKind,
    pub(super) sees_credentials: bool,
    pub(super) on_failure: OnFailure,
    pub(super) limit: u64,
    /// How often a call that failed is repeated.
    pub(super) retries: u32,
    /// The name by which an ICAP client can call it itself.
    pub(super) next: Option<String>,
}

/// The implementation of a service.
#[derive(Debug)]
pub(super) enum ReadyKind {
    Icap(Arc<IcapClient>),
    Callout(Callout),
    Builtin(Edits),
    /// Programs get its answers without the host, or the host does not know it.
    Other,
}

/// Reason why a service of a registry can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// Its URL is malformed.
    #[error("service `{0}`: {1}")]
    Address(String, AddressError),
    /// Its certificates can't be used.
    #[error("service `{0}`: {1}")]
    Tls(String, ClientTlsError),
}

impl Directory {
    /// Prepares the services of a registry; connects to none.
    pub fn new(registry: &Registry, keep: &Keep) -> Result<Self, DirectoryError> {
        let mut configs = HashMap::new();
        let mut services = Vec::new();
        for service in &registry.services {
            services.push(ready(service, keep, &mut configs)?);
        }
        Ok(Self { services })
    }

    /// Asks each service of ICAP about itself: its URI, and its answer.
    pub async fn options(&self) -> Vec<(String, Result<Arc<IcapOptions>, IcapError>)> {
        let mut all = Vec::new();
        for service in &self.services {
            if let ReadyKind::Icap(client) = &service.kind {
                all.push((service.uri.clone(), client.options().await));
            }
        }
        all
    }
}

fn ready(
    service: &Service,
    keep: &Keep,
    configs: &mut HashMap<ClientTlsFiles, Arc<ClientConfig>>,
) -> Result<Ready, DirectoryError> {
    let keep = Keep { size: service.limits.body, ..keep.clone() };
    let (connect_time, time) = (
        Duration::from_millis(service.limits.connect_time),
        Duration::from_millis(service.limits.time),
    );
    let mut next = None;
    let kind = match &service.kind {
        ServiceKind::Builtin(edits) => ReadyKind::Builtin(edits.clone()),
        ServiceKind::Canned(_) | ServiceKind::Host => ReadyKind::Other,
        ServiceKind::Network(network) => {
            next.clone_from(&network.next);
            let schemes: &[(&str, u16, bool)] = match network.protocol {
                Protocol::Icap => &[("icap", 1344, false), ("icaps", 11344, true)],
                Protocol::Http => &[("http", 80, false), ("https", 443, true)],
            };
            let address = Address::parse(&network.url, schemes, "a service")
                .map_err(|error| DirectoryError::Address(service.uri.clone(), error))?;
            let tls = match address.is_tls {
                false => None,
                true => {
                    let authorities = network.authorities.as_ref().map(PathBuf::from);
                    let identity = network
                        .identity
                        .as_ref()
                        .map(|(certificate, key)| (PathBuf::from(certificate), PathBuf::from(key)));
                    let files = ClientTlsFiles { authorities, identity };
                    let config = files
                        .config()
                        .map_err(|error| DirectoryError::Tls(service.uri.clone(), error))?;
                    Some(Arc::clone(configs.entry(files).or_insert(config)))
                }
            };
            match network.protocol {
                Protocol::Icap => {
                    let (connections, preview) =
                        (service.limits.connections, service.limits.preview);
                    let settings = IcapSettings { connect_time, time, connections, preview, keep };
                    ReadyKind::Icap(Arc::new(IcapClient::new(address, tls, settings)))
                }
                Protocol::Http => {
                    let idle = IdleConnections::new(IDLE.0, IDLE.1);
                    ReadyKind::Callout(Callout { address, tls, connect_time, time, keep, idle })
                }
            }
        }
    };
    Ok(Ready {
        uri: service.uri.clone(),
        kind,
        sees_credentials: service.sees_credentials,
        on_failure: service.on_failure,
        limit: service.limits.body,
        retries: service.limits.retries,
        next,
    })
}
