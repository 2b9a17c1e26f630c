//! `kukla data convert`: converts between PDL and Hiera's YAML.

use kukla_world::files;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use kukla_base::render::{self, FileReport, Kind};
use kukla_base::{Diagnostic, Source};
use kukla_lookup::DataFile;
use kukla_lookup::pdl::{self, Converted};
use kukla_world::Disk;

use crate::Exit;
use crate::inputs::problem;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla data convert data/ntp/init.pdl                 as YAML; bare names are parameters of class ntp
  kukla data convert data/common.yaml > data/site.pdl  as PDL
  kukla data convert client.pdl --class ntp::client
  kukla data convert data/ntp/init.pdl --output new    hiera.yaml and one file per condition

Conditions of PDL become levels of a hierarchy if they are made of `==`, `in`, `and` and `or`.
Data that can't be converted is listed on standard error.
Exit status: 0 when nothing is lost, 1 when something is, 2 when the file can't be read.";

/// Convert data between PDL and Hiera's YAML
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Data file: *.pdl, *.yaml or *.json
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Target format [default: the other one]
    #[arg(long, value_enum)]
    to: Option<Form>,
    /// Class to which bare names in PDL belong [default: derived from the path]
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// Directory to write files into, instead of printing them
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Hiera's YAML.
    Hiera,
    /// PDL for the library of a site.
    Pdl,
}

/// Converts the file that the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let path = args.file.to_string_lossy();
    let is_pdl = args.file.extension().is_some_and(|extension| extension == "pdl");
    let form = args.to.unwrap_or(if is_pdl { Form::Hiera } else { Form::Pdl });
    let converted: Converted = match form {
        Form::Hiera => {
            let text = files::read_text(&args.file)
                .map_err(|error| anyhow!("{}", problem(&path, &error)))?;
            let pdl = match pdl::parse(&text) {
                Ok(pdl) => pdl,
                Err(error) => return refuse(&path, text, error.diagnostics, shell),
            };
            let class = args.class.clone().or_else(|| class_of(&args.file));
            pdl::to_hiera(&pdl, class.as_deref())
        }
        Form::Pdl => {
            let is_json = args.file.extension().is_some_and(|extension| extension == "json");
            let function = if is_json { "json_data" } else { "yaml_data" };
            let file =
                DataFile::read(&Disk, &path, function).map_err(|fault| anyhow!("{fault}"))?;
            pdl::from_hiera(&file)
        }
    };
    match (&args.output, &converted.files[..]) {
        (Some(directory), files) => write(directory, files)?,
        (None, [(_, text)]) => shell.print(Stream::Output, text)?,
        (None, files) => {
            for (path, text) in files {
                shell.print(Stream::Output, &format!("# {path}\n{text}"))?;
            }
        }
    }
    for remark in &converted.remarks {
        shell.say(remark);
    }
    for (line, why) in &converted.lost {
        shell.warning(&format!("{path}:{line}: not converted: {why}"));
    }
    Ok(if converted.lost.is_empty() { Exit::Success } else { Exit::Findings })
}

/// Reports the errors of a file that is not valid PDL.
fn refuse(
    path: &str,
    text: String,
    diagnostics: Vec<Diagnostic>,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let (source, puppet_file) = (Source::new(path, text), Some(path.to_owned()));
    let file = FileReport { source, kind: Kind::Data, puppet_file, diagnostics };
    shell.print(Stream::Error, &render::text::render_file(&file, shell.style(Stream::Error)))?;
    Ok(Exit::Failure)
}

/// Writes files, none of which may exist.
fn write(directory: &Path, files: &[(String, String)]) -> anyhow::Result<()> {
    for (path, text) in files {
        let path = directory.join(path);
        if path.exists() {
            bail!("there is a `{}` already", path.display());
        }
        std::fs::create_dir_all(path.parent().unwrap_or(directory))
            .and_then(|()| std::fs::write(&path, text))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

/// Returns the class of a file: `ntp` for `ntp/init.pdl`, `ntp::client` for `ntp/data/client.pdl`.
fn class_of(path: &Path) -> Option<String> {
    let file = path.file_stem()?.to_str()?;
    let directory = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let parent = path.parent()?;
    let module = match directory(parent)?.as_str() {
        "data" => directory(parent.parent()?)?,
        other => other.to_owned(),
    };
    match file {
        "site" => None,
        "init" => Some(module),
        other => Some(format!("{module}::{other}")),
    }
}
