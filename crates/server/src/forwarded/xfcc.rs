//! `X-Forwarded-Client-Cert`, in which Envoy describes the client's certificate.
//!
//! `Hash=…;Cert="…";Subject="…";URI=…;DNS=…`, with a comma between the elements of several proxies. Envoy copies URI and
//! DNS names from the certificate without quotes, so a client could write another element or another `Subject` into
//! them. Therefore a field with several elements, and one in which a key stands twice, are refused.

/// The element that describes the client's certificate.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// The certificate as URL-escaped PEM.
    pub(super) cert: Option<Vec<u8>>,
    /// The subject in the form of RFC 4514.
    pub(super) subject: Option<Vec<u8>>,
}

type Parsed<T> = Result<T, &'static str>;

/// A key, its value, and the remaining text.
type Pair<'t> = (&'t [u8], Vec<u8>, &'t [u8]);

/// Parses the field.
pub(super) fn parse(text: &[u8]) -> Parsed<Element> {
    let (mut element, mut rest) = (Element::default(), text);
    let mut keys = Vec::new();
    loop {
        let (key, value, behind) = pair(rest)?;
        let key = key.to_ascii_lowercase();
        match key.as_slice() {
            // A certificate, or the proxy's own, may have several of these.
            b"uri" | b"dns" | b"by" => (),
            _ if keys.contains(&key) => return Err("has a key twice"),
            b"cert" => element.cert = Some(value),
            b"subject" => element.subject = Some(value),
            _ => (),
        }
        keys.push(key);
        match behind.split_first() {
            None => return Ok(element),
            Some((b';', next)) => rest = next,
            Some(_) => return Err("has several elements"),
        }
    }
}

/// Takes `Key=value` or `Key="value"`; the rest is empty, or a separator and more.
fn pair(text: &[u8]) -> Parsed<Pair<'_>> {
    let end = memchr::memchr(b'=', text).ok_or("has a key without a value")?;
    let (key, rest) = (&text[..end], &text[end + 1..]);
    if key.is_empty() || !key.iter().all(u8::is_ascii_alphabetic) {
        return Err("has a key that is no word");
    }
    if let Some((b'"', quoted)) = rest.split_first() {
        let (value, behind) = unquote(quoted)?;
        return match behind.first() {
            None | Some(b';' | b',') => Ok((key, value, behind)),
            Some(_) => Err("has text behind a quoted value"),
        };
    }
    let end = rest.iter().position(|byte| matches!(byte, b';' | b','));
    let (value, behind) = rest.split_at(end.unwrap_or(rest.len()));
    if value.contains(&b'"') {
        return Err("has a quote in a value without quotes");
    }
    Ok((key, value.to_vec(), behind))
}

/// Takes a value up to its closing quote; `\"` is a quote in it.
///
/// Envoy does not escape backslashes, so several of them in front of a quote have no clear meaning.
fn unquote(text: &[u8]) -> Parsed<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        match (byte, behind) {
            (b'"', _) if value.ends_with(b"\\") => return Err("has an unclear quote"),
            (b'"', _) => return Ok((value, behind)),
            (b'\\', [b'"', behind @ ..]) if !value.ends_with(b"\\") => {
                value.push(b'"');
                rest = behind;
            }
            _ => {
                value.push(byte);
                rest = behind;
            }
        }
    }
    Err("has a value without a closing quote")
}
