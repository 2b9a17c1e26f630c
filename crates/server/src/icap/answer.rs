//! The head of a service's answer.

use tokio::io::AsyncRead;

use super::call::{IcapError, IcapMethod};
use super::encapsulated::{Encapsulated, EncapsulatedBody};
use super::send::is_closed;
use crate::wire::{Head, HeadLimits, Input, Malformed, StatusLine, WireError};

/// The head of an answer, with the HTTP heads behind it.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) icap: Head,
    pub(super) encapsulated: Option<Encapsulated>,
    request: Option<Head>,
    response: Option<Head>,
}

/// The adapted message of an answer.
pub(super) struct Kind {
    pub(super) head: Head,
    pub(super) is_response: bool,
    pub(super) has_body: bool,
}

impl Answer {
    pub(super) async fn read<R: AsyncRead + Unpin>(
        input: &mut Input,
        reader: &mut R,
    ) -> Result<Self, IcapError> {
        let limits = HeadLimits::default();
        let icap = match input.head(reader, limits).await {
            Ok(Some(head)) => head,
            Ok(None) => return Err(IcapError::Closed),
            Err(WireError::Io(error)) => {
                let is_empty = input.buffer.is_empty();
                let error = IcapError::Wire(WireError::Io(error));
                return Err(if is_empty && is_closed(&error) { IcapError::Closed } else { error });
            }
            Err(error) => return Err(error.into()),
        };
        let status = StatusLine::parse_icap(&icap)?.status;
        let value = icap.only("encapsulated").map_err(|_| Malformed::Encapsulated)?;
        let encapsulated = value.map(Encapsulated::parse).transpose()?;
        let (mut request, mut response) = (None, None);
        if let Some(parts) = encapsulated {
            for (length, head) in [(parts.request, &mut request), (parts.response, &mut response)] {
                if let Some(length) = length {
                    let bytes = input.exactly(reader, length).await?;
                    *head = Some(Head::parse(bytes, limits)?);
                }
            }
        }
        Ok(Self { status, icap, encapsulated, request, response })
    }

    pub(super) fn keeps_connection(&self) -> bool {
        !self.icap.lists("connection", "close")
    }

    pub(super) fn istag(&self) -> Option<Vec<u8>> {
        self.icap.only("istag").ok().flatten().map(<[u8]>::to_vec)
    }

    /// Returns the adapted message; it must be one that can be the result of the method.
    pub(super) fn kind(&self, method: IcapMethod) -> Result<Kind, IcapError> {
        let body = self.encapsulated.map_or(EncapsulatedBody::None, |parts| parts.body);
        let (head, is_response) = match (method, &self.request, &self.response) {
            (IcapMethod::Reqmod, Some(request), None) => (request, false),
            (IcapMethod::Reqmod, None, Some(response))
            | (IcapMethod::Respmod, _, Some(response)) => (response, true),
            _ => return Err(Malformed::Encapsulated.into()),
        };
        let expected =
            if is_response { EncapsulatedBody::Response } else { EncapsulatedBody::Request };
        if body != EncapsulatedBody::None && body != expected {
            return Err(Malformed::Encapsulated.into());
        }
        Ok(Kind { head: head.clone(), is_response, has_body: body == expected })
    }
}
