//! Addresses of databases: `postgresql://USER@HOST:PORT/DATABASE?sslrootcert=FILE`, as libpq has them.
//!
//! Unlike libpq the address has no password, which would be in `puppet.conf` for all to read, and a connection over the
//! network is never without TLS unless the address says so.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The time to connect.
const CONNECT: Duration = Duration::from_secs(5);
/// The time after which a peer that is silent counts as gone.
const SILENCE: Duration = Duration::from_secs(30);

/// A database of PostgreSQL, and how to connect to it.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    pub(super) tls: Option<TlsPaths>,
    /// The file with passwords.
    pub(super) passfile: Option<PathBuf>,
}

/// Files of PEM for a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TlsPaths {
    /// Authorities that are trusted.
    pub(super) authorities: Option<PathBuf>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

/// The reasons why an address can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is not of the form.
    #[error("an address is `postgresql://USER@HOST:PORT/DATABASE`: {0}")]
    Form(String),
    /// It has a password.
    #[error("an address must not have a password; write it to a file that `passfile=` names")]
    Password,
    /// Connections might be made without TLS, or without a check of the certificate.
    #[error("`sslmode` is `verify-full` or `disable`, not `{0}`")]
    Mode(String),
    /// A certificate needs its key.
    #[error("`sslcert` and `sslkey` go together")]
    Identity,
}

impl Address {
    /// Reads an address.
    pub fn read(text: &str) -> Result<Self, AddressError> {
        let (start, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut tls, mut mode, mut passfile) = (TlsPaths::default(), None, None);
        let mut others = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "sslmode" => mode = Some(value),
                "sslrootcert" => tls.authorities = Some(decoded(value)?.into()),
                "sslcert" => tls.certificate = Some(decoded(value)?.into()),
                "sslkey" => tls.key = Some(decoded(value)?.into()),
                "passfile" => passfile = Some(decoded(value)?.into()),
                _ => others.push(pair),
            }
        }
        let rest = format!("{start}?{}", others.join("&"));
        let mut config: Config = rest.parse().map_err(|error| form(&error))?;
        if config.get_password().is_some() {
            return Err(AddressError::Password);
        }
        if config.get_hosts().is_empty() {
            return Err(AddressError::Form("there is no host".to_owned()));
        }
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err(AddressError::Form("there is no database".to_owned()));
        }
        if tls.certificate.is_some() != tls.key.is_some() {
            return Err(AddressError::Identity);
        }
        let is_clear = match mode {
            None => config.get_hosts().iter().all(is_local),
            Some("disable") => true,
            // All of them check certificate and name here; libpq's `require` checks nothing.
            Some("require" | "verify-ca" | "verify-full") => false,
            Some(other) => return Err(AddressError::Mode(other.to_owned())),
        };
        config.ssl_mode(if is_clear { SslMode::Disable } else { SslMode::Require });
        config.connect_timeout(*config.get_connect_timeout().unwrap_or(&CONNECT));
        config.keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("kukla");
        }
        Ok(Self { config, tls: (!is_clear).then_some(tls), passfile })
    }

    /// Names the authorities that are trusted unless the address names others.
    #[must_use]
    pub fn trusting(mut self, authorities: PathBuf) -> Self {
        if let Some(tls) = &mut self.tls {
            tls.authorities.get_or_insert(authorities);
        }
        self
    }

    /// Sets the password, and the file with passwords unless the address names another one.
    #[must_use]
    pub fn with_secrets(mut self, password: Option<&str>, passfile: Option<PathBuf>) -> Self {
        if let Some(password) = password {
            self.config.password(password);
        }
        self.passfile = self.passfile.or(passfile);
        self
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgresql://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        let ports = self.config.get_ports();
        for (n, host) in self.config.get_hosts().iter().enumerate() {
            f.write_str(if n > 0 { "," } else { "" })?;
            match host {
                Host::Tcp(name) => f.write_str(name)?,
                Host::Unix(path) => write!(f, "{}", path.display())?,
            }
            if let Some(port) = ports.get(n).or(ports.first()) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration has the password.
        write!(f, "Address({self})")
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost"
                || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

fn form(error: &tokio_postgres::Error) -> AddressError {
    use std::error::Error as _;
    AddressError::Form(error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

/// Decodes `%2F`.
fn decoded(text: &str) -> Result<String, AddressError> {
    let wrong = || AddressError::Form(format!("`{text}` is not encoded as an address is"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let digits = after.get(..2).ok_or_else(wrong)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Address {
        Address::read(text).expect("an address")
    }

    #[test]
    fn the_network_is_crossed_with_tls_only() {
        assert_eq!(read("postgresql:///kukla?host=/run/postgresql").tls, None);
        assert_eq!(read("postgresql://kukla@127.0.0.1/kukla").tls, None);
        assert!(read("postgresql://kukla@db.example.com/kukla").tls.is_some());
        assert!(read("postgresql://kukla@127.0.0.1,db.example.com/kukla").tls.is_some());
        assert_eq!(read("postgresql://kukla@db.example.com/kukla?sslmode=disable").tls, None);
        for mode in ["prefer", "allow", "Disable", ""] {
            let text = format!("postgresql://kukla@db.example.com/kukla?sslmode={mode}");
            let error = Address::read(&text).expect_err("refused");
            assert_eq!(error, AddressError::Mode(mode.to_owned()));
        }
    }

    #[test]
    fn a_password_is_refused_and_never_shown() {
        for text in ["postgresql://kukla:geheim@db/kukla", "postgresql://db/kukla?password=geheim"]
        {
            let error = Address::read(text).expect_err("refused");
            assert_eq!(error, AddressError::Password);
            assert!(!error.to_string().contains("geheim"));
        }
        let address = read("postgresql://kukla@db:5433/fleet").with_secrets(Some("geheim"), None);
        assert_eq!(address.to_string(), "postgresql://kukla@db:5433/fleet");
        assert_eq!(format!("{address:?}"), "Address(postgresql://kukla@db:5433/fleet)");
    }

    #[test]
    fn wrong_addresses_are_refused() {
        for text in [
            "postgresql://db",
            "postgresql:///kukla",
            "postgresql://db:x/kukla",
            "postgresql://db/kukla?nosuch=1",
            "postgresql://db/kukla?sslcert=/a",
            "postgresql://db/kukla?sslrootcert=%G0",
            "mysql://db/kukla",
        ] {
            assert!(Address::read(text).is_err(), "{text}");
        }
    }
}
