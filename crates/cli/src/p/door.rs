//! Options and set-up that the doors of P share: `serve`, `proxy` and `icap`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use kukla_plang::check::{Options, Point};
use kukla_plang::check_bytes;
use kukla_server::body::Keep;
use kukla_server::engine::Engine;
use kukla_server::metrics::Metrics;
use kukla_server::record::Recorder;
use kukla_server::rules::Rules;
use kukla_server::services::{Directory, RegistrySource};
use tokio::net::TcpListener;

use super::program::{PlaceArgs, read};
use crate::shell::{Colour, Shell};

/// Options of every door.
#[derive(Debug, clap::Args)]
pub(super) struct DoorArgs {
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

/// Options of doors that bodies pass.
#[derive(Debug, clap::Args)]
pub(super) struct BodyArgs {
    /// Largest body that is kept for programs and services
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 30)]
    max_kept: u64,
    /// Folder for kept bodies that are larger than 256 KiB [default: the system's]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// Address for /metrics and /health
    #[arg(long, value_name = "ADDR:PORT")]
    admin: Option<SocketAddr>,
}

/// Options of doors that say on messages what was done with them.
#[derive(Debug, clap::Args)]
pub(super) struct OpesArgs {
    /// Name in `OPES-System`, and in `Via` of a proxy [default: kukla- and a random number]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Let clients bypass services by `OPES-Bypass`
    #[arg(long)]
    pub(super) allow_bypass: bool,
    /// Tell clients who send `X-P-Trace: 1` which rules decided, and which services adapted the message
    #[arg(long)]
    pub(super) allow_trace: bool,
}

impl OpesArgs {
    /// Returns the name of the door.
    pub(super) fn name(&self) -> String {
        self.name.clone().unwrap_or_else(random_name)
    }
}

/// The parts that all programs of a door share.
pub(super) struct Door<'a> {
    args: &'a DoorArgs,
    recorder: Option<Arc<Recorder>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) log: kukla_server::Log,
}

impl DoorArgs {
    /// Opens the record and the log.
    pub(super) fn door(&self) -> anyhow::Result<Door<'_>> {
        let recorder = self.record.clone().map(Recorder::new).transpose();
        let log_shell = Shell::new(Colour::Never);
        Ok(Door {
            args: self,
            recorder: recorder.context("can't record messages")?.map(Arc::new),
            metrics: Arc::new(Metrics::default()),
            log: Arc::new(move |line| log_shell.say(line)),
        })
    }
}

impl Door<'_> {
    /// Returns the engine of a program.
    pub(super) fn engine(&self, rules: Rules) -> Engine {
        Engine {
            rules,
            recorder: self.recorder.clone(),
            metrics: Arc::clone(&self.metrics),
            log: Arc::clone(&self.log),
            logs_all: self.args.log_all,
            utc_offset: self.args.utc_offset,
        }
    }
}

impl BodyArgs {
    /// Returns the bounds of kept bodies.
    pub(super) fn keep(&self) -> Keep {
        Keep {
            size: self.max_kept,
            folder: self.spool.clone().unwrap_or_else(std::env::temp_dir),
            ..Keep::default()
        }
    }

    /// Serves the metrics, if an address for them was given.
    pub(super) async fn serve_metrics(&self, metrics: Arc<Metrics>) -> anyhow::Result<()> {
        let Some(admin) = self.admin else { return Ok(()) };
        let served = kukla_server::metrics::serve(metrics, admin).await;
        served.with_context(|| format!("can't listen at {admin}"))
    }
}

/// Options of the checker, and the services, with which the programs of a door are opened.
pub(super) struct Opening {
    pub(super) options: Options,
    /// The registry, if it is a file.
    source: Option<Arc<RegistrySource>>,
    /// The services.
    pub(super) directory: Arc<Directory>,
}

impl Opening {
    /// Makes services and pools that the registry lacks an error, also if there is no registry.
    pub(super) fn strict(mut self, pools: Option<Vec<String>>) -> Self {
        let registry = self.options.registry.get_or_insert_default();
        registry.pools = registry.pools.take().or(pools);
        self
    }
}

impl DoorArgs {
    /// Reads the registry.
    pub(super) fn opening(
        &self,
        keep: &Keep,
        pools: Option<Vec<String>>,
    ) -> anyhow::Result<Opening> {
        let mut options = self.place.options()?;
        let overrides = self.place.overrides(pools)?;
        if let Some(registry) = &mut options.registry {
            overrides.apply(registry);
        }
        let Some(path) = self.place.services() else {
            let registry = options.registry.clone().unwrap_or_default();
            let directory = Arc::new(Directory::new(&registry, keep)?);
            return Ok(Opening { options, source: None, directory });
        };
        let source = RegistrySource::open(path.to_owned(), overrides, keep.clone())?;
        let directory = Arc::clone(&source.current()?.directory);
        Ok(Opening { options, source: Some(Arc::new(source)), directory })
    }
}

/// Binds the address of a door.
pub(super) async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("can't listen at {address}"))
}

/// Waits until the process is asked to end.
pub(super) async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => (),
        _ = tokio::signal::ctrl_c() => (),
    }
}

/// Splits `[POINT=]FILE`; without a point, the program says where it can run.
pub(super) fn placed(text: &str, options: &Options) -> anyhow::Result<(u8, PathBuf)> {
    if let Some((point, path)) = text.split_once('=')
        && let Ok(point) = point.parse()
    {
        return match (1..=4).contains(&point) {
            true => Ok((point, PathBuf::from(path))),
            false => bail!("`{text}`: a point is a number from 1 to 4"),
        };
    }
    let path = PathBuf::from(text);
    let bytes = read(&path)?;
    let files = options.files.clone().or_else(|| Some(kukla_server::files::Folder::of(&path)));
    let can_run = |point| {
        let options = Options { point, files: files.clone(), ..options.clone() };
        check_bytes(&bytes, &options).program.is_some()
    };
    let is_for_responses = !can_run(Point::Request) && can_run(Point::Response);
    Ok((if is_for_responses { 3 } else { 1 }, path))
}

/// Opens a program for a point.
pub(super) fn open_at(path: &Path, point: u8, opening: &Opening) -> anyhow::Result<Rules> {
    let point = if point <= 2 { Point::Request } else { Point::Response };
    open(path, Options { point, ..opening.options.clone() }, opening)
}

/// Opens shadow programs, each at its point.
pub(super) fn shadows(
    texts: &[String],
    opening: &Opening,
) -> anyhow::Result<BTreeMap<u8, Box<Rules>>> {
    let mut shadows = BTreeMap::new();
    for text in texts {
        let (point, path) = placed(text, &opening.options)?;
        let rules = Box::new(open_at(&path, point, opening)?);
        if shadows.insert(point, rules).is_some() {
            bail!("two shadow programs run at point {point}");
        }
    }
    Ok(shadows)
}

/// Refuses shadow programs at points where no program runs.
pub(super) fn no_more(shadows: &BTreeMap<u8, Box<Rules>>) -> anyhow::Result<()> {
    match shadows.keys().next() {
        None => Ok(()),
        Some(point) => bail!("a shadow program at point {point}, where no program runs"),
    }
}

/// Returns a name that no other door has.
fn random_name() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("kukla-{random:016x}")
}

/// Opens a program.
pub(super) fn open(path: &Path, options: Options, opening: &Opening) -> anyhow::Result<Rules> {
    let rules = Rules::open_with(path, options, opening.source.clone());
    rules.with_context(|| format!("`{}` can't go live", path.display()))
}
