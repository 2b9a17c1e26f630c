//! Ends of certificates and CRLs.

use std::path::Path;
use std::time::Duration;

use crate::authority::Authority;
use crate::certificate::{Parsed, common_names};
use crate::crl::Crl;
use crate::serial::Serial;
use crate::{CaError, time};

/// A CRL that expires sooner is signed anew.
const CRL_WINDOW: Duration = Duration::from_secs(30 * 86_400);

/// Ends of the authorities' certificates and CRLs, by common name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expirations {
    /// Certificates, each with a time such as `2031-11-16T23:38:01UTC`.
    pub ca_certs: Vec<(String, String)>,
    /// CRLs.
    pub crls: Vec<(String, String)>,
}

impl Authority {
    /// Returns when certificates and CRLs of the authorities end.
    pub fn expirations(&self) -> Result<Expirations, CaError> {
        let mut expirations = Expirations::default();
        for certificate in Parsed::read_all(&self.paths().certificate)? {
            let name = common_names(certificate.subject())?.pop().unwrap_or_default();
            let end = certificate.certificate.tbs_certificate().validity().not_after;
            expirations.ca_certs.push((name, time::text(end.to_date_time())));
        }
        for crl in Crl::read_all(&self.paths().crl)? {
            let name = common_names(&crl.list.tbs_cert_list.issuer)?.pop().unwrap_or_default();
            let end = crl.list.tbs_cert_list.next_update;
            let end = end.map_or_else(String::new, |end| time::text(end.to_date_time()));
            expirations.crls.push((name, end));
        }
        Ok(expirations)
    }

    /// Signs CRLs anew that expire within 30 days, without entries of expired certificates; returns whether there was
    /// one. A server calls this once a day.
    pub fn refresh_crls(&self) -> Result<bool, CaError> {
        let mut is_refreshed = self.refresh(&self.paths().crl)?;
        if self.options.has_infra_crl {
            is_refreshed |= self.refresh(&self.paths().infra_crl)?;
        }
        Ok(is_refreshed)
    }

    fn refresh(&self, path: &Path) -> Result<bool, CaError> {
        let issuer = self.issuer()?;
        let is_due = |crl: &Crl| {
            crl.is_of(&issuer.certificate) && crl.remaining().is_some_and(|rest| rest < CRL_WINDOW)
        };
        if !Crl::read_all(path)?.iter().any(is_due) {
            return Ok(false);
        }
        let writer = self.paths().writer()?;
        let expired = self.expired_serials()?;
        let keeps = |entry: &x509_cert::crl::RevokedCert| {
            !expired.contains(&Serial::of(&entry.serial_number))
        };
        self.rewrite(&writer, path, &[], keeps).map(|()| true)
    }
}
