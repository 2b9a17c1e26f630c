//! Answers as HTTP sends them: compressed where it pays, and large files piece by piece.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::channel::{Channel, Sender};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::HeaderMap;
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue, VARY};

use super::exchange::{Answer, AnswerBody, Piped};
use super::patience::Patience;
use super::piped::Outlet;

/// The body of a response.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Bodies from this size on are compressed.
pub(super) const LEAST_COMPRESSED: usize = 1024;
/// Files up to this size are read at once.
const MOST_AT_ONCE: u64 = 256 << 10;
/// The time that a client may take for one piece.
const PIECE_TIME: Duration = Duration::from_secs(60);

/// Returns whether a client takes gzip.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accept.unwrap_or_default().split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !parts.any(|part| ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(&part))
    })
}

/// Prepares an answer on the thread that made it: reads small files, and compresses texts.
pub(super) fn prepared(mut answer: Answer, takes_gzip: bool) -> Answer {
    if let AnswerBody::File { file, length } = &mut answer.body
        && *length <= MOST_AT_ONCE
    {
        let mut bytes = Vec::new();
        // A file that can't be read is cut off by the body that is too short.
        if file.take(*length).read_to_end(&mut bytes).is_ok() && bytes.len() as u64 == *length {
            answer.body = AnswerBody::Bytes(bytes.into());
        }
    }
    let is_encoded = answer.headers.contains_key(CONTENT_ENCODING);
    if let AnswerBody::Bytes(text) = &answer.body
        && text.len() >= LEAST_COMPRESSED
        && takes_gzip
        && !is_encoded
        && let Ok(bytes) = gzip(text)
        && bytes.len() < text.len()
    {
        answer.body = AnswerBody::Bytes(bytes.into());
        answer = compressed(answer);
    }
    answer
}

/// Marks an answer whose body is a stream of gzip.
pub(super) fn compressed(mut answer: Answer) -> Answer {
    answer.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    answer.headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    answer
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns the response of an answer.
pub(super) fn response(answer: Answer) -> Response<Body> {
    let Answer { status, headers, body, .. } = answer;
    let (body, length) = match body {
        AnswerBody::Bytes(bytes) => {
            let length = bytes.len() as u64;
            (Full::new(bytes).map_err(|never| match never {}).boxed_unsync(), Some(length))
        }
        AnswerBody::File { file, length } => {
            let (sender, body) = Channel::<Bytes, io::Error>::new(2);
            tokio::spawn(send(file, length, sender));
            (body.boxed_unsync(), Some(length))
        }
        AnswerBody::Piped(Piped(outlet)) => {
            let (sender, body) = Channel::<Bytes, io::Error>::new(2);
            tokio::spawn(pass_on(outlet, sender));
            (body.boxed_unsync(), None)
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    if let Some(length) = length
        && status != hyper::StatusCode::NO_CONTENT
        && status != hyper::StatusCode::NOT_MODIFIED
    {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// Sends a file piece by piece; no thread waits for a slow client.
async fn send(mut file: File, mut rest: u64, mut sender: Sender<Bytes, io::Error>) {
    while rest > 0 {
        let size = rest.min(MOST_AT_ONCE);
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = Vec::new();
            let result = (&mut file).take(size).read_to_end(&mut piece);
            result.map(|_| (file, piece))
        });
        let Ok(Ok((same, piece))) = read.await else {
            sender.abort(io::Error::other("the file can't be read"));
            return;
        };
        if piece.is_empty() {
            sender.abort(io::Error::other("the file became shorter"));
            return;
        }
        file = same;
        rest -= piece.len() as u64;
        match tokio::time::timeout(PIECE_TIME, sender.send_data(piece.into())).await {
            Ok(Ok(())) => (),
            // The client is gone, or too slow.
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

/// Sends a body while it is made. One that breaks off, or whose client is too slow, ends the connection.
async fn pass_on(outlet: Outlet, mut sender: Sender<Bytes, io::Error>) {
    let (patience, mut n_bytes, mut waited) = (Patience::default(), 0, Duration::ZERO);
    while let Some(piece) = outlet.next().await {
        let piece = match piece {
            Ok(piece) => piece,
            Err(error) => return sender.abort(error),
        };
        n_bytes += piece.len();
        let start = Instant::now();
        let sent = tokio::time::timeout(PIECE_TIME, sender.send_data(piece)).await;
        waited += start.elapsed();
        if !matches!(sent, Ok(Ok(()))) || waited > patience.whole_body(n_bytes) {
            return sender.abort(io::ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_used_where_the_client_takes_it() {
        let fields = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_str(text).expect("a value"));
            headers
        };
        assert!(takes_gzip(&fields("gzip;q=1.0,deflate;q=0.6,identity;q=0.3")));
        assert!(!takes_gzip(&fields("gzip;q=0, identity")));
        assert!(!takes_gzip(&HeaderMap::new()));
        let large = prepared(Answer::json("x".repeat(5000)), true);
        assert_eq!(large.headers.get(CONTENT_ENCODING), Some(&HeaderValue::from_static("gzip")));
        assert!(!prepared(Answer::json("x"), true).headers.contains_key(CONTENT_ENCODING));
    }
}
