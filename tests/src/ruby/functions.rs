//! Functions, called by manifests with arguments of the types that they take.
//!
//! Both sides compile the same manifest: once as users do, so that Kukla runs the function, and once with
//! `ruby_worker = always`, so that a real Ruby runs the module's file, even if Kukla has a native version. A file that no
//! manifest can reach, since another function has its name, is run by the interpreter alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use kukla_compiler::Library;
use kukla_foreign::{Function, FunctionKind, ParamKind, RunFunctions, Signature, Unsupported};
use kukla_pcore::types::{self, Names, named};
use kukla_pcore::{Type, Value};
use kukla_ruby::{FunctionFile, RequiredFiles};
use kukla_worker::{FunctionFile as RealFile, Pool};
use walkdir::WalkDir;

use super::host::TestHost;
use super::module::Sides;
use super::values::{Random, common, of_source};
use super::{Score, answer, given_up};

/// Number of argument lists per signature.
const LISTS: usize = 12;

/// Returns all files with functions.
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
pub fn compare(
    pool: &Arc<Pool>,
    modules: &str,
    files: &[PathBuf],
    done: &mut dyn FnMut(usize),
) -> Result<Score> {
    let mut sides: Option<Sides> = None;
    Score::of(files, done, |name, text, score| {
        let Some(root) = module_of(name) else { return Ok(None) };
        if sides.as_ref().is_none_or(|sides| sides.root != root) {
            let opened = Sides::open(&root, modules);
            sides =
                Some(opened.map_err(|error| Unsupported { reason: error.to_string(), line: 1 })?);
        }
        let Some(sides) = &sides else { return Ok(None) };
        File { pool, path: name, text, sides, modules }.compare(score)
    })
}

/// Returns the directory of the module that contains a file.
fn module_of(path: &str) -> Option<PathBuf> {
    path.find("/lib/puppet/").map(|at| PathBuf::from(&path[..at]))
}

/// A file whose functions are compared.
struct File<'a> {
    pool: &'a Arc<Pool>,
    path: &'a str,
    text: &'a str,
    sides: &'a Sides,
    modules: &'a str,
}

impl File<'_> {
    fn compare(&self, score: &mut Score) -> Result<Option<String>, Unsupported> {
        let real = match RealFile::read(self.pool, self.path) {
            Ok(real) => real,
            Err(error) => {
                // A file that Ruby itself can't load is skipped.
                let path = self.path;
                score.skipped.push(format!("{path}: a real Ruby can't load it: {error}"));
                return Ok(None);
            }
        };
        let code: String =
            self.text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let Some(function) = real.functions().first() else { return Ok(None) };
        let mut values = common();
        values.extend(of_source(&code));
        let random = &mut Random::new(self.text.len() as u64);
        let names = EnvironmentTypes(self.sides.kukla());
        let lists = lists(function, &values, random, &names);
        if self.sides.reaches(function, self.path) {
            self.sides.can_run(&function.name)?;
            return self.compare_calls(function, &lists, score);
        }
        let file = FunctionFile::read(self.path, self.text, &mut Modules(self.modules))?;
        if real.functions().iter().map(plain).ne(file.functions().iter().map(plain)) {
            return Ok(Some(format!("{:?}\n    real: {:?}", file.functions(), real.functions())));
        }
        compare_directly(&file, &real, function, &lists, score)
    }

    fn compare_calls(
        &self,
        function: &Function,
        lists: &[Arguments],
        score: &mut Score,
    ) -> Result<Option<String>, Unsupported> {
        for arguments in lists {
            let (code, args) = (code(function, arguments), &arguments.values);
            let (ours, theirs) = self.sides.compile(&code, args);
            score.n_answers += 1;
            if ours == theirs {
                continue;
            }
            let (ours_again, again) = self.sides.compile(&code, args);
            let path = self.path;
            if ours_again == again && once(&ours, &ours_again) && once(&theirs, &again) {
                if score.once.last().is_none_or(|last| last != path) {
                    score.once.push(path.to_owned());
                }
                continue;
            }
            if again != theirs {
                score.changing.push(format!("{path}: {code}\n    {theirs}\n    {again}"));
                return Ok(None);
            }
            // Code that turns out to be unsupported is started over by a real Ruby, if there is one.
            if self.sides.with_worker(&code, args) == theirs {
                let reason = format!("for some arguments: {}", ours.lines().next().unwrap_or(""));
                return Err(Unsupported { reason, line: 1 });
            }
            return Ok(Some(format!("{code} {args:?}\n    ours {ours}\n    real {theirs}")));
        }
        Ok(None)
    }
}

/// Whether two answers differ only in warnings.
fn once(first: &str, second: &str) -> bool {
    let result = |text: &str| {
        let end = [text.find("\nWarning: "), text.find("\nErr: ")].into_iter().flatten().min();
        text[..end.unwrap_or(text.len())].trim_end().to_owned()
    };
    result(first) == result(second)
}

/// Returns a manifest that calls a function with `$a0`, `$a1` and so on, and shows its value.
fn code(function: &Function, arguments: &Arguments) -> String {
    let names: Vec<String> = (0..arguments.values.len()).map(|n| format!("$a{n}")).collect();
    let call = format!("{}({}){}", function.name, names.join(", "), arguments.block);
    match function.kind {
        FunctionKind::Old { is_rvalue: false, .. } => call,
        _ => format!("$result = {call}\nnotify {{ 'result': message => [$result] }}"),
    }
}

/// Runs the file itself on both sides, in the same artificial compilation.
fn compare_directly(
    file: &FunctionFile,
    real: &RealFile,
    function: &Function,
    lists: &[Arguments],
    score: &mut Score,
) -> Result<Option<String>, Unsupported> {
    // A real Ruby remembers its warnings.
    let mut warned = Vec::new();
    for arguments in lists.iter().filter(|arguments| arguments.block.is_empty()) {
        let args = &arguments.values;
        let call = |runner: &dyn RunFunctions, around: &mut TestHost| {
            runner.call(around, &function.name, arguments.signature, args, false)
        };
        let mut here = TestHost { warned: std::mem::take(&mut warned), ..TestHost::default() };
        let mut there = TestHost::default();
        let (ours, theirs) = (call(file, &mut here), call(real, &mut there));
        score.n_answers += 1;
        warned = std::mem::take(&mut here.warned);
        given_up(&ours)?;
        let (ours, theirs) = (answer(&ours), answer(&theirs));
        if ours != theirs || here.said != there.said || ours.is_err() {
            let (here, there) = (here.said, there.said);
            return Ok(Some(format!(
                "{args:?}\n    ours {ours:?} {here:?}\n    real {theirs:?} {there:?}"
            )));
        }
    }
    Ok(None)
}

/// Formats a function without parts that only one side has: how a scope is passed, names of undeclared parameters.
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

/// Arguments of a call.
struct Arguments {
    /// The matching signature.
    signature: Option<usize>,
    values: Vec<Value>,
    /// A block of the Puppet language, if there is one.
    block: &'static str,
}

const BLOCKS: &[&str] = &[" |$x| { $x }", " |$x, $y| { [$y, $x] }"];

fn lists(
    function: &Function,
    values: &[Value],
    random: &mut Random,
    names: &dyn Names,
) -> Vec<Arguments> {
    let mut lists = Vec::new();
    match &function.kind {
        FunctionKind::Old { arity, .. } => {
            let least = if *arity >= 0 { *arity } else { -arity - 1 };
            let least = usize::try_from(least).unwrap_or(0);
            for n in 0..LISTS * 2 {
                let more = if *arity < 0 { n % 3 } else { 0 };
                let values = (0..least + more).map(|_| random.pick(values).clone()).collect();
                lists.push(Arguments { signature: None, values, block: "" });
            }
        }
        FunctionKind::New { signatures, .. } => {
            for (n, signature) in signatures.iter().enumerate() {
                for _ in 0..LISTS {
                    let Some(values) = arguments(signature, values, random, names) else { break };
                    let block = match &signature.block {
                        None => "",
                        Some((_, false)) if random.below(2) == 0 => "",
                        Some(_) => random.pick(BLOCKS),
                    };
                    lists.push(Arguments { signature: Some(n), values, block });
                }
            }
        }
    }
    lists
}

/// Generates matching arguments; `None` if no value is of a type.
fn arguments(
    signature: &Signature,
    values: &[Value],
    random: &mut Random,
    names: &dyn Names,
) -> Option<Vec<Value>> {
    let mut args = Vec::new();
    for param in &signature.params {
        let type_ = types::parse(&param.type_text, names).ok()?;
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

/// The types of an environment.
struct EnvironmentTypes<'a>(&'a dyn Library);

impl Names for EnvironmentTypes<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        named(name).or_else(|| self.0.type_(name, &kukla_world::Record::off()))
    }
}

/// Helpers of functions, found in any module.
struct Modules<'a>(&'a str);

impl RequiredFiles for Modules<'_> {
    fn ruby_file(&mut self, name: &str) -> Option<(String, String)> {
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path.to_string_lossy().into_owned(), text))
        };
        let file = format!("{name}.rb");
        if Path::new(&file).is_absolute() {
            return read(PathBuf::from(file));
        }
        let modules = std::fs::read_dir(self.0).ok()?;
        let mut places: Vec<PathBuf> =
            modules.flatten().map(|module| module.path().join("lib").join(&file)).collect();
        places.sort();
        places.into_iter().find_map(read)
    }
}
