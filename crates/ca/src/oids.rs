//! Object identifiers of Puppet's extensions, and their short names.

use der::asn1::ObjectIdentifier;

const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

/// Parent of the registered extensions.
pub(crate) const REGISTERED: ObjectIdentifier = oid("1.3.6.1.4.1.34380.1.1");
/// Parent of a site's own extensions.
pub(crate) const PRIVATE: ObjectIdentifier = oid("1.3.6.1.4.1.34380.1.2");
/// Parent of the extensions that give rights.
pub(crate) const AUTHORIZATION: ObjectIdentifier = oid("1.3.6.1.4.1.34380.1.3");
/// `pp_cli_auth`: administrator of the CA.
pub(crate) const CLI_AUTH: ObjectIdentifier = oid("1.3.6.1.4.1.34380.1.3.39");
/// Attribute of requests whose sender can renew the certificate.
pub(crate) const AUTO_RENEW: ObjectIdentifier = oid("1.3.6.1.4.1.34380.1.3.2");

pub(crate) const ALT_NAMES: ObjectIdentifier = oid("2.5.29.17");
pub(crate) const SUBJECT_KEY_ID: ObjectIdentifier = oid("2.5.29.14");
pub(crate) const AUTHORITY_KEY_ID: ObjectIdentifier = oid("2.5.29.35");
pub(crate) const KEY_USAGE: ObjectIdentifier = oid("2.5.29.15");
pub(crate) const BASIC_CONSTRAINTS: ObjectIdentifier = oid("2.5.29.19");
pub(crate) const EXTENDED_KEY_USAGE: ObjectIdentifier = oid("2.5.29.37");
pub(crate) const NETSCAPE_COMMENT: ObjectIdentifier = oid("2.16.840.1.113730.1.13");
pub(crate) const SERVER_AUTH: ObjectIdentifier = oid("1.3.6.1.5.5.7.3.1");
pub(crate) const CLIENT_AUTH: ObjectIdentifier = oid("1.3.6.1.5.5.7.3.2");
pub(crate) const CRL_NUMBER: ObjectIdentifier = oid("2.5.29.20");
pub(crate) const CRL_REASON: ObjectIdentifier = oid("2.5.29.21");
pub(crate) const DELTA_CRL: ObjectIdentifier = oid("2.5.29.27");
pub(crate) const COMMON_NAME: ObjectIdentifier = oid("2.5.4.3");
pub(crate) const EXTENSION_REQUEST: ObjectIdentifier = oid("1.2.840.113549.1.9.14");
pub(crate) const RSA: ObjectIdentifier = oid("1.2.840.113549.1.1.1");
pub(crate) const RSA_SHA256: ObjectIdentifier = oid("1.2.840.113549.1.1.11");
pub(crate) const RSA_SHA384: ObjectIdentifier = oid("1.2.840.113549.1.1.12");
pub(crate) const RSA_SHA512: ObjectIdentifier = oid("1.2.840.113549.1.1.13");
pub(crate) const EC: ObjectIdentifier = oid("1.2.840.10045.2.1");
pub(crate) const P256: ObjectIdentifier = oid("1.2.840.10045.3.1.7");
pub(crate) const P384: ObjectIdentifier = oid("1.3.132.0.34");
pub(crate) const P521: ObjectIdentifier = oid("1.3.132.0.35");
pub(crate) const ECDSA_SHA256: ObjectIdentifier = oid("1.2.840.10045.4.3.2");
pub(crate) const ECDSA_SHA384: ObjectIdentifier = oid("1.2.840.10045.4.3.3");
pub(crate) const ECDSA_SHA512: ObjectIdentifier = oid("1.2.840.10045.4.3.4");

/// Short names by the last number, in the order of the registered arc.
const REGISTERED_NAMES: [&str; 26] = [
    "pp_uuid",
    "pp_instance_id",
    "pp_image_name",
    "pp_preshared_key",
    "pp_cost_center",
    "pp_product",
    "pp_project",
    "pp_application",
    "pp_service",
    "pp_employee",
    "pp_created_by",
    "pp_environment",
    "pp_role",
    "pp_software_version",
    "pp_department",
    "pp_cluster",
    "pp_provisioner",
    "pp_region",
    "pp_datacenter",
    "pp_zone",
    "pp_network",
    "pp_securitypolicy",
    "pp_cloudplatform",
    "pp_apptier",
    "pp_hostname",
    "pp_owner",
];

const AUTHORIZATION_NAMES: [(u32, &str); 4] =
    [(1, "pp_authorization"), (2, "pp_auth_auto_renew"), (13, "pp_auth_role"), (39, "pp_cli_auth")];

/// Returns whether an identifier lies below another one.
pub(crate) fn is_below(parent: ObjectIdentifier, oid: ObjectIdentifier) -> bool {
    oid.len() > parent.len() && oid.starts_with(parent)
}

/// Returns Puppet's short name of an extension, such as `pp_role`, for a dotted identifier.
pub fn short_name(oid: &str) -> Option<&'static str> {
    let (parent, last) = oid.rsplit_once('.')?;
    let number: u32 = last.parse().ok()?;
    if parent == REGISTERED.to_string() {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        return REGISTERED_NAMES.get(index).copied();
    }
    if parent == AUTHORIZATION.to_string() {
        return AUTHORIZATION_NAMES
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, name)| *name);
    }
    None
}

/// Returns the dotted identifier of a short name of Puppet.
pub fn oid_of(short_name: &str) -> Option<String> {
    if let Some(index) = REGISTERED_NAMES.iter().position(|name| *name == short_name) {
        return Some(format!("{REGISTERED}.{}", index + 1));
    }
    let (number, _) = AUTHORIZATION_NAMES.iter().find(|(_, name)| *name == short_name)?;
    Some(format!("{AUTHORIZATION}.{number}"))
}
