//! `kukla params`: lists every parameter of every class in a catalog, with the origin of its value.

use std::fmt::Write;

use clap::ValueEnum;
use kukla_compiler::compile::{ParameterSource, ParameterUse, SourcePlace};
use kukla_lookup::REDACTED;
use kukla_pcore::{Value, format};
use kukla_rubytext::json as ruby_json;
use kukla_world::paths::Anchor;
use serde_json::{Value as Json, json};

use crate::Exit;
use crate::log::LogStyle;
use crate::paths::{current, display};
use crate::settings::SettingArgs;
use crate::shell::{Shell, Stream};
use crate::site::{NodeArgs, members, only, plain};

const EXAMPLES: &str = "\
Examples:
  kukla params --node web1 --facts web1.json                    all classes of the node's catalog
  kukla params ntp apache --facts web1.json                     two of them
  kukla params --facts web1.json --format html > web1.html      a page for browsers

Secrets are not shown.
Exit status: 0; 1 when the catalog can't be compiled; 2 when the command line is wrong.";

/// List the parameters of classes on a node: value, type and origin
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Classes [default: all of the catalog]
    #[arg(value_name = "CLASS")]
    classes: Vec<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Width of the output: a table that does not fit has two lines per parameter [default: COLUMNS]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    #[command(flatten)]
    settings: SettingArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table.
    #[default]
    Text,
    /// For programs.
    Json,
    /// A page for browsers.
    Html,
}

/// A parameter as texts.
struct Row {
    class: String,
    name: String,
    value: String,
    type_: String,
    source: String,
}

/// Compiles the catalog and lists its parameters.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let members = members(&args.settings, &args.nodes, shell)?;
    let member = only(&members)?;
    let (node, anchor) = (&member.node, current()?);
    let (lookups, compiled) = member.compiled_lookups();
    LogStyle::default().print(&compiled.log, shell)?;
    let Some(mut lookups) = lookups else { return Ok(Exit::Findings) };
    let mut uses = lookups.parameters(&compiled);
    if !args.classes.is_empty() {
        for class in &args.classes {
            if compiled.catalog.is_ok() && !uses.iter().any(|used| used.class == class.as_str()) {
                shell.warning(&format!("the catalog has no parameters of class `{class}`"));
            }
        }
        uses.retain(|used| args.classes.iter().any(|class| used.class == class.as_str()));
    }
    let text = match args.format {
        Format::Text => text(&rows(&uses, &anchor), args.width.or_else(Shell::columns)),
        Format::Json => format!("{}\n", as_json(&node.name, &uses)),
        Format::Html => page(&node.name, &rows(&uses, &anchor)),
    };
    shell.print(Stream::Output, &text)?;
    Ok(if compiled.catalog.is_ok() { Exit::Success } else { Exit::Findings })
}

fn rows(uses: &[ParameterUse], anchor: &Anchor) -> Vec<Row> {
    let row = |used: &ParameterUse| Row {
        class: used.class.to_string(),
        name: used.name.to_string(),
        value: if used.is_secret { REDACTED.to_owned() } else { format::program(&used.value) },
        type_: used.type_.as_ref().map(|type_| type_.text()).unwrap_or_default(),
        source: match used.source {
            ParameterSource::Data if !used.places.is_empty() => {
                let places = used.places.iter();
                let places: Vec<String> =
                    places.map(|at| format!("{}:{}", display(&at.file, anchor), at.line)).collect();
                places.join(", ")
            }
            source => word(source).to_owned(),
        },
    };
    uses.iter().map(row).collect()
}

const fn word(source: ParameterSource) -> &'static str {
    match source {
        ParameterSource::Declared => "declared",
        ParameterSource::Data => "data",
        ParameterSource::Default => "default",
    }
}

/// Returns a place as JSON; a place in data has the name of its level.
fn place(at: &SourcePlace) -> Json {
    let mut place = json!({ "file": at.file.as_str(), "line": at.line });
    if let Some(level) = &at.level {
        place["level"] = level.as_str().into();
    }
    place
}

/// Formats parameters with one heading per class: as a table, or as two lines each where a table is too wide.
fn text(rows: &[Row], columns: Option<usize>) -> String {
    let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max();
    let name = width(|row| &row.name).unwrap_or(0);
    let source = width(|row| &row.source).unwrap_or(0).min(64);
    let type_ = width(|row| &row.type_).unwrap_or(0).min(32);
    let value = width(|row| &row.value).unwrap_or(0).min(MIN_VALUE);
    // Two blanks stand before each column.
    let is_narrow = columns.is_some_and(|columns| name + source + type_ + value + 8 > columns);
    let mut out = String::new();
    let mut class = "";
    for row in rows {
        if row.class != class {
            class = &row.class;
            let _ = writeln!(out, "{class}");
        }
        let line = match is_narrow {
            true => in_two_lines(row),
            false => format!(
                "  {:name$}  {:source$}  {:type_$}  {}",
                row.name, row.source, row.type_, row.value
            ),
        };
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The columns that a table leaves for values.
const MIN_VALUE: usize = 16;

/// Formats a parameter for a narrow terminal: its value, and below it where it comes from and its type.
fn in_two_lines(row: &Row) -> String {
    let Row { name, value, type_, source, .. } = row;
    let type_ = if type_.is_empty() { String::new() } else { format!(", {type_}") };
    format!("  {name} = {value}\n      {source}{type_}")
}

fn as_json(node: &str, uses: &[ParameterUse]) -> Json {
    let entry = |used: &ParameterUse| {
        let places: Vec<Json> = used.places.iter().map(place).collect();
        let value = if used.is_secret { Value::from(REDACTED) } else { plain(&used.value) };
        let value = ruby_json::generate(&value, &ruby_json::Style::compact()).ok();
        let value: Json =
            value.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Json::Null);
        json!({
            "class": used.class.as_str(),
            "name": used.name.as_str(),
            "value": value,
            "type": used.type_.as_ref().map(|type_| type_.text()),
            "source": word(used.source),
            "places": places,
            "secret": used.is_secret,
        })
    };
    json!({ "version": 1, "node": node, "parameters": uses.iter().map(entry).collect::<Vec<_>>() })
}

/// Returns a self-contained page.
fn page(node: &str, rows: &[Row]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\nbody {{ font: 15px sans-serif; margin: 2em }}\ntable {{ border-collapse: collapse }}\ntd, th {{ padding: .2em .8em; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd }}\ncode {{ white-space: pre-wrap }}\n</style>\n<h1>{0}</h1>\n",
        escaped(node)
    );
    let mut class = "";
    for row in rows {
        if row.class != class {
            if !class.is_empty() {
                out.push_str("</table>\n");
            }
            class = &row.class;
            let _ = write!(
                out,
                "<h2>{}</h2>\n<table>\n<tr><th>parameter<th>value<th>type<th>from\n",
                escaped(class)
            );
        }
        let _ = writeln!(
            out,
            "<tr><td>{}<td><code>{}</code><td><code>{}</code><td>{}",
            escaped(&row.name),
            escaped(&row.value),
            escaped(&row.type_),
            escaped(&row.source)
        );
    }
    if !class.is_empty() {
        out.push_str("</table>\n");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
