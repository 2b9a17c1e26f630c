//! The CA of a server, by command line: `kukla ca` on Kukla's files, and the real `puppetserver ca` over HTTPS.

use std::path::Path;
use std::process::{Command, Output};

use crate::processes::{Serving, free_port};
use crate::stage::{Kind, Program, Stage};

/// Changes a certificate; with Kukla by `kukla ca`, with Puppet Server by its own command.
pub(crate) fn ca(stage: &Stage, words: &[&str]) {
    let output = match stage.kind {
        Kind::Kukla => Command::new(env!("CARGO_BIN_EXE_kukla"))
            .arg("ca")
            .args(words)
            .arg("--config")
            .arg(stage.root().join("conf/puppet.conf"))
            .output()
            .expect("kukla runs"),
        Kind::PuppetServer => puppetserver_ca(stage, None, words),
    };
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&text));
    // Puppet Server notices a revocation after a while.
    if stage.kind == Kind::PuppetServer {
        std::thread::sleep(std::time::Duration::from_secs(10));
    }
}

/// Runs `puppetserver ca`, of Debian or from a source tree, with the settings of the server.
fn puppetserver_ca(stage: &Stage, source: Option<&Path>, words: &[&str]) -> Output {
    puppetserver_ca_at(stage, source, &stage.port.to_string(), words)
}

fn puppetserver_ca_at(stage: &Stage, source: Option<&Path>, port: &str, words: &[&str]) -> Output {
    let conf = stage.write(
        "cli.conf",
        format!(
            "{}\n[main]\nca_server = localhost\nca_port = {}\n",
            std::fs::read_to_string(stage.root().join("conf/puppet.conf")).expect("settings"),
            port
        ),
    );
    let mut command = Command::new("ruby");
    if let Some(source) = source {
        command.arg("-I").arg(source.join("lib"));
    }
    command.args(["-e", "require 'puppetserver/ca/cli'; exit Puppetserver::Ca::Cli.run(ARGV)"]);
    command.args(words).arg("--config").arg(conf).env("HOME", stage.root());
    command.output().expect("ruby runs")
}

struct Cli<'a> {
    stage: &'a Stage,
    source: Option<std::path::PathBuf>,
}

impl Cli<'_> {
    /// Runs a command; returns its exit status and what it printed.
    fn run(&self, words: &[&str]) -> (i32, String) {
        let output = puppetserver_ca(self.stage, self.source.as_deref(), words);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
    }

    fn expect(&self, words: &[&str], status: i32, part: &str) {
        let (own, text) = self.run(words);
        assert_eq!(own, status, "{words:?}: {text}");
        assert!(text.contains(part), "{words:?}: no `{part}` in {text}");
    }

    /// Makes requests wait.
    fn submit(&self, names: &[&str]) {
        for name in names {
            let (status, text) = self.stage.command(name, &["ssl", "submit_request"], &[]);
            assert_eq!(status, 0, "{text}");
        }
    }
}

/// The commands of a CLI that ask the server.
fn assert_commands_work(cli: &Cli<'_>) {
    cli.expect(&["list"], 0, "No certificates to list");
    cli.submit(&["a.cli.test", "b.cli.test", "c.cli.test"]);
    cli.expect(&["list"], 0, "Requested Certificates:\n    a.cli.test");
    cli.expect(
        &["list", "--certname", "b.cli.test,nosuch"],
        1,
        "Missing Certificates:\n    nosuch",
    );
    cli.expect(&["sign", "--certname", "a.cli.test"], 0, "a.cli.test");
    cli.expect(&["sign", "--certname", "nosuch.cli.test"], 1, "nosuch.cli.test");
    cli.expect(&["sign", "--certname", "a.cli.test"], 1, "a.cli.test");
    cli.expect(&["sign", "--all"], 0, "c.cli.test");
    cli.expect(&["sign", "--all"], 24, "No waiting certificate requests to sign");
    let (status, text) = cli.run(&["list", "--all", "--format", "json"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("\"signed\"") && text.contains("pp_cli_auth"), "{text}");
    cli.expect(
        &["revoke", "--certname", "b.cli.test"],
        0,
        "Certificate for b.cli.test has been revoked",
    );
    cli.expect(&["revoke", "--certname", "nosuch.cli.test"], 1, "Could not find certificate");
    cli.expect(&["list", "--all"], 0, "Revoked Certificates:\n    b.cli.test");
    cli.expect(&["clean", "--certname", "a.cli.test,b.cli.test"], 0, "a.cli.test");
    cli.expect(&["clean", "--certname", "nosuch.cli.test"], 1, "nosuch.cli.test");
    cli.expect(&["generate", "--certname", "made.cli.test"], 0, "made.cli.test");
    let made = cli.stage.root().join("ssl/certs/made.cli.test.pem");
    assert!(made.is_file());
    cli.expect(&["generate", "--certname", "short.cli.test", "--ttl", "1d"], 0, "short.cli.test");
    // Commands that change files want the server to be stopped.
    let (status, text) = cli.run(&["generate", "--certname", "x.cli.test", "--ca-client"]);
    assert_ne!(status, 0, "{text}");
    let (status, text) = cli.run(&["prune"]);
    assert_ne!(status, 0, "{text}");
}

/// Debian's `puppetserver ca` asks Kukla over HTTPS.
#[test]
fn needs_cacli_of_debian_works_over_http() {
    let stage = Stage::kukla(Program::debian(), "cli");
    let cli = Cli { stage: &stage, source: None };
    assert_commands_work(&cli);
}

/// A server without a CA hands requests for certificates on, and serves agents that the other CA has signed.
#[test]
fn needs_agent_another_ca() {
    let stage = Stage::kukla(Program::debian(), "other");
    stage.autosign("*.other.test\n");
    stage.site("other", "notify { \"hello ${trusted['certname']}\": }\n");
    let own =
        [format!("ca_port={}", stage.port), format!("vardir={}/var2", stage.root().display())];
    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
    command.args([
        "serve",
        "--listen",
        &listen,
        "--set",
        "ca=false",
        "--set",
        "ca_server=localhost",
    ]);
    command.args(own.iter().flat_map(|own| ["--set", own]));
    command.arg("--confdir").arg(stage.root().join("conf"));
    let second = Serving::start(&mut command, &stage.root().join("second.log"), "listening at");
    let port = port.to_string();
    let run = stage.agent("a.other.test", "other", &["--serverport", &port]);
    run.expect(2, &["hello a.other.test"]);
    // The right to administer is asked for where the CA is.
    let output = puppetserver_ca_at(&stage, None, &port, &["list"]);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(!output.status.success() && text.contains("404"), "{text}");
    // Without the CA, agents with a certificate go on.
    stage.stop();
    let run = stage.agent("a.other.test", "other", &["--serverport", &port]);
    run.expect(2, &["hello a.other.test"]);
    let run = stage.agent("b.other.test", "other", &["--serverport", &port]);
    run.expect(1, &["HTTP response was 503"]);
    drop(second);
}

/// A CA below a root, made by `kukla ca setup`: agents check the lists of both.
#[test]
fn needs_agent_a_ca_below_a_root() {
    let stage = Stage::prepared(Kind::Kukla, Program::debian(), "root");
    stage.write(
        "conf/csr_attributes.yaml",
        "---\nextension_requests:\n  pp_role: server\n  acme_colour: red\n",
    );
    ca(&stage, &["setup"]);
    // The server makes its own certificate anew, with the extensions of the file.
    std::fs::remove_dir_all(stage.root().join("ssl")).expect("removed");
    stage.restart();
    stage.autosign("*.root.test\n");
    stage.site("root", "notify { \"hello ${trusted['certname']}\": }\n");
    stage.agent("a.root.test", "root", &[]).expect(2, &["hello a.root.test"]);
    let bundle = std::fs::read_to_string(stage.own("a.root.test").join("ssldir/certs/ca.pem"));
    assert_eq!(bundle.expect("a bundle").matches("BEGIN CERTIFICATE").count(), 2);
    let lists = std::fs::read_to_string(stage.own("a.root.test").join("ssldir/crl.pem"));
    assert_eq!(lists.expect("lists").matches("BEGIN X509 CRL").count(), 2);
    let certificate = std::fs::read(stage.root().join("ssl/certs/puppet.test.pem"));
    let text = String::from_utf8_lossy(&certificate.expect("a certificate")).into_owned();
    let base64: String = text.lines().filter(|line| !line.starts_with('-')).collect();
    let der = data_encoding::BASE64.decode(base64.as_bytes()).expect("base64");
    for word in [&b"server"[..], b"red"] {
        assert!(der.windows(word.len()).any(|window| window == word), "{word:?}");
    }
}

/// The command of OpenVox Server 8, which signs in bulk, from the source tree that `KUKLA_CA_CLI` names.
#[test]
#[ignore = "needs a source tree; `cargo xtask test --peers` runs it"]
fn peers_ca_command_of_openvox_works_over_http_needs_agent() {
    let Some(source) = std::env::var_os("KUKLA_CA_CLI") else {
        crate::say("KUKLA_CA_CLI is not set");
        return;
    };
    let stage = Stage::kukla(Program::debian(), "cli8");
    stage.restart_with(&["--set", "edition=8"]);
    let cli = Cli { stage: &stage, source: Some(source.into()) };
    assert_commands_work(&cli);
}
