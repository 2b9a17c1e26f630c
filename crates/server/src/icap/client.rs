//! Client of an adaptation service.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::Answer;
use super::call::{IcapAnswer, IcapError, IcapMethod, IcapRequest, IcapSettings};
use super::encapsulated::{Encapsulated, EncapsulatedBody};
use super::options::IcapOptions;
use super::pool::{Connection, Pool};
use super::send::{Original, append, is_closed, send_rest, write};
use crate::body::Held;
use crate::net::{Address, connect};
use crate::wire::{Chunks, Decoder, Extensions, Input, Malformed, chunk, last_chunk};

/// The default port.
pub const PORT: u16 = 1344;

/// A client of one service. It is shared by all exchanges.
pub struct IcapClient {
    address: Address,
    url: String,
    tls: Option<Arc<ClientConfig>>,
    settings: IcapSettings,
    pool: Pool,
    options: Mutex<Option<(Instant, Arc<IcapOptions>)>>,
}

impl fmt::Debug for IcapClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "IcapClient({})", self.url)
    }
}

impl IcapClient {
    /// Creates a client; it connects when it is used.
    pub fn new(address: Address, tls: Option<Arc<ClientConfig>>, settings: IcapSettings) -> Self {
        let scheme = if address.is_tls { "icaps" } else { "icap" };
        let url = format!("{scheme}://{}{}", address.authority(0), address.path);
        let pool = Pool::new(settings.connections);
        Self { address, url, tls, settings, pool, options: Mutex::default() }
    }

    /// Returns what the service says about itself; it is asked again when that is too old.
    pub async fn options(&self) -> Result<Arc<IcapOptions>, IcapError> {
        if let Some((until, options)) = &*self.cached()
            && Instant::now() < *until
        {
            return Ok(Arc::clone(options));
        }
        let fetch = async {
            let place = self.pool.place().await;
            let options = self.fresh(|connection| self.ask_options(connection)).await;
            drop(place);
            options
        };
        let options = tokio::time::timeout(self.settings.time, fetch)
            .await
            .map_err(|_| IcapError::Time)??;
        self.pool.resize(options.max_connections);
        let options = Arc::new(options);
        *self.cached() = Some((Instant::now() + options.ttl, Arc::clone(&options)));
        Ok(options)
    }

    fn cached(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Arc<IcapOptions>)>> {
        self.options.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an exchange on a new connection.
    async fn fresh<T, F: Future<Output = Result<T, IcapError>>>(
        &self,
        exchange: impl FnOnce(Connection) -> F,
    ) -> Result<T, IcapError> {
        exchange(self.connect().await?).await
    }

    async fn connect(&self) -> Result<Connection, IcapError> {
        let stream = connect(&self.address, self.tls.as_ref(), self.settings.connect_time).await;
        let stream = stream.map_err(IcapError::Connect)?;
        Ok(Connection { stream, input: Input::default() })
    }

    async fn ask_options(&self, mut connection: Connection) -> Result<IcapOptions, IcapError> {
        let mut out = self.start("OPTIONS");
        out.extend_from_slice(b"Encapsulated: null-body=0\r\n\r\n");
        write(&mut connection.stream, &out).await?;
        let Connection { stream, input } = &mut connection;
        let answer = Answer::read(input, stream).await?;
        if answer.status != 200 {
            return Err(IcapError::Status(answer.status));
        }
        let options = IcapOptions::parse(&answer.icap)?;
        if answer.encapsulated.is_some_and(|parts| parts.has_body()) {
            // A description follows, of which the sender says nothing more.
            return Ok(options);
        }
        if answer.keeps_connection() {
            self.pool.put(connection);
        }
        Ok(options)
    }

    fn start(&self, method: &str) -> Vec<u8> {
        let host = self.address.authority(PORT);
        format!("{method} {} ICAP/1.0\r\nHost: {host}\r\nUser-Agent: kukla\r\n", self.url)
            .into_bytes()
    }

    /// Lets the service adapt a message. What it sends is read whole before this returns.
    pub async fn adapt(
        &self,
        request: &IcapRequest,
        body: Option<&mut Held<'_>>,
    ) -> Result<IcapAnswer, IcapError> {
        let adapt = async {
            let options = self.options().await?;
            if !options.methods.contains(&request.method) {
                return Err(IcapError::Method);
            }
            let _place = self.pool.place().await;
            let connection = match self.pool.take() {
                Some(kept) => kept,
                None => self.connect().await?,
            };
            self.exchange(connection, request, body, &options).await
        };
        tokio::time::timeout(self.settings.time, adapt).await.map_err(|_| IcapError::Time)?
    }

    async fn exchange(
        &self,
        mut connection: Connection,
        request: &IcapRequest,
        mut body: Option<&mut Held<'_>>,
        options: &IcapOptions,
    ) -> Result<IcapAnswer, IcapError> {
        let preview = match (&mut body, options.preview) {
            (Some(body), Some(wanted)) => {
                let size = wanted.min(self.settings.preview.unwrap_or(usize::MAX));
                let bytes = body.preview(size).await.map_err(IcapError::Body)?;
                let is_whole = bytes.len() < size || body.size() == Some(size as u64);
                Some((bytes, size, is_whole))
            }
            _ => None,
        };
        let mut out =
            self.request_head(request, body.is_some(), preview.as_ref().map(|p| p.1), options);
        if let Some((bytes, _, is_whole)) = &preview {
            chunk(&mut out, bytes);
            out.extend_from_slice(if *is_whole { b"0; ieof\r\n\r\n" } else { last_chunk() });
        }
        let Connection { stream, input } = &mut connection;
        let (mut reader, mut writer) = tokio::io::split(stream);
        if let Err(error) = write(&mut writer, &out).await {
            return Err(if is_closed(&error) { IcapError::Closed } else { error });
        }
        let mut offset = 0;
        let mut answer = None;
        if let Some((bytes, _, is_whole)) = &preview {
            let first = Answer::read(input, &mut reader).await?;
            match (first.status, is_whole) {
                (100, false) => offset = bytes.len() as u64,
                (100, true) => return Err(IcapError::Status(100)),
                _ => answer = Some(first),
            }
        }
        let is_sent = answer.is_some() || body.is_none();
        let original = Original { body, offset, is_sent };
        let (answer, is_reusable) =
            self.receive(input, &mut reader, &mut writer, original, answer, request).await?;
        let (istag, answer) = answer;
        if is_reusable {
            self.pool.put(connection);
        }
        if istag.is_some_and(|istag| istag != options.istag) {
            *self.cached() = None;
        }
        Ok(answer)
    }

    /// Returns the head of a message, with the HTTP heads behind it.
    fn request_head(
        &self,
        request: &IcapRequest,
        has_body: bool,
        preview: Option<usize>,
        options: &IcapOptions,
    ) -> Vec<u8> {
        let mut out = self.start(request.method.name());
        let body = match (has_body, request.method) {
            (false, _) => EncapsulatedBody::None,
            (true, IcapMethod::Reqmod) => EncapsulatedBody::Request,
            (true, IcapMethod::Respmod) => EncapsulatedBody::Response,
        };
        let response = request.response.as_ref().map(Vec::len);
        let parts = Encapsulated { request: Some(request.request.len()), response, body };
        out.extend_from_slice(format!("Encapsulated: {}\r\n", parts.text()).as_bytes());
        let allow = if options.allows_206 { "204, 206" } else { "204" };
        out.extend_from_slice(format!("Allow: {allow}\r\n").as_bytes());
        if let Some(preview) = preview {
            out.extend_from_slice(format!("Preview: {preview}\r\n").as_bytes());
        }
        for (name, value) in &request.fields {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&request.request);
        out.extend_from_slice(request.response.as_deref().unwrap_or_default());
        out
    }

    /// Sends the rest of the body and reads the answer, which may come before all is sent.
    async fn receive<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
        &self,
        input: &mut Input,
        reader: &mut R,
        writer: &mut W,
        original: Original<'_, '_>,
        answer: Option<Answer>,
        request: &IcapRequest,
    ) -> Result<((Option<Vec<u8>>, IcapAnswer), bool), IcapError> {
        let Original { mut body, offset, mut is_sent } = original;
        let mut is_clean = true;
        let answer = {
            let mut sending = std::pin::pin!(send_rest(writer, body.as_deref_mut(), offset));
            let answer = match answer {
                Some(answer) => answer,
                None => {
                    // Reading a head can't be cancelled without losing a part of it.
                    let mut reading = std::pin::pin!(Answer::read(input, reader));
                    loop {
                        tokio::select! {
                            biased;
                            answer = &mut reading => break answer?,
                            sent = &mut sending, if !is_sent => {
                                is_sent = true;
                                is_clean = sent?;
                            }
                        }
                    }
                }
            };
            match answer.status {
                200 | 206 => (),
                204 => {
                    let is_reusable = is_sent && is_clean && answer.keeps_connection();
                    return Ok(((answer.istag(), IcapAnswer::Unchanged), is_reusable));
                }
                status => return Err(IcapError::Status(status)),
            }
            let kind = answer.kind(request.method)?;
            let mut adapted = None;
            let mut original_from = None;
            if kind.has_body {
                let mut new = Held::empty(&self.settings.keep);
                let mut decoder = Decoder::Chunks(Chunks::new(Extensions::Icap));
                loop {
                    tokio::select! {
                        biased;
                        piece = input.body(reader, &mut decoder) => match piece? {
                            Some(bytes) => new.push(bytes).await.map_err(IcapError::Answer)?,
                            None => break,
                        },
                        sent = &mut sending, if !is_sent => {
                            is_sent = true;
                            is_clean = sent?;
                        }
                    }
                }
                if let Decoder::Chunks(chunks) = &decoder {
                    original_from = chunks.original_from;
                }
                adapted = Some(new);
            }
            if original_from.is_some() != (answer.status == 206) {
                return Err(Malformed::Chunk.into());
            }
            (answer, kind, adapted, original_from)
        };
        let (answer, kind, mut adapted, original_from) = answer;
        if let (Some(from), Some(new)) = (original_from, &mut adapted) {
            append(new, body, from).await?;
        }
        let is_reusable = is_sent && is_clean && answer.keeps_connection();
        let istag = answer.istag();
        let adapted =
            IcapAnswer::Adapted { head: kind.head, is_response: kind.is_response, body: adapted };
        Ok(((istag, adapted), is_reusable))
    }
}
