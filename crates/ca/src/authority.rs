//! The authority: its certificate and key, and what clients fetch and submit.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use kukla_world::{Disk, Stamp, World, durable, files};

use crate::certificate::Parsed;
use crate::crl::Crl;
use crate::key::SigningKey;
use crate::options::{CaOptions, CaPaths};
use crate::stores::{self, PRIVATE};
use crate::{CaError, CertificateRequest, CertificateState, autosign, checks, pem};

/// A certificate authority, whose state is its directory. Threads share it.
///
/// ```no_run
/// # fn main() -> Result<(), kukla_ca::CaError> {
/// use kukla_ca::{Authority, CaOptions};
/// let authority = Authority::open(CaOptions::new("/etc/puppetlabs/puppetserver/ca".as_ref()))?;
/// authority.sign("web1.example.com", None)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Authority {
    pub(crate) options: CaOptions,
    issuer: Mutex<Option<Cached<Issuer>>>,
    crl: Mutex<Option<Cached<Crl>>>,
}

/// The certificate and the key that sign, and the bundle that they are in.
pub(crate) struct Issuer {
    pub(crate) certificate: Parsed,
    pub(crate) key: SigningKey,
    pub(crate) bundle: Vec<Parsed>,
}

impl fmt::Debug for Issuer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Issuer").finish_non_exhaustive()
    }
}

/// Something that was read from files with these stamps.
#[derive(Debug)]
struct Cached<T> {
    stamps: [Option<Stamp>; 2],
    value: Arc<T>,
}

/// Result of a submitted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Whether the request was signed at once.
    pub is_signed: bool,
    /// Remarks for the log: lines of `autosign.conf` that are wrong, and what the program of `autosign` printed.
    pub notes: Vec<String>,
}

/// The CRLs that clients get.
#[derive(Clone, Debug)]
pub struct CrlFile {
    /// PEM.
    pub bytes: Vec<u8>,
    /// The time at which they last changed.
    pub modified: SystemTime,
}

impl Authority {
    /// Opens an existing directory. A private key that all users may read loses that permission.
    pub fn open(options: CaOptions) -> Result<Self, CaError> {
        let authority = Self::new(options);
        let paths = &authority.options.paths;
        let required = paths.required(authority.options.has_infra_crl);
        let (found, missing): (Vec<&Path>, Vec<&Path>) =
            required.into_iter().partition(|path| files::exists(path));
        if found.is_empty() {
            return Err(CaError::NotFound(paths.directory.clone()));
        }
        if !missing.is_empty() {
            let owned = |paths: Vec<&Path>| paths.into_iter().map(Path::to_owned).collect();
            return Err(CaError::PartialState { found: owned(found), missing: owned(missing) });
        }
        authority.prepare()?;
        authority.issuer()?;
        authority.own_crl()?;
        Ok(authority)
    }

    pub(crate) fn new(options: CaOptions) -> Self {
        Self { options, issuer: Mutex::default(), crl: Mutex::default() }
    }

    /// Makes missing directories, protects the key, and removes what killed processes left. A user who may only read
    /// the directory can do none of it, and need not.
    fn prepare(&self) -> Result<(), CaError> {
        let paths = &self.options.paths;
        let Ok(_writer) = paths.writer() else { return Ok(()) };
        for directory in [&paths.signed, &paths.requests] {
            stores::directory(directory, stores::DIRECTORY)?;
            durable::sweep(directory).map_err(CaError::io(directory))?;
        }
        durable::sweep(&paths.directory).map_err(CaError::io(&paths.directory))?;
        durable::restrict(&paths.key, PRIVATE).map_err(CaError::io(&paths.key))?;
        Ok(())
    }

    /// Returns the settings.
    pub fn options(&self) -> &CaOptions {
        &self.options
    }

    pub(crate) fn paths(&self) -> &CaPaths {
        &self.options.paths
    }

    /// Returns certificate and key, read again when their files change.
    pub(crate) fn issuer(&self) -> Result<Arc<Issuer>, CaError> {
        let paths = self.paths();
        cached(&self.issuer, [&paths.certificate, &paths.key], || {
            let bundle = Parsed::read_all(&paths.certificate)?;
            let key = SigningKey::read(&paths.key)?;
            let public = key.public()?;
            let certificate = bundle.iter().find(|one| *one.key() == public).cloned();
            let reason = "none of its certificates belongs to the private key of the CA";
            let certificate =
                certificate.ok_or_else(|| CaError::file(&paths.certificate, reason))?;
            Ok(Issuer { certificate, key, bundle })
        })
    }

    /// Returns the CRL that this authority signed, read again when its file changes.
    pub(crate) fn own_crl(&self) -> Result<Arc<Crl>, CaError> {
        let path = &self.paths().crl;
        cached(&self.crl, [path, path], || {
            let issuer = self.issuer()?;
            let own = Crl::read_all(path)?.into_iter().find(|crl| crl.is_of(&issuer.certificate));
            own.ok_or_else(|| CaError::file(path, "none of its CRLs is signed by the CA"))
        })
    }

    /// Accepts a request in PEM: checks and saves it, and signs it if `autosign` says so.
    ///
    /// A request that is signed at once but has names or extensions that are not allowed is an error, and stays for an
    /// administrator's decision.
    pub fn submit(&self, name: &str, request: &[u8]) -> Result<Submission, CaError> {
        let parsed = CertificateRequest::parse(request)?;
        self.save(name, &parsed)?;
        // The program of `autosign` runs without the lock: it may look into the directory itself.
        let verdict = autosign::decide(&self.options, name, &parsed)?;
        if verdict.is_signed {
            checks::request(&parsed, &self.options)?;
            self.issue_saved(name, &parsed)?;
        } else {
            self.refuse_flood(name)?;
        }
        Ok(Submission { is_signed: verdict.is_signed, notes: verdict.notes })
    }

    fn save(&self, name: &str, request: &CertificateRequest) -> Result<(), CaError> {
        let writer = self.paths().writer()?;
        self.refuse_duplicate(&request.subject)?;
        checks::name(name, &request.subject)?;
        let path = self.paths().request_file(name).ok_or(CaError::InvalidName)?;
        writer.public(&path, request.to_pem().as_bytes())
    }

    /// Removes a request that is one too many: anyone may send requests, and each is a file. Those that are signed at
    /// once are not counted, so a flood does not keep them out.
    fn refuse_flood(&self, name: &str) -> Result<(), CaError> {
        let n_waiting = stores::names(&self.paths().requests)?.len();
        if n_waiting <= self.options.most_requests {
            return Ok(());
        }
        self.delete_request(name)?;
        Err(CaError::TooManyRequests(n_waiting - 1))
    }

    fn refuse_duplicate(&self, name: &str) -> Result<(), CaError> {
        if self.options.allows_duplicates {
            return Ok(());
        }
        let state = match self.state(name)? {
            Some(state) => state,
            None if self.paths().has_request(name) => CertificateState::Requested,
            None => return Ok(()),
        };
        Err(CaError::Duplicate { name: name.to_owned(), state })
    }

    /// Returns a certificate in PEM; that of `ca` is the bundle.
    pub fn certificate(&self, name: &str) -> Result<Option<Vec<u8>>, CaError> {
        match name {
            "ca" => pem::read_if_present(&self.paths().certificate),
            _ => read_named(self.paths().signed_file(name)),
        }
    }

    /// Returns a request in PEM.
    pub fn request(&self, name: &str) -> Result<Option<Vec<u8>>, CaError> {
        read_named(self.paths().request_file(name))
    }

    /// Returns the CRLs for clients: those of all authorities of the bundle.
    pub fn crl(&self) -> Result<CrlFile, CaError> {
        let paths = self.paths();
        let path = if self.options.has_infra_crl { &paths.infra_crl } else { &paths.crl };
        let status = files::Status::of(path).map_err(CaError::io(path))?;
        let [seconds, nanoseconds] = status.modified();
        let seconds = u64::try_from(seconds).unwrap_or_default();
        let modified = Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or_default());
        Ok(CrlFile { bytes: pem::read(path)?, modified: SystemTime::UNIX_EPOCH + modified })
    }
}

fn read_named(path: Option<std::path::PathBuf>) -> Result<Option<Vec<u8>>, CaError> {
    path.map_or(Ok(None), |path| pem::read_if_present(&path))
}

fn cached<T>(
    cache: &Mutex<Option<Cached<T>>>,
    paths: [&Path; 2],
    read: impl FnOnce() -> Result<T, CaError>,
) -> Result<Arc<T>, CaError> {
    let stamps = paths.map(|path| path.to_str().and_then(|path| Disk.stamp(path)));
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cached) = cache.as_ref().filter(|cached| cached.stamps == stamps) {
        return Ok(Arc::clone(&cached.value));
    }
    let value = Arc::new(read()?);
    *cache = Some(Cached { stamps, value: Arc::clone(&value) });
    Ok(value)
}
