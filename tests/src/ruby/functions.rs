//! Functions, with arguments of the types that they ask for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use kukla_pcore::Value;
use kukla_pcore::types::{self, NoNames};
use kukla_ruby::{
    Function, FunctionFile, FunctionKind, ParamKind, RunFunctions, Signature, Sources,
};
use kukla_worker::{FunctionFile as RealFile, Pool};
use walkdir::WalkDir;

use super::host::Around;
use super::values::{Random, common, of_source};
use super::{MODULES, Score, answer};

/// Lists of arguments for each signature.
const LISTS: usize = 12;

/// Code with this does not only compute; it is not run.
const OUTSIDE: &[&str] = &[
    "`",
    "%x",
    "system(",
    "exec(",
    "Execution",
    "Tempfile",
    "popen",
    "Net::",
    "open_uri",
    "open-uri",
    "redis",
    "File.open",
    "File.write",
    "File.unlink",
    "Dir.",
    "trocla",
    "OpenSSL",
    "Augeas",
    "Resolv",
    "Socket",
    "Time.now",
    "SecureRandom",
    "rand(",
];

/// All files with functions.
pub fn files(modules: &str) -> Vec<PathBuf> {
    let all = WalkDir::new(modules).follow_links(true).sort_by_file_name().into_iter().flatten();
    let paths = all.map(|entry| entry.path().to_owned());
    let is_function = |path: &PathBuf| {
        let path = path.to_string_lossy();
        let places = ["/lib/puppet/functions/", "/lib/puppet/parser/functions/"];
        path.ends_with(".rb")
            && places.iter().any(|place| path.contains(place))
            && !path.contains("/spec/")
    };
    paths.filter(is_function).collect()
}

/// Calls functions on both sides.
pub fn compare(pool: &Arc<Pool>, files: &[PathBuf], told: &mut dyn FnMut(usize)) -> Result<Score> {
    Score::of(files, told, |name, text, score| {
        let file = FunctionFile::read(name, text, &mut Modules)?;
        Ok(compare_one(pool, name, text, &file, score))
    })
}

fn compare_one(
    pool: &Arc<Pool>,
    name: &str,
    text: &str,
    file: &FunctionFile,
    score: &mut Score,
) -> Option<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    if OUTSIDE.iter().any(|word| code.contains(word)) {
        return None;
    }
    let real = match RealFile::read(pool, name) {
        Ok(real) => real,
        Err(error) => return Some(format!("a real Ruby can't load it: {error}")),
    };
    if real.functions().iter().map(plain).ne(file.functions().iter().map(plain)) {
        return Some(format!("{:?}\n    real: {:?}", file.functions(), real.functions()));
    }
    let function = file.functions().first()?;
    let mut values = common();
    values.extend(of_source(&code));
    let mut random = Random::new(text.len() as u64);
    for (signature, args) in lists(function, &values, &mut random) {
        let call = |runner: &dyn RunFunctions, around: &mut Around| {
            runner.call(around, &function.name, signature, &args, false)
        };
        let (mut here, mut there) = (Around::default(), Around::default());
        let (ours, theirs) = (call(file, &mut here), call(&real, &mut there));
        score.n_answers += 1;
        let (ours, theirs) = (answer(&ours), answer(&theirs));
        if ours != theirs || here.said != there.said || ours.is_err() {
            return Some(format!("{args:?}\n    ours {ours:?}\n    real {theirs:?}"));
        }
    }
    None
}

/// Without what only one side can say: how a scope is handed over, names of parameters that nobody declared.
fn plain(function: &Function) -> String {
    match &function.kind {
        FunctionKind::New { signatures, local_types } => {
            let params = |one: &Signature| {
                let shown =
                    one.params.iter().map(|param| format!("{} {:?}", param.type_text, param.kind));
                shown.collect::<Vec<_>>().join(", ")
            };
            let shown: Vec<String> = signatures
                .iter()
                .map(|one| {
                    format!("{}({}) {:?} {:?}", one.method, params(one), one.block, one.return_type)
                })
                .collect();
            format!("{} {shown:?} {local_types:?}", function.name)
        }
        kind @ FunctionKind::Old { .. } => format!("{} {kind:?}", function.name),
    }
}

type Arguments = (Option<usize>, Vec<Value>);

fn lists(function: &Function, values: &[Value], random: &mut Random) -> Vec<Arguments> {
    let mut lists = Vec::new();
    match &function.kind {
        FunctionKind::Old { arity, .. } => {
            let least = if *arity >= 0 { *arity } else { -arity - 1 };
            let least = usize::try_from(least).unwrap_or(0);
            for n in 0..LISTS * 2 {
                let more = if *arity < 0 { n % 3 } else { 0 };
                let args = (0..least + more).map(|_| random.pick(values).clone()).collect();
                lists.push((None, args));
            }
        }
        FunctionKind::New { signatures, .. } => {
            for (n, signature) in signatures.iter().enumerate() {
                let needs_block = signature.block.as_ref().is_some_and(|(_, required)| *required);
                if !needs_block && !signature.is_mismatch {
                    let made = (0..LISTS).filter_map(|_| arguments(signature, values, random));
                    lists.extend(made.map(|args| (Some(n), args)));
                }
            }
        }
    }
    lists
}

/// Arguments that fit; `None` if no value is of a type.
fn arguments(signature: &Signature, values: &[Value], random: &mut Random) -> Option<Vec<Value>> {
    let mut args = Vec::new();
    for param in &signature.params {
        let type_ = types::parse(&param.type_text, &NoNames).ok()?;
        let fitting: Vec<&Value> = values.iter().filter(|value| type_.is_instance(value)).collect();
        let n = match param.kind {
            ParamKind::Required => 1,
            ParamKind::Optional => random.below(2),
            ParamKind::Repeated => random.below(3),
            ParamKind::RequiredRepeated => 1 + random.below(2),
        };
        if n > 0 && fitting.is_empty() {
            return None;
        }
        args.extend((0..n).map(|_| (*random.pick(&fitting)).clone()));
        if n == 0 {
            break;
        }
    }
    Some(args)
}

/// Helpers of functions, found in any module.
struct Modules;

impl Sources for Modules {
    fn ruby_file(&mut self, name: &str) -> Option<(String, String)> {
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path.to_string_lossy().into_owned(), text))
        };
        let file = format!("{name}.rb");
        if Path::new(&file).is_absolute() {
            return read(PathBuf::from(file));
        }
        let modules = std::fs::read_dir(MODULES).ok()?;
        let mut places: Vec<PathBuf> =
            modules.flatten().map(|module| module.path().join("lib").join(&file)).collect();
        places.sort();
        places.into_iter().find_map(read)
    }
}
