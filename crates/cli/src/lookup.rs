//! `kukla lookup`: looks up data, and explains where it comes from.

mod answer;
mod audit;

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::bail;
use clap::ValueEnum;
use ecow::EcoString;
use kukla_compiler::compile::Lookups;
use kukla_lookup::{FaultKind, Query, Trace};
use kukla_pcore::{Hash, Value};

use crate::Exit;
use crate::log::LogStyle;
use crate::settings::SettingArgs;
use crate::shell::{Shell, Stream};
use crate::site::{self, NodeArgs, only};

const EXAMPLES: &str = "\
Examples:
  kukla lookup ntp::servers --node web1 --facts web1.json             the value, as YAML
  kukla lookup ntp::servers --facts web1.json --explain               how it is found, in Puppet's words
  kukla lookup ntp::servers --facts web1.json --explain --places      with file and line of every value
  kukla lookup ntp::servers --facts web1.json --explain --render-as json
  kukla lookup users --merge deep --knock-out-prefix -- --facts web1.json
  kukla lookup --audit --facts web1.json                              the secrets that the catalog uses

A secret (encrypted, or converted to Sensitive) is not shown unless --reveal is given.
Exit status: 0; 1 when there is no value or it can't be looked up; 2 when the command line is wrong.";

/// Look up data like Puppet, and explain where values come from
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Keys; the first that has a value counts
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Explain how the value is found
    #[arg(long)]
    explain: bool,
    /// Explain how the options of the lookup are found
    #[arg(long)]
    explain_options: bool,
    /// Show the file and line of every value that is found, merged or shadowed
    #[arg(long)]
    places: bool,
    /// Merge strategy: first, unique, hash or deep
    #[arg(long, value_name = "STRATEGY")]
    merge: Option<String>,
    /// For --merge deep: prefix of values to remove
    #[arg(long, value_name = "PREFIX", allow_hyphen_values = true)]
    knock_out_prefix: Option<String>,
    /// For --merge deep: sort arrays
    #[arg(long)]
    sort_merged_arrays: bool,
    /// For --merge deep: merge hashes within arrays
    #[arg(long)]
    merge_hash_arrays: bool,
    /// Required type of the value
    #[arg(long, value_name = "TYPE")]
    r#type: Option<String>,
    /// Value to use if there is none
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    default: Option<String>,
    /// Output format [default: yaml for a value, s for an explanation]
    #[arg(long, value_enum, value_name = "FORMAT")]
    render_as: Option<RenderAs>,
    /// Compile the catalog of the node first, so that variables of manifests are defined
    #[arg(long, short)]
    compile: bool,
    /// List the secrets and the restricted data that the catalog of the node uses
    #[arg(long, conflicts_with_all = ["keys", "explain", "explain_options"])]
    audit: bool,
    /// Show secrets in plain text
    #[arg(long)]
    reveal: bool,
    #[command(flatten)]
    settings: SettingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RenderAs {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// Text.
    S,
}

/// Looks up the keys of the arguments.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if args.audit {
        let members = site::members(&args.settings, &args.nodes, shell)?;
        return audit::run(&members, args.render_as == Some(RenderAs::Json), shell);
    }
    let merge = merge(args)?;
    let keys: Vec<EcoString> = match args.keys.is_empty() {
        true if args.explain_options && !args.explain => vec!["__global__".into()],
        true => bail!("No keys were given to lookup."),
        false => args.keys.iter().map(|key| key.as_str().into()).collect(),
    };
    let Some(mut lookups) = lookups(args, shell)? else { return Ok(Exit::Findings) };
    answered(args, &mut lookups, &keys, merge.as_ref(), shell)
}

/// Opens the data of the node. As in Puppet, a classifier is only used if the catalog is compiled.
fn lookups(args: &Args, shell: &Shell) -> anyhow::Result<Option<Lookups>> {
    if !args.compile {
        let site = site::open(&args.settings, shell)?;
        let environment = site::environment(&site, shell)?;
        let nodes = site.nodes(&args.nodes.selection())?;
        let request = environment.request(only(&nodes)?);
        return match environment.snapshot.lookups(environment.strictness, &request) {
            Ok(lookups) => Ok(Some(lookups)),
            Err(failure) => {
                shell.problem(&failure.to_string());
                Ok(None)
            }
        };
    }
    let members = site::members(&args.settings, &args.nodes, shell)?;
    let (lookups, compiled) = only(&members)?.compiled_lookups();
    LogStyle::default().print(&compiled.log, shell)?;
    Ok(lookups.filter(|_| compiled.catalog.is_ok()))
}

/// Prints the result of the lookup.
fn answered(
    args: &Args,
    lookups: &mut Lookups,
    keys: &[EcoString],
    merge: Option<&Value>,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let is_explained = args.explain || args.explain_options;
    let trace = is_explained.then(|| {
        let trace = match args.explain_options {
            true => Trace::of_options(!args.explain),
            false => Trace::new(),
        };
        Rc::new(RefCell::new(if args.reveal { trace.revealing() } else { trace }))
    });
    let type_ = match &args.r#type {
        Some(text) => Some(lookups.parse_type(text).map_err(anyhow::Error::msg)?),
        None => None,
    };
    let query = Query {
        type_: type_.as_ref(),
        merge,
        default: args.default.as_deref().map(Value::from),
        ..Query::new(keys)
    };
    let answer = lookups.lookup(&query, trace.as_ref());
    LogStyle::default().print(&lookups.take_log(), shell)?;
    let result = match answer {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(kukla_lookup::not_found(keys)),
        Err(fault) => Err(fault),
    };
    let Some(trace) = trace else {
        return match result {
            Ok(found) => {
                let value = answer::visible_value(&found, args.reveal);
                let format = args.render_as.unwrap_or(RenderAs::Yaml);
                shell.print(Stream::Output, &answer::rendered(&value, format)?)?;
                Ok(Exit::Success)
            }
            Err(fault) => {
                shell.problem(&fault.message_with_place());
                Ok(Exit::Findings)
            }
        };
    };
    let mut exit = Exit::Success;
    if let Err(fault) = &result {
        match fault.kind {
            FaultKind::Lookup => trace.borrow_mut().text(fault.message_with_place()),
            FaultKind::Puppet | FaultKind::Other => {
                shell.problem(&fault.message_with_place());
                exit = Exit::Findings;
            }
        }
    }
    let text = match args.render_as.unwrap_or(RenderAs::S) {
        RenderAs::S if args.places => {
            let explanation = trace.borrow().explain_places();
            let places = answer::places(lookups, keys, result.as_ref().ok(), args.reveal);
            format!("{explanation}{places}")
        }
        RenderAs::S => trace.borrow().explain(),
        format => {
            let mut explanation = trace.borrow().to_value();
            if !args.explain_options {
                answer::add_places(
                    &mut explanation,
                    lookups,
                    keys,
                    result.as_ref().ok(),
                    args.reveal,
                );
            }
            answer::rendered(&explanation, format)?
        }
    };
    shell.print(Stream::Output, &text)?;
    Ok(exit)
}

/// Returns the merge strategy of the arguments.
fn merge(args: &Args) -> anyhow::Result<Option<Value>> {
    const STRATEGIES: &[&str] = &["first", "hash", "unique", "deep"];
    let has_deep_options =
        args.sort_merged_arrays || args.merge_hash_arrays || args.knock_out_prefix.is_some();
    if has_deep_options && args.merge.as_deref() != Some("deep") {
        bail!(
            "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only available with '--merge deep'"
        );
    }
    let Some(merge) = &args.merge else { return Ok(None) };
    if !STRATEGIES.contains(&merge.as_str()) {
        let names: Vec<String> = STRATEGIES.iter().map(|name| format!("'{name}'")).collect();
        let (last, others) = names.split_last().expect("there are some");
        bail!("The --merge option only accepts {}, or {last}", others.join(", "));
    }
    let mut options = Hash::new();
    let mut set = |name: &str, value: Value| drop(options.insert(Value::from(name), value));
    set("strategy", Value::from(merge.as_str()));
    if merge == "deep" {
        set("sort_merged_arrays", Value::Boolean(args.sort_merged_arrays));
        set("merge_hash_arrays", Value::Boolean(args.merge_hash_arrays));
        if let Some(prefix) = &args.knock_out_prefix {
            set("knockout_prefix", Value::from(prefix.as_str()));
        }
    }
    Ok(Some(Value::hash(options)))
}
