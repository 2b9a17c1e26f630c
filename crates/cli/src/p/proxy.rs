//! `kukla p proxy`: a reverse proxy that runs programs of P.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use kukla_server::agents::{TlsFiles, TlsKeeper};
use kukla_server::net::ClientTlsFiles;
use kukla_server::proxy::upstream::Upstreams;
use kukla_server::proxy::{Proxy, Times, serve};
use kukla_server::services::Processor;

use super::door::{
    BodyArgs, DoorArgs, OpesArgs, listen, no_more, open_at, placed, shadows, stopped,
};
use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla p proxy --rules policy.p --listen 127.0.0.1:8080 --upstream http://127.0.0.1:9000
  kukla p proxy --rules policy.p --services services.toml --listen 0.0.0.0:80 --upstream http://app1:9000 --upstream http://app2:9000
  kukla p proxy --rules policy.p --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem --client-ca ca.pem --upstream https://app --upstream canary=https://app2
  kukla p proxy --rules request.p --rules 3=response.p --listen 127.0.0.1:8080 --upstream http://127.0.0.1:9000
  kukla p proxy --rules outside.p --listen 127.0.0.1:3128 --forward

Points: 1 request from the client, 2 request to the server, 3 response from the server, 4 response to the client.
A program without a point runs at 1, or at 3 if it can run only on responses.
When a program changes it is read again; one with errors never goes live.";

/// Proxy requests; programs decide, route and apply services
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Program, and the point of the exchange at which it runs; repeatable
    #[arg(long, value_name = "[POINT=]FILE", required = true)]
    rules: Vec<String>,
    /// Address to listen on
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Server, and the name of its group for `Route.to`; repeatable. The first group is the default. `https` servers choose HTTP/2 or HTTP/1.1, `h2c` is HTTP/2 without TLS
    #[arg(long, value_name = "[NAME=]URL", required_unless_present = "forward")]
    upstream: Vec<String>,
    /// Be a forward proxy: clients name servers, and only what the program at point 1 allows passes; CONNECT opens a tunnel that is not read
    #[arg(long, conflicts_with_all = ["upstream", "tls_cert"])]
    forward: bool,
    /// Path that healthy servers answer; without it a connection is enough
    #[arg(long, value_name = "PATH")]
    health: Option<String>,
    /// Certificates of authorities for servers with https [default: those of the system]
    #[arg(long, value_name = "FILE")]
    upstream_ca: Option<PathBuf>,
    /// Own certificate for servers with https
    #[arg(long, value_name = "FILE", requires = "upstream_key")]
    upstream_cert: Option<PathBuf>,
    /// Key of the own certificate
    #[arg(long, value_name = "FILE", requires = "upstream_cert")]
    upstream_key: Option<PathBuf>,
    /// Certificate of the proxy; clients must speak TLS, with HTTP/1.1 or HTTP/2
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Key of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Certificates of authorities for clients; programs see `Http.request.tls`
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Revocation lists of these authorities
    #[arg(long, value_name = "FILE", requires = "client_ca")]
    client_crl: Option<PathBuf>,
    #[command(flatten)]
    opes: OpesArgs,
    /// Let programs decide about paths that servers interpret differently: `%2F`, `\`, `;`, `%2e%2e`, `%25xx`
    #[arg(long)]
    lenient_paths: bool,
    /// Time after which a tunnel or WebSocket in which nothing moves is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    tunnel_idle: u64,
    /// Largest body of a request in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 40)]
    max_body: u64,
    /// Shadow program, and the point at which it runs; it decides without effect: differences are counted and sampled. Repeatable
    #[arg(long, value_name = "[POINT=]FILE")]
    shadow: Vec<String>,
    #[command(flatten)]
    bodies: BodyArgs,
    #[command(flatten)]
    door: DoorArgs,
}

/// Serves until it is stopped.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let proxy = args.proxy()?;
    let metrics = Arc::clone(&proxy.metrics);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = listen(args.listen).await?;
        args.bodies.serve_metrics(metrics).await?;
        shell.say(&format!("listening at {}", listener.local_addr()?));
        serve(Arc::new(proxy), listener, stopped()).await?;
        Ok(Exit::Success)
    })
}

impl Args {
    fn proxy(&self) -> anyhow::Result<Proxy> {
        let door = self.door.door()?;
        let tls = match Upstreams::need_tls(&self.upstream) {
            false => None,
            true => {
                let identity = self.upstream_cert.clone().zip(self.upstream_key.clone());
                Some(ClientTlsFiles { authorities: self.upstream_ca.clone(), identity }.config()?)
            }
        };
        let upstreams = match self.forward {
            true => Upstreams::named(),
            false => Upstreams::parse(&self.upstream, tls, self.health.clone())?,
        };
        let keep = self.bodies.keep();
        let opening = self.door.opening(&keep, Some(upstreams.names()))?;
        let opening = opening.strict(Some(upstreams.names()));
        let mut shadows = shadows(&self.shadow, &opening)?;
        let mut points = [const { None }; 4];
        for text in &self.rules {
            let (point, path) = placed(text, &opening.options)?;
            let mut rules = open_at(&path, point, &opening)?;
            rules.shadow = shadows.remove(&point);
            let engine = door.engine(rules);
            let directory = Arc::clone(&opening.directory);
            let processor = Processor { engine, directory, keep: keep.clone(), plans: false };
            if points[usize::from(point) - 1].replace(processor).is_some() {
                bail!("two programs run at point {point}");
            }
        }
        no_more(&shadows)?;
        let decides =
            |processor: &Processor| processor.engine.rules.live().compiled.program.decides;
        if self.forward && !points[0].as_ref().is_some_and(decides) {
            bail!("`--forward` needs a program at point 1 that allows servers by `Access.allow()`");
        }
        Ok(Proxy {
            points,
            upstreams,
            tls: self.tls()?,
            name: self.opes.name(),
            allows_bypass: self.opes.allow_bypass,
            allows_trace: self.opes.allow_trace,
            forwards: self.forward,
            lenient_paths: self.lenient_paths,
            times: Times { tunnel: Duration::from_secs(self.tunnel_idle), ..Times::default() },
            max_body: self.max_body,
            metrics: door.metrics,
            log: door.log,
        })
    }

    fn tls(&self) -> anyhow::Result<Option<TlsKeeper>> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let files = TlsFiles {
            certificate: certificate.clone(),
            key: key.clone(),
            // Without authorities for clients, the own certificate is one that no client's certificate is of.
            authorities: self.client_ca.clone().unwrap_or_else(|| certificate.clone()),
            revocations: self.client_crl.clone(),
        };
        Ok(Some(TlsKeeper::open(files)?))
    }
}
