//! Puppet Server's own configuration: the HOCON files of a directory `conf.d`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use kukla_rubytext::hocon::{self, Includes};
use serde_json::Value;

use crate::auth_conf::json;

/// The files of a directory `conf.d`, merged; without a directory there are no values.
#[derive(Clone, Debug, Default)]
pub struct ConfD {
    values: Value,
    auth_conf: Option<PathBuf>,
}

/// A directory `conf.d` that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot read `{}`: {reason}", .path.display())]
pub struct ConfDError {
    /// The file or directory.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

impl ConfD {
    /// Reads all files whose names end in `.conf`.
    pub fn read(directory: &Path) -> Result<Self, ConfDError> {
        let failed = |path: &Path, reason: String| ConfDError { path: path.to_owned(), reason };
        let entries =
            std::fs::read_dir(directory).map_err(|error| failed(directory, error.to_string()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "conf"));
        files.sort();
        let auth_conf = files.iter().find(|path| path.ends_with("auth.conf")).cloned();
        let mut values = Value::Object(serde_json::Map::new());
        for file in files.iter().filter(|path| Some(*path) != auth_conf.as_ref()) {
            let text =
                std::fs::read_to_string(file).map_err(|error| failed(file, error.to_string()))?;
            let data = hocon::read(&text, &|name| std::env::var(name).ok(), Includes::Refused);
            merge(&mut values, json(data.map_err(|error| failed(file, error.message))?));
        }
        Ok(Self { values, auth_conf })
    }

    /// Returns the file with the rules of access.
    pub fn auth_conf(&self) -> Option<&Path> {
        self.auth_conf.as_deref()
    }

    /// Returns a value by its path, such as `["webserver", "ssl-port"]`, as text.
    pub fn text(&self, path: &[&str]) -> Option<String> {
        match path.iter().try_fold(&self.values, |value, key| value.get(key))? {
            Value::String(text) => Some(text.clone()),
            value @ (Value::Bool(_) | Value::Number(_)) => Some(value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Returns the simple values of a section, as text.
    pub fn entries(&self, section: &str) -> Vec<(String, String)> {
        let names = self.values.get(section).and_then(Value::as_object);
        let names = names.into_iter().flat_map(serde_json::Map::keys);
        names.filter_map(|name| Some((name.clone(), self.text(&[section, name])?))).collect()
    }

    /// Returns whether a value is true.
    pub fn flag(&self, path: &[&str]) -> bool {
        self.text(path).as_deref() == Some("true")
    }

    /// Returns a number.
    pub fn number(&self, path: &[&str]) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Returns where to listen for TLS.
    pub fn tls_address(&self) -> Option<SocketAddr> {
        self.address("ssl-host", "ssl-port")
    }

    /// Returns where to listen for plain HTTP behind a proxy.
    pub fn plain_address(&self) -> Option<SocketAddr> {
        self.address("host", "port")
    }

    fn address(&self, host: &str, port: &str) -> Option<SocketAddr> {
        let port = u16::try_from(self.number(&["webserver", port])?).ok()?;
        let host = self.text(&["webserver", host]);
        let host = match host.as_deref() {
            None | Some("0.0.0.0") => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Some("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(host) => host.parse().ok()?,
        };
        Some(SocketAddr::new(host, port))
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_puppet_server_are_merged() {
        let directory = std::env::temp_dir().join(format!("kukla-conf-d-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let write = |name: &str, text: &str| std::fs::write(directory.join(name), text);
        write("webserver.conf", "webserver: { ssl-host: 127.0.0.1\n ssl-port: 8141 }").expect("ok");
        write("ca.conf", "certificate-authority: { allow-subject-alt-names: true }").expect("ok");
        write("auth.conf", "authorization: {").expect("ok");
        let conf = ConfD::read(&directory).expect("valid");
        assert_eq!(conf.tls_address(), "127.0.0.1:8141".parse().ok());
        assert_eq!(conf.plain_address(), None);
        assert!(conf.flag(&["certificate-authority", "allow-subject-alt-names"]));
        assert!(conf.auth_conf().is_some());
        std::fs::remove_dir_all(&directory).expect("removed");
    }
}
