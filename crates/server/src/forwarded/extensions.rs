//! Extensions of a certificate that hold a text, by OID and by Puppet's short names.

use x509_parser::asn1_rs::Any;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

use super::subject::string;

/// The arc of names for nodes; the position in the list is the last number, from 1.
const REGISTERED: (&str, &[&str]) = (
    "1.3.6.1.4.1.34380.1.1.",
    &[
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
    ],
);

/// Names for authorization; `pp_cli_auth` is Puppet Server's own.
const AUTHORIZATION: &[(&str, &str)] = &[
    ("1.3.6.1.4.1.34380.1.3.1", "pp_authorization"),
    ("1.3.6.1.4.1.34380.1.3.13", "pp_auth_role"),
    ("1.3.6.1.4.1.34380.1.3.39", "pp_cli_auth"),
];

/// Returns each extension that is a string of ASN.1, by its OID and by its short name if it has one.
pub(super) fn texts(certificate: &X509Certificate<'_>) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for extension in certificate.extensions() {
        let Some(text) = text(extension.value) else { continue };
        let oid = extension.oid.to_id_string();
        if let Some(name) = short_name(&oid) {
            texts.push((name.to_owned(), text.clone()));
        }
        texts.push((oid, text));
    }
    texts
}

fn text(value: &[u8]) -> Option<String> {
    let (rest, any) = Any::from_der(value).ok()?;
    let text = string(&any).filter(|_| rest.is_empty())?;
    (!text.contains(char::is_control)).then_some(text)
}

fn short_name(oid: &str) -> Option<&'static str> {
    let (arc, names) = REGISTERED;
    if let Some(number) = oid.strip_prefix(arc) {
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        return names.get(index).copied();
    }
    AUTHORIZATION.iter().find(|(id, _)| *id == oid).map(|(_, name)| *name)
}
