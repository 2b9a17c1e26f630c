//! One URI relative to another.

use super::{Uri, UriError};

impl Uri {
    /// Resolves `other` relative to this URI.
    pub fn merge(&self, other: &Self) -> Result<Self, UriError> {
        if other.scheme.is_some() {
            return Ok(other.clone());
        }
        if self.scheme.is_none() {
            return Err(UriError("both URI are relative".to_owned()));
        }
        let mut merged = Self { fragment: other.fragment.clone(), ..self.clone() };
        let path = other.path.as_deref().unwrap_or_default();
        if other.host.is_some() {
            merged.userinfo.clone_from(&other.userinfo);
            merged.host.clone_from(&other.host);
            merged.port = other.port.or_else(|| merged.default_port());
            merged.path = Some(path.into());
        } else if !path.is_empty() {
            let base = self.path.as_deref().unwrap_or_default();
            merged.path = Some(merge_path(base, path).into());
        } else if other.query.is_none() {
            return Ok(merged);
        }
        merged.query.clone_from(&other.query);
        Ok(merged)
    }
}

fn merge_path(base: &str, path: &str) -> String {
    let whole = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{}/{path}", base.rsplit_once('/').map_or("", |(folder, _)| folder)),
    };
    let mut resolved: Vec<&str> = Vec::new();
    let segments: Vec<&str> = whole.split('/').skip(1).collect();
    for (n, &segment) in segments.iter().enumerate() {
        let is_last = n + 1 == segments.len();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    resolved.pop();
                }
                // A dot at the end leaves a directory.
                if is_last {
                    resolved.push("");
                }
            }
            other => resolved.push(other),
        }
    }
    format!("/{}", resolved.join("/"))
}
