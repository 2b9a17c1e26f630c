//! New authorities: everything is made in memory, then written, and a start that was interrupted is started over.

use std::path::{Path, PathBuf};

use kukla_world::{durable, files};

use crate::authority::Authority;
use crate::certificate::{Draft, Parsed, authority_extensions, common_name};
use crate::crl::Crl;
use crate::key::{self, SigningKey};
use crate::options::{CaOptions, CaPaths};
use crate::pem::{self, Kind};
use crate::stores::{self, PRIVATE, PUBLIC};
use crate::{CaError, Serial};

/// The file that is there while a new authority is written.
const MARK: &str = ".kukla-setup";

/// Files of a new authority: path, content and mode.
pub(crate) type NewFiles = Vec<(PathBuf, Vec<u8>, u32)>;

/// A certificate with its key and an empty CRL.
struct Founded {
    key: SigningKey,
    certificate: Parsed,
    crl: Crl,
}

impl Authority {
    /// Makes a self-signed authority, as Puppet Server does when it starts without one.
    pub fn create(options: CaOptions) -> Result<Self, CaError> {
        let serial = Serial::one();
        let founded = found(&options, &options.ca_name, &serial, None)?;
        let line = founded.certificate.inventory_line()? + "\n";
        let chain = [&founded.certificate];
        let files =
            new_files(&options.paths, &founded.key, &chain, &[founded.crl], &line, &serial.next())?;
        Self::establish(options, &files)
    }

    /// Makes a root and an authority below it that signs, as `puppetserver ca setup` does.
    pub fn create_with_root(options: CaOptions, root_name: &str) -> Result<Self, CaError> {
        let root_serial = Serial::one();
        let root = found(&options, root_name, &root_serial, None)?;
        let founded = found(&options, &options.ca_name, &root_serial.next(), Some(&root))?;
        let root_key = (options.paths.root_key(), root.key.to_pem()?.into_bytes(), PRIVATE);
        let chain = [&founded.certificate, &root.certificate];
        let crls = [founded.crl, root.crl];
        let mut files = new_files(&options.paths, &founded.key, &chain, &crls, "", &Serial::one())?;
        files.push(root_key);
        Self::establish(options, &files)
    }

    /// Writes the files of a new authority unless one of them is there, and opens it.
    pub(crate) fn establish(options: CaOptions, new: &NewFiles) -> Result<Self, CaError> {
        let directory = &options.paths.directory;
        stores::directory(directory, stores::DIRECTORY)?;
        let mark = directory.join(MARK);
        let writer = options.paths.writer()?;
        if files::exists(&mark) {
            // The process that wrote it died before the authority was complete, so nothing has been signed by it.
            new.iter().try_for_each(|(path, ..)| writer.remove(path).map(drop))?;
        }
        refuse_existing(new)?;
        writer.public(&mark, b"")?;
        for (path, content, mode) in new {
            stores::write(path, content, *mode)?;
        }
        for path in [&options.paths.signed, &options.paths.requests] {
            durable::directory(path, stores::DIRECTORY).map_err(CaError::io(path))?;
        }
        writer.remove(&mark)?;
        drop(writer);
        Self::open(options)
    }
}

fn refuse_existing(new: &NewFiles) -> Result<(), CaError> {
    let exists = |path: &Path| files::exists(path);
    let present: Vec<PathBuf> =
        new.iter().filter(|(path, ..)| exists(path)).map(|(path, ..)| path.clone()).collect();
    match present.is_empty() {
        true => Ok(()),
        false => Err(CaError::Exists(present)),
    }
}

/// Makes key, certificate and CRL of an authority; one without an issuer signs itself.
fn found(
    options: &CaOptions,
    name: &str,
    serial: &Serial,
    issuer: Option<&Founded>,
) -> Result<Founded, CaError> {
    let key = SigningKey::generate(options.key_length)?;
    let (public, subject) = (key.public()?, common_name(name)?);
    let issuer_name = issuer.map_or(&subject, |issuer| issuer.certificate.subject()).clone();
    let issuer_id =
        issuer.map_or_else(|| key::identifier(&public), |one| one.certificate.key_identifier());
    let draft = Draft {
        serial,
        lifetime: options.ca_ttl,
        issuer: &issuer_name,
        subject,
        extensions: authority_extensions(&issuer_id, &public)?,
        key: public,
    };
    let der = draft.sign(issuer.map_or(&key, |issuer| &issuer.key))?;
    let certificate = Parsed::from_der(der).ok_or(CaError::Encoding("a certificate"))?;
    let crl = Crl::create(&certificate, &key)?;
    Ok(Founded { key, certificate, crl })
}

/// Returns the files of an authority that has signed nothing but itself.
pub(crate) fn new_files(
    paths: &CaPaths,
    key: &SigningKey,
    bundle: &[&Parsed],
    crls: &[Crl],
    inventory: &str,
    serial: &Serial,
) -> Result<NewFiles, CaError> {
    let bundle = pem::format_all(Kind::Certificate, bundle.iter().map(|one| one.der.as_slice()));
    let crls = Crl::format_all(crls);
    let public = [
        (&paths.certificate, bundle),
        (&paths.crl, crls.clone()),
        (&paths.infra_crl, crls),
        (&paths.public_key, key::public_pem(&key.public()?)?),
        (&paths.inventory, inventory.to_owned()),
        (&paths.infra_nodes, String::new()),
        (&paths.infra_serials, String::new()),
        (&paths.serial, serial.to_hex()),
    ];
    let public = public.into_iter().map(|(path, text)| (path.clone(), text.into_bytes(), PUBLIC));
    let private = (paths.key.clone(), key.to_pem()?.into_bytes(), PRIVATE);
    Ok(public.chain(std::iter::once(private)).collect())
}
