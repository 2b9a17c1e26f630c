//! Information about code: `environments`, `environment_classes`, `environment_modules` and `tasks`.
//!
//! [`CodeInformation`] answers all of them from the directories of a site; [`tasks`] reads the tasks of modules.

mod listing;
mod task_files;
mod tasks;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hyper::StatusCode;
use hyper::header::{ETAG, HeaderMap, IF_NONE_MATCH};
use kukla_rubytext::digest;
use kukla_site::{OpenEnvironment, Site};
use kukla_world::Pool;
use serde_json::{Value, json};

use super::exchange::{Answer, RouteError};

pub use listing::environment_names;

/// Environments whose classes are kept.
const MOST_CACHED: usize = 256;

/// Answers about the code of a site. All threads share one.
#[derive(Debug, Default)]
pub struct CodeInformation {
    classes: Mutex<HashMap<String, CachedClasses>>,
}

/// The classes of an environment as it was opened.
#[derive(Clone, Debug)]
struct CachedClasses {
    environment: Weak<OpenEnvironment>,
    json: Arc<str>,
    tag: Arc<str>,
}

impl CodeInformation {
    /// Answers `environments`.
    pub fn environments(&self, site: &Site) -> Answer {
        Answer::json(listing::environments(site).to_string())
    }

    /// Answers `environment_classes`. The tag of the answer changes with the answer only.
    pub fn classes(
        &self,
        site: &Site,
        name: &str,
        headers: &HeaderMap,
    ) -> Result<Answer, RouteError> {
        let environment = opened(site, name)?;
        let CachedClasses { json, tag, .. } = self.cached_classes(site, name, &environment);
        if is_current(headers, &tag) {
            return Ok(Answer::empty(StatusCode::NOT_MODIFIED).with(ETAG, &tag));
        }
        Ok(Answer::json(json.as_bytes().to_vec()).with(ETAG, &tag))
    }

    /// Answers `environment_modules`, of all environments if none is named.
    pub fn modules(&self, site: &Site, name: Option<&str>) -> Result<Answer, RouteError> {
        let json = match name {
            Some(name) => listing::modules(name, opened(site, name)?.snapshot.environment()),
            None => listing::all_modules(site),
        };
        Ok(Answer::json(json.to_string()))
    }

    /// Answers `environment_transports`. Transports are Ruby code: modules that have some are refused by name.
    pub fn transports(
        &self,
        site: &Site,
        name: &str,
        headers: &HeaderMap,
    ) -> Result<Answer, RouteError> {
        let environment = opened(site, name)?;
        let modulepath = &environment.snapshot.environment().modulepath;
        if let Some(file) = listing::transports(modulepath).first() {
            let words = format!("the transport in `{}` needs Ruby", file.display());
            return Err(RouteError::text(StatusCode::NOT_IMPLEMENTED, words));
        }
        let json = json!({ "name": name, "transports": [] }).to_string();
        let tag = format!("\"{}\"", digest::sha1(json.as_bytes()));
        if is_current(headers, &tag) {
            return Ok(Answer::empty(StatusCode::NOT_MODIFIED).with(ETAG, &tag));
        }
        Ok(Answer::json(json).with(ETAG, &tag))
    }

    /// Answers `tasks`.
    pub fn tasks(&self, site: &Site, name: &str) -> Result<Answer, RouteError> {
        let environment = opened(site, name)?;
        let tasks = tasks::list(&environment.snapshot.environment().modulepath);
        let describe = |(name_of_task, metadata): (String, Value)| {
            json!({
                "name": name_of_task,
                "private": metadata.get("private").cloned().unwrap_or(Value::Bool(false)),
                "description": metadata.get("description").cloned().unwrap_or_else(|| "".into()),
                "environment": [{ "name": name, "code_id": null }],
            })
        };
        Ok(Answer::json(Value::from_iter(tasks.into_iter().map(describe)).to_string()))
    }

    /// Answers `tasks/MODULE/TASK`.
    pub fn task(
        &self,
        site: &Site,
        name: &str,
        module: &str,
        task: &str,
    ) -> Result<Answer, RouteError> {
        let environment = opened(site, name)?;
        match tasks::details(&environment.snapshot.environment().modulepath, name, module, task) {
            Ok(details) => Ok(Answer::json(details.to_string())),
            Err(tasks::TaskError::NotFound(words)) => {
                Err(RouteError::Untyped(StatusCode::NOT_FOUND, words))
            }
            Err(tasks::TaskError::Invalid { kind, words }) => {
                let body = json!({ "kind": kind, "msg": words, "details": {} });
                Ok(Answer {
                    status: StatusCode::INTERNAL_SERVER_ERROR,
                    ..Answer::json(body.to_string())
                })
            }
        }
    }

    /// Returns the classes of an environment; they are read once per opened environment.
    fn cached_classes(
        &self,
        site: &Site,
        name: &str,
        environment: &Arc<OpenEnvironment>,
    ) -> CachedClasses {
        let current = Arc::downgrade(environment);
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = classes.get(name).filter(|it| it.environment.ptr_eq(&current)) {
            return cached.clone();
        }
        drop(classes);
        let json = classes_json(site, name, environment);
        let tag = format!("\"{}\"", digest::sha1(json.as_bytes()));
        let cached = CachedClasses { environment: current, json: json.into(), tag: tag.into() };
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        if classes.len() >= MOST_CACHED {
            classes.clear();
        }
        classes.insert(name.to_owned(), cached.clone());
        cached
    }
}

fn classes_json(site: &Site, name: &str, opened: &OpenEnvironment) -> String {
    let environment = opened.snapshot.environment();
    let pool = Pool::new(None);
    let mut manifests = environment.manifests(site.anchor(), &pool).list;
    manifests.extend(environment.outside_manifests(site.anchor()));
    let xpp = site.settings().xpp();
    let mut classes = kukla_site::classes::classes(environment, &manifests, xpp, &pool).json;
    classes["name"] = name.into();
    classes.to_string()
}

/// Returns an environment, or the error that these routes have.
fn opened(site: &Site, name: &str) -> Result<Arc<OpenEnvironment>, RouteError> {
    site.environment(name).map_err(|error| match error.root() {
        kukla_site::SiteError::NoEnvironment { .. } => {
            let words = format!("Could not find environment '{name}'");
            RouteError::Untyped(StatusCode::NOT_FOUND, words)
        }
        other => RouteError::text(StatusCode::INTERNAL_SERVER_ERROR, other.to_string()),
    })
}

/// Returns whether the client has the answer already. Web servers add `--gzip` to tags of compressed answers.
fn is_current(headers: &HeaderMap, tag: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim().trim_start_matches("W/").trim_matches('"');
        text.strip_suffix("--gzip").unwrap_or(text).to_owned()
    };
    let fields = headers.get_all(IF_NONE_MATCH).iter().filter_map(|field| field.to_str().ok());
    let mut tags = fields.flat_map(|field| field.split(','));
    tags.any(|sent| sent.trim() == "*" || bare(sent) == bare(tag))
}
