//! Authorities that were made elsewhere.

use crate::authority::Authority;
use crate::certificate::Parsed;
use crate::crl::Crl;
use crate::key::SigningKey;
use crate::options::CaOptions;
use crate::pem::{self, Kind};
use crate::{CaError, Serial, chain, found};

/// Certificates, CRLs and key of an authority, each in PEM.
#[derive(Clone, Copy, Debug)]
pub struct Import<'a> {
    /// The signing certificate and those of the authorities above it, in any order.
    pub cert_bundle: &'a [u8],
    /// The CRLs of all of them; that of the signing certificate may be missing.
    pub crl_chain: &'a [u8],
    /// The key of the signing certificate.
    pub private_key: &'a [u8],
}

impl Authority {
    /// Makes an authority of a certificate, key and CRLs from elsewhere, which must not have signed anything yet.
    pub fn import(options: CaOptions, import: Import<'_>) -> Result<Self, CaError> {
        let refused = |text: &str| CaError::Import(text.to_owned());
        let bundle = pem::all(import.cert_bundle, Kind::Certificate)
            .and_then(|list| list.into_iter().map(Parsed::from_der).collect::<Option<Vec<_>>>())
            .filter(|list| !list.is_empty())
            .ok_or_else(|| refused("Could not detect any certs within the cert bundle"))?;
        let key = SigningKey::parse(import.private_key)
            .ok_or_else(|| refused("Could not parse the private key"))?;
        let mut crls = Crl::parse_all(import.crl_chain)
            .filter(|list| !list.is_empty())
            .ok_or_else(|| refused("Could not detect any crls within the crl chain"))?;
        let public = key.public()?;
        let leaf = bundle.iter().find(|one| *one.key() == public);
        let leaf =
            leaf.ok_or_else(|| refused("Could not find certificate matching private key"))?;
        match crls.iter().position(|crl| crl.is_of(leaf)) {
            // Puppet Server takes the first one for its own.
            Some(index) => crls[..=index].rotate_right(1),
            None => crls.insert(0, Crl::create(leaf, &key)?),
        }
        if let Some(problem) = chain::problem(leaf, &bundle, &crls) {
            let text = format!(
                "Leaf certificate could not be validated\nValidating cert store returned: {problem}"
            );
            return Err(CaError::Import(text));
        }
        let certificates: Vec<&Parsed> = bundle.iter().collect();
        let files =
            found::new_files(&options.paths, &key, &certificates, &crls, "", &first_serial(leaf))?;
        Self::establish(options, &files)
    }

    /// Makes the CRL of infrastructure nodes, empty, unless it is there.
    pub fn enable_infra_crl(&self) -> Result<(), CaError> {
        let paths = self.paths();
        let writer = paths.writer()?;
        if kukla_world::files::exists(&paths.infra_crl) {
            return Err(CaError::Exists(vec![paths.infra_crl.clone()]));
        }
        let issuer = self.issuer()?;
        let mut crls = vec![Crl::create(&issuer.certificate, &issuer.key)?];
        let others = Crl::read_all(&paths.crl)?.into_iter();
        crls.extend(others.filter(|crl| !crl.is_of(&issuer.certificate)));
        writer.public(&paths.infra_crl, Crl::format_all(&crls).as_bytes())
    }
}

/// Returns the first number to sign with: 1, or the one after that of a self-signed authority, whose own certificate must
/// not share it.
fn first_serial(leaf: &Parsed) -> Serial {
    let is_self_signed = leaf.certificate.tbs_certificate().issuer() == leaf.subject();
    match is_self_signed && leaf.serial().is_small() {
        true => leaf.serial().next(),
        false => Serial::one(),
    }
}
