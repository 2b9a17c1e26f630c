//! Answers to an ICAP client: unchanged, adapted, or a response in place of the message.

use tokio::io::AsyncWriteExt as _;

use super::call::IcapMethod;
use super::encapsulated::{Encapsulated, EncapsulatedBody};
use super::server::IcapServer;
use super::server_body::SentBody;
use super::server_heads::{IcapFields, request_head, response_head, start};
use super::server_read::{Asked, Failed};
use crate::body::Held;
use crate::services::{Decided, Fate, FinalBody, mark};
use crate::wire::{Fields, chunk, last_chunk};

impl IcapServer {
    /// Answers as the program decided; returns whether the connection can be used for another message.
    pub(super) async fn answer(
        &self,
        mut body: SentBody<'_>,
        asked: Asked,
        decided: Decided,
        istag: &str,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let mut fields = IcapFields { istag: Some(istag), others: Vec::new() };
        if !decided.next.is_empty() {
            fields.others.push(("X-Next-Services", decided.next.join(", ")));
        }
        let mut decided = decided;
        if let Some(trace) = &decided.trace {
            fields.others.push(("X-P-Trace", trace.clone()));
        }
        self.mark(&asked, &mut decided);
        let trace = decided.trace.take().map(|trace| (b"X-P-Trace".to_vec(), trace.into_bytes()));
        let (status, text) = match &decided.fate {
            Fate::Pass => {
                let is_same =
                    decided.fields.is_none() && matches!(decided.body, FinalBody::Received);
                let is_status = asked.heads.status().is_none_or(|own| own == decided.status);
                if is_same && is_status && decided.path.is_none() {
                    return self.unchanged(&mut body, &asked, &fields, held).await;
                }
                return self.adapted(body, asked, decided, &fields, held).await;
            }
            Fate::Answered(status) => {
                let FinalBody::Made(made) = decided.body else {
                    return Err(Failed::Status(500, "a service made no answer"));
                };
                let head = response_head(*status, &decided.fields.unwrap_or_default(), made.size());
                return self.satisfied(&mut body, head, made, &fields).await;
            }
            Fate::Deny => (403, b"denied\n".to_vec()),
            Fate::Challenge(_) => (401, b"authentication is needed\n".to_vec()),
            Fate::Respond(status, text) => (*status, text.clone()),
        };
        let mut own: Fields = vec![(b"Content-Type".to_vec(), b"text/plain".to_vec())];
        own.extend(trace);
        if let Fate::Challenge(scheme) = decided.fate
            && scheme.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
        {
            own.push((b"WWW-Authenticate".to_vec(), scheme));
        }
        let head = response_head(status, &own, Some(text.len() as u64));
        let made = Held::from_bytes(text.into(), &crate::body::Keep::default());
        self.satisfied(&mut body, head, made, &fields).await
    }

    /// Writes into a message which services adapted it, and into a response how it was decided about, if the client asked.
    fn mark(&self, asked: &Asked, decided: &mut Decided) {
        let is_answer = matches!(decided.fate, Fate::Answered(_));
        let is_response = asked.heads.status().is_some();
        let trace = decided.trace.clone().filter(|_| is_answer || is_response);
        let is_marked = !decided.adapted.is_empty() || trace.is_some();
        if !is_marked || !(is_answer || decided.fate == Fate::Pass) {
            return;
        }
        let none = Fields::new();
        let old = match &asked.exchange().response {
            _ if is_answer => &none,
            Some((_, fields)) => fields,
            None => &asked.exchange().request,
        };
        let fields = decided.fields.get_or_insert_with(|| old.clone());
        if !decided.adapted.is_empty() {
            mark(&self.name, fields, &decided.adapted);
        }
        fields.extend(trace.map(|trace| (b"X-P-Trace".to_vec(), trace.into_bytes())));
    }

    /// Answers with a response in place of the message.
    async fn satisfied(
        &self,
        body: &mut SentBody<'_>,
        head: Vec<u8>,
        mut made: Held<'static>,
        fields: &IcapFields<'_>,
    ) -> Result<bool, Failed> {
        let keeps = body.finish_preview().await?;
        let has_body = made.size() != Some(0);
        let kind = if has_body { EncapsulatedBody::Response } else { EncapsulatedBody::None };
        let parts = Encapsulated { request: None, response: Some(head.len()), body: kind };
        let mut out = start(200, fields, Some(parts), keeps);
        out.extend_from_slice(&head);
        if has_body {
            write_body(body, &mut out, &mut made).await?;
        }
        body.stream.write_all(&out).await?;
        Ok(keeps)
    }

    /// Says that the message stays as it is, or sends it back if the client wants that.
    pub(super) async fn unchanged(
        &self,
        body: &mut SentBody<'_>,
        asked: &Asked,
        fields: &IcapFields<'_>,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let is_in_preview = asked.preview.is_some() && !body.has_continued();
        if is_in_preview || asked.icap.lists("allow", "204") {
            let keeps = body.finish_preview().await?;
            body.stream.write_all(&start(204, fields, None, keeps)).await?;
            return Ok(keeps);
        }
        let head = match &asked.exchange().response {
            Some((status, own)) => response_head(*status, own, None),
            None => request_head(asked.exchange(), &asked.exchange().target, None),
        };
        self.echo(body, asked, head, fields, held).await
    }

    /// Sends a message with another head or body.
    async fn adapted(
        &self,
        mut body: SentBody<'_>,
        asked: Asked,
        decided: Decided,
        fields: &IcapFields<'_>,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let size = match &decided.body {
            FinalBody::Made(made) => made.size(),
            FinalBody::Received => None,
        };
        let keeps_length = matches!(decided.body, FinalBody::Received);
        let length = if keeps_length { declared(&asked) } else { size };
        let head = match &asked.exchange().response {
            Some((_, own)) => {
                response_head(decided.status, decided.fields.as_ref().unwrap_or(own), length)
            }
            None => {
                let mut exchange = asked.exchange().clone();
                let target = decided.path.as_ref().map_or_else(
                    || asked.exchange().target.clone(),
                    |path| rewritten(&asked.exchange().target, path),
                );
                if let Some(own) = decided.fields {
                    exchange.request = own;
                }
                request_head(&exchange, &target, length)
            }
        };
        match decided.body {
            FinalBody::Received => self.echo(&mut body, &asked, head, fields, held).await,
            FinalBody::Made(mut made) => {
                let keeps = body.finish_preview().await?;
                let has_body = made.size() != Some(0);
                let mut out = start(200, fields, Some(parts(&asked, head.len(), has_body)), keeps);
                out.extend_from_slice(&head);
                if has_body {
                    write_body(&mut body, &mut out, &mut made).await?;
                }
                body.stream.write_all(&out).await?;
                Ok(keeps)
            }
        }
    }

    /// Sends a head, and the body as it came.
    async fn echo(
        &self,
        body: &mut SentBody<'_>,
        asked: &Asked,
        head: Vec<u8>,
        fields: &IcapFields<'_>,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let parts = parts(asked, head.len(), asked.has_body);
        let takes_part = asked.icap.lists("allow", "206") && asked.has_body;
        if takes_part {
            let keeps = body.finish_preview().await?;
            let mut out = start(206, fields, Some(parts), keeps);
            out.extend_from_slice(&head);
            out.extend_from_slice(b"0; use-original-body=0\r\n\r\n");
            body.stream.write_all(&out).await?;
            return Ok(keeps);
        }
        let left = if asked.has_body { body.want_all().await? } else { Vec::new() };
        let mut out = start(200, fields, Some(parts), true);
        out.extend_from_slice(&head);
        if asked.has_body {
            if let Some(mut held) = held {
                write_body(body, &mut out, &mut held).await?;
                let end = out.len() - last_chunk().len();
                out.truncate(end);
            }
            chunk(&mut out, &left);
            while let Some(bytes) = body.read_next().await? {
                chunk(&mut out, &bytes);
                body.stream.write_all(&out).await?;
                out.clear();
            }
            out.extend_from_slice(last_chunk());
        }
        body.stream.write_all(&out).await?;
        Ok(true)
    }
}

/// Returns the length that the head of the message says.
fn declared(asked: &Asked) -> Option<u64> {
    let fields =
        asked.exchange().response.as_ref().map_or(&asked.exchange().request, |(_, fields)| fields);
    let mut lengths =
        fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"content-length"));
    lengths.next().and_then(|(_, value)| std::str::from_utf8(value).ok()?.parse().ok())
}

/// Puts another path into a target, which may be absolute.
fn rewritten(target: &[u8], path: &[u8]) -> Vec<u8> {
    match memchr::memmem::find(target, b"://") {
        Some(at) if !target.starts_with(b"/") => {
            let authority = &target[at + 3..];
            let end = memchr::memchr2(b'/', b'?', authority).unwrap_or(authority.len());
            [&target[..at + 3], &authority[..end], path].concat()
        }
        _ => path.to_vec(),
    }
}

fn parts(asked: &Asked, length: usize, has_body: bool) -> Encapsulated {
    match (asked.method, has_body) {
        (IcapMethod::Reqmod, true) => {
            Encapsulated { request: Some(length), response: None, body: EncapsulatedBody::Request }
        }
        (IcapMethod::Reqmod, false) => {
            Encapsulated { request: Some(length), ..Encapsulated::default() }
        }
        (IcapMethod::Respmod, true) => {
            Encapsulated { request: None, response: Some(length), body: EncapsulatedBody::Response }
        }
        (IcapMethod::Respmod, false) => {
            Encapsulated { response: Some(length), ..Encapsulated::default() }
        }
    }
}

/// Writes a body that is kept; its end is left in `out`.
async fn write_body(
    body: &mut SentBody<'_>,
    out: &mut Vec<u8>,
    made: &mut Held<'static>,
) -> Result<(), Failed> {
    let mut offset = 0;
    while let Some(bytes) = made.read(offset).await? {
        offset += bytes.len() as u64;
        chunk(out, &bytes);
        if out.len() > 64 << 10 {
            body.stream.write_all(out).await?;
            out.clear();
        }
    }
    out.extend_from_slice(last_chunk());
    Ok(())
}
