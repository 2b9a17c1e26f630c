//! A certificate authority for Puppet agents: certificates, requests, revocation, and its files.
//!
//! Start reading at [`Authority`], which is everything that a server or a command line does with the directory of a CA
//! (`cadir`). The directory is Puppet Server's: either program can use what the other left there.
//!
//! Invariants: every change happens under one lock that processes share; a file is replaced at once and flushed; a serial
//! number is taken from the file `serial` before anything is signed with it. A certificate has only extensions that this
//! room encoded itself.

mod alt_names;
mod authority;
mod autosign;
mod certificate;
mod chain;
mod checks;
mod crl;
mod error;
mod expiry;
mod extension;
mod follow;
mod found;
mod host;
mod import;
mod inventory;
mod issue;
mod json;
mod key;
mod oids;
mod options;
mod pem;
mod renew;
mod request;
mod revoke;
mod serial;
mod settings;
mod status;
mod stores;
mod time;
mod update;

pub use alt_names::AltNames;
pub use authority::{Authority, CrlFile, Submission};
pub use error::CaError;
pub use expiry::Expirations;
pub use follow::newer_lists;
pub use host::{HostFiles, HostIdentity};
pub use import::Import;
pub use issue::SignedMany;
pub use oids::{oid_of, short_name};
pub use options::{Autosign, CaOptions, CaPaths};
pub use request::CertificateRequest;
pub use revoke::{Cleaned, Pruned};
pub use serial::Serial;
pub use settings::duration;
pub use status::{CertificateState, CertificateStatus, Fingerprints, Validity};
