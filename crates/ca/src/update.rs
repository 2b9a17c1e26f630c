//! Newer CRLs of the authorities above this one.

use std::path::Path;

use crate::authority::{Authority, Issuer};
use crate::crl::Crl;
use crate::{CaError, chain};

impl Authority {
    /// Replaces CRLs of the other authorities by newer ones; this authority's own CRL is never replaced.
    pub fn update_crls(&self, pem: &[u8]) -> Result<(), CaError> {
        let submitted =
            Crl::parse_all(pem).filter(|crls| !crls.is_empty()).ok_or(CaError::NoCrls)?;
        let refused = |text: &str| CaError::CrlRefused(text.to_owned());
        if submitted.iter().any(|crl| crl.authority_key().is_none()) {
            return Err(refused(
                "One or more submitted CRLs do not have an authority key identifier.",
            ));
        }
        let writer = self.paths().writer()?;
        let issuer = self.issuer()?;
        let mut paths = vec![&self.paths().crl];
        paths.extend(self.options.has_infra_crl.then_some(&self.paths().infra_crl));
        for path in paths {
            let crls = updated(path, &submitted, &issuer)?;
            writer.public(path, Crl::format_all(&crls).as_bytes())?;
        }
        Ok(())
    }
}

fn updated(path: &Path, submitted: &[Crl], issuer: &Issuer) -> Result<Vec<Crl>, CaError> {
    let (own, other): (Vec<Crl>, Vec<Crl>) =
        Crl::read_all(path)?.into_iter().partition(|crl| crl.is_of(&issuer.certificate));
    let mut crls = own;
    for crl in other {
        crls.push(newest(crl, submitted)?);
    }
    if crls.iter().any(Crl::is_delta) {
        return Err(CaError::CrlRefused("Cannot support delta CRL.".to_owned()));
    }
    match chain::problem(&issuer.certificate, &issuer.bundle, &crls) {
        Some(problem) => Err(CaError::CrlRefused(format!("Invalid certs and/or CRLs: {problem}"))),
        None => Ok(crls),
    }
}

/// Returns the CRL with the highest number among those of one key.
fn newest(present: Crl, submitted: &[Crl]) -> Result<Crl, CaError> {
    let key = present.authority_key();
    let mut newest = present;
    for crl in submitted.iter().filter(|crl| crl.authority_key() == key && key.is_some()) {
        if *crl == newest {
            continue;
        }
        match crl.number().cmp(&newest.number()) {
            std::cmp::Ordering::Greater => newest = crl.clone(),
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                return Err(CaError::CrlRefused("Could not determine newest CRL.".to_owned()));
            }
        }
    }
    Ok(newest)
}
