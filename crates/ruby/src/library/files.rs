//! `File`: names of files; their contents come from the host.

use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

fn text(value: impl Into<ecow::EcoString>) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::str(value)))
}

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn file_method(&mut self, name: &str, a: Args<'_>) -> Eval<Option<RubyValue>> {
        match name {
            "basename" => {
                let path = self.text_arg(&a.get(0))?;
                let base = basename(&path);
                let suffix = if a.len() > 1 { self.text_arg(&a.items[1])? } else { "".into() };
                text(match suffix.as_str() {
                    ".*" => base.rfind('.').filter(|&at| at > 0).map_or(base, |at| &base[..at]),
                    suffix if base != suffix => base.strip_suffix(suffix).unwrap_or(base),
                    _ => base,
                })
            }
            "dirname" => {
                let path = self.text_arg(&a.get(0))?;
                text(dirname(&path))
            }
            "extname" => {
                let path = self.text_arg(&a.get(0))?;
                let base = basename(&path).trim_start_matches('.');
                text(match base.rfind('.') {
                    Some(at) if at > 0 && at + 1 < base.len() => &base[at..],
                    Some(at) if at > 0 => &base[at..],
                    _ => "",
                })
            }
            "join" => {
                let (parts, _) = self.flatten(a.items, -1)?;
                let mut joined = String::new();
                for (index, part) in parts.iter().enumerate() {
                    let part = self.text_arg(part)?;
                    if index > 0 {
                        match (joined.ends_with('/'), part.starts_with('/')) {
                            (true, true) => joined.truncate(joined.trim_end_matches('/').len()),
                            (false, false) => joined.push('/'),
                            _ => (),
                        }
                    }
                    joined.push_str(&part);
                }
                text(joined)
            }
            "split" => {
                let path = self.text_arg(&a.get(0))?;
                let parts = vec![RubyValue::str(dirname(&path)), RubyValue::str(basename(&path))];
                Ok(Some(RubyValue::array(parts)))
            }
            "expand_path" | "absolute_path" => {
                let path = self.text_arg(&a.get(0))?;
                let base = if a.len() > 1 { self.text_arg(&a.items[1])? } else { "".into() };
                if path.starts_with('~') || !(path.starts_with('/') || base.starts_with('/')) {
                    return self.unsupported("relative paths");
                }
                let whole =
                    if path.starts_with('/') { path } else { ecow::eco_format!("{base}/{path}") };
                let mut parts: Vec<&str> = Vec::new();
                for part in whole.split('/') {
                    match part {
                        "" | "." => (),
                        ".." => {
                            parts.pop();
                        }
                        part => parts.push(part),
                    }
                }
                text(format!("/{}", parts.join("/")))
            }
            "exist?" | "exists?" | "file?" | "readable?" => {
                let path = self.text_arg(&a.get(0))?;
                Ok(Some(RubyValue::Bool(self.host.file_exists(&path))))
            }
            "read" | "readlines" => {
                let only_names =
                    |value: &RubyValue| match value {
                        RubyValue::Hash(map) => map.entries.borrow().keys().all(|key| {
                            matches!(key.0.as_name().as_deref(), Some("encoding" | "mode"))
                        }),
                        _ => false,
                    };
                if a.len() > 2 || a.items.get(1).is_some_and(|options| !only_names(options)) {
                    return self.unsupported("options of File.read");
                }
                let path = self.text_arg(&a.get(0))?;
                let contents = self.host.read_file(&path);
                let contents = self.from_host(contents)?;
                self.charge(contents.len())?;
                let value = RubyValue::str(contents);
                if name == "read" {
                    Ok(Some(value))
                } else {
                    self.call(&value, "lines", &[]).map(Some)
                }
            }
            _ => Ok(None),
        }
    }
}

fn basename(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() && !path.is_empty() {
        return "/";
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

fn dirname(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "." } else { "/" };
    }
    match trimmed.rfind('/') {
        None => ".",
        Some(at) => {
            let above = trimmed[..at].trim_end_matches('/');
            if above.is_empty() { "/" } else { above }
        }
    }
}
