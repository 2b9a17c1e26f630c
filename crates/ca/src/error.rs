//! Errors of the authority, with Puppet Server's words where it has any.

use std::io;
use std::path::{Path, PathBuf};

use crate::CertificateState;

/// A reason why the authority refuses or fails. [`CaError::is_refusal`] tells the requester's mistakes from the CA's own
/// problems.
#[derive(Debug, thiserror::Error)]
pub enum CaError {
    /// There is a request or certificate of that name, and duplicates are not allowed.
    #[error("{name} already has a {state} certificate; ignoring certificate request")]
    Duplicate {
        /// The subject.
        name: String,
        /// The state of the present one.
        state: CertificateState,
    },
    /// The subject is not the name that the request was sent for.
    #[error("Instance name \"{subject}\" does not match requested key \"{name}\"")]
    NameMismatch {
        /// The subject of the request.
        subject: String,
        /// The name that was asked for.
        name: String,
    },
    /// The name has upper-case letters.
    #[error("Certificate names must be lower case.")]
    UpperCase,
    /// The name has a wildcard.
    #[error("Subject contains a wildcard, which is not allowed: {0}")]
    Wildcard(String),
    /// The name has characters that host names don't have.
    #[error("Subject hostname format is invalid")]
    InvalidName,
    /// The request asks for alternative names, which `ca.conf` does not allow.
    #[error(
        "CSR '{name}' contains extra subject alternative names ({}), which are disallowed. To allow subject alternative \
         names, set allow-subject-alt-names to true in your ca.conf file. Then restart the puppetserver and try signing \
         this certificate again.",
        names.join(", ")
    )]
    AltNamesDisallowed {
        /// The subject.
        name: String,
        /// The names, with `DNS:` or `IP:` before them.
        names: Vec<String>,
    },
    /// The request has an authorization extension, which `ca.conf` does not allow.
    #[error(
        "CSR '{0}' contains an authorization extension, which is disallowed. To allow authorization extensions, set \
         allow-authorization-extensions to true in your ca.conf file. Then restart the puppetserver and try signing this \
         certificate again."
    )]
    AuthorizationDisallowed(String),
    /// The request has extensions that no request may have.
    #[error("Found extensions that are not permitted: {}", .0.join(", "))]
    ExtensionsNotPermitted(Vec<String>),
    /// An alternative name is neither a DNS name nor an address.
    #[error("Only DNS and IP names are allowed in the Subject Alternative Names extension")]
    AltNameKind,
    /// An alternative name has a wildcard.
    #[error("Cert subjectAltName contains a wildcard, which is not allowed: {0}")]
    AltNameWildcard(String),
    /// The request is not signed by the key that it contains.
    #[error("CSR contains a public key that does not correspond to the signing key")]
    BadSignature,
    /// So many requests wait for an administrator that no further one is kept.
    #[error("{0} certificate requests wait to be signed; sign or delete some of them")]
    TooManyRequests(usize),
    /// The request can't be read, or is ambiguous.
    #[error("The certificate request is not usable: {0}")]
    Malformed(&'static str),
    /// There is neither a request nor a certificate of that name.
    #[error("Invalid certificate subject.")]
    UnknownSubject(String),
    /// There is no request to sign.
    #[error("Cannot sign certificate for host {0} without a certificate request")]
    NoRequest(String),
    /// There is no certificate to revoke.
    #[error("Cannot revoke certificate for host {0} without a signed certificate")]
    NoCertificate(String),
    /// The lifetime of a certificate is out of bounds.
    #[error("the lifetime of a certificate must be between 1 second and 50 years")]
    Lifetime,
    /// No CRL was submitted.
    #[error("No valid CRLs submitted.")]
    NoCrls,
    /// Submitted CRLs can't be used.
    #[error("{0}")]
    CrlRefused(String),
    /// Certificates are not renewed here.
    #[error("Not Found")]
    RenewalDisabled,
    /// The certificate to renew is missing, expired or revoked.
    #[error("No valid certificate found in renewal request")]
    RenewalInvalid,
    /// The certificate to renew was issued by another authority.
    #[error("Certificate present, but does not match signature")]
    RenewalForeign,
    /// Some files of the CA are there and others are missing.
    #[error(
        "Cannot initialize CA with partial state; need all files or none.\nFound:\n{}\nMissing:\n{}",
        lines(found),
        lines(missing)
    )]
    PartialState {
        /// Files that are there.
        found: Vec<PathBuf>,
        /// Files that are missing.
        missing: Vec<PathBuf>,
    },
    /// Files that a command would write are there already.
    #[error("these files exist already: {}", lines(.0))]
    Exists(Vec<PathBuf>),
    /// There is no CA.
    #[error("there is no CA in {}; make one with `kukla ca setup`", .0.display())]
    NotFound(PathBuf),
    /// A file has a content that can't be used.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: &'static str,
    },
    /// Certificates and CRLs to import don't belong together.
    #[error("{0}")]
    Import(String),
    /// A key of this length can't be made.
    #[error("`keylength` is {0}; use 2048, 3072, 4096 or 8192")]
    KeyLength(u32),
    /// A file can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A setting has a value that can't be used: its name, and the kind of value that it needs.
    #[error("the setting `{0}` must be {1}")]
    Setting(&'static str, &'static str),
    /// An object could not be encoded or signed.
    #[error("the CA can't encode or sign {0}")]
    Encoding(&'static str),
}

impl CaError {
    /// Returns whether the requester made the mistake, so that the answer of an HTTP server is 400 or 409.
    pub const fn is_refusal(&self) -> bool {
        !matches!(
            self,
            Self::PartialState { .. }
                | Self::Exists(_)
                | Self::NotFound(_)
                | Self::File { .. }
                | Self::Import(_)
                | Self::KeyLength(_)
                | Self::Setting(..)
                | Self::Io { .. }
                | Self::Encoding(_)
        )
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn file(path: &Path, reason: &'static str) -> Self {
        Self::File { path: path.to_owned(), reason }
    }
}

fn lines(paths: &[PathBuf]) -> String {
    let lines: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    lines.join("\n")
}
