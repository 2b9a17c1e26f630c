//! TLS to PuppetDB: the site's CA with its revocation lists, and the own certificate.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla_world::files;
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

/// Files of PEM, read again when they change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuppetDbFiles {
    /// The own certificate, and those of its issuers.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Authorities that are trusted.
    pub authorities: PathBuf,
    /// Their revocation lists.
    pub revocations: Option<PathBuf>,
    /// Whether the lists count for the server's certificate alone, and not for those of its issuers.
    pub is_leaf_only: bool,
}

/// Certificates that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PuppetDbTlsError {
    /// A file can't be read, or is not in the form of PEM.
    #[error("cannot use `{}`: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The files don't go together.
    #[error("certificates can't be used: {0}")]
    Unusable(String),
}

/// Inode, size and time of change of each file.
type Stamps = Vec<Option<(u64, [i64; 2])>>;

/// TLS that follows its files.
#[derive(Debug)]
pub(super) struct Tls {
    files: PuppetDbFiles,
    shows_own: bool,
    live: Mutex<(Stamps, Arc<ClientConfig>)>,
}

impl Tls {
    pub(super) fn open(files: PuppetDbFiles, shows_own: bool) -> Result<Self, PuppetDbTlsError> {
        let live = Mutex::new((files.stamps(), files.load(shows_own)?));
        Ok(Self { files, shows_own, live })
    }

    /// Returns TLS as it is configured now; files with errors leave everything as it was.
    pub(super) fn config(&self) -> Arc<ClientConfig> {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = self.files.stamps();
        if live.0 != stamps
            && let Ok(config) = self.files.load(self.shows_own)
        {
            *live = (stamps, config);
        }
        Arc::clone(&live.1)
    }
}

impl PuppetDbFiles {
    fn stamps(&self) -> Stamps {
        let all = [Some(&self.certificate), Some(&self.key), Some(&self.authorities)];
        let all = all.into_iter().chain([self.revocations.as_ref()]).flatten();
        let stamp = |path: &PathBuf| {
            let status = files::Status::of(path).ok()?;
            Some((status.size(), status.changed()))
        };
        all.map(stamp).collect()
    }

    fn load(&self, shows_own: bool) -> Result<Arc<ClientConfig>, PuppetDbTlsError> {
        let unusable =
            |error: &dyn std::fmt::Display| PuppetDbTlsError::Unusable(error.to_string());
        let mut roots = RootCertStore::empty();
        let authorities: Vec<CertificateDer<'static>> = pem(&self.authorities)?;
        if roots.add_parsable_certificates(authorities).0 == 0 {
            return Err(wrong(&self.authorities, &"there is no certificate in it"));
        }
        let provider = Arc::new(default_provider());
        let mut verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        if let Some(path) = &self.revocations {
            let lists: Vec<CertificateRevocationListDer<'static>> = pem(path)?;
            verifier = verifier.with_crls(lists);
            if self.is_leaf_only {
                verifier = verifier.only_check_end_entity_revocation();
            }
        }
        let verifier = verifier.build().map_err(|error| unusable(&error))?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?
            .with_webpki_verifier(verifier);
        let config = match shows_own {
            false => builder.with_no_client_auth(),
            true => {
                let bytes = files::read_bytes(&self.key);
                let bytes = bytes.map_err(|error| wrong(&self.key, &error))?;
                let key = PrivateKeyDer::from_pem_slice(&bytes);
                let key = key.map_err(|error| wrong(&self.key, &error))?;
                let own = pem(&self.certificate)?;
                builder.with_client_auth_cert(own, key).map_err(|error| unusable(&error))?
            }
        };
        Ok(Arc::new(config))
    }
}

fn pem<T: PemObject>(path: &Path) -> Result<Vec<T>, PuppetDbTlsError> {
    let bytes = files::read_bytes(path).map_err(|error| wrong(path, &error))?;
    let items: Result<Vec<T>, _> = T::pem_slice_iter(&bytes).collect();
    let items = items.map_err(|error| wrong(path, &error))?;
    match items.is_empty() {
        true => Err(wrong(path, &"there is nothing in it")),
        false => Ok(items),
    }
}

fn wrong(path: &Path, reason: &dyn std::fmt::Display) -> PuppetDbTlsError {
    PuppetDbTlsError::File { path: path.to_owned(), reason: reason.to_string() }
}
