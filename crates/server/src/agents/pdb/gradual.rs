//! Answers that begin while the rest of them is read.
//!
//! The first pieces are kept: a small answer is sent whole, and an error that comes before the first bytes are sent is an
//! error with a status. One that comes later breaks the connection, so that no client takes a part for the whole.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, VARY};
use kukla_store::query::{Gone, Receiver};

use crate::agents::exchange::{AgentRequest, Answer, AnswerBody, JSON, Piped, RouteError};
use crate::agents::piped::{Inlet, pipe};
use crate::agents::respond::takes_gzip;
use crate::agents::server::AgentServer;

const X_RECORDS: HeaderName = HeaderName::from_static("x-records");
/// The bytes of an answer that are kept before it begins.
const MOST_HELD: usize = 256 << 10;

/// The head of an answer.
#[derive(Clone, Debug)]
pub(in crate::agents) struct Head {
    pub(in crate::agents) status: StatusCode,
    pub(in crate::agents) content_type: HeaderValue,
    /// The field `X-Records`.
    pub(in crate::agents) n_records: Option<String>,
}

/// An answer that is being made.
pub(in crate::agents) struct Gradual<'a> {
    server: &'a AgentServer,
    request: &'a AgentRequest,
    pub(in crate::agents) head: Head,
    body: Body,
}

/// Where pieces go.
enum Body {
    /// Into memory, before the answer begins.
    Held(Vec<u8>),
    Plain(Inlet),
    Compressed(Box<GzEncoder<Inlet>>),
    /// The client is gone.
    Gone,
}

impl<'a> Gradual<'a> {
    /// Makes an answer that is JSON.
    pub(in crate::agents) fn new(server: &'a AgentServer, request: &'a AgentRequest) -> Self {
        let content_type = HeaderValue::from_static(JSON);
        let head = Head { status: StatusCode::OK, content_type, n_records: None };
        Self { server, request, head, body: Body::Held(Vec::new()) }
    }

    /// Returns whether the client has got the status.
    pub(in crate::agents) fn has_begun(&self) -> bool {
        !matches!(self.body, Body::Held(_))
    }

    /// Forgets what was kept: the answer is made again. An answer that has begun can't be.
    pub(in crate::agents) fn restart(&mut self) -> Result<(), Gone> {
        match &mut self.body {
            Body::Held(held) => {
                held.clear();
                Ok(())
            }
            _ => Err(Gone),
        }
    }

    /// Takes the next piece.
    pub(in crate::agents) fn push(&mut self, piece: Bytes) -> Result<(), Gone> {
        if let Body::Held(held) = &mut self.body {
            let is_small = held.len() + piece.len() <= MOST_HELD;
            if is_small || !self.request.early.exists() {
                held.extend_from_slice(&piece);
                return Ok(());
            }
            let held = std::mem::take(held);
            self.begin()?;
            self.write(held.into())?;
        }
        self.write(piece)
    }

    fn write(&mut self, piece: Bytes) -> Result<(), Gone> {
        let written = match &mut self.body {
            Body::Plain(inlet) => inlet.push(piece),
            Body::Compressed(encoder) => encoder.write_all(&piece),
            Body::Held(_) | Body::Gone => return Err(Gone),
        };
        written.map_err(|_| Gone)
    }

    /// Sends the head, and what follows as it comes.
    fn begin(&mut self) -> Result<(), Gone> {
        let (inlet, outlet) = pipe(&self.server.spools, self.server.workers.waiter());
        let is_compressed = takes_gzip(&self.request.headers);
        let mut answer = self.answer(AnswerBody::Piped(Piped(outlet)));
        if is_compressed {
            answer.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            answer.headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        self.body = match (self.request.early.send(answer), is_compressed) {
            (false, _) => Body::Gone,
            (true, false) => Body::Plain(inlet),
            (true, true) => Body::Compressed(Box::new(GzEncoder::new(inlet, Compression::fast()))),
        };
        Ok(())
    }

    fn answer(&self, body: AnswerBody) -> Answer {
        let mut answer = Answer { body, ..Answer::empty(self.head.status) };
        answer.headers.insert(CONTENT_TYPE, self.head.content_type.clone());
        match &self.head.n_records {
            Some(number) => answer.with(X_RECORDS, number),
            None => answer,
        }
    }

    /// Ends the answer; returns the whole of it if it has not begun.
    pub(in crate::agents) fn finish(mut self) -> Result<Answer, RouteError> {
        let whole = match std::mem::replace(&mut self.body, Body::Gone) {
            Body::Held(held) => AnswerBody::Bytes(held.into()),
            Body::Plain(inlet) => {
                inlet.finish();
                AnswerBody::Bytes(Bytes::new())
            }
            Body::Compressed(encoder) => {
                if let Ok(inlet) = encoder.finish() {
                    inlet.finish();
                }
                AnswerBody::Bytes(Bytes::new())
            }
            Body::Gone => AnswerBody::Bytes(Bytes::new()),
        };
        Ok(self.answer(whole))
    }

    /// Breaks an answer off that has begun, and says why; the client does not see the returned error.
    pub(in crate::agents) fn broken(self, reason: &str) -> RouteError {
        let path = self.request.path.join("/");
        self.server.say("answer-cut", &[("path", &path), ("error", reason)]);
        RouteError::Busy(5)
    }
}

impl Receiver for Gradual<'_> {
    fn total(&mut self, total: i64) {
        self.head.n_records = Some(total.to_string());
    }

    fn piece(&mut self, piece: String) -> Result<(), Gone> {
        self.push(piece.into())
    }
}
