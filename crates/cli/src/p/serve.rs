//! `kukla p serve`: the endpoint that proxies ask to authorize requests.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use kukla_server::body::Keep;
use kukla_server::forward_auth::{Endpoint, serve};
use kukla_server::forwarded::{CertHeaders, Proxy, Trust};

use super::door::{DoorArgs, listen, open};
use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla p serve --rules policy.p
  kukla p serve --rules policy.p --shadow next.p --record messages/
  kukla p serve --rules policy.p --from traefik
  kukla p serve --rules policy.p --forward-auth 10.0.0.5:9180 --proxy 10.0.0.2 --cert-headers cert

nginx:
  location / { auth_request /authz; proxy_pass http://app; }
  location = /authz {
    internal;
    proxy_pass http://127.0.0.1:9180/p/authz;
    proxy_pass_request_body off;
    proxy_set_header Content-Length \"\";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Original-Method $request_method;
    proxy_set_header X-Original-URI $request_uri;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Client-Verify $ssl_client_verify;
    proxy_set_header X-Client-Cert $ssl_client_escaped_cert;
    proxy_set_header X-Client-DN $ssl_client_s_dn;
  }

Answers: 200 may pass, 403 may not, 401 must authenticate, 400 the proxy's configuration lacks something. /metrics has counts, /health says that it is there.
When a program changes it is read again; one with errors never goes live.";

/// Authorize requests for proxies
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Program
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9180")]
    forward_auth: SocketAddr,
    /// Shadow program, which decides without effect: differences are counted and sampled
    #[arg(long, value_name = "FILE")]
    shadow: Option<PathBuf>,
    /// Address of a proxy that may ask; repeatable [default: this machine]
    #[arg(long, value_name = "IP")]
    proxy: Vec<IpAddr>,
    /// Kind of proxy: only header fields that it sets itself are trusted
    #[arg(long, value_enum, default_value_t)]
    from: From,
    /// Identify clients by their certificates: the form in which the proxy passes them on, in header fields that it must
    /// set itself on every request
    #[arg(long, value_enum, value_name = "FORM")]
    cert_headers: Option<Form>,
    /// Let programs decide about paths that servers interpret differently: `%2F`, `\`, `;`, `%2e%2e`, `%25xx`
    #[arg(long)]
    lenient_paths: bool,
    #[command(flatten)]
    door: DoorArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum From {
    /// `auth_request` with X-Original-Method, X-Original-URI, X-Real-IP, X-Forwarded-Proto; X-Client-Verify,
    /// X-Client-Cert, X-Client-DN.
    #[default]
    Nginx,
    /// `forwardAuth`: X-Forwarded-*; X-Forwarded-Tls-Client-Cert.
    Traefik,
    /// `forward_auth`: X-Forwarded-*; X-Client-Cert.
    Caddy,
    /// `ext_authz` over HTTP with the path prefix /p/authz; X-Forwarded-Client-Cert.
    Envoy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The certificate itself: any proxy.
    Cert,
    /// The subject as text (RFC 4514): nginx (X-Client-DN) and Envoy (Subject).
    Dn,
}

/// Serves until it is stopped.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let trust = args.trust();
    if let Some(conflict) = trust.conflict() {
        anyhow::bail!(conflict);
    }
    let opening = args.door.opening(&Keep::default(), None)?;
    let mut rules = open(&args.rules, opening.options.clone(), &opening)?;
    if let Some(shadow) = &args.shadow {
        rules.shadow = Some(Box::new(open(shadow, opening.options.clone(), &opening)?));
    }
    let endpoint = Endpoint {
        engine: args.door.door()?.engine(rules),
        trust,
        proxies: args.proxy.clone(),
        head_time: Duration::from_secs(10),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = listen(args.forward_auth).await?;
        shell.say(&format!("listening at {}", listener.local_addr()?));
        serve(Arc::new(endpoint), listener).await?;
        Ok(Exit::Success)
    })
}

impl Args {
    fn trust(&self) -> Trust {
        let cert_headers = self.cert_headers.map(|form| match form {
            Form::Cert => CertHeaders::Cert,
            Form::Dn => CertHeaders::Dn,
        });
        Trust { proxy: self.from.proxy(), cert_headers, lenient_paths: self.lenient_paths }
    }
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
