//! `kukla p serve`: the endpoint that proxies ask who may pass.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::ValueEnum;
use kukla_server::asked::{Proxy, Trust};
use kukla_server::forward_auth::{Endpoint, serve};
use kukla_server::metrics::Metrics;
use kukla_server::record::Recorder;
use kukla_server::rules::Rules;

use super::program::Place;
use crate::Exit;
use crate::shell::{Colour, Shell};

const EXAMPLES: &str = "\
Examples:
  kukla p serve --rules policy.p
  kukla p serve --rules policy.p --shadow next.p --record messages/
  kukla p serve --rules policy.p --from traefik
  kukla p serve --rules policy.p --forward-auth 10.0.0.5:9180 --proxy 10.0.0.2 --cert-headers

nginx:
  location / { auth_request /authz; proxy_pass http://app; }
  location = /authz {
    internal;
    proxy_pass http://127.0.0.1:9180/p/authz;
    proxy_pass_request_body off;
    proxy_set_header Content-Length \"\";
    proxy_set_header X-Original-Method $request_method;
    proxy_set_header X-Original-URI $request_uri;
    proxy_set_header X-Real-IP $remote_addr;
  }

Answers: 200 may pass, 403 may not, 401 must authenticate. /metrics has counts, /health says that it is there.
When a program changes it is read again; one with errors never goes live.";

/// Answer proxies that ask which request may pass
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The program
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    /// Where to listen for proxies
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9180")]
    forward_auth: SocketAddr,
    /// A program that decides too, without effect: differences are counted and sampled
    #[arg(long, value_name = "FILE")]
    shadow: Option<PathBuf>,
    /// Keep messages in a folder, without credentials, for `kukla p test` and `kukla p diff`
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// A proxy that may ask, may be given several times [default: this machine]
    #[arg(long, value_name = "IP")]
    proxy: Vec<IpAddr>,
    /// Which proxy asks: only what it sets itself is believed
    #[arg(long, value_enum, default_value_t)]
    from: From,
    /// Believe header fields that tell of the client's certificate, which the proxy must set itself on every request
    #[arg(long)]
    cert_headers: bool,
    /// Log requests that may pass, too
    #[arg(long)]
    log_all: bool,
    /// Local time, in seconds east of Greenwich
    #[arg(long, value_name = "SECONDS", default_value_t = 0, allow_negative_numbers = true)]
    utc_offset: i64,
    #[command(flatten)]
    place: Place,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum From {
    /// `auth_request` with X-Original-Method, X-Original-URI, X-Real-IP; X-Client-Verify and X-Client-DN.
    #[default]
    Nginx,
    /// `forwardAuth`: X-Forwarded-*; X-Forwarded-Tls-Client-Cert-Info.
    Traefik,
    /// `forward_auth`: X-Forwarded-*; X-Client-Verify and X-Client-DN.
    Caddy,
    /// `ext_authz` over HTTP with the path prefix /p/authz; X-Forwarded-Client-Cert.
    Envoy,
}

/// Answers until it is stopped.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let options = args.place.options()?;
    let open = |path: &Path| {
        let rules = Rules::open(path, options.clone());
        rules.with_context(|| format!("`{}` can't go live", path.display()))
    };
    let mut rules = open(&args.rules)?;
    if let Some(shadow) = &args.shadow {
        rules.shadow = Some(Box::new(open(shadow)?));
    }
    let recorder = args.record.clone().map(Recorder::new).transpose();
    let log_shell = Shell::new(Colour::Never);
    let endpoint = Endpoint {
        rules,
        trust: Trust { proxy: args.from.proxy(), certificate_headers: args.cert_headers },
        proxies: args.proxy.clone(),
        recorder: recorder.context("can't record messages")?,
        metrics: Metrics::default(),
        log: Arc::new(move |line| log_shell.say(line)),
        logs_all: args.log_all,
        utc_offset: args.utc_offset,
        head_time: Duration::from_secs(10),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(args.forward_auth).await;
        let context = || format!("can't listen at {}", args.forward_auth);
        let listener = listener.with_context(context)?;
        shell.say(&format!("listening at {}", listener.local_addr()?));
        serve(Arc::new(endpoint), listener).await?;
        Ok(Exit::Success)
    })
}

impl From {
    fn proxy(self) -> Proxy {
        match self {
            Self::Nginx => Proxy::Nginx,
            Self::Traefik => Proxy::Traefik,
            Self::Caddy => Proxy::Caddy,
            Self::Envoy => Proxy::Envoy,
        }
    }
}
