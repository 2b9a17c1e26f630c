//! TLS: the server's certificate, and the verification of clients' certificates.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use x509_parser::prelude::{CertificateRevocationList, FromDer as _, X509Certificate};

use super::stamps::Stamps;

/// The files that TLS needs.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The server's certificate, and those of its issuers.
    pub certificate: PathBuf,
    /// The server's key.
    pub key: PathBuf,
    /// Certificates of the authorities that clients' certificates are of.
    pub authorities: PathBuf,
    /// Revocation lists of these authorities.
    pub revocations: Option<PathBuf>,
}

/// TLS that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file can't be read, or is not in the form of PEM.
    #[error("cannot read `{}`: {reason}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The files don't go together.
    #[error("certificates can't be used: {0}")]
    Unusable(String),
}

/// TLS as it is configured now.
#[derive(Debug)]
pub(crate) struct LiveTls {
    /// The configuration of new connections.
    pub(crate) config: Arc<ServerConfig>,
    verifier: Arc<dyn ClientCertVerifier>,
    /// The number of this configuration, from 1.
    pub(super) generation: u64,
}

/// TLS that follows its files.
#[derive(Debug)]
pub struct TlsKeeper {
    files: TlsFiles,
    live: RwLock<Arc<LiveTls>>,
    stamps: RwLock<Stamps>,
}

impl TlsKeeper {
    /// Reads the files.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let stamps = RwLock::new(Stamps::of(&files.all()));
        let live = RwLock::new(Arc::new(load(&files, 1)?));
        Ok(Self { files, live, stamps })
    }

    /// Returns the files.
    pub(super) fn files(&self) -> &TlsFiles {
        &self.files
    }

    /// Returns the certificates and revocation lists in use, each with the seconds until its end.
    pub(super) fn expirations(&self) -> Vec<(PathBuf, String, i64)> {
        expirations(&self.files)
    }

    /// Returns the issuers of revocation lists that have expired.
    pub(super) fn expired_lists(&self) -> Vec<String> {
        let is_list = |path: &PathBuf| self.files.revocations.as_ref() == Some(path);
        let all = self.expirations().into_iter();
        all.filter(|(path, _, left)| *left <= 0 && is_list(path)).map(|(_, name, _)| name).collect()
    }

    /// Returns TLS as it is configured now.
    pub(crate) fn live(&self) -> Arc<LiveTls> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again if one of them has changed; files with errors leave everything as it was.
    pub(crate) fn refresh(&self) -> Option<Result<(), TlsError>> {
        let stamps = Stamps::of(&self.files.all());
        if *self.stamps.read().unwrap_or_else(PoisonError::into_inner) == stamps {
            return None;
        }
        *self.stamps.write().unwrap_or_else(PoisonError::into_inner) = stamps;
        let generation = self.live().generation + 1;
        Some(load(&self.files, generation).map(|live| {
            *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
        }))
    }
}

/// Returns the certificates and revocation lists of some files, each with the seconds until its end.
pub fn expirations(files: &TlsFiles) -> Vec<(PathBuf, String, i64)> {
    let now = x509_parser::time::ASN1Time::now().timestamp();
    let mut ends = Vec::new();
    for path in [&files.certificate, &files.authorities] {
        let certificates: Vec<CertificateDer<'static>> = pem(path).unwrap_or_default();
        for certificate in &certificates {
            if let Ok((_, certificate)) = X509Certificate::from_der(certificate) {
                let end = certificate.validity().not_after.timestamp();
                ends.push((path.clone(), certificate.subject().to_string(), end - now));
            }
        }
    }
    if let Some(path) = &files.revocations {
        let lists: Vec<CertificateRevocationListDer<'static>> = pem(path).unwrap_or_default();
        for list in &lists {
            if let Ok((_, list)) = CertificateRevocationList::from_der(list)
                && let Some(end) = list.next_update()
            {
                ends.push((path.clone(), list.issuer().to_string(), end.timestamp() - now));
            }
        }
    }
    ends
}

impl LiveTls {
    /// Returns whether a client's certificates are valid now, for a connection that began with another configuration.
    pub(super) fn is_valid(&self, certificates: &[CertificateDer<'_>]) -> bool {
        match certificates.split_first() {
            None => true,
            Some((own, issuers)) => {
                self.verifier.verify_client_cert(own, issuers, UnixTime::now()).is_ok()
            }
        }
    }
}

impl TlsFiles {
    fn all(&self) -> Vec<PathBuf> {
        let Self { certificate, key, authorities, revocations } = self;
        let own = [certificate, key, authorities].map(PathBuf::clone);
        own.into_iter().chain(revocations.clone()).collect()
    }
}

fn load(files: &TlsFiles, generation: u64) -> Result<LiveTls, TlsError> {
    let unusable = |error: &dyn std::fmt::Display| TlsError::Unusable(error.to_string());
    let certificates: Vec<CertificateDer<'static>> = pem(&files.certificate)?;
    let keys: Vec<PrivateKeyDer<'static>> = pem(&files.key)?;
    let key = keys.into_iter().next().ok_or_else(|| TlsError::Unreadable {
        path: files.key.clone(),
        reason: "there is no key in it".to_owned(),
    })?;
    let authorities: Vec<CertificateDer<'static>> = pem(&files.authorities)?;
    let lists: Vec<CertificateRevocationListDer<'static>> = match &files.revocations {
        Some(path) => pem(path)?,
        None => Vec::new(),
    };
    let mut roots = RootCertStore::empty();
    for authority in authorities.into_iter().filter(|authority| !is_revoked(authority, &lists)) {
        roots.add(authority).map_err(|error| unusable(&error))?;
    }
    let provider = Arc::new(default_provider());
    let mut builder =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated();
    if !lists.is_empty() {
        builder = builder.with_crls(lists);
    }
    let verifier = builder.build().map_err(|error| unusable(&error))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?
        .with_client_cert_verifier(Arc::clone(&verifier))
        .with_single_cert(certificates, key)
        .map_err(|error| unusable(&error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(LiveTls { config: Arc::new(config), verifier, generation })
}

/// Returns whether the list of its issuer revokes an authority: the verifier itself does not ask for trusted ones.
fn is_revoked(authority: &CertificateDer<'_>, lists: &[CertificateRevocationListDer<'_>]) -> bool {
    let Ok((_, certificate)) = X509Certificate::from_der(authority) else { return false };
    lists.iter().any(|list| match CertificateRevocationList::from_der(list) {
        Ok((_, list)) => {
            let mut revoked = list.iter_revoked_certificates();
            list.issuer() == certificate.issuer()
                && revoked.any(|entry| entry.raw_serial() == certificate.raw_serial())
        }
        Err(_) => false,
    })
}

/// Reads all items of one kind.
pub(super) fn pem<T: rustls::pki_types::pem::PemObject>(
    path: &PathBuf,
) -> Result<Vec<T>, TlsError> {
    let unreadable = |reason: String| TlsError::Unreadable { path: path.clone(), reason };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let items: Result<Vec<T>, _> = T::pem_slice_iter(&bytes).collect();
    items.map_err(|error| unreadable(error.to_string()))
}
