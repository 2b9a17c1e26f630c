//! Services over HTTP: the message goes out as `message/http`; 204 or the adapted message comes back.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::call::CallError;
use crate::body::{Held, Keep};
use crate::idle::IdleConnections;
use crate::net::{Address, Stream, connect};
use crate::wire::{
    Decoder, Framing, Head, HeadLimits, Input, Malformed, StatusLine, WireError, chunk, last_chunk,
};

/// The number of idle connections that are kept, and for how long.
pub(super) const IDLE: (usize, Duration) = (32, Duration::from_secs(10));

/// A service over HTTP.
#[derive(Debug)]
pub(super) struct Callout {
    pub(super) address: Address,
    pub(super) tls: Option<Arc<ClientConfig>>,
    pub(super) connect_time: Duration,
    pub(super) time: Duration,
    pub(super) keep: Keep,
    pub(super) idle: IdleConnections<Stream>,
}

/// The answer of a service over HTTP.
#[derive(Debug)]
pub(super) enum CalloutAnswer {
    Unchanged,
    /// The head of the adapted message, and its body.
    Adapted(Head, Held<'static>),
}

impl Callout {
    /// Calls the service with a message: its head, and its body.
    pub(super) async fn call(
        &self,
        head: &[u8],
        is_response: bool,
        fields: &[(String, Vec<u8>)],
        body: Option<&mut Held<'_>>,
    ) -> Result<CalloutAnswer, CallError> {
        let call = async {
            let start = self.start(is_response, fields);
            let stream = match self.idle.take() {
                Some(kept) => kept,
                None => connect(&self.address, self.tls.as_ref(), self.connect_time)
                    .await
                    .map_err(CallError::Connect)?,
            };
            self.exchange(stream, &start, head, body).await
        };
        tokio::time::timeout(self.time, call).await.map_err(|_| CallError::Time)?
    }

    fn start(&self, is_response: bool, fields: &[(String, Vec<u8>)]) -> Vec<u8> {
        let default = if self.address.is_tls { 443 } else { 80 };
        let host = self.address.authority(default);
        let kind = if is_response { "response" } else { "request" };
        let mut out = format!(
            "POST {} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: kukla\r\nContent-Type: message/http;msgtype={kind}\r\n\
             Accept: message/http\r\nTransfer-Encoding: chunked\r\n",
            self.address.path
        )
        .into_bytes();
        for (name, value) in fields {
            out.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        out.extend_from_slice(b"\r\n");
        out
    }

    async fn exchange(
        &self,
        mut stream: Stream,
        start: &[u8],
        head: &[u8],
        body: Option<&mut Held<'_>>,
    ) -> Result<CalloutAnswer, CallError> {
        let (answer, is_reusable) = self.speak(&mut stream, start, head, body).await?;
        if is_reusable {
            self.idle.put(stream);
        }
        Ok(answer)
    }

    async fn speak(
        &self,
        stream: &mut Stream,
        start: &[u8],
        head: &[u8],
        body: Option<&mut Held<'_>>,
    ) -> Result<(CalloutAnswer, bool), CallError> {
        let mut input = Input::default();
        let (mut reader, mut writer) = tokio::io::split(stream);
        let mut sending = std::pin::pin!(send(&mut writer, start, head, body));
        let (mut is_sent, mut is_clean) = (false, true);
        let limits = HeadLimits::default();
        let answer = {
            let mut reading = std::pin::pin!(input.head(&mut reader, limits));
            loop {
                tokio::select! {
                    biased;
                    answer = &mut reading => break answer,
                    sent = &mut sending, if !is_sent => {
                        is_sent = true;
                        is_clean = sent?;
                    }
                }
            }
        };
        let answer = match answer {
            Ok(Some(answer)) => answer,
            Ok(None) => return Err(CallError::Connect(io::ErrorKind::UnexpectedEof.into())),
            Err(WireError::Io(error)) => return Err(CallError::Connect(error)),
            Err(error) => return Err(CallError::Wire(error)),
        };
        let line = StatusLine::parse(&answer).map_err(malformed)?;
        let framing =
            Framing::of_response(&answer, line.status, line.is_1_1, b"POST").map_err(malformed)?;
        let keeps =
            line.is_1_1 && !answer.lists("connection", "close") && framing != Framing::UntilClose;
        let result = match line.status {
            204 => CalloutAnswer::Unchanged,
            200 => {
                check_type(&answer)?;
                let mut decoder = Decoder::new(framing);
                let mut adapted = Adapted::new(&self.keep);
                loop {
                    tokio::select! {
                        biased;
                        piece = input.body(&mut reader, &mut decoder) => match piece {
                            Ok(Some(bytes)) => adapted.push(&bytes).await?,
                            Ok(None) => break,
                            Err(error) => return Err(CallError::Wire(error)),
                        },
                        sent = &mut sending, if !is_sent => {
                            is_sent = true;
                            is_clean = sent?;
                        }
                    }
                }
                adapted.finish()?
            }
            status => return Err(CallError::Status(status)),
        };
        Ok((result, keeps && is_sent && is_clean && input.buffer.is_empty()))
    }
}

/// An adapted message that is being read: first its head, then its body.
struct Adapted {
    input: Input,
    head: Option<Head>,
    body: Held<'static>,
}

impl Adapted {
    fn new(keep: &Keep) -> Self {
        Self { input: Input::default(), head: None, body: Held::empty(keep) }
    }

    async fn push(&mut self, bytes: &bytes::Bytes) -> Result<(), CallError> {
        if self.head.is_some() {
            return self.body.push(bytes.clone()).await.map_err(CallError::Answer);
        }
        self.input.buffer.extend_from_slice(bytes);
        self.head = self.input.take_head(HeadLimits::default()).map_err(malformed)?;
        if self.head.is_some() {
            let rest = self.input.buffer.split().freeze();
            self.body.push(rest).await.map_err(CallError::Answer)?;
        }
        Ok(())
    }

    /// Checks that the message has the length that it says.
    fn finish(self) -> Result<CalloutAnswer, CallError> {
        let head = self.head.ok_or(CallError::Wire(WireError::Truncated))?;
        let declared = head.only("content-length").map_err(|_| malformed(Malformed::Length))?;
        let size = self.body.size().unwrap_or(0);
        if declared.is_some_and(|declared| declared != size.to_string().as_bytes()) {
            return Err(CallError::Wire(WireError::Truncated));
        }
        if head.all("transfer-encoding").next().is_some() {
            return Err(malformed(Malformed::Coding));
        }
        Ok(CalloutAnswer::Adapted(head, self.body))
    }
}

fn check_type(answer: &Head) -> Result<(), CallError> {
    let value = answer.only("content-type").ok().flatten().unwrap_or_default();
    let end = memchr::memchr(b';', value).unwrap_or(value.len());
    match value[..end].trim_ascii().eq_ignore_ascii_case(b"message/http") {
        true => Ok(()),
        false => Err(CallError::Status(200)),
    }
}

fn malformed(reason: Malformed) -> CallError {
    CallError::Wire(reason.into())
}

/// Sends the message; returns whether the service took all of it.
async fn send<W: AsyncWrite + Unpin>(
    writer: &mut W,
    start: &[u8],
    head: &[u8],
    mut body: Option<&mut Held<'_>>,
) -> Result<bool, CallError> {
    let mut out = start.to_vec();
    chunk(&mut out, head);
    let mut offset = 0;
    loop {
        let piece = match &mut body {
            Some(body) => body.read(offset).await.map_err(CallError::Body)?,
            None => None,
        };
        match &piece {
            Some(bytes) => {
                chunk(&mut out, bytes);
                offset += bytes.len() as u64;
            }
            None => out.extend_from_slice(last_chunk()),
        }
        if writer.write_all(&out).await.is_err() || writer.flush().await.is_err() {
            return Ok(false);
        }
        if piece.is_none() {
            return Ok(true);
        }
        out.clear();
    }
}
