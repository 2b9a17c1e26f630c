//! `kukla p icap`: a server of ICAP that runs programs of P.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use kukla_server::icap::server::{IcapServer, Said, serve};
use kukla_server::services::Processor;

use super::door::{
    BodyArgs, DoorArgs, OpesArgs, listen, no_more, open_at, placed, shadows, stopped,
};
use crate::Exit;
use crate::shell::Shell;

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
    /// Shadow program, and its point, 1 or 3; it decides without effect: differences are counted and sampled. Repeatable
    #[arg(long, value_name = "[POINT=]FILE")]
    shadow: Vec<String>,
    #[command(flatten)]
    opes: OpesArgs,
    #[command(flatten)]
    bodies: BodyArgs,
    #[command(flatten)]
    door: DoorArgs,
}

/// Serves until it is stopped.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let server = args.server()?;
    let metrics = Arc::clone(&server.said.metrics);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = listen(args.listen).await?;
        args.bodies.serve_metrics(metrics).await?;
        shell.say(&format!("listening at {}", listener.local_addr()?));
        serve(Arc::new(server), listener, stopped()).await?;
        Ok(Exit::Success)
    })
}

impl Args {
    fn server(&self) -> anyhow::Result<IcapServer> {
        let door = self.door.door()?;
        let keep = self.bodies.keep();
        let opening = self.door.opening(&keep, None)?.strict(None);
        let mut shadows = shadows(&self.shadow, &opening)?;
        let (mut requests, mut responses) = (None, None);
        for text in &self.rules {
            let (point, path) = placed(text, &opening.options)?;
            let mut rules = open_at(&path, point, &opening)?;
            rules.shadow = shadows.remove(&point);
            let engine = door.engine(rules);
            let directory = Arc::clone(&opening.directory);
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
        no_more(&shadows)?;
        let name = self.opes.name();
        let times = (Duration::from_secs(30), Duration::from_secs(300));
        let said = Said { metrics: door.metrics, log: door.log };
        Ok(IcapServer {
            requests,
            responses,
            proxies: self.proxy.clone(),
            times,
            name,
            allows_bypass: self.opes.allow_bypass,
            allows_trace: self.opes.allow_trace,
            said,
        })
    }
}
