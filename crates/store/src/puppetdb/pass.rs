//! Questions of other programs, which are passed on to PuppetDB.

use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use super::PuppetDb;
use super::ask::encoded;
use super::error::AskError;
use super::peer::{Asked, Reply};
use crate::query::Gone;

/// The largest answer that is passed on.
const MOST_PASSED: usize = 1 << 30;

/// A question of another program, to be passed on.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Whether it is a POST.
    pub is_post: bool,
    /// The path, whose segments are decoded.
    pub path: &'a [&'a str],
    /// Parameters, decoded.
    pub parameters: &'a [(String, String)],
    /// The body of a POST, JSON.
    pub body: &'a [u8],
}

/// The head of the answer to such a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedHead {
    /// The status.
    pub status: u16,
    /// The type of the body.
    pub content_type: String,
    /// The field `X-Records`.
    pub n_records: Option<String>,
}

/// Takes such an answer while it comes.
pub trait PassReceiver {
    /// Takes the head. It comes again if another server is asked because the answer of the first one broke off.
    fn begin(&mut self, head: PassedHead) -> Result<(), Gone>;
    /// Takes the next piece of the body; the server waits as long as it waits.
    fn piece(&mut self, piece: Bytes) -> Result<(), Gone>;
}

impl PuppetDb {
    /// Passes a question of another program on, and hands over whatever the first server says that works. After an error
    /// the receiver has a part of the answer at most.
    pub fn pass(
        &self,
        question: &Question<'_>,
        receiver: &mut dyn PassReceiver,
    ) -> Result<(), AskError> {
        let path: Vec<String> = question.path.iter().map(|segment| encoded(segment)).collect();
        let mut target = format!("/{}", path.join("/"));
        for (n, (name, value)) in question.parameters.iter().enumerate() {
            target.push(if n == 0 { '?' } else { '&' });
            target.extend([&*encoded(name), "=", &*encoded(value)]);
        }
        let method = if question.is_post { Method::POST } else { Method::GET };
        let asked = self.asked(method, target, Bytes::copy_from_slice(question.body));
        let asked = Asked { size: MOST_PASSED, ..asked };
        let (head, body) = match self.ask_to(&asked, Some(&mut *receiver)) {
            Ok((reply, _)) if reply.status.is_success() => return Ok(()),
            Ok((reply, _)) => (head(&reply), reply.body),
            Err(AskError::NotFound { .. }) => {
                let body = json!({ "error": "PuppetDB knows nothing of this name" }).to_string();
                let content_type = "application/json;charset=utf-8".to_owned();
                (PassedHead { status: 404, content_type, n_records: None }, body.into())
            }
            Err(error) => return Err(error),
        };
        // Those who take no more know it themselves.
        let _ = receiver.begin(head).and_then(|()| receiver.piece(body));
        Ok(())
    }
}

/// Returns the head of a reply.
pub(super) fn head(reply: &Reply) -> PassedHead {
    let Reply { status, content_type, n_records, .. } = reply;
    let (content_type, n_records) = (content_type.clone(), n_records.clone());
    PassedHead { status: status.as_u16(), content_type, n_records }
}
