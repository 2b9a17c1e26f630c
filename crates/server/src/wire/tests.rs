use bytes::BytesMut;

use super::*;

fn head(text: &[u8]) -> Result<Option<Head>, Malformed> {
    let mut input = Input::default();
    input.buffer.extend_from_slice(text);
    input.take_head(HeadLimits { size: 1000, fields: 5 })
}

#[test]
fn a_head_is_read_in_any_pieces() {
    let text = b"GET / HTTP/1.1\r\nHost: a\r\nX: \t b c \t\r\nEmpty:\r\n\r\nrest";
    for cut in 0..text.len() {
        let mut input = Input::default();
        input.buffer.extend_from_slice(&text[..cut]);
        let early = input.take_head(HeadLimits::default()).expect("nothing is wrong so far");
        input.buffer.extend_from_slice(&text[cut..]);
        let head = match early {
            Some(head) => head,
            None => {
                input.take_head(HeadLimits::default()).expect("it is valid").expect("it is whole")
            }
        };
        let fields: Vec<_> = head.fields().collect();
        let expected: [(&[u8], &[u8]); 3] = [(b"Host", b"a"), (b"X", b"b c"), (b"Empty", b"")];
        assert_eq!(
            (head.line(), fields.as_slice()),
            (&b"GET / HTTP/1.1"[..], &expected[..]),
            "{cut}"
        );
        assert_eq!(&input.buffer[..], b"rest");
    }
}

#[test]
fn heads_that_parsers_read_differently_are_refused() {
    use Malformed::{
        FieldName, FieldValue, Folded, HeadTooLarge, LineEnd, StartLine, TooManyFields,
    };
    let cases: [(&[u8], Malformed); 15] = [
        (b"GET / HTTP/1.1\nHost: a\n\n", LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\n\r\n", LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", LineEnd),
        (b"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", Folded),
        (b"GET / HTTP/1.1\r\n Host: a\r\n\r\n", Folded),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", FieldName),
        (b"GET / HTTP/1.1\r\nHost\r\n\r\n", FieldName),
        (b"GET / HTTP/1.1\r\n: a\r\n\r\n", FieldName),
        (b"GET / HTTP/1.1\r\nX(: a\r\n\r\n", FieldName),
        (b"GET / HTTP/1.1\r\nX: a\0\r\n\r\n", FieldValue),
        (b"GET /\0 HTTP/1.1\r\nX: a\r\n\r\n", StartLine),
        (b"GET / HTTP/1.1\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n", TooManyFields),
        (&[b'a'; 1001], HeadTooLarge),
    ];
    for (text, reason) in cases {
        assert_eq!(head(text), Err(reason), "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn first_lines_are_strict() {
    let line = |text: &str| {
        let head =
            head(format!("{text}\r\n\r\n").as_bytes()).expect("it is a head").expect("it is whole");
        RequestLine::parse(&head).and_then(|line| line.target().map(|_| ()))
    };
    for good in [
        "GET / HTTP/1.1",
        "M-SEARCH /a?b HTTP/1.0",
        "OPTIONS * HTTP/1.1",
        "GET http://a/b HTTP/1.1",
    ] {
        assert_eq!(line(good), Ok(()), "{good}");
    }
    for bad in [
        "",
        "GET",
        "GET /",
        "GET  / HTTP/1.1",
        "GET / HTTP/1.1 ",
        " GET / HTTP/1.1",
        "get / HTTP/1.1",
        "GET / HTTP/1.10",
        "GET / HTTP/2.0",
        "GET / http/1.1",
        "GET / ICAP/1.0",
        "G@T / HTTP/1.1",
        "GET * HTTP/1.1",
        "GET a/b HTTP/1.1",
        "GET /a#b HTTP/1.1",
        "GET /ä HTTP/1.1",
        "GET ftp://a/ HTTP/1.1",
        "GET http://a?b HTTP/1.1",
        "GET /\t HTTP/1.1",
    ] {
        assert!(line(bad).is_err(), "{bad}");
    }
}

#[test]
fn statuses_have_three_digits() {
    let status = |text: &str, is_icap: bool| {
        let head =
            head(format!("{text}\r\n\r\n").as_bytes()).expect("it is a head").expect("it is whole");
        let line = if is_icap { StatusLine::parse_icap(&head) } else { StatusLine::parse(&head) };
        line.map(|line| line.status)
    };
    for (start, is_icap) in [("HTTP/1.1", false), ("ICAP/1.0", true)] {
        assert_eq!(status(&format!("{start} 204 No"), is_icap), Ok(204));
        assert_eq!(status(&format!("{start} 599"), is_icap), Ok(599));
        for bad in [
            "",
            "20",
            "2040",
            "204999",
            "99999999999999999999999",
            "-20",
            "600",
            "099",
            "2 4",
            "２００",
        ] {
            let line = format!("{start} {bad} No");
            assert_eq!(status(&line, is_icap), Err(Malformed::StartLine), "{line}");
        }
    }
}

#[test]
fn a_length_has_one_meaning() {
    let framing = |fields: &str| {
        let text = format!("POST / HTTP/1.1\r\n{fields}\r\n");
        let head = head(text.as_bytes()).expect("it is a head").expect("it is whole");
        Framing::of_request(&head, true)
    };
    assert_eq!(framing(""), Ok(Framing::None));
    assert_eq!(framing("Content-Length: 0\r\n"), Ok(Framing::None));
    assert_eq!(framing("content-length: 12\r\n"), Ok(Framing::Length(12)));
    assert_eq!(framing("Transfer-Encoding: Chunked\r\n"), Ok(Framing::Chunked));
    for bad in [
        "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1, 1\r\n",
        "Content-Length: +1\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x1\r\n",
        "Content-Length:\r\n",
        "Content-Length: 1 1\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding:\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding: chunked;a\r\n",
        "Transfer-Encoding: chunked,\r\n",
    ] {
        assert!(framing(bad).is_err(), "{bad}");
    }
}

/// Reads a body in chunks, byte by byte.
fn chunked(text: &[u8], extensions: Extensions) -> Result<(Vec<u8>, Chunks, usize), Malformed> {
    let mut chunks = Chunks::new(extensions);
    let (mut buffer, mut out) = (BytesMut::new(), Vec::new());
    for (index, byte) in text.iter().enumerate() {
        buffer.extend_from_slice(&[*byte]);
        loop {
            match chunks.take(&mut buffer)? {
                Piece::Data(bytes) => out.extend_from_slice(&bytes),
                Piece::More => break,
                Piece::End => return Ok((out, chunks, text.len() - index - 1)),
            }
        }
    }
    Err(Malformed::Trailer)
}

#[test]
fn chunks_are_read() {
    let (body, _, n_left) =
        chunked(b"3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nrest", Extensions::Refused)
            .expect("it is valid");
    assert_eq!((body.as_slice(), n_left), (&b"abc0123456789"[..], 4));
    let (_, chunks, _) = chunked(b"0; ieof\r\n\r\n", Extensions::Icap).expect("it is valid");
    assert!(chunks.is_ieof);
    let (_, chunks, _) =
        chunked(b"0; use-original-body=17\r\n\r\n", Extensions::Icap).expect("it is valid");
    assert_eq!(chunks.original_from, Some(17));
    let (body, ..) =
        chunked(b"1\r\na\r\n0\r\nX: y\r\nZ: \r\n\r\n", Extensions::Refused).expect("a trailer");
    assert_eq!(body, b"a");
}

#[test]
fn chunks_that_parsers_read_differently_are_refused() {
    for bad in [
        &b"3\nabc\r\n0\r\n\r\n"[..],
        b"3\r\nabc\n0\r\n\r\n",
        b"3\r\nabcd\r\n0\r\n\r\n",
        b"3;x=y\r\nabc\r\n0\r\n\r\n",
        b"3 \r\nabc\r\n0\r\n\r\n",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"-3\r\nabc\r\n0\r\n\r\n",
        b"+3\r\nabc\r\n0\r\n\r\n",
        b"\r\n\r\n",
        b"g\r\n",
        b"10000000000000000\r\n",
        b"00000000000000003\r\nabc",
        b"3\rabc\r\n0\r\n\r\n",
        b"0\r\nX\r\n\r\n",
        b"0\r\n X: y\r\n\r\n",
        b"0\r\nX: \0\r\n\r\n",
        b"0\n\n",
        b"0\r\nX: y\n\r\n",
        b"0; ieof\r\n\r\n",
        b"3\r\nabc0\r\n\r\n",
    ] {
        assert!(chunked(bad, Extensions::Refused).is_err(), "{:?}", String::from_utf8_lossy(bad));
    }
    for bad in [
        &b"3; ieof\r\nabc\r\n0\r\n\r\n"[..],
        b"0; other\r\n\r\n",
        b"0; use-original-body=-1\r\n\r\n",
    ] {
        assert!(chunked(bad, Extensions::Icap).is_err(), "{:?}", String::from_utf8_lossy(bad));
    }
    let endless = [b"0\r\n".to_vec(), b"X: y\r\n".repeat(3000)].concat();
    assert!(chunked(&endless, Extensions::Refused).is_err());
}

/// A reader that asks again after an error gets the error, not what is behind the malformed line.
#[test]
fn malformed_chunks_stay_malformed() {
    for bad in [&b"zz\r\n5\r\nhello\r\n0\r\n\r\n"[..], b"0;x\r\n0\r\n\r\n", b"0\r\nX\r\n\r\n\r\n"] {
        let mut chunks = Chunks::new(Extensions::Refused);
        let mut buffer = BytesMut::from(bad);
        let first = chunks.take(&mut buffer);
        assert!(first.is_err(), "{:?}", String::from_utf8_lossy(bad));
        assert_eq!(chunks.take(&mut buffer), first, "{:?}", String::from_utf8_lossy(bad));
    }
}

/// Mutated messages are read or refused, in any pieces alike.
#[test]
fn noise_is_read_without_panic() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).unwrap_or(0)
    };
    let seed = b"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n";
    let n_cases: usize =
        std::env::var("NOISE").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    for _ in 0..n_cases {
        let mut text = seed.to_vec();
        for _ in 0..=random(4) {
            let (at, byte) = (random(text.len()), b"\r\n :;,0a\0\t=f"[random(12)]);
            match random(3) {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => drop(text.remove(at)),
            }
        }
        let cut = random(text.len());
        let whole = read(&[&text]);
        assert_eq!(
            whole,
            read(&[&text[..cut], &text[cut..]]),
            "{:?}",
            String::from_utf8_lossy(&text)
        );
    }
}

/// Reads a request from pieces; the result does not depend on where they are cut.
fn read(pieces: &[&[u8]]) -> Option<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let (mut input, mut head, mut decoder, mut body) = (Input::default(), None, None, Vec::new());
    for piece in pieces {
        input.buffer.extend_from_slice(piece);
        if head.is_none() {
            head = input.take_head(HeadLimits::default()).ok()?;
        }
        let Some(head) = &head else { continue };
        if decoder.is_none() {
            RequestLine::parse(head).and_then(|line| line.target().map(|_| ())).ok()?;
            decoder = Some(Decoder::new(Framing::of_request(head, true).ok()?));
        }
        let decoder = decoder.as_mut()?;
        while let Piece::Data(bytes) = decoder.take(&mut input.buffer).ok()? {
            body.extend_from_slice(&bytes);
        }
    }
    let is_done = decoder.as_mut()?.take(&mut input.buffer).ok()? == Piece::End;
    is_done.then(|| {
        (head.map(|head| head.line().to_vec()).unwrap_or_default(), body, input.buffer.to_vec())
    })
}
