//! The engine of all doors: a program that is replaced while in use, its shadow, and what is said about decisions.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use kukla_plang::compiled;
use kukla_plang::message::{Clock, Message};
use kukla_plang::services::{ServiceAnswer, ServiceCall, Services};
use kukla_plang::transaction::Transaction;
use kukla_plang::verdict::{Outcome, Verdict};

use crate::Log;
use crate::metrics::{Decision, Metrics};
use crate::record::Recorder;
use crate::rules::{Live, Rules, RulesError};

/// Sampling of the shadow program: one in so many differences is logged in full.
const SAMPLE: u64 = 100;

/// A program, and everything beside its decisions.
pub struct Engine {
    /// The program that decides, and its shadow.
    pub rules: Rules,
    /// Recorder of messages.
    pub recorder: Option<Arc<Recorder>>,
    /// Counters.
    pub metrics: Arc<Metrics>,
    /// Receiver of log lines.
    pub log: Log,
    /// Whether decisions to allow are logged too.
    pub logs_all: bool,
    /// Offset of local time in seconds east of UTC.
    pub utc_offset: i64,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Engine({:?})", self.rules)
    }
}

impl Engine {
    /// Replaces the programs when their files change.
    pub async fn watch(&self) {
        let changed = |path: &Path, result: Result<u64, RulesError>| {
            self.metrics.reloaded(result.is_ok());
            let path = serde_json::Value::from(path.to_string_lossy());
            (self.log)(&match result {
                Ok(version) => {
                    format!("{{\"event\":\"reload\",\"rules\":{path},\"version\":{version}}}")
                }
                Err(error) => {
                    let error = serde_json::Value::from(error.to_string());
                    format!("{{\"event\":\"reload-failed\",\"rules\":{path},\"error\":{error}}}")
                }
            });
        };
        match &self.rules.shadow {
            Some(shadow) => drop(tokio::join!(self.rules.watch(changed), shadow.watch(changed))),
            None => self.rules.watch(changed).await,
        }
    }

    /// Returns the time.
    pub fn clock(&self) -> Clock {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock::at(i64::try_from(now.as_secs()).unwrap_or(0), self.utc_offset)
    }

    /// Whether a failure or refusal may be logged now; otherwise it is counted.
    pub fn may_report(&self) -> bool {
        self.metrics.may_report(self.clock().epoch.unsigned_abs())
    }

    /// Counts, logs and records a decision with the answers of services, and asks the shadow program about the
    /// message.
    pub fn finish(
        &self,
        live: &Live,
        message: &Message<'_>,
        outcome: &Outcome<'_>,
        took: Duration,
        answers: Answers<'_>,
    ) {
        let verdict = outcome.verdict(&live.compiled.program);
        self.metrics.decided(decision(verdict), took);
        self.log_decision(live, message, outcome, verdict);
        self.compare(message, verdict, answers);
        if let Some(recorder) = &self.recorder {
            // A full disk must not change decisions.
            let _ = recorder.record(message, word(verdict), answers.answers);
        }
    }

    fn log_decision(
        &self,
        live: &Live,
        message: &Message<'_>,
        outcome: &Outcome<'_>,
        verdict: Verdict<'_>,
    ) {
        if verdict.is_allowed() && !self.logs_all {
            return;
        }
        let second = message.clock.epoch.unsigned_abs();
        if matches!(verdict, Verdict::Fail(_)) && !self.metrics.may_report(second) {
            return;
        }
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let request = &message.request;
        let event = serde_json::json!({
            "event": "decision",
            "decision": word(verdict),
            "rules": live.place(outcome),
            "version": live.version,
            "reason": reason(verdict),
            "method": lossy(request.method),
            "path": lossy(request.raw_path),
            "client": request.client.map(|client| client.to_string()),
        });
        (self.log)(&event.to_string());
    }

    /// Runs the shadow program; counts differences, and logs some of them.
    fn compare(&self, message: &Message<'_>, verdict: Verdict<'_>, answers: Answers<'_>) {
        let Some(shadow) = &self.rules.shadow else { return };
        let Some(shadow_verdict) = shadow_word(&shadow.live(), message, answers) else {
            return self.metrics.not_shadowed();
        };
        let is_same = shadow_verdict == word(verdict);
        let n_different = self.metrics.shadowed(is_same);
        if !is_same && n_different.is_multiple_of(SAMPLE) {
            let event = serde_json::json!({
                "event": "shadow", "decision": word(verdict), "shadow": shadow_verdict,
                "method": String::from_utf8_lossy(message.request.method),
                "path": String::from_utf8_lossy(message.request.raw_path),
            });
            (self.log)(&event.to_string());
        }
    }
}

/// Returns the verdict of the shadow program as a word; `None`: it applies services that were not called. It is never
/// enforced, and services never see a message because of it.
fn shadow_word(live: &Live, message: &Message<'_>, answers: Answers<'_>) -> Option<&'static str> {
    let arena = Bump::new();
    let message = message.clone();
    let transaction = Transaction::new(&message, &arena, &live.compiled.program.limits);
    let mut services =
        Repeated { answers, used: vec![false; answers.uris.len()], is_unknown: false };
    let outcome = compiled::run(&live.compiled, transaction, &mut services);
    (!services.is_unknown).then(|| word(outcome.verdict(&live.compiled.program)))
}

/// Services that the program in use has called, and their answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answers<'a> {
    /// Their URIs, in the order of the calls.
    pub uris: &'a [String],
    /// Their answers.
    pub answers: &'a [ServiceAnswer],
}

/// Services that repeat their answers for the shadow program.
struct Repeated<'a> {
    answers: Answers<'a>,
    used: Vec<bool>,
    /// Whether a service was applied that gave no answer.
    is_unknown: bool,
}

impl Services for Repeated<'_> {
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer {
        let mut all = self.answers.uris.iter().zip(self.answers.answers).enumerate();
        match all.find(|(index, (uri, _))| !self.used[*index] && *uri == call.uri) {
            Some((index, (_, answer))) => {
                self.used[index] = true;
                answer.clone()
            }
            None => {
                self.is_unknown = true;
                ServiceAnswer::Failed
            }
        }
    }
}

fn decision(verdict: Verdict<'_>) -> Decision {
    match verdict {
        Verdict::Allow | Verdict::Pass => Decision::Allowed,
        Verdict::Deny(_) | Verdict::NoDecision => Decision::Denied,
        Verdict::Challenge(_) => Decision::Challenged,
        Verdict::Respond(..) | Verdict::Answered => Decision::Responded,
        Verdict::Fail(_) => Decision::Failed,
    }
}

/// Returns the word for a verdict in recorded messages and logs.
fn word(verdict: Verdict<'_>) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Pass => "pass",
        Verdict::Deny(_) | Verdict::NoDecision => "deny",
        Verdict::Challenge(_) => "challenge",
        Verdict::Respond(..) => "respond",
        Verdict::Answered => "answer",
        Verdict::Fail(_) => "fail",
    }
}

fn reason(verdict: Verdict<'_>) -> String {
    match verdict {
        Verdict::Deny(text) | Verdict::Challenge(text) | Verdict::Respond(_, text) => {
            String::from_utf8_lossy(text).into_owned()
        }
        Verdict::Fail(fail) => fail.code().words().to_owned(),
        Verdict::NoDecision => "no decision".to_owned(),
        Verdict::Allow | Verdict::Pass | Verdict::Answered => String::new(),
    }
}
