//! Files with passwords, in the form of libpq's `.pgpass`: `HOST:PORT:DATABASE:USER:PASSWORD`, `*` for any.

use std::path::Path;

use kukla_world::files;
use tokio_postgres::config::Host;

use super::address::Address;

/// Returns the password that a file has for an address.
pub(super) fn password(path: &Path, address: &Address) -> std::io::Result<Option<String>> {
    let text = files::read_text(path)?;
    let config = &address.config;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.as_str(),
        // As in libpq, a socket is `localhost`.
        _ => "localhost",
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let (database, user) = (config.get_dbname(), config.get_user());
    let wanted = [host, &port, database.unwrap_or_default(), user.unwrap_or_default()];
    Ok(found(&text, wanted))
}

fn found(text: &str, wanted: [&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let parts = parts(line);
        let (password, keys) = parts.split_last()?;
        let is_match = |(key, wanted): (&String, &str)| key == "*" || key == wanted;
        let is_found = keys.len() == wanted.len() && keys.iter().zip(wanted).all(is_match);
        is_found.then(|| password.clone())
    })
}

/// Splits a line at colons; a backslash takes the meaning from the character behind it.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        // The password is the rest of the line.
        let is_last = parts.len() == 5;
        match (character, parts.last_mut()) {
            (':', _) if !is_last => parts.push(String::new()),
            ('\\', Some(part)) => part.extend(characters.next()),
            (other, Some(part)) => part.push(other),
            (_, None) => (),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_matches_counts() {
        let text = "# comment\ndb:5432:other:*:wrong\ndb:*:kukla:us\\:er:se\\\\cr:et\n*:*:*:*:last";
        assert_eq!(found(text, ["db", "5432", "kukla", "us:er"]).as_deref(), Some("se\\cr:et"));
        assert_eq!(found(text, ["db", "5432", "kukla", "x"]).as_deref(), Some("last"));
        assert_eq!(found("db:5432:kukla:x", ["db", "5432", "kukla", "x"]), None);
    }
}
