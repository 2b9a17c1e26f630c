//! `kukla serve --check`: everything that would stop the server, in one list, before anything listens.

mod findings;
mod store;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use kukla_ca::{Authority, CaError};
use kukla_server::agents::{ConfD, Policy, SiteRules, TlsKeeper, expirations, mounts_problem};
use kukla_site::settings::Settings;
use kukla_world::paths::split;
use rustix::fs::Access;

use self::findings::{Findings, Severity, print};
use super::layout::{Layout, Place};
use super::{Args, default_address};
use crate::Exit;
use crate::shell::Shell;

/// Fewer watched directories than this are too few for a large site.
const FEW_WATCHES: u64 = 65_536;
/// Fewer open files than this are too few for many agents.
const FEW_FILES: u64 = 4_096;
/// Certificates that end sooner are named.
const SOON: i64 = 30 * 86_400;

/// Checks everything and prints the findings: status 1 if one of them would stop the server.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let mut findings = Findings::default();
    let place = Place::find(args);
    let place =
        place.map_err(|error| findings.add(Severity::Error, "confdir", format!("{error:#}")));
    let mut address = args.listen.unwrap_or_else(default_address);
    if let Ok(place) = place {
        if place.is_new() {
            let words = "it is empty: a start makes a CA, a certificate and an example in it";
            findings.add(Severity::Note, place.confdir.display().to_string(), words);
            if let Some(reason) = not_writable(&place.confdir) {
                findings.add(Severity::Error, "confdir", format!("it can't be written: {reason}"));
            }
        } else {
            address = check_place(args, place, &mut findings);
        }
    }
    check_address(address, &mut findings);
    check_machine(&mut findings);
    findings.0.sort_by_key(|finding| finding.severity);
    print(args.format, address, &findings, shell)?;
    Ok(if findings.has_errors() { Exit::Findings } else { Exit::Success })
}

/// Checks the files of a directory; returns the address that they choose.
fn check_place(args: &Args, place: Place, findings: &mut Findings) -> SocketAddr {
    let conf_d = match &place.conf_d_directory {
        Some(directory) => findings.take("conf.d", ConfD::read(directory)).unwrap_or_default(),
        None => ConfD::default(),
    };
    let address = args.listen.or_else(|| conf_d.tls_address()).unwrap_or_else(default_address);
    if let Some(plain) = args.plain.or_else(|| conf_d.plain_address()) {
        check_address(plain, findings);
    }
    let settings = super::layout::settings(args, &place.anchor, &place.confdir, &conf_d);
    let settings = settings.map_err(|error| format!("{error:#}"));
    findings.take("versioned-code", args.files.options(&conf_d));
    if let Some(settings) = findings.take("puppet.conf", settings) {
        let layout = Layout::new(place, settings, conf_d);
        check_settings(&layout.settings, findings);
        store::check(&layout, findings);
        check_files(&layout, findings);
        check_rules(args, findings);
        check_certificates(&layout, findings);
        check_code(&layout, findings);
        check_programs(&layout, findings);
    }
    address
}

fn check_settings(settings: &Settings, findings: &mut Findings) {
    for name in settings.unknown() {
        findings.add(Severity::Warning, "puppet.conf", format!("there is no setting `{name}`"));
    }
    findings.take("puppet.conf", settings.strictness());
    findings.take("puppet.conf", settings.environment_timeout());
    findings.take("puppet.conf", settings.ruby_worker());
    findings.take("puppet.conf", settings.retention());
    findings.take("puppet.conf", settings.past_catalogs());
    findings.take("puppet.conf", settings.past_facts());
    findings.take("puppet.conf", settings.page_listen());
}

fn check_files(layout: &Layout, findings: &mut Findings) {
    let rules = layout.auth_conf();
    let name = rules.as_ref().map_or_else(|| "rules".to_owned(), |path| path.display().to_string());
    findings.take(&name, Policy::open(rules));
    let mounts = layout.path("fileserverconfig");
    if let Some(problem) = mounts_problem(&mounts) {
        findings.add(Severity::Warning, mounts.display().to_string(), problem);
    }
    for setting in ["vardir", "reportdir", "bucketdir"] {
        let directory = layout.path(setting);
        if let Some(reason) = not_writable(&directory) {
            let words = format!("`{}` can't be written: {reason}", directory.display());
            findings.add(Severity::Warning, setting, words);
        }
    }
}

fn check_rules(args: &Args, findings: &mut Findings) {
    let Some(path) = &args.rules else { return };
    let names = args.group.iter().filter_map(|group| group.split_once('='));
    let names = names.map(|(name, _)| name.to_owned()).collect();
    findings.take(&path.display().to_string(), SiteRules::open(path, names));
}

/// Returns why files can't be made in a directory, which is made if need be.
fn not_writable(directory: &Path) -> Option<String> {
    let existing = directory.ancestors().find(|path| path.exists())?;
    if !existing.is_dir() {
        return Some(format!("`{}` is no directory", existing.display()));
    }
    let access = rustix::fs::access(existing, Access::WRITE_OK | Access::EXEC_OK);
    access.err().map(|error| std::io::Error::from(error).to_string())
}

fn check_certificates(layout: &Layout, findings: &mut Findings) {
    let has_authority = layout.has_authority();
    if has_authority {
        let cadir = layout.path("cadir").display().to_string();
        let options = layout.ca_options().map_err(|error| format!("{error:#}"));
        let Some(options) = findings.take("ca.conf", options) else { return };
        match Authority::open(options) {
            Ok(_) => (),
            Err(CaError::NotFound(_)) => {
                findings.add(Severity::Note, cadir, "there is no CA: a start makes one");
                if let Some(reason) = not_writable(&layout.path("cadir")) {
                    findings.add(Severity::Error, "cadir", format!("it can't be made: {reason}"));
                }
            }
            Err(error) => findings.add(Severity::Error, cadir, error.to_string()),
        }
    }
    let [certificate, key] = ["hostcert", "hostprivkey"].map(|name| layout.path(name));
    match (certificate.exists(), key.exists()) {
        (true, true) => check_tls(layout, findings),
        (false, false) if has_authority => {
            let words = "the server has no certificate: a start makes one";
            findings.add(Severity::Note, certificate.display().to_string(), words);
        }
        (false, false) => {
            let words = "the server has no certificate, and no CA to get one from: use `puppet ssl bootstrap`";
            findings.add(Severity::Error, certificate.display().to_string(), words);
        }
        (false, true) => {
            findings.add(
                Severity::Error,
                certificate.display().to_string(),
                "it is missing, though its key is there",
            );
        }
        (true, false) => {
            findings.add(
                Severity::Error,
                key.display().to_string(),
                "it is missing, though its certificate is there",
            );
        }
    }
}

fn check_tls(layout: &Layout, findings: &mut Findings) {
    let Ok(files) = layout.tls_files() else { return };
    if files.authorities.exists() {
        findings.take("certificates", TlsKeeper::open(files.clone()).map(drop));
    } else if !layout.has_authority() {
        let words = "it is missing, so no agent can be known";
        findings.add(Severity::Error, files.authorities.display().to_string(), words);
    }
    for (path, name, seconds) in expirations(&files) {
        let days = seconds / 86_400;
        let is_list = files.revocations.as_ref() == Some(&path);
        let subject = path.display().to_string();
        match seconds {
            ..=0 if is_list => {
                findings.add(
                    Severity::Warning,
                    subject,
                    format!("the revocation list of `{name}` has expired"),
                );
            }
            ..=0 => findings.add(
                Severity::Error,
                subject,
                format!("the certificate `{name}` has expired"),
            ),
            1..SOON => {
                findings.add(Severity::Warning, subject, format!("`{name}` ends in {days} days"))
            }
            _ => (),
        }
    }
}

fn check_code(layout: &Layout, findings: &mut Findings) {
    let environmentpath = layout.settings.text("environmentpath").unwrap_or_default();
    let mut directories =
        split(&environmentpath).map(|entry| layout.anchor.absolute(Path::new(entry)));
    if !directories.any(|directory| directory.is_dir()) {
        findings.add(
            Severity::Warning,
            "environmentpath",
            format!("there is no directory `{environmentpath}`"),
        );
        return;
    }
    match layout.site() {
        Ok(site) => {
            let name = site.default_environment();
            if let Err(error) = site.environment(&name) {
                findings.add(Severity::Warning, format!("environment {name}"), error.to_string());
            }
        }
        Err(error) => findings.add(Severity::Error, "puppet.conf", error.to_string()),
    }
}

fn check_programs(layout: &Layout, findings: &mut Findings) {
    let text = |name: &str| layout.settings.text(name).filter(|text| !text.is_empty());
    if text("node_terminus").as_deref() == Some("exec") {
        let command = text("external_nodes").unwrap_or_default();
        let program = command.split_whitespace().next().unwrap_or_default().to_owned();
        check_program("external_nodes", Path::new(&program), findings);
    }
    if let Some(program) = text("trusted_external_command") {
        let path = layout.anchor.absolute(Path::new(&program));
        if !path.is_dir() {
            check_program("trusted_external_command", &path, findings);
        }
    }
}

fn check_program(setting: &str, program: &Path, findings: &mut Findings) {
    let name = program.display();
    let problem = match program {
        _ if !program.is_absolute() => Some(format!("`{name}` is no absolute path")),
        _ if !program.is_file() => Some(format!("there is no `{name}`")),
        _ if rustix::fs::access(program, Access::EXEC_OK).is_err() => {
            Some(format!("`{name}` can't be executed"))
        }
        _ => None,
    };
    if let Some(problem) = problem {
        findings.add(Severity::Warning, setting, problem);
    }
}

fn check_address(address: SocketAddr, findings: &mut Findings) {
    if std::env::var_os("LISTEN_FDS").is_none()
        && let Err(error) = TcpListener::bind(address)
    {
        findings.add(Severity::Error, address.to_string(), format!("can't listen: {error}"));
    }
}

fn check_machine(findings: &mut Findings) {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let watches = number("/proc/sys/fs/inotify/max_user_watches");
    if let Some(watches) = watches.filter(|watches| *watches < FEW_WATCHES) {
        let words = format!(
            "{watches} directories can be watched for deploys; beyond that all files are looked at"
        );
        findings.add(Severity::Warning, "fs.inotify.max_user_watches", words);
    }
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    if let Some(files) = files.filter(|files| *files < FEW_FILES) {
        let words =
            format!("{files} files can be open, and each connection is one: use `LimitNOFILE=`");
        findings.add(Severity::Warning, "open files", words);
    }
    if rustix::process::geteuid().is_root() {
        findings.add(Severity::Note, "user", "it would run as root, which it need not");
    }
}
