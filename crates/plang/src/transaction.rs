//! What one run of a program works on: the message as it is now, and what was decided so far.

use std::cell::Cell;

use bumpalo::Bump;

use crate::fail::FailCode;
use crate::host::Host;
use crate::limits::Limits;
use crate::message::{Message, Pair};
use crate::value::{Side, Value};

/// The message, what has become of it, and where texts are made.
#[derive(Clone, Debug)]
pub struct Transaction<'a> {
    /// Where texts and lists are made.
    pub arena: &'a Bump,
    /// The message as it came.
    pub message: &'a Message<'a>,
    /// The host's own modules.
    pub host: Option<&'a dyn Host>,
    /// Lines that the program logged.
    pub logs: Vec<&'a [u8]>,
    /// Services that were applied, by their place in the registry. That can't be taken back.
    pub applied: Vec<u16>,
    /// The limits.
    pub limits: &'a Limits,
    /// All that a failed block takes back.
    mark: Mark<'a>,
    /// Bytes of texts made so far.
    made: Cell<u64>,
}

/// The state at a moment, to go back to. Most programs only read: nothing is copied before the first change.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a>(Option<&'a State<'a>>);

/// What a program changes. A state is never changed in place, and neither are its lists: there is a new one
/// for each change.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// Header fields of the request.
    pub request: &'a [Pair<'a>],
    /// Header fields of the response.
    pub response: &'a [Pair<'a>],
    /// The status of the response.
    pub status: u16,
    /// Where the message goes.
    pub route: Route<'a>,
    /// Parameters of services, the latest first.
    pub parameters: Option<&'a Parameter<'a>>,
    /// The number of edits.
    pub n_edits: usize,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route<'a> {
    /// The pool of servers.
    pub pool: Option<&'a [u8]>,
    /// The path to ask for instead.
    pub path: Option<&'a [u8]>,
    /// How long to wait, in milliseconds.
    pub timeout: Option<i64>,
}

/// A parameter that was set for a service.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// The service.
    pub service: u16,
    /// The name of the parameter.
    pub name: &'a str,
    /// Its value.
    pub value: Value<'a>,
    /// The one that was set before.
    pub before: Option<&'a Parameter<'a>>,
}

impl<'a> Transaction<'a> {
    /// A message that nothing was done to yet.
    #[inline]
    pub fn new(message: &'a Message<'a>, arena: &'a Bump, limits: &'a Limits) -> Self {
        let (logs, applied, made) = (Vec::new(), Vec::new(), Cell::new(0));
        Self { arena, message, host: None, logs, applied, limits, mark: Mark(None), made }
    }

    /// What has become of the message so far.
    pub fn state(&self) -> State<'a> {
        self.mark.0.copied().unwrap_or_else(|| State::new(self.message))
    }

    /// Changes something.
    pub fn change(&mut self, change: impl FnOnce(&mut State<'a>)) {
        let mut state = self.state();
        change(&mut state);
        self.mark = Mark(Some(self.arena.alloc(state)));
    }

    /// The state as it is now.
    pub fn mark(&self) -> Mark<'a> {
        self.mark
    }

    /// Takes all changes since then back.
    pub fn back_to(&mut self, mark: Mark<'a>) {
        self.mark = mark;
    }

    /// The header fields of one side.
    #[inline]
    pub fn headers(&self, side: Side) -> &'a [Pair<'a>] {
        match (side, self.mark.0) {
            (Side::Request, None) => self.message.request.headers,
            (Side::Request, Some(state)) => state.request,
            (Side::Response, None) => State::new(self.message).response,
            (Side::Response, Some(state)) => state.response,
        }
    }

    /// Replaces the header fields of one side; one edit.
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

    /// Makes a text of pieces, if there is memory left.
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

    /// Counts bytes that are made.
    pub fn take(&self, length: usize) -> Result<(), FailCode> {
        let made = self.made.get().saturating_add(length as u64);
        if made > self.limits.memory {
            return Err(FailCode::Limit);
        }
        self.made.set(made);
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
            route: Route::default(),
            parameters: None,
            n_edits: 0,
        }
    }

    /// The parameters of a service, the first that was set first; of a name that was set twice, the latter.
    pub fn parameters_of(&self, service: u16) -> Vec<Parameter<'a>> {
        let mut found: Vec<Parameter<'a>> = Vec::new();
        let mut next = self.parameters;
        while let Some(parameter) = next {
            let is_new = found.iter().all(|later| later.name != parameter.name);
            if parameter.service == service && is_new {
                found.push(*parameter);
            }
            next = parameter.before;
        }
        found.reverse();
        found
    }
}
