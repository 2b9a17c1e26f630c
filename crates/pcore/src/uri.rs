//! URIs, parsed, checked and written as Ruby's library does.
//!
//! [`Uri::parse`] parses a text (`split`), [`Uri::build`] takes the components of a hash and checks each of them.

mod build;
mod characters;
mod merge;
mod split;

#[cfg(test)]
mod tests;

use std::fmt;

use ecow::EcoString;

use crate::{Hash, Value};

/// A URI, in components.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Uri {
    /// `http`, in lower case.
    pub scheme: Option<EcoString>,
    /// `user:password`
    pub userinfo: Option<EcoString>,
    /// A name or an address.
    pub host: Option<EcoString>,
    /// A number, or the default of the scheme.
    pub port: Option<i64>,
    /// The path in the text form.
    path: Option<EcoString>,
    /// The part after `?`.
    pub query: Option<EcoString>,
    /// The part after `#`.
    pub fragment: Option<EcoString>,
    /// The part between scheme and fragment, if it is no path: `urn:opaque`
    pub opaque: Option<EcoString>,
}

/// Ruby's message for an invalid URI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UriError(pub String);

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UriError {}

impl Uri {
    /// Returns the path; for FTP it is relative to the user's directory, without the first slash.
    pub fn path(&self) -> Option<EcoString> {
        let path = self.path.as_ref()?;
        if self.scheme.as_deref() != Some("ftp") {
            return Some(path.clone());
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        Some(path.strip_prefix("%2F").map_or_else(|| path.into(), |rest| format!("/{rest}").into()))
    }

    /// Returns a component by its name.
    pub fn component(&self, name: &str) -> Option<Value> {
        let text = |text: &Option<EcoString>| text.clone().map(Value::String);
        match name {
            "scheme" => text(&self.scheme),
            "userinfo" => text(&self.userinfo),
            "host" => text(&self.host),
            "port" => self.port.map(Value::Integer),
            "path" => text(&self.path()),
            "query" => text(&self.query),
            "fragment" => text(&self.fragment),
            "opaque" => text(&self.opaque),
            _ => None,
        }
    }

    /// Returns the parameters of the type of this URI alone: `URI[{'scheme' => 'http'}]`.
    ///
    /// Default ports are left out; all remaining ones are strings there.
    pub fn parameters(&self) -> Option<Hash> {
        let scheme = self.scheme.as_deref();
        let is_usual =
            matches!((self.port, scheme), (Some(80), Some("http")) | (Some(443), Some("https")));
        let names = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];
        let part = |name: &str| {
            let value = match (name, self.component(name)?) {
                ("port", _) if is_usual => return None,
                ("port", port) => crate::interpolate::text(&port).into(),
                ("host", Value::String(host)) => host.to_lowercase().into(),
                (_, value) => value,
            };
            let is_empty = matches!(name, "host" | "path") && value.as_str() == Some("");
            (!is_empty).then(|| (name.into(), value))
        };
        let parts: Hash = names.into_iter().filter_map(part).collect();
        (!parts.is_empty()).then_some(parts)
    }

    /// Returns the name of the Ruby class, for messages.
    pub fn class_name(&self) -> &'static str {
        match self.scheme.as_deref() {
            Some("http") => "URI::HTTP",
            Some("https") => "URI::HTTPS",
            Some("ws") => "URI::WS",
            Some("wss") => "URI::WSS",
            Some("ftp") => "URI::FTP",
            Some("file") => "URI::File",
            Some("ldap") => "URI::LDAP",
            Some("ldaps") => "URI::LDAPS",
            Some("mailto") => "URI::MailTo",
            _ => "URI::Generic",
        }
    }

    /// Returns the default port.
    fn default_port(&self) -> Option<i64> {
        match self.scheme.as_deref()? {
            "http" | "ws" => Some(80),
            "https" | "wss" => Some(443),
            "ftp" => Some(21),
            "ldap" => Some(389),
            "ldaps" => Some(636),
            _ => None,
        }
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        match &self.opaque {
            Some(opaque) => f.write_str(opaque)?,
            None => self.write_hierarchy(f)?,
        }
        match &self.fragment {
            Some(fragment) => write!(f, "#{fragment}"),
            None => Ok(()),
        }
    }
}

impl Uri {
    fn write_hierarchy(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.is_some() || matches!(self.scheme.as_deref(), Some("file" | "postgres")) {
            f.write_str("//")?;
        }
        if let Some(userinfo) = &self.userinfo {
            write!(f, "{userinfo}@")?;
        }
        f.write_str(self.host.as_deref().unwrap_or_default())?;
        if let Some(port) = self.port.filter(|_| self.port != self.default_port()) {
            write!(f, ":{port}")?;
        }
        f.write_str(self.path.as_deref().unwrap_or_default())?;
        match &self.query {
            Some(query) => write!(f, "?{query}"),
            None => Ok(()),
        }
    }
}
