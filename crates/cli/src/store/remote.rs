//! `kukla store status` and `check` where PuppetDB is the store: its servers, the queue, and what it refused.

use std::fmt::Write;

use kukla_base::render::printable;
use kukla_site::Site;
use kukla_store::puppetdb::{PuppetDb, RefusedCommand, RefusedFiles};
use kukla_store::{Queue, time};
use serde_json::{Value, json};

use crate::Exit;
use crate::shell::{Shell, Stream, TextOrJson};

/// The number of refused commands that are shown.
const MOST_SHOWN: usize = 10;
/// The most of an answer that is shown.
const MOST_WORDS: usize = 200;

/// Prints what waits, what each server answers, and what was refused.
pub(super) fn status(
    site: &Site,
    puppetdb: &PuppetDb,
    format: TextOrJson,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let waiting = Queue::waiting_in(&site.queue_directory())?;
    let files = RefusedFiles::beside(&site.queue_directory());
    let (n_refused, refused_bytes) = files.count()?;
    let newest = files.newest(MOST_SHOWN)?;
    let versions = puppetdb.versions();
    let text = match format {
        TextOrJson::Json => {
            let server = |(url, version): &(String, Result<String, _>)| match version {
                Ok(version) => json!({ "url": url, "version": version }),
                Err(error) => json!({ "url": url, "error": ToString::to_string(error) }),
            };
            let servers: Vec<Value> = versions.iter().map(server).collect();
            let newest: Vec<Value> = newest.iter().map(as_json).collect();
            let json = json!({
                "place": "puppetdb", "servers": servers, "waiting_bytes": waiting,
                "refused_commands": n_refused, "refused_bytes": refused_bytes,
                "refused_directory": files.directory().display().to_string(),
                "newest_refused": newest,
            });
            format!("{json:#}\n")
        }
        TextOrJson::Text => {
            let mut out = String::new();
            for (url, version) in &versions {
                let _ = match version {
                    Ok(version) => writeln!(out, "{url}: PuppetDB {}", printable(version)),
                    Err(error) => writeln!(out, "{url}: {}", printable(&error.to_string())),
                };
            }
            let _ = writeln!(out, "{waiting} bytes of commands wait");
            let _ = writeln!(
                out,
                "{n_refused} commands were refused ({refused_bytes} bytes in {})",
                printable(&files.directory().display().to_string())
            );
            for refused in &newest {
                let _ = writeln!(out, "  {}", printable(&line(refused)));
            }
            out
        }
    };
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

/// Prints everything that is wrong: servers that give no answer, and commands that were refused.
pub(super) fn check(site: &Site, puppetdb: &PuppetDb, shell: &Shell) -> anyhow::Result<Exit> {
    let mut n_problems = 0;
    for (url, version) in puppetdb.versions() {
        if let Err(error) = version {
            n_problems += 1;
            shell.problem(&format!("{url}: {}", printable(&error.to_string())));
        }
    }
    let files = RefusedFiles::beside(&site.queue_directory());
    for refused in files.newest(MOST_SHOWN)? {
        n_problems += 1;
        shell.problem(&printable(&line(&refused)));
    }
    if n_problems > 0 {
        return Ok(Exit::Findings);
    }
    shell.print(Stream::Output, &format!("{} answers\n", printable(&puppetdb.place())))?;
    Ok(Exit::Success)
}

fn line(refused: &RefusedCommand) -> String {
    let RefusedCommand { command, node, time, server, status, words } = refused;
    let words: String = words.chars().take(MOST_WORDS).collect();
    format!("{command} of {node}, {}: {server} answers {status}: {words}", time::written(*time))
}

fn as_json(refused: &RefusedCommand) -> Value {
    let RefusedCommand { command, node, time, server, status, words } = refused;
    json!({
        "command": command, "certname": node, "producer_timestamp": time::written(*time),
        "server": server, "status": status, "answer": words,
    })
}
