//! Times as certificates and Puppet's files have them: whole seconds in UTC.

use std::time::{Duration, UNIX_EPOCH};

use der::DateTime;
use der::asn1::{GeneralizedTime, UtcTime};
use kukla_world::clock;
use x509_cert::time::Time;

use crate::CaError;

/// The last year that `UTCTime` can have.
const LAST_UTC_YEAR: u16 = 2049;

/// The longest lifetime of a certificate: 50 years, as in Puppet Server.
const MAX_LIFETIME: Duration = Duration::from_secs(1_576_800_000);

const DAY: Duration = Duration::from_secs(86_400);

/// Returns the time since the beginning of 1970.
pub(crate) fn now() -> Duration {
    clock::time_of_day().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the period of a certificate: from yesterday, because clocks differ, until `lifetime` from now.
pub(crate) fn period(lifetime: Duration) -> Result<[DateTime; 2], CaError> {
    if lifetime.as_secs() == 0 || lifetime > MAX_LIFETIME {
        return Err(CaError::Lifetime);
    }
    let now = now();
    Ok([date(now.saturating_sub(DAY))?, date(now + lifetime)?])
}

pub(crate) fn date(since_1970: Duration) -> Result<DateTime, CaError> {
    DateTime::from_unix_duration(Duration::from_secs(since_1970.as_secs()))
        .map_err(|_| CaError::Encoding("a date"))
}

pub(crate) fn encoded(date: DateTime) -> Result<Time, CaError> {
    if date.year() > LAST_UTC_YEAR {
        return Ok(Time::GeneralTime(GeneralizedTime::from_date_time(date)));
    }
    let time = UtcTime::from_date_time(date).map_err(|_| CaError::Encoding("a date"))?;
    Ok(Time::UtcTime(time))
}

/// Formats a time as Puppet does: `2031-11-16T23:38:01UTC`.
pub(crate) fn text(date: DateTime) -> String {
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}UTC",
        date.year(),
        date.month(),
        date.day(),
        date.hour(),
        date.minutes(),
        date.seconds()
    )
}

/// Reads a time of the inventory.
pub(crate) fn parse(text: &str) -> Option<DateTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u8>().ok();
    let year = text.get(..4)?.parse().ok()?;
    DateTime::new(
        year,
        number(5, 7)?,
        number(8, 10)?,
        number(11, 13)?,
        number(14, 16)?,
        number(17, 19)?,
    )
    .ok()
}
