//! `kukla store migrate`: copies a store into another one, or an archive of PuppetDB into a store.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use kukla_base::render::printable;
use kukla_site::SiteError;
use kukla_site::settings::StorePlace;
use kukla_store::{
    Archive, Command, Outcome, PackError, Packed, PackedCommand, Progress, Receipt, Store, Target,
    time,
};

use crate::Exit;
use crate::inputs::problem;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream};
use crate::site;

/// The number of commands in one transaction.
const GROUP: usize = 64;

/// Copy a store into an empty one, with another engine or the same; or an archive of `puppet db export` to or from a store
///
/// A place is `sqlite:PATH`, `postgresql://USER@HOST/DATABASE` or the path of an archive that ends with `.tgz` or
/// `.tar.gz`. The servers that use the store must be stopped. A copy that was killed goes on when the command is given
/// again; until then the target is no store for others. At the end the rows of both are counted.
#[derive(Debug, clap::Args)]
pub(crate) struct MigrateArgs {
    /// The store to read, or an archive
    #[arg(value_name = "FROM")]
    from: String,
    /// The store to make, or an archive that does not exist
    #[arg(value_name = "TO")]
    to: String,
    #[command(flatten)]
    settings: StoreArgs,
}

/// A place on the command line.
enum Place {
    Archive(PathBuf),
    Store(StorePlace),
}

impl Place {
    fn read(text: &str) -> anyhow::Result<Self> {
        if [".tgz", ".tar.gz"].iter().any(|end| text.ends_with(end)) && !text.contains("://") {
            return Ok(Self::Archive(text.into()));
        }
        match StorePlace::read(text) {
            // The text may have a password by mistake, so it is not repeated.
            Err(SiteError::BadSetting { .. })
            | Ok(StorePlace::Nowhere | StorePlace::PuppetDb(_)) => {
                bail!(
                    "a place is `sqlite:PATH`, `postgresql://USER@HOST/DATABASE` or an archive (`.tgz`)"
                )
            }
            place => Ok(Self::Store(place?)),
        }
    }
}

/// Copies.
pub(super) fn migrate(args: &MigrateArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    let existing = |place: &StorePlace| match site.store_file(place) {
        Some(path) if !path.exists() => bail!("there is no `{}`", path.display()),
        _ => Ok(()),
    };
    match (Place::read(&args.from)?, Place::read(&args.to)?) {
        (Place::Store(from), Place::Store(to)) => {
            existing(&from)?;
            let Some(from) = site.open_store_at(from)? else { bail!("there is nothing to copy") };
            let Some(to) = site.open_target(to)? else { bail!("there is no place for the copy") };
            copy(&from, &to, shell)
        }
        (Place::Archive(from), Place::Store(to)) => {
            let named = from.display().to_string();
            let archive = File::open(&from).map_err(|error| anyhow!(problem(&named, &error)))?;
            let Some(to) = site.open_store_at(to)? else { bail!("there is no place for the copy") };
            import(&named, archive, &to, shell)
        }
        (Place::Store(from), Place::Archive(to)) => {
            existing(&from)?;
            let Some(from) = site.open_store_at(from)? else { bail!("there is nothing to copy") };
            export(&from, &to, shell)
        }
        (Place::Archive(_), Place::Archive(_)) => bail!("both places are archives: copy the file"),
    }
}

fn copy(from: &Store, to: &Target, shell: &Shell) -> anyhow::Result<Exit> {
    let mut last = "";
    let all = from.migrate(to, &mut |Progress { table, copied, present }| {
        // A line when a table begins, and one per hundred thousand rows.
        if table != last || copied % 100_000 < 2000 {
            last = table;
            shell.say(&format!("{table}: {copied} of {present} rows"));
        }
    })?;
    let mut out = String::new();
    for Progress { table, copied, present } in &all {
        let _ = writeln!(out, "{present:10} {copied:10} {table}");
    }
    let n_rows: u64 = all.iter().map(|table| table.copied).sum();
    let _ = writeln!(out, "{} has all {n_rows} rows of {}", to.place(), from.place());
    shell.print(Stream::Output, &out)?;
    Ok(Exit::Success)
}

/// Stores the commands of an archive. A command that is stored already changes nothing, so an import that was killed is
/// begun again.
fn import(path: &str, archive: File, to: &Store, shell: &Shell) -> anyhow::Result<Exit> {
    let named = || format!("`{path}`");
    let mut archive = Archive::open(archive).with_context(named)?;
    let (mut group, mut counts) = (Vec::new(), Counts::default());
    while let Some(packed) = archive.next().with_context(named)? {
        let PackedCommand { file, name, version, payload } = packed;
        let place = || format!("{}, `{}`", named(), printable(&file));
        let command = Command::read(name, version, &payload).with_context(place)?;
        // The time of receipt is that of the producer: the archive has no other.
        let received = command.producer_timestamp;
        group.push((command, Receipt { received, keeps_exports: false }));
        if group.len() == GROUP {
            counts.store(to, &mut group)?;
            if counts.n_commands() % 6400 == 0 {
                shell.say(&format!("{} commands", counts.n_commands()));
            }
        }
    }
    counts.store(to, &mut group)?;
    let Counts { n_stored, n_known } = counts;
    let text = format!(
        "{path}: {} commands at {}: {n_stored} stored, {n_known} said nothing new\n",
        n_stored + n_known,
        time::written(time::now())
    );
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

/// Writes everything that a store has as an archive, as `puppet db export` does. It appears at once when it is complete.
fn export(store: &Store, path: &Path, shell: &Shell) -> anyhow::Result<Exit> {
    let named = || format!("cannot write `{}`", path.display());
    if path.exists() {
        bail!("`{}` exists", path.display());
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    // Facts and parameters may be secret. One that a killed command left is written anew.
    let _ = std::fs::remove_file(&part);
    let file = File::options().write(true).create_new(true).mode(0o600).open(&part);
    let file = file.with_context(named)?;
    let packed = store.pack(BufWriter::new(&file), &|| false);
    let Packed { commands, left } = match packed {
        Err(PackError::Store(error)) => return Err(error.into()),
        packed => packed.with_context(named)?,
    };
    let finish = || -> std::io::Result<()> {
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    finish().with_context(named)?;
    let text = format!("{commands} commands; {left} have no place in an archive\n");
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

#[derive(Default)]
struct Counts {
    n_stored: usize,
    n_known: usize,
}

impl Counts {
    fn n_commands(&self) -> usize {
        self.n_stored + self.n_known
    }

    fn store(&mut self, to: &Store, group: &mut Vec<(Command, Receipt)>) -> anyhow::Result<()> {
        let commands: Vec<(&Command, Receipt)> =
            group.iter().map(|(command, receipt)| (command, *receipt)).collect();
        for applied in to.apply(&commands)? {
            match applied? {
                Outcome::Stored => self.n_stored += 1,
                Outcome::Stale | Outcome::Duplicate | Outcome::Changed => self.n_known += 1,
            }
        }
        group.clear();
        Ok(())
    }
}
