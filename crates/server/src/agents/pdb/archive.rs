//! The route `archive` of PuppetDB's admin API: all that the store has as one file, and the way back.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};

use hyper::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use hyper::{Method, StatusCode};
use kukla_base::cancel::Cancel;
use kukla_store::{Archive, ArchiveError, PackError, PackedCommand, Submission, SubmitError, time};

use super::records;
use crate::agents::exchange::{AgentRequest, Answer, OCTETS, RouteError};
use crate::agents::records::Records;
use crate::agents::server::AgentServer;
use crate::body::unnamed;

/// The largest archive that is made: it is on the disk until the client has it.
const MOST_BYTES: u64 = 64 << 30;
/// The most commands of an archive that is taken by a request; `kukla store migrate` takes larger ones.
const MOST_COMMANDS: usize = 1_000_000;

/// Gives or takes an archive.
pub(in crate::agents) fn archive(
    server: &AgentServer,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    let records = records(server)?;
    match request.method {
        Method::POST => take(server, records, request, cancel),
        _ => give(server, records, request, cancel),
    }
}

/// A file that is not written beyond a size.
struct Bounded {
    file: BufWriter<File>,
    left: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n_written = self.file.write(bytes)?;
        self.left = self.left.checked_sub(n_written as u64).ok_or_else(|| {
            io::Error::other(format!("the archive has more than {MOST_BYTES} bytes"))
        })?;
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn give(
    server: &AgentServer,
    records: &Records,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    // A client that asks for secrets to be masked must not get them as they are.
    for name in ["anonymization", "anonymization_profile"] {
        if request.query.get(name).is_some_and(|profile| profile != "none") {
            let words = format!("archives are not anonymized here: `{name}` can only be `none`");
            return Err(RouteError::text(StatusCode::BAD_REQUEST, words));
        }
    }
    let failed = |error: &dyn std::fmt::Display| {
        server.say("store-failed", &[("error", &error.to_string())]);
        let words = "The archive can't be made; the server's log says why";
        RouteError::text(StatusCode::INTERNAL_SERVER_ERROR, words)
    };
    let file = unnamed(&server.site.vardir()).map_err(|error| failed(&error))?;
    let twin = file.try_clone().map_err(|error| failed(&error))?;
    let mut out = Bounded { file: BufWriter::new(twin), left: MOST_BYTES };
    let packed =
        server.workers.waiting(|| records.store.pack(&mut out, &|| cancel.reason().is_some()));
    packed.map_err(|error| match error {
        PackError::Cancelled => RouteError::Busy(30),
        error => failed(&error),
    })?;
    drop(out);
    let mut file = file;
    let length = file.seek(SeekFrom::End(0)).map_err(|error| failed(&error))?;
    file.rewind().map_err(|error| failed(&error))?;
    let name = format!("attachment; filename=puppetdb-export-{}.tgz", time::written(time::now()));
    Ok(Answer::file(file, length).with(CONTENT_DISPOSITION, &name))
}

fn take(
    server: &AgentServer,
    records: &Records,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    let content_type = request.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content = match content_type.unwrap_or_default() {
        OCTETS => &*request.body,
        form => part(form, &request.body).ok_or_else(|| bad("the part `archive` is missing"))?,
    };
    let wrong = |error: ArchiveError| bad(&error.to_string());
    let mut archive = Archive::open(content).map_err(wrong)?;
    for number in 0.. {
        if cancel.reason().is_some() {
            return Err(RouteError::Busy(30));
        }
        let Some(packed) = archive.next().map_err(wrong)? else { break };
        if number >= MOST_COMMANDS {
            let words = "the archive is too large for a request: `kukla store migrate` takes it";
            return Err(RouteError::text(StatusCode::PAYLOAD_TOO_LARGE, words));
        }
        accept(server, records, &packed)?;
    }
    Ok(Answer::json(r#"{"ok":true}"#))
}

/// Accepts a command: it is on the disk when the answer is sent.
fn accept(
    server: &AgentServer,
    records: &Records,
    packed: &PackedCommand,
) -> Result<(), RouteError> {
    let PackedCommand { file, name, version, payload } = packed;
    let submission = Submission { name, version: *version, payload, keeps_exports: false };
    records.queue.accept(submission, true).map(drop).map_err(|error| match error {
        SubmitError::Command(error) => bad(&format!("`{file}`: {error}")),
        error @ SubmitError::Journal { .. } => {
            server.say("store-failed", &[("error", &error.to_string())]);
            let words = "The command can't be kept; the server's log says why";
            RouteError::text(StatusCode::INTERNAL_SERVER_ERROR, words)
        }
        SubmitError::Full => RouteError::Busy(30),
    })
}

fn bad(words: &str) -> RouteError {
    RouteError::text(StatusCode::BAD_REQUEST, words)
}

/// Returns the part `archive` of a form.
fn part<'a>(content_type: &str, body: &'a [u8]) -> Option<&'a [u8]> {
    let (type_, parameters) = content_type.split_once(';')?;
    if !["multipart/form-data", "multipart/mixed"].contains(&type_.trim()) {
        return None;
    }
    let border = parameters.split(';').find_map(|it| it.trim().strip_prefix("boundary="))?;
    let border = border.trim_matches('"');
    if border.is_empty() || border.len() > 70 {
        return None;
    }
    let border = format!("--{border}");
    let mut rest = body.get(memchr::memmem::find(body, border.as_bytes())? + border.len()..)?;
    let end = format!("\r\n{border}");
    loop {
        rest = rest.strip_prefix(b"\r\n")?;
        let head_end = memchr::memmem::find(rest, b"\r\n\r\n")?;
        let content = &rest[head_end + 4..];
        let length = memchr::memmem::find(content, end.as_bytes())?;
        let head = String::from_utf8_lossy(&rest[..head_end]).to_ascii_lowercase();
        let is_archive = head.lines().any(|line| {
            line.starts_with("content-disposition:")
                && line
                    .split(';')
                    .any(|it| matches!(it.trim(), "name=\"archive\"" | "name=archive"))
        });
        if is_archive {
            return Some(&content[..length]);
        }
        rest = &content[length + end.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn the_part_with_the_archive_is_found() {
        let form = "multipart/form-data; boundary=x";
        let field = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
        let file = "--x\r\ncontent-disposition: form-data; filename=\"a; b\"; name=\"archive\"\r\n\
                    Content-Type: y\r\n\r\n\r\n--y\r\n\r\n--x--\r\n";
        for body in [file.to_owned(), format!("{field}{file}"), format!("before\r\n{field}{file}")]
        {
            assert_eq!(part(form, body.as_bytes()), Some(&b"\r\n--y\r\n"[..]), "{body}");
            assert_eq!(
                part("multipart/mixed; boundary=\"x\"", body.as_bytes()).map(<[u8]>::len),
                Some(7)
            );
        }
        for (form, body) in [
            (form, field),
            (form, ""),
            (form, "--x"),
            (form, "--x--\r\n"),
            (form, "--x\r\n\r\n\r\n--x"),
            (form, &file[..file.len() - 8]),
            ("multipart/form-data", file),
            ("multipart/form-data; boundary=", file),
            ("text/plain; boundary=x", file),
        ] {
            assert_eq!(part(form, body.as_bytes()), None, "{form} {body}");
        }
    }
}
