//! A client of HTTP/1.1 without TLS, which keeps its connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};

/// A connection.
pub(super) struct Client {
    stream: BufReader<TcpStream>,
}

/// An answer.
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Escapes what a query has and an address can't have.
pub(super) fn encoded(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        match c {
            '"' => out.push_str("%22"),
            '[' => out.push_str("%5B"),
            ']' => out.push_str("%5D"),
            '{' => out.push_str("%7B"),
            '}' => out.push_str("%7D"),
            ' ' => out.push_str("%20"),
            c => out.push(c),
        }
    }
    // The question mark behind a name of a field is one of the query.
    match out.split_once('?') {
        Some((path, query)) => format!("{path}?{}", query.replace('?', "%3F")),
        None => out,
    }
}

impl Client {
    /// Connects.
    pub(super) fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(300)))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Asks.
    pub(super) fn get(&mut self, path: &str) -> Result<Received> {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"), &[])
    }

    /// Sends JSON.
    pub(super) fn post(&mut self, path: &str, body: &[u8]) -> Result<Received> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.send(&head, body)
    }

    fn send(&mut self, head: &str, body: &[u8]) -> Result<Received> {
        let stream = self.stream.get_mut();
        stream.write_all(&[head.as_bytes(), body].concat())?;
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|text| text.parse().ok());
        let status = status.context("the answer has a status")?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse()?,
                Some(("transfer-encoding", value)) => is_chunked = value == "chunked",
                _ => (),
            }
        }
        let mut body = Vec::new();
        if !is_chunked {
            body.resize(length, 0);
            self.stream.read_exact(&mut body)?;
            return Ok(Received { status, body });
        }
        loop {
            let size = usize::from_str_radix(self.line()?.trim(), 16)?;
            let start = body.len();
            body.resize(start + size, 0);
            self.stream.read_exact(&mut body[start..])?;
            self.line()?;
            if size == 0 {
                return Ok(Received { status, body });
            }
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}
