//! `kukla doctor`: shows which parts of an environment run natively, need a real Ruby, or can't run; and what an upgrade to a
//! later edition changes or breaks (`upgrade`).

mod catalogs;
mod upgrade;

use std::fmt::Write;

use kukla_base::Edition;
use kukla_site::{Finding, FindingKind, Ruby, Verdict, WorkerError, reason};
use serde_json::json;

use crate::Exit;
use crate::edition::editions;
use crate::settings::SettingArgs;
use crate::shell::{Shell, Stream, TextOrJson};
use crate::site::{self, NodeArgs};

const EXAMPLES: &str = "\
Examples:
  kukla doctor                                  the environment around the current directory
  kukla doctor --environmentpath /etc/puppetlabs/code/environments -E production
  kukla doctor --modulepath modules --format json
  kukla doctor --set ruby_worker=off            assume that there is no Ruby
  kukla doctor --edition 9                      what an upgrade to OpenVox 9 changes or breaks
  kukla doctor --edition 8 --facts facts/       the changed catalogs, too

With --edition it lists the places that an upgrade affects, and settings with other defaults; with --facts it compiles the
nodes in both editions and shows resources that are added (+), removed (-) or changed (~).

Exit status: 0 when everything can run, 1 when something can't, 2 when the environment can't be read; with --edition 1 when
the upgrade breaks something.";

/// Show which parts of an environment run natively, which need a real Ruby and why, and which can't run
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    /// Also list parts that run natively
    #[arg(long)]
    all: bool,
    /// With `--edition`: the edition before the upgrade [default: that of `puppet.conf`, or the one before]
    #[arg(long, value_name = "EDITION", requires = "edition", value_parser = editions())]
    from: Option<Edition>,
    #[command(flatten)]
    nodes: NodeArgs,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Examines the environment that the arguments select.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if let Some(to) = args.settings.edition()? {
        return upgrade::run(args, to, shell);
    }
    let site = site::open(&args.settings, shell)?;
    let environment = site.environment(&site.default_environment())?;
    let snapshot = &environment.snapshot;
    let unread = environment.problems.iter().map(|(path, error)| Finding {
        verdict: Verdict::Cannot,
        kind: FindingKind::Module,
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        path: path.clone(),
        line: None,
        reason: reason(error),
    });
    let findings: Vec<Finding> = unread.chain(snapshot.survey()).collect();
    let ruby = snapshot.ruby();
    match args.format {
        TextOrJson::Text => {
            shell.print(Stream::Output, &text(&findings, args.all, ruby.as_ref()))?
        }
        TextOrJson::Json => {
            let report = json(&findings, args.all, ruby.as_ref());
            shell.print(Stream::Output, &format!("{report}\n"))?;
        }
    }
    match findings.iter().any(|finding| finding.verdict == Verdict::Cannot) {
        true => Ok(Exit::Findings),
        false => Ok(Exit::Success),
    }
}

/// The installed Ruby, if it may be used.
type InstalledRuby<'a> = Option<&'a Result<Ruby, WorkerError>>;

fn text(findings: &[Finding], all: bool, ruby: InstalledRuby<'_>) -> String {
    let mut out = String::new();
    for finding in findings.iter().filter(|finding| is_listed(finding, all)) {
        let verdict = match finding.verdict {
            Verdict::Native => "runs natively".to_owned(),
            Verdict::Worker => format!("needs the Ruby worker: {}", finding.reason),
            Verdict::Cannot => format!("cannot run: {}", finding.reason),
        };
        let _ = writeln!(out, "{} `{}` {verdict}", finding.kind.as_str(), finding.name);
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let _ = writeln!(out, " --> {}{line}", finding.path.display());
    }
    for kind in [FindingKind::ResourceType, FindingKind::Function, FindingKind::Template] {
        let [native, worker, cannot] = counts(findings, kind);
        if native + worker + cannot > 0 {
            let name = kind.as_str();
            let _ = writeln!(
                out,
                "{name}s: {native} run natively, {worker} by the Ruby worker, {cannot} cannot run"
            );
        }
    }
    let _ = writeln!(out, "Ruby worker: {}", describe_ruby(ruby));
    out
}

fn is_listed(finding: &Finding, all: bool) -> bool {
    all || finding.verdict != Verdict::Native
}

fn counts(findings: &[Finding], kind: FindingKind) -> [usize; 3] {
    [Verdict::Native, Verdict::Worker, Verdict::Cannot].map(|verdict| {
        let is_counted = |one: &&Finding| one.kind == kind && one.verdict == verdict;
        findings.iter().filter(is_counted).count()
    })
}

fn describe_ruby(ruby: InstalledRuby<'_>) -> String {
    match ruby {
        None => "off".to_owned(),
        Some(Err(error)) => error.to_string(),
        Some(Ok(Ruby { version, puppet: Some(puppet) })) => {
            format!("Ruby {version} with Puppet {puppet}")
        }
        Some(Ok(Ruby { version, puppet: None })) => format!("Ruby {version} without Puppet"),
    }
}

fn json(findings: &[Finding], all: bool, ruby: InstalledRuby<'_>) -> serde_json::Value {
    let entry = |finding: &Finding| {
        json!({
            "runs": finding.verdict.as_str(),
            "kind": finding.kind.as_str(),
            "name": finding.name,
            "file": finding.path.to_string_lossy(),
            "line": finding.line,
            "reason": finding.reason,
        })
    };
    let findings = findings.iter().filter(|finding| is_listed(finding, all));
    let ruby = ruby.map(|ruby| match ruby {
        Ok(ruby) => json!({ "version": ruby.version, "puppet": ruby.puppet }),
        Err(error) => json!({ "missing": error.to_string() }),
    });
    json!({ "version": 2, "ruby": ruby, "findings": findings.map(entry).collect::<Vec<_>>() })
}
