//! Properties of a service: its answer to `OPTIONS`.

use std::time::Duration;

use super::call::IcapMethod;
use crate::wire::{Head, Malformed};

/// The time after which a service is asked again, if it says none.
const DEFAULT_TTL: u64 = 60;
/// The longest time after which a service is asked again.
const MOST_TTL: u64 = 3600;
/// The largest preview that is sent.
const MOST_PREVIEW: u64 = 1 << 20;

/// Properties of a service, as its answer to `OPTIONS` gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IcapOptions {
    /// The methods that it accepts.
    pub methods: Vec<IcapMethod>,
    /// The name of its configuration, which changes with it.
    pub istag: Vec<u8>,
    /// The number of bytes of a body that it wants to see first; `None`: it does not accept a preview.
    pub preview: Option<usize>,
    /// The number of connections that it accepts.
    pub max_connections: Option<usize>,
    /// Whether it accepts that clients take 206.
    pub allows_206: bool,
    /// The time for which this holds.
    pub ttl: Duration,
    /// Its description.
    pub service: String,
}

impl IcapOptions {
    /// Reads an answer.
    pub fn parse(head: &Head) -> Result<Self, Malformed> {
        let only = |name| head.only(name).map_err(|_| Malformed::IcapField);
        let number = |name| -> Result<Option<u64>, Malformed> {
            let Some(value) = only(name)? else { return Ok(None) };
            let digits = std::str::from_utf8(value).ok().filter(|digits| {
                (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
            });
            digits.and_then(|digits| digits.parse().ok()).map(Some).ok_or(Malformed::IcapField)
        };
        let mut methods = Vec::new();
        for (name, method) in [("REQMOD", IcapMethod::Reqmod), ("RESPMOD", IcapMethod::Respmod)] {
            if head.lists("methods", name) {
                methods.push(method);
            }
        }
        if methods.is_empty() {
            return Err(Malformed::IcapField);
        }
        let size = |number: u64| usize::try_from(number).ok();
        let preview = number("preview")?.map(|preview| preview.min(MOST_PREVIEW));
        let ttl = number("options-ttl")?.unwrap_or(DEFAULT_TTL).min(MOST_TTL);
        let text =
            |value: Option<&[u8]>| String::from_utf8_lossy(value.unwrap_or_default()).into_owned();
        Ok(Self {
            methods,
            istag: only("istag")?.ok_or(Malformed::IcapField)?.to_vec(),
            preview: preview.and_then(size),
            max_connections: number("max-connections")?.and_then(size).filter(|most| *most > 0),
            allows_206: head.lists("allow", "206"),
            ttl: Duration::from_secs(ttl),
            service: text(only("service")?),
        })
    }
}
