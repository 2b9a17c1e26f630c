//! Transaction: the state of one run, with the current message and the decisions so far.

use std::cell::Cell;

use bumpalo::Bump;

use crate::fail::FailCode;
use crate::host::Host;
use crate::limits::Limits;
use crate::message::{Message, Pair};
use crate::services::NewBody;
use crate::value::{Side, Value};

/// The message, its changes, and the arena for new texts.
#[derive(Clone, Debug)]
pub struct Transaction<'a> {
    /// The arena of texts and lists.
    pub arena: &'a Bump,
    /// The message as received.
    pub message: &'a Message<'a>,
    /// The host's own modules.
    pub host: Option<&'a dyn Host>,
    /// Lines that the program logged.
    pub logs: Vec<&'a [u8]>,
    /// Services that were applied, by index in the registry. This is never rolled back.
    pub applied: Vec<u16>,
    /// The limits.
    pub limits: &'a Limits,
    /// The state that a failed block rolls back.
    mark: Mark<'a>,
    /// Bytes of texts that were allocated so far.
    n_allocated: Cell<u64>,
}

/// A state to roll back to. Most programs only read: nothing is copied before the first change.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a>(Option<&'a State<'a>>);

/// The state that a program changes. A state and its lists are immutable: each change makes a new state.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// Header fields of the request.
    pub request: &'a [Pair<'a>],
    /// Header fields of the response.
    pub response: &'a [Pair<'a>],
    /// The status of the response.
    pub status: u16,
    /// The body of the current message.
    pub body: Body<'a>,
    /// The recipients of a mail, in their [canonical form](crate::mail::canonical).
    pub recipients: &'a [&'a [u8]],
    /// The destination of the message.
    pub route: Route<'a>,
    /// The services that adapted or answered the message, the latest first.
    pub adapted: Option<&'a Adapted<'a>>,
    /// Parameters of services, the latest first.
    pub parameters: Option<&'a Parameter<'a>>,
    /// The number of edits.
    pub n_edits: usize,
}

/// The body of the current message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// The place where the host finds it.
    pub origin: BodyOrigin,
    /// Its first bytes, if the host has them.
    pub preview: Option<&'a [u8]>,
    /// Its size, if known.
    pub size: Option<u64>,
}

/// The place of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyOrigin {
    /// It is as received.
    Received,
    /// The host keeps it under this number.
    Held(u32),
    /// The preview is all of it.
    Whole,
}

/// Destination of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route<'a> {
    /// The pool of servers.
    pub pool: Option<&'a [u8]>,
    /// The replaced path.
    pub path: Option<&'a [u8]>,
    /// Timeout in milliseconds.
    pub timeout: Option<i64>,
}

/// A service that adapted the message.
#[derive(Clone, Copy, Debug)]
pub struct Adapted<'a> {
    /// The service.
    pub service: u16,
    /// The one before it.
    pub before: Option<&'a Adapted<'a>>,
}

/// A parameter set for a service.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// The service.
    pub service: u16,
    /// The name of the parameter.
    pub name: &'a str,
    /// Its value.
    pub value: Value<'a>,
    /// The parameter that was set before it.
    pub before: Option<&'a Parameter<'a>>,
}

impl<'a> Transaction<'a> {
    /// Creates a transaction without changes.
    #[inline]
    pub fn new(message: &'a Message<'a>, arena: &'a Bump, limits: &'a Limits) -> Self {
        let (logs, applied, n_allocated) = (Vec::new(), Vec::new(), Cell::new(0));
        Self { arena, message, host: None, logs, applied, limits, mark: Mark(None), n_allocated }
    }

    /// Returns the current state of the message.
    pub fn state(&self) -> State<'a> {
        self.mark.0.copied().unwrap_or_else(|| State::new(self.message))
    }

    /// Applies a change to a copy of the state.
    pub fn change(&mut self, change: impl FnOnce(&mut State<'a>)) {
        let mut state = self.state();
        change(&mut state);
        self.mark = Mark(Some(self.arena.alloc(state)));
    }

    /// Returns a mark for the current state.
    pub fn mark(&self) -> Mark<'a> {
        self.mark
    }

    /// Rolls back all changes since a mark.
    pub fn back_to(&mut self, mark: Mark<'a>) {
        self.mark = mark;
    }

    /// Returns the header fields of one side.
    #[inline]
    pub fn headers(&self, side: Side) -> &'a [Pair<'a>] {
        match (side, self.mark.0) {
            (Side::Request, None) => self.message.request.headers,
            (Side::Request, Some(state)) => state.request,
            (Side::Response, None) => State::new(self.message).response,
            (Side::Response, Some(state)) => state.response,
        }
    }

    /// Replaces the header fields of one side; counts as one edit.
    pub fn set_headers(&mut self, side: Side, fields: &[Pair<'a>]) -> Result<(), FailCode> {
        if self.state().n_edits >= self.limits.edits {
            return Err(FailCode::Limit);
        }
        let fields = self.arena.alloc_slice_copy(fields);
        self.change(|state| {
            state.n_edits += 1;
            match side {
                Side::Request => state.request = fields,
                Side::Response => state.response = fields,
            }
        });
        Ok(())
    }

    /// Replaces the recipients of a mail; counts as one edit.
    pub fn set_recipients(&mut self, recipients: &[&'a [u8]]) -> Result<(), FailCode> {
        if self.state().n_edits >= self.limits.edits {
            return Err(FailCode::Limit);
        }
        let recipients = self.arena.alloc_slice_copy(recipients);
        self.change(|state| {
            state.n_edits += 1;
            state.recipients = recipients;
        });
        Ok(())
    }

    /// Notes that the service that was applied last has adapted the message.
    pub(crate) fn note_adapted(&mut self) {
        let Some(service) = self.applied.last().copied() else { return };
        let adapted = self.arena.alloc(Adapted { service, before: self.state().adapted });
        self.change(|state| state.adapted = Some(adapted));
    }

    /// Concatenates pieces into a new text; fails at the limit of memory.
    pub fn make(&self, pieces: &[&[u8]]) -> Result<&'a [u8], FailCode> {
        let length = pieces.iter().map(|piece| piece.len()).sum();
        self.take(length)?;
        let text = self.arena.alloc_slice_fill_copy(length, 0);
        let mut rest: &mut [u8] = text;
        for piece in pieces {
            let (place, behind) = rest.split_at_mut(piece.len());
            place.copy_from_slice(piece);
            rest = behind;
        }
        Ok(text)
    }

    /// Takes over the body that a service made.
    pub fn make_body(&self, body: &NewBody) -> Result<Body<'a>, FailCode> {
        let (origin, preview, size) = match body {
            NewBody::Whole(bytes) => (BodyOrigin::Whole, bytes, bytes.len() as u64),
            NewBody::Held { number, preview, size } => (BodyOrigin::Held(*number), preview, *size),
        };
        Ok(Body { origin, preview: Some(self.make(&[preview])?), size: Some(size) })
    }

    /// Counts allocated bytes; fails at the limit of memory.
    pub fn take(&self, length: usize) -> Result<(), FailCode> {
        let n_allocated = self.n_allocated.get().saturating_add(length as u64);
        if n_allocated > self.limits.memory {
            return Err(FailCode::Limit);
        }
        self.n_allocated.set(n_allocated);
        Ok(())
    }
}

impl<'a> State<'a> {
    fn new(message: &Message<'a>) -> Self {
        let response = message.response.as_ref();
        Self {
            request: message.request.headers,
            response: response.map_or(&[], |response| response.headers),
            status: response.map_or(0, |response| response.status),
            body: Body {
                origin: BodyOrigin::Received,
                preview: message.body,
                size: message.body_size,
            },
            recipients: message.mail.map_or(&[], |mail| mail.recipients),
            route: Route::default(),
            adapted: None,
            parameters: None,
            n_edits: 0,
        }
    }

    /// Returns the services that adapted or answered the message, in their order.
    pub fn adapters(&self) -> Vec<u16> {
        let all = std::iter::successors(self.adapted, |adapted| adapted.before);
        let mut services: Vec<u16> = all.map(|adapted| adapted.service).collect();
        services.reverse();
        services
    }

    /// Returns the parameters of a service in the order in which they were set; a later value replaces an earlier one.
    pub fn parameters_of(&self, service: u16) -> Vec<Parameter<'a>> {
        let mut parameters: Vec<Parameter<'a>> = Vec::new();
        let mut next = self.parameters;
        while let Some(parameter) = next {
            let is_new = parameters.iter().all(|later| later.name != parameter.name);
            if parameter.service == service && is_new {
                parameters.push(*parameter);
            }
            next = parameter.before;
        }
        parameters.reverse();
        parameters
    }
}
