//! `kukla p icap`: a server of ICAP that runs programs of P.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use kukla_server::body::Keep;
use kukla_server::engine::Engine;
use kukla_server::icap::server::{IcapServer, Said, serve};
use kukla_server::metrics::Metrics;
use kukla_server::record::Recorder;
use kukla_server::services::{Directory, Processor};

use super::program::PlaceArgs;
use super::proxy::{open, placed, stopped};
use crate::Exit;
use crate::shell::{Colour, Shell};

const EXAMPLES: &str = "\
Examples:
  kukla p icap --rules policy.p
  kukla p icap --rules request.p --rules 3=response.p --services services.toml --listen 127.0.0.1:1344

Squid:
  icap_enable on
  icap_send_client_ip on
  icap_service p_req reqmod_precache icap://127.0.0.1:1344/reqmod bypass=off routing=on
  icap_service p_res respmod_precache icap://127.0.0.1:1344/respmod bypass=off routing=on
  adaptation_access p_req allow all
  adaptation_access p_res allow all

A program without a point runs at 1 (requests), or at 3 if it can run only on responses.
When a program changes it is read again, and its ISTag changes; one with errors never goes live.";

/// Decide about messages for Squid and other clients of ICAP
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Program, and the point of the exchange at which it runs, 1 or 3; repeatable
    #[arg(long, value_name = "[POINT=]FILE", required = true)]
    rules: Vec<String>,
    /// Address to listen on
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:1344")]
    listen: SocketAddr,
    /// Address of a proxy that may ask; repeatable [default: this machine]
    #[arg(long, value_name = "IP")]
    proxy: Vec<IpAddr>,
    /// Largest body that is kept for programs and services
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 30)]
    max_kept: u64,
    /// Folder for kept bodies that are larger than 256 KiB [default: the system's]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// Address for /metrics and /health
    #[arg(long, value_name = "ADDR:PORT")]
    admin: Option<SocketAddr>,
    /// Record messages in a folder, without credentials, for `kukla p test` and `kukla p diff`
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Also log messages that may pass, and calls of services that succeed
    #[arg(long)]
    log_all: bool,
    /// Offset of local time in seconds east of UTC
    #[arg(long, value_name = "SECONDS", default_value_t = 0, allow_negative_numbers = true)]
    utc_offset: i64,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Serves until it is stopped.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let server = args.server()?;
    let metrics = Arc::clone(&server.said.metrics);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(args.listen).await;
        let listener = listener.with_context(|| format!("can't listen at {}", args.listen))?;
        if let Some(admin) = args.admin {
            let served = kukla_server::metrics::serve(metrics, admin).await;
            served.with_context(|| format!("can't listen at {admin}"))?;
        }
        shell.say(&format!("listening at {}", listener.local_addr()?));
        serve(Arc::new(server), listener, stopped()).await?;
        Ok(Exit::Success)
    })
}

impl Args {
    fn server(&self) -> anyhow::Result<IcapServer> {
        let (metrics, log_shell) = (Arc::new(Metrics::default()), Shell::new(Colour::Never));
        let log: kukla_server::Log = Arc::new(move |line| log_shell.say(line));
        let mut options = self.place.options()?;
        let keep = Keep {
            size: self.max_kept,
            folder: self.spool.clone().unwrap_or_else(std::env::temp_dir),
            ..Keep::default()
        };
        let directory = Arc::new(Directory::new(options.registry.get_or_insert_default(), &keep)?);
        let recorder = self.record.clone().map(Recorder::new).transpose();
        let recorder = recorder.context("can't record messages")?.map(Arc::new);
        let (mut requests, mut responses) = (None, None);
        for text in &self.rules {
            let (point, path) = placed(text, &options)?;
            let engine = Engine {
                rules: open(&path, point, &options)?,
                recorder: recorder.clone(),
                metrics: Arc::clone(&metrics),
                log: Arc::clone(&log),
                logs_all: self.log_all,
                utc_offset: self.utc_offset,
            };
            let directory = Arc::clone(&directory);
            let processor = Processor { engine, directory, keep: keep.clone(), plans: true };
            let place = match point {
                1 => &mut requests,
                3 => &mut responses,
                _ => bail!("`{text}`: ICAP has the points 1 and 3"),
            };
            if place.replace(processor).is_some() {
                bail!("two programs run at point {point}");
            }
        }
        let times = (Duration::from_secs(30), Duration::from_secs(300));
        let said = Said { metrics, log };
        Ok(IcapServer { requests, responses, proxies: self.proxy.clone(), times, said })
    }
}
