//! Options of the authority from Puppet's settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Autosign, CaError, CaOptions};

impl CaOptions {
    /// Reads the settings of `puppet.conf` that concern the CA, by a function that returns the expanded value of one.
    /// Those of Puppet Server's `ca.conf` keep their defaults.
    pub fn from_settings(setting: impl Fn(&str) -> Option<String>) -> Result<Self, CaError> {
        let text = |name: &'static str| setting(name).filter(|text| !text.is_empty());
        let directory = text("cadir").ok_or(CaError::Setting("cadir", "a directory"))?;
        let mut options = Self::new(Path::new(&directory));
        let paths = &mut options.paths;
        let files: [(&'static str, &mut PathBuf); 8] = [
            ("cacert", &mut paths.certificate),
            ("cakey", &mut paths.key),
            ("capub", &mut paths.public_key),
            ("cacrl", &mut paths.crl),
            ("cert_inventory", &mut paths.inventory),
            ("serial", &mut paths.serial),
            ("signeddir", &mut paths.signed),
            ("csrdir", &mut paths.requests),
        ];
        for (name, path) in files {
            if let Some(text) = text(name) {
                *path = PathBuf::from(text);
            }
        }
        if let Some(name) = text("ca_name") {
            options.ca_name = name;
        }
        if let Some(text) = text("ca_ttl") {
            options.ca_ttl =
                duration(&text).ok_or(CaError::Setting("ca_ttl", "a duration such as 5y"))?;
        }
        if let Some(text) = text("keylength") {
            let length = text.parse();
            options.key_length =
                length.map_err(|_| CaError::Setting("keylength", "a number of bits"))?;
        }
        options.allows_duplicates = text("allow_duplicate_certs").as_deref() == Some("true");
        options.autosign = match text("autosign").as_deref() {
            None | Some("false") => Autosign::Never,
            Some("true") => Autosign::Always,
            Some(path) => Autosign::File(PathBuf::from(path)),
        };
        Ok(options)
    }

    /// Sets an option by its name in the section `certificate-authority` of Puppet Server's `ca.conf`; returns whether
    /// there is one of that name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, CaError> {
        let period = || {
            duration(value).ok_or(CaError::Setting(
                "ca-ttl or auto-renewal-cert-ttl",
                "a duration such as 60d",
            ))
        };
        let flag = match name {
            "allow-subject-alt-names" => &mut self.allows_alt_names,
            "allow-authorization-extensions" => &mut self.allows_authorization,
            "enable-infra-crl" => &mut self.has_infra_crl,
            "allow-auto-renewal" => &mut self.allows_renewal,
            "ca-ttl" => {
                self.ca_ttl = period()?;
                return Ok(true);
            }
            "auto-renewal-cert-ttl" => {
                self.renewal_ttl = period()?;
                return Ok(true);
            }
            "max-waiting-requests" => {
                let most = value.parse();
                self.most_requests =
                    most.map_err(|_| CaError::Setting("max-waiting-requests", "a number"))?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        *flag = match value {
            "true" => true,
            "false" => false,
            _ => return Err(CaError::Setting("allow-… and enable-… in ca.conf", "true or false")),
        };
        Ok(true)
    }
}

/// Reads a duration of Puppet: seconds, or numbers with the units `y`, `d`, `h`, `m` and `s`, which add up.
pub fn duration(text: &str) -> Option<Duration> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let mut total = 0_u64;
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii_digit())?;
        let (digits, unit) = rest.split_at(end);
        let seconds: u64 = match unit.as_bytes().first()? {
            b'y' => 365 * 86_400,
            b'd' => 86_400,
            b'h' => 3600,
            b'm' => 60,
            b's' => 1,
            _ => return None,
        };
        total = total.checked_add(digits.parse::<u64>().ok()?.checked_mul(seconds)?)?;
        rest = unit.get(1..)?;
    }
    (!text.is_empty()).then(|| Duration::from_secs(total))
}
