//! `kukla serve`: the server that agents get catalogs, files and certificates from.

mod attributes;
mod check;
mod file_options;
mod first_start;
mod layout;
mod running;
mod sockets;

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kukla_server::agents::AgentServer;
use kukla_site::{EnvironmentChoice, ServerIdentity, Settle, Site, SiteOptions, Warn};

pub(crate) use self::first_start::host_name;
use self::layout::Layout;
use self::sockets::Sockets;
use crate::Exit;
use crate::shell::{Colour, Shell, TextOrJson};

const EXAMPLES: &str = "\
Examples:
  kukla serve                                   in an empty directory: a CA, a certificate and an example to start with
  kukla serve --confdir /etc/puppetlabs/puppet  in place of Puppet Server, with its files
  kukla serve --check                           everything that would stop it, before anything listens
  kukla serve --listen 127.0.0.1:8140 --set autosign=true
  kukla serve --page 127.0.0.1:8081             a page for a browser on this machine beside it
  kukla serve --store puppetdb                  with the PuppetDB that puppetdb.conf names
  kukla serve --rules policy.p --group canary=environment:canary --group big=https://compiler2.example

The directory is the current one if it is empty or has a `puppet.conf`, or else that of Puppet's packages.
Puppet Server's own files (`conf.d`) are read where they are: webserver.conf, auth.conf, ca.conf, puppetserver.conf.
SIGTERM ends it after the requests that have begun; SIGHUP starts a new process that takes over its sockets, and then
ends it: no request is lost. Rules and certificates are read again when they change.";

/// The time without a change after which a deploy counts as done.
const DEFAULT_SETTLE: Duration = Duration::from_secs(1);

/// Serve agents: catalogs, files, reports and certificates
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Directory with `puppet.conf`
    #[arg(long, value_name = "DIR")]
    confdir: Option<PathBuf>,
    /// Directory with Puppet Server's own files [default: `conf.d` where packages have it]
    #[arg(long, value_name = "DIR")]
    conf_d: Option<PathBuf>,
    /// Address to listen on [default: that of webserver.conf, or 0.0.0.0:8140]
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// Address for plain HTTP behind a proxy that speaks TLS [default: that of webserver.conf]
    #[arg(long, value_name = "ADDR:PORT")]
    plain: Option<SocketAddr>,
    /// Address of this machine at which tools ask the store by PuppetDB's API, over plain HTTP without a certificate
    #[arg(long, value_name = "ADDR:PORT")]
    store_listen: Option<SocketAddr>,
    /// Address of this machine at which a browser finds the page: the fleet, and where values come from [default: the
    /// setting `page_listen`]
    #[arg(long, value_name = "ADDR:PORT")]
    page: Option<SocketAddr>,
    /// Take identities from the proxy's X-Client-Verify, X-Client-DN and X-Client-Cert, on the plain listener only
    #[arg(long)]
    allow_header_cert_info: bool,
    /// Certificate name of a proxy that speaks TLS with agents: its requests have the client's certificate in
    /// X-Client-Verify, X-Client-DN and X-Client-Cert, which is verified again; repeatable
    #[arg(long, value_name = "NAME")]
    proxy: Vec<String>,
    /// List everything that would stop the server, and end before anything listens: status 1 if there is something
    #[arg(long)]
    check: bool,
    /// Output of `--check`
    #[arg(long, value_enum, default_value_t, requires = "check")]
    format: TextOrJson,
    /// File for requests in the form of Puppet Server's access log; it may be rotated
    #[arg(long, value_name = "FILE")]
    access_log: Option<PathBuf>,
    /// Program of P that decides who may do what, in place of `auth.conf`; `kukla p import auth.conf` gives one to start with
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Group for `Route.to` in these rules: an environment, or a compiler that takes identities from header fields; repeatable
    #[arg(long, value_name = "NAME=environment:NAME|NAME=URL", requires = "rules")]
    group: Vec<String>,
    /// Number of threads that compile [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Seconds that a catalog may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
    /// Megabytes that the process may use while it compiles
    #[arg(long, value_name = "MB")]
    memory_limit: Option<u64>,
    /// Megabytes for catalogs that nodes get again, without a compilation, while nothing has changed that they depend on; 0
    /// compiles each
    #[arg(long, value_name = "MB", default_value_t = 32)]
    reuse_memory: usize,
    /// Seconds for which no file of an environment may change before a deploy counts as done
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    settle: f64,
    /// Where facts, catalogs and reports are kept: `sqlite`, `sqlite:PATH`, `postgresql://…`, `puppetdb` (an existing one, named
    /// by `puppetdb.conf`), `puppetdb:PATH` or `none` [default: the setting `store`]
    #[arg(long, value_name = "PLACE")]
    store: Option<String>,
    #[command(flatten)]
    files: file_options::FileArgs,
    /// Set any setting of `puppet.conf`
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl Args {
    fn settle(&self) -> Duration {
        Duration::try_from_secs_f64(self.settle).unwrap_or(DEFAULT_SETTLE)
    }
}

/// Serves until it is stopped.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if args.check {
        return check::run(args, shell);
    }
    let layout = Layout::find(args, shell)?;
    let (server, tls) = open(args, &layout)?;
    let plain = args.plain.or_else(|| layout.conf_d.plain_address());
    let page = args.page.map_or_else(|| layout.settings.page_listen(), |page| Ok(Some(page)))?;
    let sockets = Sockets::open(tls, plain, args.store_listen, page)?;
    running::run(Arc::new(server), sockets, shell, |sockets| {
        sockets.announce(shell)?;
        layout.greet(sockets.port().unwrap_or(tls.port()), shell);
        Ok(())
    })?;
    Ok(Exit::Success)
}

/// Returns where Puppet Server listens by default.
fn default_address() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::UNSPECIFIED, 8140))
}

/// Opens everything, and returns the address to listen on.
fn open(args: &Args, layout: &Layout) -> anyhow::Result<(AgentServer, SocketAddr)> {
    let address = args.listen.or_else(|| layout.conf_d.tls_address());
    let address = address.unwrap_or_else(default_address);
    let settings = layout.settings.clone();
    let server = ServerIdentity {
        name: settings.text("certname").unwrap_or_default(),
        address: own_address(),
    };
    let shell = Shell::new(Colour::Never);
    let site = Site::open(
        settings,
        SiteOptions {
            anchor: layout.anchor.clone(),
            choice: EnvironmentChoice::default(),
            server,
            timeout: layout.settings.environment_timeout()?,
            settle: Some(Settle(args.settle())),
            warn: Warn::new(move |warning| {
                let line =
                    serde_json::json!({ "event": "warning", "message": warning.to_string() });
                shell.say(&line.to_string());
            }),
        },
    )?;
    let mut options = layout.server_options()?;
    options.files = args.files.options(&layout.conf_d)?;
    options.trusts_headers |= args.allow_header_cert_info;
    options.proxies.clone_from(&args.proxy);
    options.access_log.clone_from(&args.access_log);
    options.rules.clone_from(&args.rules);
    options.groups.clone_from(&args.group);
    options.timeout = Duration::from_secs(args.timeout);
    options.memory_limit = args.memory_limit.map(|megabytes| megabytes << 20);
    options.reuse_memory = args.reuse_memory.saturating_mul(1 << 20);
    options.n_compilers = args.threads.unwrap_or(options.n_compilers);
    let server = AgentServer::open(site, options, Arc::new(move |line| shell.say(line)))?;
    Ok((server, address))
}

/// Returns the address of this machine that others see; nothing is sent to find it.
fn own_address() -> String {
    let local = UdpSocket::bind("0.0.0.0:0")
        .and_then(|socket| socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr()));
    local.map_or_else(|_| "127.0.0.1".to_owned(), |address| address.ip().to_string())
}
