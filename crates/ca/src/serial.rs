//! Serial numbers of certificates.

use std::fmt;

use num_bigint::BigUint;
use x509_cert::certificate::Rfc5280;
use x509_cert::serial_number::SerialNumber;

use crate::CaError;

/// A serial number of any size; it is printed in decimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Serial(BigUint);

impl Serial {
    /// The first one.
    pub(crate) fn one() -> Self {
        Self(BigUint::from(1_u8))
    }

    /// Reads hexadecimal digits of either case, as the files `serial` and `inventory.txt` have them.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_digits.then(|| BigUint::parse_bytes(text.as_bytes(), 16)).flatten()?;
        (number.bits() <= 159).then_some(Self(number))
    }

    /// Reads decimal digits, as `infra_serials` has them.
    pub(crate) fn from_decimal(text: &str) -> Option<Self> {
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_digits.then(|| BigUint::parse_bytes(text.as_bytes(), 10)).flatten().map(Self)
    }

    pub(crate) fn of(number: &SerialNumber) -> Self {
        Self(BigUint::from_bytes_be(number.as_bytes()))
    }

    /// Returns at least four hexadecimal digits, as Puppet Server writes them.
    pub(crate) fn to_hex(&self) -> String {
        format!("{:0>4}", format!("{:X}", self.0))
    }

    pub(crate) fn next(&self) -> Self {
        Self(&self.0 + 1_u8)
    }

    /// Returns whether it looks like a count and not like a random number.
    pub(crate) fn is_small(&self) -> bool {
        self.0.bits() <= 32
    }

    pub(crate) fn encoded(&self) -> Result<SerialNumber<Rfc5280>, CaError> {
        SerialNumber::new(&self.0.to_bytes_be()).map_err(|_| CaError::Encoding("a serial number"))
    }
}

impl fmt::Display for Serial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
