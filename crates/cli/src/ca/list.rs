//! `kukla ca list`: certificates, and requests for them.

use kukla_ca::{CertificateState, CertificateStatus};
use serde_json::{Map, Value};

use super::common::{CaArgs, inform};
use crate::Exit;
use crate::shell::{Shell, TextOrJson};

const KINDS: [(CertificateState, &str); 3] = [
    (CertificateState::Requested, "Requested Certificates:"),
    (CertificateState::Signed, "Signed Certificates:"),
    (CertificateState::Revoked, "Revoked Certificates:"),
];

/// List requests, and with --all certificates
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    ca: CaArgs,
    /// List signed and revoked certificates too
    #[arg(long, conflicts_with = "certname")]
    all: bool,
    /// List these names only
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    certname: Vec<String>,
    /// Form of the list
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// Prints the list.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let (_, authority) = args.ca.open()?;
    let has_all = args.all || !args.certname.is_empty();
    let state = (!has_all).then_some(CertificateState::Requested);
    let mut statuses = authority.statuses(state)?;
    if !args.certname.is_empty() {
        statuses.retain(|status| args.certname.contains(&status.name));
    }
    let is_missing = |name: &&String| !statuses.iter().any(|status| status.name == **name);
    let missing: Vec<&String> = args.certname.iter().filter(is_missing).collect();
    let text = match args.format {
        TextOrJson::Text => text(&statuses, &missing),
        TextOrJson::Json => json(args, &statuses, &missing).to_string(),
    };
    inform(shell, &text)?;
    Ok(if missing.is_empty() { Exit::Success } else { Exit::Findings })
}

fn text(statuses: &[CertificateStatus], missing: &[&String]) -> String {
    let mut lines = Vec::new();
    for (state, title) in KINDS {
        let list: Vec<&CertificateStatus> =
            statuses.iter().filter(|one| one.state == state).collect();
        let width = list.iter().map(|one| one.name.len()).max();
        lines.extend(width.map(|_| title.to_owned()));
        lines.extend(list.iter().map(|status| line(status, width.unwrap_or_default() + 6)));
    }
    if !missing.is_empty() {
        lines.push("Missing Certificates:".to_owned());
        lines.extend(missing.iter().map(|name| format!("    {name}")));
    }
    if lines.is_empty() { "No certificates to list".to_owned() } else { lines.join("\n") }
}

fn line(status: &CertificateStatus, width: usize) -> String {
    let mut line = format!("    {:width$} (SHA256)  {}", status.name, status.fingerprints.sha256);
    if !status.alt_names.is_empty() {
        line += &format!("\talt names: {:?}", status.alt_names.texts());
    }
    let extensions = status.authorization_extensions.iter();
    let extensions: Vec<String> =
        extensions.map(|(name, value)| format!("{name}: {value}")).collect();
    if !extensions.is_empty() {
        line += &format!("\tauthorization extensions: [{}]", extensions.join(", "));
    }
    line
}

/// Like `puppetserver ca`: all kinds with `--all`, otherwise those that are not empty.
fn json(args: &Args, statuses: &[CertificateStatus], missing: &[&String]) -> Value {
    let mut object = Map::new();
    for (state, _) in KINDS {
        let list = statuses.iter().filter(|one| one.state == state);
        let list: Vec<Value> = list.map(CertificateStatus::to_json).collect();
        if args.all || !list.is_empty() {
            object.insert(state.word().to_owned(), Value::from(list));
        }
    }
    if !missing.is_empty() {
        let names: Vec<Value> = missing.iter().map(|name| Value::from(name.as_str())).collect();
        object.insert("missing".to_owned(), Value::from(names));
    }
    if object.is_empty() {
        object.insert("requested".to_owned(), Value::from(Vec::<Value>::new()));
    }
    Value::from(object)
}
