//! Rules hand requests to other compilers over TLS.

use std::path::{Path, PathBuf};

use kukla_server::agents::{ServerOptions, TlsFiles};
use rcgen::{CertificateParams, SanType};

use crate::client::{Connection, Received};
use crate::fixture::{Fixture, site};
use crate::pki::{Pair, Pki, write};
use crate::site_rules::{Rules, form};

const HAND_ON: &str = "Route.to(\"far\"); Access.allow();";

/// Certificates of a site, in a folder that is removed with it.
struct SiteTls {
    folder: PathBuf,
    pki: Pki,
    agent: Pair,
}

impl SiteTls {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kukla-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let pki = Pki::new("Test CA");
        write(&folder.join("ca.pem"), &pki.ca_pem);
        write(&folder.join("crl.pem"), &pki.crl(1, &[]));
        let agent = pki.sign(2, &["agent.example"], &[]);
        Self { folder, pki, agent }
    }

    /// Writes the files of a server with this certificate.
    fn files(&self, name: &str, pair: &Pair) -> TlsFiles {
        let file = |kind: &str| self.folder.join(format!("{name}-{kind}.pem"));
        write(&file("cert"), &pair.certificate);
        write(&file("key"), &pair.key);
        TlsFiles {
            certificate: file("cert"),
            key: file("key"),
            authorities: self.folder.join("ca.pem"),
            revocations: Some(self.folder.join("crl.pem")),
        }
    }

    /// Starts the compiler that gets requests of others; it believes `near.example` whom they are of.
    fn far(&self, rules: &Rules, pair: &Pair) -> Fixture {
        let (tls, rules) = (Some(self.files("far", pair)), Some(rules.path.clone()));
        let proxies = vec!["near.example".to_owned()];
        Fixture::with(|options| ServerOptions { tls, rules, proxies, ..options })
    }

    /// Starts the server that agents ask, with a certificate of its own for other servers.
    fn near(&self, rules: &Rules, far: &Fixture, name: &str) -> Fixture {
        let own = self.pki.sign(7, &[name], &[]);
        let tls = self.files("near", &own);
        let settings = |_: &Path, _: &Pki| {
            let text = |path: &Path| path.display().to_string();
            [
                ("localcacert", text(&tls.authorities)),
                ("hostcert", text(&tls.certificate)),
                ("hostprivkey", text(&tls.key)),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
        };
        let groups = vec![format!("far=https://{}", far.address)];
        let (tls, rules) = (Some(tls.clone()), Some(rules.path.clone()));
        let settle = std::time::Duration::from_millis(100);
        Fixture::configured(&site(), settle, settings, |options| ServerOptions {
            tls,
            rules,
            groups,
            ..options
        })
    }

    fn catalog(&self, near: &Fixture) -> Received {
        let agent = Some(&self.agent);
        let mut connection = Connection::open(near.address, &self.pki, agent).expect("TLS");
        let headers =
            [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")];
        let path = "/puppet/v3/catalog/agent.example?environment=production";
        let form = form("agent.example", "Debian", "production");
        connection.request("POST", path, &headers, Some(form.as_bytes())).expect("an answer")
    }
}

impl Drop for SiteTls {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn log_of(fixture: &Fixture) -> String {
    fixture.log.lock().expect("a log").join("\n")
}

/// The rules of the compiler see the agent, not the server between.
#[test]
fn a_compiler_with_a_certificate_of_the_site_compiles() {
    let tls = SiteTls::new("far-tls");
    let (hand_on, own) = (Rules::new("tls-near", HAND_ON), Rules::new("tls-far", OWN));
    let far = tls.far(&own, &tls.pki.sign(6, &["far.example"], &[]));
    let near = tls.near(&hand_on, &far, "near.example");
    let received = tls.catalog(&near);
    assert_eq!(received.status, 200, "{}", received.text());
    assert!(received.text().contains("\"environment\":\"production\""), "{}", received.text());
    let log = log_of(&far);
    assert!(log.contains("\"certname\":\"agent.example\""), "{log}");
}

const OWN: &str = "Puppet := import \"Puppet\";
if (Puppet.client.certname == \"agent.example\") { Access.allow(); }
Access.deny(\"not that agent\");";

/// A compiler takes the name of an agent only from servers that it was told of.
#[test]
fn a_compiler_believes_no_other_server() {
    let tls = SiteTls::new("far-other");
    let (hand_on, own) = (Rules::new("other-near", HAND_ON), Rules::new("other-far", OWN));
    let far = tls.far(&own, &tls.pki.sign(6, &["far.example"], &[]));
    let near = tls.near(&hand_on, &far, "stranger.example");
    assert_eq!(tls.catalog(&near).status, 403);
    assert!(log_of(&far).contains("not that agent"), "{}", log_of(&far));
}

/// Neither the request nor a catalog passes; the log says which compiler, and why.
#[test]
fn a_compiler_with_a_wrong_certificate_gets_nothing() {
    let tls = SiteTls::new("far-wrong");
    let (hand_on, own) = (Rules::new("wrong-near", HAND_ON), Rules::new("wrong-far", OWN));
    let elsewhere = |params: &mut CertificateParams| {
        let name = "elsewhere.example".try_into().expect("a name");
        params.subject_alt_names = vec![SanType::DnsName(name)];
    };
    let over = |params: &mut CertificateParams| params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let pairs = [
        (Pki::new("Test CA").sign(6, &["far.example"], &[]), "certificate"),
        (tls.pki.sign_with(6, &["far.example"], elsewhere), "not valid for"),
        (tls.pki.sign_with(6, &["far.example"], over), "expired"),
        (tls.pki.sign_below(6, "far.example"), "certificate"),
    ];
    for (pair, reason) in pairs {
        let far = tls.far(&own, &pair);
        let near = tls.near(&hand_on, &far, "near.example");
        let received = tls.catalog(&near);
        assert_eq!(received.status, 502, "{reason}: {}", received.text());
        assert!(!log_of(&far).contains("agent.example"), "{reason}: {}", log_of(&far));
        let log = log_of(&near);
        let line = log.lines().find(|line| line.contains("gives no answer"));
        let line = line.unwrap_or_else(|| panic!("{reason}: {log}"));
        assert!(line.contains(&format!("the compiler at {}", far.address)), "{line}");
        assert!(line.contains("compiler-failed") && line.contains("agent.example"), "{line}");
        assert!(line.contains(reason), "{reason}: {line}");
    }
}
