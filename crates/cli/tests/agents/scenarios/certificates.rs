//! Certificates: signing, revocation, extensions, renewal.

use std::time::{Duration, Instant};

use crate::authority::ca;
use crate::stage::Stage;

const HELLO: &str = "notify { \"hello ${trusted['certname']}\": }\n";

/// An agent gets a certificate at once, its catalog, and has nothing to do the second time.
pub(crate) fn first_run(stage: &Stage) {
    stage.autosign("# comment\n*.auto.test\n");
    stage.site("first", "file { \"${facts['target']}/x\": content => \"x\\n\" }\n");
    stage.agent("one.auto.test", "first", &[]).expect(2, &["Applied catalog in"]);
    stage.agent("one.auto.test", "first", &[]).expect(0, &["Applied catalog in"]);
    let reports = stage.root().join("var/reports/one.auto.test");
    assert!(std::fs::read_dir(reports).is_ok_and(|list| list.count() >= 1), "no report");
    stage.autosign("");
}

/// An agent waits until an administrator signs its request.
pub(crate) fn manual(stage: &Stage) {
    stage.autosign("");
    stage.site("manual", HELLO);
    let not_signed = "has not been signed yet";
    stage.agent("manual.test", "manual", &[]).expect(1, &[not_signed]);
    assert!(stage.root().join("ca/requests/manual.test.pem").is_file());
    ca(stage, &["sign", "--certname", "manual.test"]);
    stage.agent("manual.test", "manual", &[]).expect(2, &["hello manual.test"]);
}

/// A program decides by name and request.
pub(crate) fn program(stage: &Stage) {
    stage.site("program", HELLO);
    stage.executable(
        "autosign",
        "#!/bin/sh\ngrep -q 'BEGIN CERTIFICATE REQUEST' || exit 2\ncase \"$1\" in good*) exit 0;; esac\nexit 1\n",
    );
    stage.agent("good.program.test", "program", &[]).expect(2, &["hello good.program.test"]);
    stage.agent("bad.program.test", "program", &[]).expect(1, &["has not been signed yet"]);
    stage.autosign("");
}

/// A revoked agent is refused within a second, and a cleaned one gets a new certificate.
pub(crate) fn revoked(stage: &Stage) {
    stage.autosign("revoked.test\n");
    stage.site("revoked", HELLO);
    stage.agent("revoked.test", "revoked", &[]).expect(2, &["hello revoked.test"]);
    ca(stage, &["revoke", "--certname", "revoked.test"]);
    let start = Instant::now();
    let run = stage.agent("revoked.test", "revoked", &[]);
    assert_eq!(run.status, 1, "{}", run.text);
    if stage.kind == crate::stage::Kind::Kukla {
        assert!(run.text.contains("certificate revoked"), "{}", run.text);
    }
    assert!(start.elapsed() < Duration::from_secs(120));
    ca(stage, &["clean", "--certname", "revoked.test"]);
    std::fs::remove_dir_all(stage.own("revoked.test").join("ssldir")).expect("removed");
    stage.agent("revoked.test", "revoked", &[]).expect(2, &["hello revoked.test"]);
    stage.autosign("");
}

/// An agent learns of revocations.
pub(crate) fn refreshed(stage: &Stage) {
    stage.autosign("*.refreshed.test\n");
    stage.site("refreshed", HELLO);
    stage.agent("one.refreshed.test", "refreshed", &[]).expect(2, &[]);
    stage.agent("two.refreshed.test", "refreshed", &[]).expect(2, &[]);
    let list = stage.own("one.refreshed.test").join("ssldir/crl.pem");
    let before = std::fs::read(&list).expect("a list");
    // Times of HTTP have whole seconds.
    std::thread::sleep(Duration::from_millis(1100));
    ca(stage, &["revoke", "--certname", "two.refreshed.test"]);
    let options = ["--crl_refresh_interval", "0s"];
    stage.agent("one.refreshed.test", "refreshed", &options).expect(2, &[]);
    assert_ne!(std::fs::read(&list).expect("a list"), before);
    stage.autosign("");
}

/// Extensions of a request are trusted facts, by short name where they have one.
pub(crate) fn extensions(stage: &Stage) {
    stage.autosign("*.extended.test\n");
    stage.site(
        "extended",
        "$list = $trusted['extensions'].map |$k, $v| { \"${k}=${v}\" }.sort.join(' ')\n\
         notify { \"${trusted['authenticated']} ${trusted['hostname']} ${trusted['domain']} ${list}\": }\n",
    );
    stage.write(
        "agents/a.extended.test/confdir/csr_attributes.yaml",
        "---\nextension_requests:\n  pp_role: web\n  pp_datacenter: \"dc1\"\n  1.3.6.1.4.1.34380.1.2.1.1: blue\n\
         custom_attributes:\n  1.2.840.113549.1.9.7: secret\n",
    );
    let words = "remote a extended.test acme_colour=blue pp_datacenter=dc1 pp_role=web";
    stage.agent("a.extended.test", "extended", &[]).expect(2, &[words]);
    // Rights can't be asked for: the request waits, and signing it is refused.
    stage.write(
        "agents/b.extended.test/confdir/csr_attributes.yaml",
        "---\nextension_requests:\n  pp_auth_role: admin\n",
    );
    stage.agent("b.extended.test", "extended", &[]).expect(1, &[]);
    stage.autosign("");
}

/// Keys need not be RSA.
pub(crate) fn curve(stage: &Stage) {
    stage.autosign("curve.test\n");
    stage.site("curve", HELLO);
    stage.agent("curve.test", "curve", &["--key_type", "ec"]).expect(2, &["hello curve.test"]);
    stage.autosign("");
}

/// An agent of version 8 renews a certificate that ends soon.
pub(crate) fn renewal(stage: &Stage) {
    stage.autosign("renewal.test\n");
    stage.site("renewal", HELLO);
    stage.agent("renewal.test", "renewal", &[]).expect(2, &["hello renewal.test"]);
    let certificate = stage.own("renewal.test").join("ssldir/certs/renewal.test.pem");
    let before = std::fs::read(&certificate).expect("a certificate");
    // Everything ends soon if soon is long.
    let options = ["--hostcert_renewal_interval", "10y"];
    stage.agent("renewal.test", "renewal", &options).expect(2, &["hello renewal.test"]);
    assert_ne!(std::fs::read(&certificate).expect("a certificate"), before);
    stage.agent("renewal.test", "renewal", &[]).expect(2, &["hello renewal.test"]);
    stage.autosign("");
}
