//! `kukla store`: looks at the store, makes it smaller, and moves what it has.

mod archive;
mod change;
mod history;
mod migrate;
mod remote;
mod status;

use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla store status                        what the store has, and what waits for it
  kukla store check                         whether it is sound
  kukla store compact                       remove what is older than node_ttl, node_purge_ttl and report_ttl say
  kukla store purge web1.example.com        everything that a node said
  kukla store history web1.example.com --path 'os.*'
                                            which of its facts have changed, and when
  kukla store export fleet.jsonl            all commands that make such a store, one per line
  kukla store import fleet.jsonl --vardir /var/lib/other
  kukla store migrate sqlite:/var/lib/puppet/store.sqlite3 postgresql://kukla@db.example.com/kukla
  kukla store migrate puppetdb.tgz sqlite:/var/lib/puppet/store.sqlite3
                                            what `puppet db export puppetdb.tgz` wrote

The store is `store.sqlite3` in `vardir`, or where the setting `store` says. All commands work while `kukla serve` runs.
If it is PuppetDB, `status` and `check` ask it and look at the queue, and the other commands refuse.
Exit status: 0, 1 when something is wrong with the store or a node is not known, 2 when it can't be read or written.";

/// Look at the store of facts, catalogs and reports, make it smaller, export and import it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Status(status::StatusArgs),
    Check(status::CheckArgs),
    Compact(change::CompactArgs),
    Purge(change::PurgeArgs),
    History(history::HistoryArgs),
    Export(archive::ExportArgs),
    Import(archive::ImportArgs),
    Migrate(migrate::MigrateArgs),
}

/// Runs the selected command.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Status(args) => status::status(args, shell),
        Command::Check(args) => status::check(args, shell),
        Command::Compact(args) => change::compact(args, shell),
        Command::Purge(args) => change::purge(args, shell),
        Command::History(args) => history::history(args, shell),
        Command::Export(args) => archive::export(args, shell),
        Command::Import(args) => archive::import(args, shell),
        Command::Migrate(args) => migrate::migrate(args, shell),
    }
}
