//! Tests that need more of the machine than Rust, which a part of their names indicates.
//!
//! Such a test fails if its need is not met. `cargo xtask test` leaves it out there, and reports that.

use crate::packages::Packages;
use crate::shell::{output_of, succeeds};

/// A need of tests.
#[derive(Debug)]
pub(crate) struct Need {
    /// The part of the names of tests with this need.
    pub(crate) filter: &'static str,
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// Whether this machine has it.
    is_met: bool,
}

/// Returns the needs that this machine does not meet.
pub(crate) fn missing(packages: &Packages) -> Vec<Need> {
    let need = |filter, name, is_met| Need { filter, name, is_met };
    let is_root = output_of("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    let mut needs = vec![
        need("needs_ruby", "Ruby (Debian: ruby)", packages.ruby),
        need("needs_puppet", "Puppet (Debian: puppet-agent)", packages.puppet.is_some()),
        need("needs_agent", "Puppet's agent (Debian: puppet-agent)", packages.puppet.is_some()),
        need(
            "needs_cacli",
            "`puppetserver ca` (Debian: ruby-puppetserver-ca-cli)",
            packages.ca_cli,
        ),
        need("needs_nginx", "nginx (Debian: nginx)", packages.nginx),
        need("needs_caddy", "Caddy (Debian: caddy)", packages.caddy),
        need("needs_squid", "Squid (Debian: squid)", packages.squid),
        need("needs_c_icap", "c-icap (Debian: c-icap)", packages.c_icap),
        need("needs_haproxy", "HAProxy (Debian: haproxy)", packages.haproxy),
        need("needs_postgresql", "PostgreSQL (Debian: postgresql)", packages.postgresql),
        need("needs_git", "git (Debian: git)", succeeds("git", &["--version"])),
        need("needs_strace", "strace (Debian: strace)", packages.strace),
        need("needs_openssl", "OpenSSL's command (Debian: openssl)", packages.openssl),
        need("needs_modules", "Debian's puppet-module-* packages", packages.modules),
        need("debian: ", "Debian's puppet-module-* packages", packages.modules),
        need("needs_root", "root", is_root),
        need("needs_mount", "the right to mount a file system", is_root && can_mount()),
        need(
            "needs_namespace",
            "the right to make a user namespace, which a chroot lacks",
            succeeds("unshare", &["--user", "--map-root-user", "true"]),
        ),
    ];
    needs.retain(|need| !need.is_met);
    needs
}

/// Mounts a small file system and removes it.
fn can_mount() -> bool {
    let folder = std::env::temp_dir().join(format!("kukla-mount-{}", std::process::id()));
    let Some(path) = folder.to_str() else { return false };
    let is_created = std::fs::create_dir(&folder).is_ok();
    let mounted = is_created
        && succeeds("mount", &["-t", "tmpfs", "-o", "size=64k", "tmpfs", path])
        && succeeds("umount", &[path]);
    // The folder is empty, or still mounted, which the return value shows.
    let _ = std::fs::remove_dir(&folder);
    mounted
}
