//! Renewal of certificates by the hosts that have them.

use der::Decode;
use x509_cert::ext::pkix::AuthorityKeyIdentifier;

use crate::authority::Authority;
use crate::certificate::{Parsed, common_names, is_signed_by};
use crate::issue::Subject;
use crate::{CaError, checks, extension, oids};

impl Authority {
    /// Signs a new certificate with the key and the extensions of the certificate by which a client authenticated
    /// itself; the old one stays valid. Returns PEM.
    pub fn renew(&self, certificate_der: &[u8]) -> Result<Vec<u8>, CaError> {
        if !self.options.allows_renewal {
            return Err(CaError::RenewalDisabled);
        }
        let old = Parsed::from_der(certificate_der.to_owned()).ok_or(CaError::RenewalInvalid)?;
        self.check_own(&old)?;
        let mut names = common_names(old.subject())?;
        let name = names.pop().filter(|_| names.is_empty()).ok_or(CaError::RenewalInvalid)?;
        checks::name(&name, &name)?;
        let issuer = self.issuer()?;
        let authority = extension::authority(
            &issuer.certificate.certificate,
            &issuer.certificate.key_identifier(),
        )?;
        let mut extensions = vec![extension::subject_key(old.key())?, authority];
        let replaced = [oids::SUBJECT_KEY_ID, oids::AUTHORITY_KEY_ID];
        let kept = old.extensions().iter().filter(|one| !replaced.contains(&one.extn_id));
        extensions.extend(kept.cloned());
        let subject =
            Subject { key: old.key().clone(), extensions, lifetime: self.options.renewal_ttl };
        let writer = self.paths().writer()?;
        Ok(self.issue_host(&writer, &name, subject)?.to_pem().into_bytes())
    }

    /// Returns an error unless a certificate is this authority's, current and not revoked. Puppet Server compares the
    /// identifier of the key; the signature is checked as well here.
    fn check_own(&self, certificate: &Parsed) -> Result<(), CaError> {
        let issuer = self.issuer()?;
        let identifier = issuer.certificate.key_identifier();
        let is_own = authority_key(certificate).is_some_and(|id| id == identifier)
            && is_signed_by(&certificate.der, issuer.certificate.key());
        if !is_own {
            return Err(CaError::RenewalForeign);
        }
        let is_revoked = self.own_crl()?.serials().contains(&certificate.serial());
        match certificate.is_current() && !is_revoked {
            true => Ok(()),
            false => Err(CaError::RenewalInvalid),
        }
    }
}

fn authority_key(certificate: &Parsed) -> Option<Vec<u8>> {
    let extension =
        certificate.extensions().iter().find(|one| one.extn_id == oids::AUTHORITY_KEY_ID)?;
    let identifier = AuthorityKeyIdentifier::from_der(extension.extn_value.as_bytes()).ok()?;
    Some(identifier.key_identifier?.as_bytes().to_vec())
}
