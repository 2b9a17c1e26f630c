//! Legacy facts and their structured replacements.

use kukla_pcore::{Hash, Value};

/// Legacy names with the structured fact.
const NAMES: &[(&str, &str)] = &[
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_release_date", "dmi.bios.release_date"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("blockdevices", "disks"),
    ("boardassettag", "dmi.board.asset_tag"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("boardserialnumber", "dmi.board.serial_number"),
    ("chassisassettag", "dmi.chassis.asset_tag"),
    ("chassistype", "dmi.chassis.type"),
    ("dhcp_servers", "networking.dhcp"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("interfaces", "networking.interfaces"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("lsbminordistrelease", "os.distro.release.minor"),
    ("lsbrelease", "os.distro.specification"),
    ("macaddress", "networking.mac"),
    ("macosx_buildversion", "os.macosx.build"),
    ("macosx_productname", "os.macosx.product"),
    ("macosx_productversion", "os.macosx.version.full"),
    ("macosx_productversion_major", "os.macosx.version.major"),
    ("macosx_productversion_minor", "os.macosx.version.minor"),
    ("manufacturer", "dmi.manufacturer"),
    ("memoryfree", "memory.system.available"),
    ("memoryfree_mb", "memory.system.available_bytes"),
    ("memorysize", "memory.system.total"),
    ("memorysize_mb", "memory.system.total_bytes"),
    ("netmask", "networking.netmask"),
    ("netmask6", "networking.netmask6"),
    ("network", "networking.network"),
    ("network6", "networking.network6"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyplatform", "ruby.platform"),
    ("rubysitedir", "ruby.sitedir"),
    ("rubyversion", "ruby.version"),
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("swapencrypted", "memory.swap.encrypted"),
    ("swapfree", "memory.swap.available"),
    ("swapfree_mb", "memory.swap.available_bytes"),
    ("swapsize", "memory.swap.total"),
    ("swapsize_mb", "memory.swap.total_bytes"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("xendomains", "xen.domains"),
    ("zonename", "solaris_zones.current"),
];

/// Prefixes of names that end with an interface, with the structured fact that holds them.
const FAMILIES: &[(&str, &str)] = &[
    ("ipaddress6_", "networking.interfaces"),
    ("ipaddress_", "networking.interfaces"),
    ("macaddress_", "networking.interfaces"),
    ("mtu_", "networking.interfaces"),
    ("netmask6_", "networking.interfaces"),
    ("netmask_", "networking.interfaces"),
    ("network6_", "networking.interfaces"),
    ("network_", "networking.interfaces"),
    ("scope6_", "networking.interfaces"),
];

/// Prefixes of the names of network interfaces.
const INTERFACES: &[&str] = &[
    "bond", "br", "docker", "en", "eth", "ib", "lo", "tap", "team", "tun", "veth", "virbr", "vlan",
    "wl",
];

/// Removes legacy facts from facts.
pub(super) fn remove(facts: &Hash) -> Hash {
    let is_kept = |name: &Value| name.as_str().is_none_or(|name| replacement(name).is_none());
    let kept = facts.iter().filter(|(name, _)| is_kept(name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns the structured fact in place of a legacy fact; none for other names.
pub(super) fn replacement(name: &str) -> Option<&'static str> {
    if let Ok(at) = NAMES.binary_search_by_key(&name, |(name, _)| name) {
        return Some(NAMES[at].1);
    }
    let is_interface = |rest: &str| INTERFACES.iter().any(|start| rest.starts_with(start));
    let mut families = FAMILIES.iter();
    let family = families.find(|(start, _)| name.strip_prefix(start).is_some_and(is_interface));
    family.map(|(_, fact)| *fact)
}

/// Returns `$facts['os']['family']` for `os.family`.
pub(super) fn expression(fact: &str) -> String {
    let keys: String = fact.split('.').map(|key| format!("['{key}']")).collect();
    format!("$facts{keys}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        assert!(NAMES.is_sorted());
        assert_eq!(replacement("osfamily"), Some("os.family"));
        assert_eq!(replacement("ipaddress_eth0"), Some("networking.interfaces"));
        assert_eq!(replacement("os"), None);
        assert_eq!(replacement("network_zone"), None);
        assert_eq!(expression("os.family"), "$facts['os']['family']");
    }
}
