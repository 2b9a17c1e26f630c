//! Functions that are called per key, and calls of the host's functions.

use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::Value;
use kukla_pcore::types::{infer, mismatch};

use super::entry::{Answer, FunctionKind};
use super::{At, wrong_type};
use crate::context::Context;
use crate::merge::built_in;
use crate::run::Run;
use crate::{Fault, Key, Miss, Search, config, eyaml};

impl Run<'_> {
    pub(super) fn lookup_key_value(&mut self, at: &At<'_>, key: &Key) -> Search<Value> {
        let root = key.root().clone();
        let start = format!("Value for key '{root}', returned from");
        let answer = self.cached_answer(at, &root, |run| {
            let answer = match at.entry.function.as_str() {
                "eyaml_lookup_key" => {
                    let options = at.entry.call_options(at.location);
                    eyaml::lookup_key(run, &root, &options, at.path())
                }
                _ => run.called_value(at, Value::String(root.clone())),
            }?;
            run.validate(at, &answer.value, &start)?;
            Ok(answer)
        })?;
        self.found_at(&root, &answer, at);
        Ok(answer.value)
    }

    pub(super) fn data_dig_value(&mut self, at: &At<'_>, key: &Key) -> Search<Value> {
        let answer =
            self.cached_answer(at, key.text(), |run| run.called_value(at, key.all_segments()))?;
        self.validate(at, &answer.value, &format!("Value for key '{key}', returned from"))?;
        self.found_at(key.text(), &answer, at);
        Ok(key.undig(answer.value))
    }

    /// Returns the cached answer for a key, or calls `ask` the first time.
    fn cached_answer(
        &mut self,
        at: &At<'_>,
        key: &EcoString,
        ask: impl FnOnce(&mut Self) -> Search<Answer>,
    ) -> Search<Answer> {
        let cached = at.source.answers.borrow().get(key).cloned();
        if let Some(answer) = cached {
            return Ok(answer);
        }
        let result = ask(self);
        if let Err(Miss::NotFound) = result {
            self.not_found(key);
        }
        let answer = result?;
        at.source.answers.borrow_mut().insert(key.clone(), answer.clone());
        Ok(answer)
    }

    fn called_value(&mut self, at: &At<'_>, key: Value) -> Search<Answer> {
        self.find_function(at)?;
        let value = self.call_function(at, vec![key, at.entry.call_options(at.location)])?;
        Ok(Answer { value, line: 0, is_secret: false })
    }

    fn validate(&self, at: &At<'_>, value: &Value, start: &str) -> Result<(), Fault> {
        let is_validated = at.entry.is_validated.get().unwrap_or(false);
        if is_validated || built_in("RichData").is_instance(value) {
            return Ok(());
        }
        Err(wrong_type(&at.subject(start), &infer(value).text()))
    }

    /// Finds a function; returns whether its declared return type makes a check of its result unnecessary.
    pub(super) fn find_function(&mut self, at: &At<'_>) -> Search<bool> {
        let entry = at.entry;
        if let Some(cached) = entry.is_validated.get() {
            return Ok(cached);
        }
        let Some(function) = self.host.function(&entry.function)? else {
            let Some(config) = at.provider.config(self)? else { return Err(Miss::NotFound) };
            let tag = entry.kind.tag();
            return Err(config::function_not_found(&config, tag, &entry.function).into());
        };
        let expected = built_in(match entry.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                "Hash[RichDataKey, RichData]"
            }
            _ => "RichData",
        });
        let mut is_validated = true;
        for returned in &function.returns {
            match returned {
                None => {
                    is_validated = false;
                    break;
                }
                Some(type_) if expected.is_assignable(type_) => (),
                Some(type_) => {
                    let subject = format!(
                        "Return type of '{}' function named '{}' is incorrect,",
                        entry.kind.tag(),
                        entry.function
                    );
                    let message = mismatch::describe_mismatch(&subject, &expected, type_);
                    return Err(Fault::puppet(message).into());
                }
            }
        }
        entry.is_validated.set(Some(is_validated));
        Ok(is_validated)
    }

    pub(super) fn call_function(&mut self, at: &At<'_>, arguments: Vec<Value>) -> Search<Value> {
        let context = Context {
            session: Rc::clone(&self.session),
            invocation: Rc::clone(&self.invocation),
            module: at.provider.module().cloned(),
            source: Rc::clone(at.source),
        };
        match at.entry.kind {
            FunctionKind::V4DataHash => self.host.call_legacy(&at.entry.function, &context),
            _ => self.host.call(&at.entry.function, arguments, &context),
        }
    }
}
