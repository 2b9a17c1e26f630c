//! `kukla ca`, whose words are those of `puppetserver ca`.

use crate::support::{Ran, Sandbox};

const CONF: &str = "\
[main]
confdir=@/etc
ssldir=@/ssl
cadir=@/server/ca
certname=server.example
keylength=2048
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(&[]);
    let root = sandbox.path("").to_string_lossy().trim_end_matches('/').to_owned();
    sandbox.write("puppet.conf", CONF.replace('@', &root).as_bytes());
    sandbox
}

fn ca(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(&[&["ca"], args, &["--config", "puppet.conf"]].concat())
}

#[test]
fn a_ca_is_made_once_and_used() {
    let sandbox = sandbox();
    let ran = ca(&sandbox, &["list"]);
    assert_eq!(ran.code, 2);
    assert!(ran.error.contains("make one with `kukla ca setup`"), "{}", ran.error);
    let ran = ca(&sandbox, &["setup", "--subject-alt-names", "puppet,IP:10.1.2.3"]);
    let expected = "Generation succeeded. Find your files in @/server/ca\n";
    assert_eq!((ran.code, ran.output.as_str()), (0, expected), "{}", ran.error);
    for file in [
        "ssl/certs/ca.pem",
        "ssl/crl.pem",
        "ssl/private_keys/server.example.pem",
        "server/ca/root_key.pem",
    ] {
        assert!(sandbox.path(file).exists(), "{file}");
    }
    let ran = ca(&sandbox, &["setup"]);
    assert_eq!(ran.code, 1);
    assert!(ran.error.contains("Existing file at '@/server/ca/ca_crt.pem'\n"), "{}", ran.error);
    assert!(ran.error.contains("If you would really like to replace your CA"), "{}", ran.error);

    let ran = ca(&sandbox, &["list", "--all"]);
    assert!(
        ran.output.starts_with("Signed Certificates:\n    server.example       (SHA256)  "),
        "{}",
        ran.output
    );
    let names = "\talt names: [\"IP:10.1.2.3\", \"DNS:puppet\", \"DNS:server.example\"]\tauthorization extensions: [pp_cli_auth: true]\n";
    assert!(ran.output.ends_with(names), "{}", ran.output);
    assert_eq!(ca(&sandbox, &["list"]).output, "No certificates to list\n");
    let ran = ca(&sandbox, &["sign", "--all"]);
    assert_eq!(
        (ran.code, ran.error.as_str()),
        (24, "Error:\n    No waiting certificate requests to sign\n")
    );
}

#[test]
fn certificates_are_generated_revoked_and_cleaned() {
    let sandbox = sandbox();
    assert_eq!(ca(&sandbox, &["setup"]).code, 0);
    let ran = ca(&sandbox, &["generate", "--certname", "a.example,b.example", "--ttl", "30d"]);
    assert_eq!(ran.code, 0, "{}", ran.error);
    let saved = "Successfully saved certificate for b.example to @/ssl/certs/b.example.pem\n";
    assert!(ran.output.ends_with(saved), "{}", ran.output);
    let ran = ca(&sandbox, &["generate", "--certname", "a.example"]);
    assert_eq!(ran.code, 1);
    assert!(ran.error.contains(
        "Please delete these files if you really want to generate a new cert for a.example."
    ));
    // Alternative names have to be allowed, by the file beside `cadir`.
    let names = ["generate", "--certname", "c.example", "--subject-alt-names", "d.example"];
    let ran = ca(&sandbox, &names);
    assert!(
        ran.code == 1 && ran.error.contains("extra subject alternative names (DNS:d.example)"),
        "{}",
        ran.error
    );
    let ran = ca(&sandbox, &["list", "--certname", "c.example,none"]);
    assert!(
        ran.code == 1 && ran.output.ends_with("Missing Certificates:\n    none\n"),
        "{}",
        ran.output
    );
    sandbox.write(
        "server/conf.d/ca.conf",
        b"certificate-authority: { allow-subject-alt-names: true }",
    );
    let ran = ca(&sandbox, &["sign", "--certname", "c.example"]);
    assert_eq!(
        ran.output, "Successfully signed certificate request for c.example\n",
        "{}",
        ran.error
    );

    let ran = ca(&sandbox, &["revoke", "--certname", "a.example,none"]);
    assert_eq!(
        (ran.code, ran.output.as_str()),
        (1, "Certificate for a.example has been revoked\n")
    );
    assert_eq!(ran.error, "Error:\n    Could not find certificate for none\n");
    let ran = ca(&sandbox, &["list", "--all", "--format", "json"]);
    let list: serde_json::Value = serde_json::from_str(&ran.output).expect("it is JSON");
    assert_eq!(list["revoked"][0]["name"], "a.example");
    assert_eq!(list["revoked"][0]["serial_number"], 2);
    assert_eq!(list["signed"].as_array().map(Vec::len), Some(3));
    let ran = ca(&sandbox, &["clean", "--certname", "b.example"]);
    let expected =
        "Certificate for b.example has been revoked\nCleaned files related to b.example\n";
    assert_eq!((ran.code, ran.output.as_str()), (0, expected));
    let ran = ca(&sandbox, &["prune"]);
    let expected = "Total number of certificates found in Puppet's CRL is: 2.\nNo duplicate revocations found in the CRL.\n";
    assert_eq!(ran.output, expected);
}
