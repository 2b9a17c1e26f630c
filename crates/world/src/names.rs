//! Questions to name servers.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use kukla_base::cancel;
use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, TYPE};

/// A question to one server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameQuery {
    /// The address of the server.
    pub server: IpAddr,
    /// Its port.
    pub port: u16,
    /// The name that is asked for, without a dot at its end.
    pub name: String,
    /// The number of the type of record.
    pub kind: u16,
    /// The time that the server has.
    pub timeout: Duration,
}

/// The reply of a server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NameReply {
    /// The code of the reply: 0 if there is no error, 3 if there is no such name.
    pub code: u16,
    /// The records of its answer, in its order.
    pub records: Vec<NameRecord>,
}

/// A record of a reply; each type has only some of the parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NameRecord {
    /// The name that has the record.
    pub name: String,
    /// The number of its type.
    pub kind: u16,
    /// The seconds for which it may be kept.
    pub ttl: u32,
    /// The address of `A` and `AAAA`.
    pub address: Option<IpAddr>,
    /// The names in it.
    pub names: Vec<String>,
    /// The numbers in it, in their order.
    pub numbers: Vec<i64>,
    /// The texts of `TXT`.
    pub texts: Vec<Vec<u8>>,
}

/// The time between two looks at the flag that stops a compilation.
const LOOK: Duration = Duration::from_millis(5);

/// The largest reply.
const MAX_REPLY: usize = 65_535;

/// Asks a server, and returns its reply; an error if there is none in time.
pub(crate) fn ask(query: &NameQuery) -> io::Result<NameReply> {
    let mut id = [0; 2];
    getrandom::fill(&mut id).map_err(io::Error::other)?;
    let id = u16::from_be_bytes(id);
    let message = message(id, query)?;
    let end = Instant::now() + query.timeout;
    let reply = by_udp(query, &message, id, end)?;
    let packet = Packet::parse(&reply).map_err(invalid)?;
    if !packet.has_flags(PacketFlag::TRUNCATION) {
        return Ok(read(&packet));
    }
    let reply = by_tcp(query, &message, end)?;
    let packet = Packet::parse(&reply).map_err(invalid)?;
    match packet.id() == id {
        true => Ok(read(&packet)),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn invalid(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

fn message(id: u16, query: &NameQuery) -> io::Result<Vec<u8>> {
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    let name = Name::new(&query.name).map_err(invalid)?.into_owned();
    let kind = QTYPE::TYPE(TYPE::from(query.kind));
    packet.questions.push(Question::new(name, kind, QCLASS::CLASS(CLASS::IN), false));
    packet.build_bytes_vec().map_err(invalid)
}

fn by_udp(query: &NameQuery, message: &[u8], id: u16, end: Instant) -> io::Result<Vec<u8>> {
    let any: IpAddr = match query.server {
        IpAddr::V4(_) => [0, 0, 0, 0].into(),
        IpAddr::V6(_) => [0; 16].into(),
    };
    let socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
    socket.connect(SocketAddr::new(query.server, query.port))?;
    socket.set_read_timeout(Some(LOOK))?;
    socket.send(message)?;
    let mut buffer = vec![0; MAX_REPLY];
    loop {
        match socket.recv(&mut buffer) {
            // What is no reply to this question is none at all.
            Ok(length) if buffer.get(..2) == Some(&id.to_be_bytes()[..]) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Ok(_) => (),
            Err(error) if is_waiting(&error) => (),
            Err(error) => return Err(error),
        }
        go_on(end)?;
    }
}

fn by_tcp(query: &NameQuery, message: &[u8], end: Instant) -> io::Result<Vec<u8>> {
    let left = end.saturating_duration_since(Instant::now()).max(LOOK);
    let mut stream = TcpStream::connect_timeout(&SocketAddr::new(query.server, query.port), left)?;
    stream.set_read_timeout(Some(LOOK))?;
    stream.set_write_timeout(Some(left))?;
    let length = u16::try_from(message.len()).map_err(invalid)?;
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(message)?;
    let mut length = [0; 2];
    fill(&mut stream, &mut length, end)?;
    let mut reply = vec![0; usize::from(u16::from_be_bytes(length))];
    fill(&mut stream, &mut reply, end)?;
    Ok(reply)
}

/// Reads until a buffer is full.
fn fill(stream: &mut TcpStream, buffer: &mut [u8], end: Instant) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match stream.read(buffer.get_mut(done..).unwrap_or_default()) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => done += length,
            Err(error) if is_waiting(&error) => go_on(end)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_waiting(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

/// Fails if the time is over, or if the compilation is cancelled.
fn go_on(end: Instant) -> io::Result<()> {
    match Instant::now() >= end || cancel::requested().is_some() {
        true => Err(io::ErrorKind::TimedOut.into()),
        false => Ok(()),
    }
}

fn read(packet: &Packet<'_>) -> NameReply {
    let records = packet.answers.iter().map(|answer| {
        let mut record = NameRecord {
            name: answer.name.to_string(),
            kind: u16::from(answer.rdata.type_code()),
            ttl: answer.ttl,
            ..NameRecord::default()
        };
        match &answer.rdata {
            RData::A(data) => record.address = Some(IpAddr::from(data.address.to_be_bytes())),
            RData::AAAA(data) => record.address = Some(IpAddr::from(data.address.to_be_bytes())),
            RData::NS(data) => record.names.push(data.0.to_string()),
            RData::CNAME(data) => record.names.push(data.0.to_string()),
            RData::PTR(data) => record.names.push(data.0.to_string()),
            RData::MX(data) => {
                record.names.push(data.exchange.to_string());
                record.numbers.push(data.preference.into());
            }
            RData::SRV(data) => {
                record.names.push(data.target.to_string());
                record.numbers = [data.priority, data.weight, data.port].map(i64::from).to_vec();
            }
            RData::SOA(data) => {
                record.names = vec![data.mname.to_string(), data.rname.to_string()];
                let times = [data.refresh, data.retry, data.expire].map(i64::from);
                record.numbers.push(data.serial.into());
                record.numbers.extend(times);
                record.numbers.push(data.minimum.into());
            }
            RData::TXT(data) => {
                let texts = data.iter_raw().map(|(key, value)| match value {
                    Some(value) => [key, b"=", value].concat(),
                    None => key.to_vec(),
                });
                record.texts = texts.collect();
            }
            _ => (),
        }
        record
    });
    NameReply { code: u16::from(packet.rcode() as u8), records: records.collect() }
}
