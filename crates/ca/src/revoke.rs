//! Revoking, deleting and pruning.

use std::collections::BTreeSet;

use x509_cert::crl::RevokedCert;

use crate::authority::Authority;
use crate::crl::Crl;
use crate::stores::Writer;
use crate::{CaError, Serial, inventory, pem};

/// Result of cleaning: names that were never signed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Names without a certificate.
    pub missing: Vec<String>,
}

/// Result of pruning the CRL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// The number of entries before.
    pub total: usize,
    /// The number of entries that were removed.
    pub removed: usize,
}

impl Authority {
    /// Revokes all valid certificates of some names. Nothing is revoked if one of them has none.
    pub fn revoke(&self, names: &[String]) -> Result<(), CaError> {
        let writer = self.paths().writer()?;
        for name in names {
            if !self.is_issued(name)? {
                return Err(match self.paths().has_request(name) {
                    true => CaError::NoCertificate(name.clone()),
                    false => CaError::UnknownSubject(name.clone()),
                });
            }
        }
        self.revoke_issued(&writer, names)
    }

    /// Revokes the certificates of some names and removes them. Names without one are returned.
    pub fn clean(&self, names: &[String]) -> Result<Cleaned, CaError> {
        let writer = self.paths().writer()?;
        let (mut issued, mut missing) = (Vec::new(), Vec::new());
        for name in names {
            let list = if self.is_issued(name)? { &mut issued } else { &mut missing };
            if !list.contains(name) {
                list.push(name.clone());
            }
        }
        self.revoke_issued(&writer, &issued)?;
        for path in issued.iter().filter_map(|name| self.paths().signed_file(name)) {
            writer.remove(&path)?;
        }
        Ok(Cleaned { missing })
    }

    /// Removes the certificate and the request of a name, without revoking; returns whether there was either.
    pub fn delete(&self, name: &str) -> Result<bool, CaError> {
        let writer = self.paths().writer()?;
        let is_known = self.is_issued(name)?;
        let files = [self.paths().signed_file(name), self.paths().request_file(name)];
        let mut is_removed = false;
        for path in files.iter().flatten() {
            is_removed |= writer.remove(path)?;
        }
        Ok(is_known || is_removed)
    }

    /// Removes the request of a name; returns whether there was one.
    pub fn delete_request(&self, name: &str) -> Result<bool, CaError> {
        let writer = self.paths().writer()?;
        self.paths().request_file(name).map_or(Ok(false), |path| writer.remove(&path))
    }

    fn revoke_issued(&self, writer: &Writer<'_>, names: &[String]) -> Result<(), CaError> {
        let mut serials = BTreeSet::new();
        let entries = inventory::read(&self.paths().inventory)?;
        for name in names {
            let own = entries.iter().filter(|entry| entry.subject == *name && !entry.is_expired());
            serials.extend(own.map(|entry| entry.serial.clone()));
            serials.extend(self.signed(name)?.map(|certificate| certificate.serial()));
        }
        let revoked = self.own_crl()?.serials();
        let new: Vec<Serial> = serials.difference(&revoked).cloned().collect();
        if !new.is_empty() {
            self.rewrite(writer, &self.paths().crl, &new, |_| true)?;
        }
        self.revoke_infra(writer, &serials)
    }

    /// Adds certificates of infrastructure nodes to their own CRL.
    fn revoke_infra(&self, writer: &Writer<'_>, serials: &BTreeSet<Serial>) -> Result<(), CaError> {
        if !self.options.has_infra_crl {
            return Ok(());
        }
        let path = &self.paths().infra_crl;
        let infra = self.infra_serials()?;
        let revoked = self.issued_crl(path)?.serials();
        let new: Vec<Serial> = serials
            .intersection(&infra)
            .filter(|serial| !revoked.contains(serial))
            .cloned()
            .collect();
        match new.is_empty() {
            true => Ok(()),
            false => self.rewrite(writer, path, &new, |_| true),
        }
    }

    fn infra_serials(&self) -> Result<BTreeSet<Serial>, CaError> {
        let bytes = pem::read_if_present(&self.paths().infra_serials)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut serials: BTreeSet<Serial> =
            text.lines().filter_map(|line| Serial::from_decimal(line.trim())).collect();
        let names = self.paths().infra_names()?;
        let entries = inventory::read(&self.paths().inventory)?.into_iter();
        serials.extend(entries.filter(|one| names.contains(&one.subject)).map(|one| one.serial));
        Ok(serials)
    }

    fn issued_crl(&self, path: &std::path::Path) -> Result<Crl, CaError> {
        let issuer = self.issuer()?;
        let own = Crl::read_all(path)?.into_iter().find(|crl| crl.is_of(&issuer.certificate));
        own.ok_or_else(|| CaError::file(path, "none of its CRLs is signed by the CA"))
    }

    /// Replaces this authority's CRL in a file, which comes first then, and keeps those of the other authorities.
    pub(crate) fn rewrite(
        &self,
        writer: &Writer<'_>,
        path: &std::path::Path,
        serials: &[Serial],
        keeps: impl Fn(&RevokedCert) -> bool,
    ) -> Result<(), CaError> {
        let issuer = self.issuer()?;
        let (own, other): (Vec<Crl>, Vec<Crl>) =
            Crl::read_all(path)?.into_iter().partition(|crl| crl.is_of(&issuer.certificate));
        let own = own
            .first()
            .ok_or_else(|| CaError::file(path, "none of its CRLs is signed by the CA"))?;
        let new = own.revoking(serials, keeps, &issuer.certificate, &issuer.key)?;
        let crls: Vec<Crl> = std::iter::once(new).chain(other).collect();
        writer.public(path, Crl::format_all(&crls).as_bytes())
    }

    /// Removes entries of the CRL that are there twice, and with `removes_expired` those of expired certificates.
    pub fn prune(&self, removes_expired: bool) -> Result<Pruned, CaError> {
        let writer = self.paths().writer()?;
        let crl = self.own_crl()?;
        let expired = if removes_expired { self.expired_serials()? } else { BTreeSet::new() };
        let total = crl.entries().len();
        let kept = crl.serials().difference(&expired).count();
        if kept < total {
            let seen = std::cell::RefCell::new(BTreeSet::new());
            self.rewrite(&writer, &self.paths().crl, &[], |entry| {
                let serial = Serial::of(&entry.serial_number);
                !expired.contains(&serial) && seen.borrow_mut().insert(serial)
            })?;
        }
        Ok(Pruned { total, removed: total - kept })
    }

    pub(crate) fn expired_serials(&self) -> Result<BTreeSet<Serial>, CaError> {
        let entries = inventory::read(&self.paths().inventory)?.into_iter();
        Ok(entries.filter(inventory::Entry::is_expired).map(|entry| entry.serial).collect())
    }
}
