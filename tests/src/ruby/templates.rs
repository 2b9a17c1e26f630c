//! Templates, with variables that reach every part of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use kukla_foreign::{Render, Unsupported};
use kukla_pcore::Value;
use kukla_ruby::Template;
use kukla_worker::{Pool, Template as RealTemplate};
use walkdir::WalkDir;

use super::host::{REACHED, States, TestHost};
use super::uses::Use;
use super::values::{Random, altered, common, of_source};
use super::{Score, answer, given_up};

/// Maximum number of sets of variables per part of a template that nothing has reached.
const TRIES: usize = 400;

/// Number of additional sets of variables that are compared.
const EXTRA: usize = 6;

/// Returns all ERB templates of modules, and our own.
pub fn files(modules: &str) -> Vec<PathBuf> {
    let own = Path::new(crate::ROOM).join("spec/erb");
    let below = |path: &Path| path.components().any(|part| part.as_os_str() == "templates");
    let walk = |root: &Path| {
        WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter().flatten()
    };
    let of_modules = walk(Path::new(modules)).filter(|entry| below(entry.path()));
    of_modules
        .chain(walk(&own))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.path().to_owned())
        .filter(|path| match path.extension().and_then(OsStr::to_str) {
            Some("erb") => true,
            Some("epp" | "md") => false,
            _ => std::fs::read_to_string(path).is_ok_and(|text| text.contains("<%")),
        })
        .collect()
}

/// Renders templates on both sides.
pub fn compare(pool: &Arc<Pool>, files: &[PathBuf], done: &mut dyn FnMut(usize)) -> Result<Score> {
    // Definitions of a template are visible to later ones, on both sides.
    let states = States::default();
    Score::of(files, done, |name, text, score| {
        let template = Template::parse(Some(name), text)?;
        compare_one(pool, name, text, &template, &states, score)
    })
}

fn compare_one(
    pool: &Arc<Pool>,
    name: &str,
    text: &str,
    template: &Template,
    states: &States,
    score: &mut Score,
) -> Result<Option<String>, Unsupported> {
    let real = RealTemplate::new(pool, Some(name), text);
    for around in sets(name, text, score) {
        let mut here = TestHost { states: Some(states.clone()), ..around.clone() };
        let mut there = around.clone();
        let ours = template.render(&mut here);
        let theirs = real.render(&mut there);
        score.n_answers += 1;
        given_up(&ours)?;
        if ours.is_ok() && theirs.is_ok() {
            here.said.append(&mut here.changed);
            there.said.append(&mut there.changed);
        }
        let (ours, theirs) = match (answer(&ours), answer(&theirs)) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (ours, theirs) => return Ok(Some(format!("{ours:?}\n    real: {theirs:?}"))),
        };
        if ours != theirs || here.said != there.said {
            let shown = |text: &str, other: &str| {
                let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
                text.chars().skip(same.saturating_sub(40)).take(160).collect::<String>()
            };
            let (ours, theirs) = match ours == theirs {
                true => (format!("said {:?}", here.said), format!("said {:?}", there.said)),
                false => (shown(&ours, &theirs), shown(&theirs, &ours)),
            };
            let vars = format!("{:?}", around.variables);
            let vars: String = vars.chars().take(600).collect();
            return Ok(Some(format!("\n    ours {ours}\n    real {theirs}\n    with {vars}")));
        }
    }
    Ok(None)
}

/// Returns sets of variables that together reach all reachable parts, and some more.
///
/// Most tries change a little in a set that reached something, so that one condition after the other is met.
fn sets(name: &str, text: &str, score: &mut Score) -> Vec<TestHost> {
    let (marked, parts) = marked(text);
    let n_parts = parts.len();
    let marked = Template::parse(Some(name), &marked).ok().filter(|_| n_parts > 0);
    let mut values = common();
    values.extend(of_source(text));
    let uses: Vec<Use> = names(text).iter().map(|name| Use::of_variable(text, name)).collect();
    let mut random = Random::new(text.len() as u64);
    let mut sets: Vec<TestHost> = (0..EXTRA).map(|_| set(&uses, &values, &mut random)).collect();
    let Some(marked) = marked else { return sets };
    let mut reached = BTreeSet::new();
    let mut tried = 0;
    while tried < EXTRA
        || reached.len() < n_parts && tried < EXTRA + TRIES * (n_parts - reached.len())
    {
        let mut around = match sets.get(tried) {
            Some(around) if tried < EXTRA => around.clone(),
            _ if random.below(4) == 0 => set(&uses, &values, &mut random),
            _ => changed(random.pick(&sets).clone(), &uses, &values, &mut random),
        };
        // Parts that are reached before a template fails count as well: both sides must fail there.
        let _ = marked.render(&mut around);
        let n_before = reached.len();
        reached.append(&mut around.reached);
        if reached.len() > n_before && tried >= EXTRA {
            sets.push(TestHost {
                variables: around.variables,
                answer: around.answer,
                ..TestHost::default()
            });
        }
        tried += 1;
    }
    score.n_parts += n_parts;
    let is_missed = |n: &usize| i64::try_from(*n).is_ok_and(|n| !reached.contains(&n));
    let missed = (0..n_parts).filter(is_missed).map(|n| format!("{name}: {}", parts[n]));
    score.unreached.extend(missed);
    sets
}

fn set(uses: &[Use], values: &[Value], random: &mut Random) -> TestHost {
    let likely = random.below(3) > 0;
    let variables = uses.iter().map(|used| (used.name.clone(), used.value(values, likely, random)));
    TestHost { variables: variables.collect(), answer: random.below(4), ..TestHost::default() }
}

/// Changes one to three variables of a set, or a part of one.
fn changed(mut around: TestHost, uses: &[Use], values: &[Value], random: &mut Random) -> TestHost {
    for _ in 0..=random.below(3) {
        if uses.is_empty() {
            break;
        }
        let at = random.below(uses.len());
        let value = &mut around.variables[at].1;
        *value = match random.below(2) {
            0 => {
                let likely = random.below(3) > 0;
                uses[at].value(values, likely, random)
            }
            _ => altered(value, values, random),
        };
    }
    if random.below(8) == 0 {
        around.answer = random.below(4);
    }
    around
}

fn names(text: &str) -> Vec<String> {
    let word = |c: &char| c.is_alphanumeric() || *c == '_';
    let mut found: Vec<String> =
        text.split('@').skip(1).map(|rest| rest.chars().take_while(word).collect()).collect();
    for start in [
        "scope['",
        "scope[\"",
        "lookupvar('",
        "lookupvar(\"",
        "has_variable?('",
        "has_variable?(\"",
    ] {
        let rest = text.split(start).skip(1);
        let variable = |c: &char| word(c) || *c == ':';
        found.extend(rest.map(|rest| rest.chars().take_while(variable).collect::<String>()));
    }
    let mut found: Vec<String> =
        found.iter().map(|name| name.trim_start_matches(':').to_owned()).collect();
    found.retain(|name| !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()));
    found.sort();
    found.dedup();
    found
}

/// Returns the template with a mark after each piece of code, and these pieces.
fn marked(text: &str) -> (String, Vec<&str>) {
    let mut out = String::new();
    let (mut rest, mut parts) = (text, Vec::new());
    while let Some(start) = rest.find("<%") {
        let Some(length) = rest[start..].find("%>") else { break };
        let mut end = start + length + 2;
        let code = rest[start + 2..end - 2].trim_matches('-').trim();
        if rest[..end].ends_with("-%>") && rest[end..].starts_with('\n') {
            end += 1;
        }
        out.push_str(&rest[..end]);
        rest = &rest[end..];
        let is_code = !code.starts_with(['=', '#', '%']);
        if is_code && !code.starts_with("case") {
            let _ = write!(out, "<% scope.call_function('{REACHED}', [{}]) %>", parts.len());
            parts.push(code);
        }
    }
    (out + rest, parts)
}
