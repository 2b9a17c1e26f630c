//! `kukla p services`: the services of a registry.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kukla_plang::Registry;
use kukla_plang::registry::{Service, ServiceKind};
use kukla_server::body::Keep;
use kukla_server::icap::IcapOptions;
use kukla_server::services::Directory;

use super::program::read;
use crate::Exit;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla p services services.toml
  kukla p services services.toml --ask

Exit status: 0 all services that were asked answered; 1 one did not; 2 the registry can't be used.";

/// List the services of a registry; ask those of ICAP about themselves
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Registry
    registry: PathBuf,
    /// Send OPTIONS to each service of ICAP
    #[arg(long)]
    ask: bool,
}

/// Lists the services.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let registry = registry(&args.registry)?;
    let directory = Directory::new(&registry, &Keep::default())?;
    let mut out = String::new();
    for service in &registry.services {
        let _ = writeln!(out, "{}  {}", service.uri, kind(service));
    }
    shell.print(Stream::Output, &out)?;
    if !args.ask {
        return Ok(Exit::Success);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut out, mut exit) = (String::new(), Exit::Success);
    for (uri, options) in runtime.block_on(directory.options()) {
        match options {
            Ok(options) => {
                let _ = writeln!(out, "{uri}  {}", described(&options));
            }
            Err(error) => {
                let _ = writeln!(out, "{uri}  {error}");
                exit = Exit::Findings;
            }
        }
    }
    shell.print(Stream::Output, &out)?;
    Ok(exit)
}

/// Reads a registry.
pub(super) fn registry(path: &Path) -> anyhow::Result<Registry> {
    let text = String::from_utf8(read(path)?);
    let text = text.with_context(|| format!("`{}` is not in UTF-8", path.display()))?;
    Registry::parse(&text).with_context(|| format!("cannot use `{}`", path.display()))
}

fn kind(service: &Service) -> String {
    match &service.kind {
        ServiceKind::Builtin(_) => "builtin".to_owned(),
        ServiceKind::Canned(_) => "canned".to_owned(),
        ServiceKind::Host => "host".to_owned(),
        ServiceKind::Network(network) => network.url.clone(),
    }
}

fn described(options: &IcapOptions) -> String {
    let methods: Vec<&str> = options.methods.iter().map(|method| method.name()).collect();
    let preview = options.preview.map_or("none".to_owned(), |size| size.to_string());
    let istag = super::show::lossy(&options.istag);
    let ttl = options.ttl.as_secs();
    format!("{}, ISTag {istag}, preview {preview}, TTL {ttl} s", methods.join(" "))
}
