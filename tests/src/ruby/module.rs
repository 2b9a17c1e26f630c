//! A module in two environments: as users have it, and with a real Ruby for all its Ruby code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use kukla_base::Symbol;
use kukla_compiler::compile::Request;
use kukla_compiler::log::Level;
use kukla_compiler::{Library, Limits};
use kukla_foreign::{Function, FunctionKind, Unsupported};
use kukla_pcore::{Hash, Value};
use kukla_site::Environment;
use kukla_site::{FindingKind, Main, Options, RubyWorker, Snapshot, Verdict};

use super::{normal, sandbox};

use crate::edition::{edition, strict_rules};

/// Both environments of a module, which takes precedence over others of the same name.
pub(super) struct Sides {
    pub(super) root: PathBuf,
    kukla: Arc<Snapshot>,
    with_worker: Arc<Snapshot>,
    ruby: Arc<Snapshot>,
    findings: Vec<kukla_site::Finding>,
    modules: PathBuf,
    directory: PathBuf,
}

impl Sides {
    pub(super) fn open(root: &Path, modules: &str) -> Result<Self> {
        let name = root.file_name().context("a module has a name")?;
        let process = std::process::id();
        let shown = name.to_string_lossy();
        // Not among temporary files, which the sandbox does not see.
        let target = Path::new(crate::ROOM).join("../target");
        let directory = target.join(format!("compare-functions-{process}/{shown}"));
        let own = directory.join("modules");
        std::fs::create_dir_all(&own)?;
        let link = own.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(root, &link)?;
        }
        let environment =
            Environment::new(&directory, "", &[PathBuf::from(modules)], &kukla_world::Disk);
        let open = |ruby_worker| {
            let options = Options {
                edition: edition(),
                name: "production".to_owned(),
                ruby_worker,
                ruby_command: sandbox(),
                ..Options::default()
            };
            Arc::new(Snapshot::new(environment.clone(), options, &mut Vec::new()))
        };
        let kukla = open(RubyWorker::Off);
        Ok(Self {
            root: root.to_owned(),
            findings: kukla.survey_module(&shown),
            kukla,
            with_worker: open(RubyWorker::Auto),
            ruby: open(RubyWorker::Always),
            modules: PathBuf::from(modules),
            directory,
        })
    }

    pub(super) fn kukla(&self) -> &dyn Library {
        &*self.kukla
    }

    /// Whether a call of a function reaches this file: one of the old kind is shadowed by all others of its name.
    pub(super) fn reaches(&self, function: &Function, path: &str) -> bool {
        let FunctionKind::Old { .. } = function.kind else {
            return !is_built_in(&function.name);
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        let modules = std::fs::read_dir(&self.modules).into_iter().flatten().flatten();
        let mut new = modules.map(|module| module.path().join("lib/puppet/functions").join(name));
        !is_built_in(&function.name) && !new.any(|path| path.is_file())
    }

    /// Fails for a function that Kukla itself does not run.
    pub(super) fn can_run(&self, name: &str) -> Result<(), Unsupported> {
        let mut functions =
            self.findings.iter().filter(|found| found.kind == FindingKind::Function);
        let found = functions.find(|found| found.name == name);
        match found {
            Some(found) if found.verdict != Verdict::Native => {
                Err(Unsupported { reason: found.reason.clone(), line: found.line.unwrap_or(1) })
            }
            _ => Ok(()),
        }
    }

    /// Returns both results of a manifest that sees values as `$a0`, `$a1` and so on.
    pub(super) fn compile(&self, code: &str, values: &[Value]) -> (String, String) {
        (compile(&self.kukla, code, values), compile(&self.ruby, code, values))
    }

    /// Returns Kukla's result with a real Ruby available.
    pub(super) fn with_worker(&self, code: &str, values: &[Value]) -> String {
        compile(&self.with_worker, code, values)
    }
}

fn compile(side: &Arc<Snapshot>, code: &str, values: &[Value]) -> String {
    let mut facts = Hash::with_capacity(values.len());
    for (n, value) in values.iter().enumerate() {
        facts.insert(Value::string(format!("a{n}")), value.clone());
    }
    let request = Request {
        node: "node.example.com".to_owned(),
        environment: "production".to_owned(),
        parameters: Arc::new(facts),
        ..Request::default()
    };
    let main = Main::Code { text: code.to_owned(), file: String::new() };
    let compiled = side.compile(&main, strict_rules(), Limits::default(), &request);
    // Debug messages are not compared.
    let entries = compiled.log.iter().filter(|entry| entry.level != Level::Debug);
    let messages = entries.map(|entry| format!("{:?}: {}", entry.level, entry.message));
    let messages = messages.collect::<Vec<_>>().join("\n");
    let result = match compiled.catalog {
        Ok(catalog) => kukla_catalog::json::write(&catalog, ""),
        Err(failure) => failure.to_string(),
    };
    normal(&format!("{result}\n{messages}"))
}

fn is_built_in(name: &str) -> bool {
    let name = Symbol::new(name);
    kukla_stdlib::BUILT_IN.iter().copied().flatten().any(|row| row.name == name.as_str())
}

impl Drop for Sides {
    fn drop(&mut self) {
        // A leftover does no harm.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
