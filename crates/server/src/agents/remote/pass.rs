//! PuppetDB's routes for tools, where PuppetDB is the store: questions are passed on.

use hyper::body::Bytes;
use hyper::header::HeaderValue;
use hyper::{Method, StatusCode};
use kukla_store::puppetdb::{PassReceiver, PassedHead, Question};
use kukla_store::query::Gone;

use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::pdb::{Gradual, Head};
use crate::agents::server::AgentServer;

/// Passes a request below a path on to PuppetDB; nothing if that is not the store.
pub(in crate::agents) fn pass(
    server: &AgentServer,
    request: &AgentRequest,
    below: &[&str],
) -> Option<Result<Answer, RouteError>> {
    let remote = server.remote.as_ref()?;
    let segments = request.path.iter().map(String::as_str);
    let path: Vec<&str> = below.iter().copied().chain(segments).collect();
    let parameters: Vec<(String, String)> = request.query.pairs().cloned().collect();
    let question = Question {
        is_post: request.method == Method::POST,
        path: &path,
        parameters: &parameters,
        body: &request.body,
    };
    let mut gradual = Gradual::new(server, request);
    let passed = server.workers.waiting(|| remote.puppetdb.pass(&question, &mut gradual));
    Some(match passed {
        Ok(()) => gradual.finish(),
        Err(error) if gradual.has_begun() => Err(gradual.broken(&error.to_string())),
        Err(error) => Err(RouteError::text(StatusCode::BAD_GATEWAY, error.to_string())),
    })
}

impl PassReceiver for Gradual<'_> {
    fn begin(&mut self, head: PassedHead) -> Result<(), Gone> {
        self.restart()?;
        let PassedHead { status, content_type, n_records } = head;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        let content_type = HeaderValue::from_str(&content_type);
        let content_type = content_type.unwrap_or_else(|_| HeaderValue::from_static("text/plain"));
        self.head = Head { status, content_type, n_records };
        Ok(())
    }

    fn piece(&mut self, piece: Bytes) -> Result<(), Gone> {
        self.push(piece)
    }
}
