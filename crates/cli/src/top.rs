//! `kukla top`: a view of what a server is doing.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use kukla_server::agents::{AdminClient, TlsFiles};
use kukla_site::settings::Settings;
use serde_json::Value;

use crate::Exit;
use crate::paths::current;
use crate::serve::host_name;
use crate::settings::config_file;
use crate::shell::{Shell, Stream, TextOrJson};

const EXAMPLES: &str = "\
Examples:
  kukla top                                       the server of this machine, with its certificate
  kukla top --config /etc/puppetlabs/puppet/puppet.conf --server puppet.example.com
  kukla top --once --format json | jq .nodes      for scripts

The rules of the server must allow `/metrics` to the certificate; the stock rules allow it to one with the extension
`pp_cli_auth`, such as the server's own.";

/// Clears the screen and goes to its beginning.
const CLEAR: &str = "\x1b[2J\x1b[H";
/// The number of lines of each table.
const ROWS: usize = 10;

/// Show what a server is doing: requests, slowest nodes and classes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// `puppet.conf` with the server's name, port and certificates [default: that of this machine]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Name of the server, as in its certificate [default: the setting `certname`]
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Port of the server [default: the setting `serverport`]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    interval: u64,
    /// Print one look and end
    #[arg(long)]
    once: bool,
    /// Audience of the output; `json` is one document for each look
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// Shows looks until it is interrupted.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let client = client(args)?;
    let mut last: Option<Value> = None;
    loop {
        let text = client.get("/metrics/activity").context("can't ask the server")?;
        let now: Value =
            serde_json::from_str(&text).context("the server does not answer with JSON")?;
        let shown = match args.format {
            TextOrJson::Json => format!("{now}\n"),
            TextOrJson::Text => table(&now, last.as_ref()),
        };
        let is_cleared = !args.once && args.format == TextOrJson::Text;
        shell.print(Stream::Output, &format!("{}{shown}", if is_cleared { CLEAR } else { "" }))?;
        if args.once {
            return Ok(Exit::Success);
        }
        last = Some(now);
        std::thread::sleep(Duration::from_secs(args.interval.max(1)));
    }
}

fn client(args: &Args) -> anyhow::Result<AdminClient> {
    let settings = Settings::load(&config_file(args.config.as_ref()), Vec::new(), &current()?)?;
    let settings = settings.with_fallback("certname", &host_name());
    let text = |name: &str| settings.text(name).unwrap_or_default();
    let path = |name: &str| PathBuf::from(text(name));
    let server = args.server.clone().unwrap_or_else(|| text("certname"));
    let port = args.port.or_else(|| text("serverport").parse().ok()).unwrap_or(8140);
    let files = TlsFiles {
        certificate: path("hostcert"),
        key: path("hostprivkey"),
        authorities: path("localcacert"),
        revocations: None,
    };
    AdminClient::new(&server, port, &files).context("can't use the certificate of this machine")
}

/// Returns a look as tables for people.
fn table(now: &Value, last: Option<&Value>) -> String {
    let number = |value: &Value, name: &str| value[name].as_u64().unwrap_or(0);
    let seconds = last
        .map(|last| number(now, "uptime_seconds").saturating_sub(number(last, "uptime_seconds")));
    let rate = last.zip(seconds).filter(|(_, seconds)| *seconds > 0).map(|(last, seconds)| {
        let n = number(now, "compilations").saturating_sub(number(last, "compilations"));
        format!(" ({:.1} per second)", n as f64 / seconds as f64)
    });
    let mut out = format!(
        "up {} s   catalogs {}{}, {} failed   queued {}   nodes {}   memory {} MB\n",
        number(now, "uptime_seconds"),
        number(now, "compilations"),
        rate.unwrap_or_default(),
        number(now, "failed_compilations"),
        number(now, "queued"),
        number(now, "known_nodes"),
        number(now, "memory_bytes") >> 20,
    );
    out += &rows(
        "slowest nodes",
        &now["nodes"],
        &["mean_ms", "last_ms", "most_ms", "compilations"],
        |row| {
            let mark = if row["failed"] == Value::Bool(true) { " FAILED" } else { "" };
            format!(
                "{} ({}){mark}",
                row["name"].as_str().unwrap_or_default(),
                row["environment"].as_str().unwrap_or_default()
            )
        },
    );
    out += &rows(
        "slowest code (own time)",
        &now["code"],
        &["mean_ms", "most_ms", "catalogs"],
        |row| {
            format!(
                "{} {}",
                row["kind"].as_str().unwrap_or_default(),
                row["name"].as_str().unwrap_or_default()
            )
        },
    );
    out += &rows("requests", &now["routes"], &["mean_ms", "most_ms", "requests"], |row| {
        row["route"].as_str().unwrap_or_default().to_owned()
    });
    out
}

fn rows(title: &str, list: &Value, columns: &[&str], name: impl Fn(&Value) -> String) -> String {
    let head: String = columns.iter().map(|column| format!("{column:>13}")).collect();
    let mut out = format!("\n{head}  {title}\n");
    for row in list.as_array().into_iter().flatten().take(ROWS) {
        for column in columns {
            let _ = match &row[*column] {
                Value::Number(number) if number.is_f64() => {
                    write!(out, "{:>13.3}", number.as_f64().unwrap_or(0.0))
                }
                value => write!(out, "{value:>13}"),
            };
        }
        // Names come from clients: nothing of them reaches the terminal as a command.
        let shown: String =
            name(row).chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        let _ = writeln!(out, "  {shown}");
    }
    out
}
