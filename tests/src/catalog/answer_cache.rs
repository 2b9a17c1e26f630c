//! Cache of Puppet's complete answers, below `target/`, never in the repository.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::corpus::{Case, Corpus};
use crate::{Oracle, ROOM};

/// Cached answers on one set of facts.
#[derive(Debug)]
pub struct AnswerCache {
    path: PathBuf,
    answers: HashMap<String, Value>,
}

impl AnswerCache {
    /// Reads the cache.
    pub fn read(facts: &str) -> Result<Self> {
        let path = Path::new(ROOM).join("../target/catalogs").join(format!("{facts}.jsonl"));
        let mut answers = HashMap::new();
        if let Ok(file) = File::open(&path) {
            for line in BufReader::new(file).lines() {
                // The last line may be incomplete if a recording was interrupted.
                let Ok(answer) = serde_json::from_str::<Value>(&line?) else { continue };
                let name = answer["id"].as_str().unwrap_or_default().to_owned();
                answers.insert(name, answer);
            }
        }
        Ok(Self { path, answers })
    }

    /// Returns the [`normal`](super::normal()) answer about a case, with the keys `ruby` and `unstable` where they apply.
    pub fn answer(&self, corpus: &Corpus, case: &Case) -> Result<Option<&Value>> {
        let source = corpus.source(case)?;
        Ok(self.answers.get(&case.name).filter(|answer| answer["source"] == source.as_str()))
    }

    /// Returns the cached answer, or asks Puppet and caches its answer.
    pub fn ask(&mut self, corpus: &Corpus, oracle: &mut Oracle, case: &Case) -> Result<&Value> {
        if self.answer(corpus, case)?.is_none() {
            let answer = ask(corpus, oracle, case)?;
            self.append(&answer)?;
            self.answers.insert(case.name.clone(), answer);
        }
        self.answers.get(&case.name).context("the answer was cached")
    }

    fn append(&self, answer: &Value) -> Result<()> {
        std::fs::create_dir_all(self.path.parent().context("a file has a folder")?)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        writeln!(file, "{answer}")
            .with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}

/// Asks Puppet about a case.
pub fn ask(corpus: &Corpus, oracle: &mut Oracle, case: &Case) -> Result<Value> {
    let answer = oracle.ask_json(&corpus.question(case))?;
    let mut normal = corpus.normal(case, &answer);
    normal["id"] = json!(case.name);
    normal["source"] = json!(corpus.source(case)?);
    for key in ["ruby", "unstable", "cold_cpu_ms"] {
        if let Some(value) = answer.get(key) {
            normal[key] = value.clone();
        }
    }
    Ok(normal)
}
