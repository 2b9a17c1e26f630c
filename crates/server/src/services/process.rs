//! Runs of programs whose services are called.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use bumpalo::Bump;
use kukla_plang::compiled::{Machine, Step};
use kukla_plang::message::{Message, Pair};
use kukla_plang::services::{NewBody, ServiceAnswer};
use kukla_plang::transaction::{BodyOrigin, Transaction};
use kukla_plang::verdict::{Outcome, Verdict};

use super::call::OwnedCall;
use super::directory::Directory;
use super::exchange::{Exchange, Subject};
use super::perform::Caller;
use super::trace::trace;
use crate::body::{BodyError, Held, Keep};
use crate::engine::{Answers, Engine};
use crate::rules::Live;
use crate::wire::Fields;

thread_local! {
    /// Arena for texts; reset, not freed, after each run.
    static ARENA: RefCell<Bump> = RefCell::new(Bump::new());
}

/// A program with the services that it can apply.
#[derive(Debug)]
pub struct Processor {
    /// The program.
    pub engine: Engine,
    /// Its services, if its registry is no file.
    pub directory: Arc<Directory>,
    /// Bounds of bodies.
    pub keep: Keep,
    /// Whether services with a name for the ICAP client are left to it.
    pub plans: bool,
}

/// The decision on a message, and the message as the program and its services left it.
#[derive(Debug)]
pub struct Decided {
    /// The fate of the message.
    pub fate: Fate,
    /// Whether the program said that the message may pass, rather than nothing about it.
    pub is_explicit: bool,
    /// Changed header fields of the message, or those of the answer.
    pub fields: Option<Fields>,
    /// The status of the response.
    pub status: u16,
    /// The pool of servers.
    pub pool: Option<String>,
    /// The replaced path.
    pub path: Option<Vec<u8>>,
    /// The time limit in milliseconds.
    pub timeout: Option<u64>,
    /// The body.
    pub body: FinalBody,
    /// URIs of the services that adapted the message.
    pub adapted: Vec<String>,
    /// The line of a trace, if the client asked for one.
    pub trace: Option<String>,
    /// Names of services that the ICAP client calls itself.
    pub next: Vec<String>,
}

/// The fate of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It passes.
    Pass,
    /// It is denied.
    Deny,
    /// The client must authenticate by this scheme.
    Challenge(Vec<u8>),
    /// The client gets this status and text.
    Respond(u16, Vec<u8>),
    /// The client gets the answer of a service: status, and the fields and body of [`Decided`].
    Answered(u16),
}

/// The body of a message after a program.
#[derive(Debug)]
pub enum FinalBody {
    /// As received.
    Received,
    /// Made by a service.
    Made(Held<'static>),
}

/// The result of a run.
enum Ran {
    Done(Box<Decided>, BodyOrigin, Option<Vec<u8>>),
    Call(Box<OwnedCall>),
}

impl Processor {
    /// Decides about a message of whose body the program needs the size at most, if that is known.
    pub(crate) fn decide(&self, live: &Live, subject: &impl Subject, size: Option<u64>) -> Decided {
        match live.runs.time(|start| self.run(live, subject, (None, size), &[], start)) {
            Ran::Done(decided, ..) => *decided,
            // Without services there are no calls.
            Ran::Call(_) => Decided::denied(),
        }
    }

    /// Decides about a message; calls services.
    pub async fn process(
        &self,
        live: &Live,
        exchange: &Exchange,
        mut body: Option<&mut Held<'_>>,
    ) -> Result<Decided, BodyError> {
        let start = Instant::now();
        let n_preview = usize::try_from(live.compiled.program.preview).unwrap_or(usize::MAX);
        let preview = match &mut body {
            Some(body) if n_preview > 0 => Some(body.preview(n_preview).await?),
            Some(_) => None,
            None => Some(Vec::new()),
        };
        let size = body.as_ref().map_or(Some(0), |body| body.size());
        let mut answers = Vec::new();
        let mut made: Vec<Held<'static>> = Vec::new();
        let mut next = Vec::new();
        let directory = live.directory.as_deref().unwrap_or(&self.directory);
        let engine = Some(&self.engine);
        let caller = Caller { directory, keep: &self.keep, plans: self.plans, engine };
        loop {
            let known = (preview.as_deref(), size);
            match live.runs.time(|_| self.run(live, exchange, known, &answers, start)) {
                Ran::Done(mut decided, origin, whole) => {
                    decided.body = self.final_body(origin, whole, made);
                    decided.next = next;
                    return Ok(*decided);
                }
                Ran::Call(call) => {
                    let answer =
                        caller.answer(exchange, &call, body.as_deref_mut(), &mut made, &mut next);
                    answers.push(answer.await?);
                    if let Some(ServiceAnswer::Adapted {
                        body: Some(NewBody::Held { preview, .. }),
                        ..
                    }) = answers.last_mut()
                        && let Some(last) = made.last_mut()
                    {
                        *preview = last.preview(n_preview).await?;
                    }
                }
            }
        }
    }

    fn final_body(
        &self,
        origin: BodyOrigin,
        whole: Option<Vec<u8>>,
        mut made: Vec<Held<'static>>,
    ) -> FinalBody {
        match origin {
            BodyOrigin::Received => FinalBody::Received,
            BodyOrigin::Whole => {
                FinalBody::Made(Held::from_bytes(whole.unwrap_or_default().into(), &self.keep))
            }
            BodyOrigin::Held(number) => {
                let index = number as usize;
                let is_made = index < made.len();
                FinalBody::Made(if is_made {
                    made.swap_remove(index)
                } else {
                    Held::empty(&self.keep)
                })
            }
        }
    }

    /// Runs the program with the answers so far.
    fn run(
        &self,
        live: &Live,
        subject: &impl Subject,
        (preview, size): (Option<&[u8]>, Option<u64>),
        answers: &[ServiceAnswer],
        start: Instant,
    ) -> Ran {
        ARENA.with_borrow_mut(|arena| {
            arena.reset();
            let arena = &*arena;
            let program = &live.compiled.program;
            let mut message = subject.message(self.engine.clock(), arena);
            message.body = preview;
            message.body_size = size;
            let message = &*arena.alloc(message);
            let transaction = Transaction::new(message, arena, &program.limits);
            let mut machine = Machine::new(&live.compiled, transaction);
            let mut step = machine.run();
            let (mut next, mut uris) = (answers.iter(), Vec::new());
            while let Step::Call(call) = &step {
                let Some(answer) = next.next() else {
                    let call = OwnedCall::new(call, program, subject.is_response());
                    return Ran::Call(Box::new(call));
                };
                if self.engine.rules.shadow.is_some() {
                    uris.push(call.uri.to_owned());
                }
                step = machine.resume(answer);
            }
            let outcome = machine.into_outcome(&step);
            let answers = Answers { uris: &uris, answers };
            self.engine.finish(live, message, &outcome, start.elapsed(), answers);
            self.done(live, subject.traces(), message, &outcome)
        })
    }

    fn done(&self, live: &Live, traces: bool, message: &Message<'_>, outcome: &Outcome<'_>) -> Ran {
        let program = &live.compiled.program;
        let state = outcome.transaction.state();
        let verdict = outcome.verdict(program);
        let fate = match verdict {
            Verdict::Allow | Verdict::Pass => Fate::Pass,
            Verdict::Deny(_) | Verdict::NoDecision | Verdict::Fail(_) => Fate::Deny,
            Verdict::Challenge(scheme) => Fate::Challenge(scheme.to_vec()),
            Verdict::Respond(status, text) => {
                let status =
                    u16::try_from(status).ok().filter(|status| (200..600).contains(status));
                Fate::Respond(status.unwrap_or(403), text.to_vec())
            }
            Verdict::Answered => Fate::Answered(state.status),
        };
        let (new, old) = match &message.response {
            _ if matches!(fate, Fate::Answered(_)) => (state.response, &[][..]),
            Some(response) => (state.response, response.headers),
            None => (state.request, message.request.headers),
        };
        let is_same = std::ptr::eq(new, old);
        let own = |field: &Pair<'_>| (field.name.to_vec(), field.value.to_vec());
        let registry = program.registry.as_ref();
        let uri = |index: &u16| {
            registry
                .and_then(|registry| registry.services.get(usize::from(*index)))
                .map(|s| s.uri.clone())
        };
        let lossy = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let whole = (state.body.origin == BodyOrigin::Whole)
            .then(|| state.body.preview.unwrap_or_default().to_vec());
        let decided = Decided {
            fate,
            is_explicit: verdict == Verdict::Allow,
            fields: (!is_same).then(|| new.iter().map(own).collect()),
            status: state.status,
            pool: state.route.pool.map(lossy),
            path: state.route.path.map(<[u8]>::to_vec),
            timeout: state.route.timeout.and_then(|time| u64::try_from(time).ok()),
            body: FinalBody::Received,
            adapted: state.adapters().iter().filter_map(uri).collect(),
            trace: traces.then(|| trace(live, message, outcome, verdict)),
            next: Vec::new(),
        };
        Ran::Done(Box::new(decided), state.body.origin, whole)
    }
}

impl Decided {
    fn denied() -> Self {
        Self {
            fate: Fate::Deny,
            is_explicit: false,
            fields: None,
            status: 0,
            pool: None,
            path: None,
            timeout: None,
            body: FinalBody::Received,
            adapted: Vec::new(),
            trace: None,
            next: Vec::new(),
        }
    }
}
