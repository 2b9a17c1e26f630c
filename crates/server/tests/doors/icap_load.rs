//! Connections of the server of ICAP on its threads: many, uneven, and while it stops.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::running::{Door, connect};

/// Returns a message about a path.
fn about(path: &str) -> Vec<u8> {
    let head = format!("GET {path} HTTP/1.1\r\nHost: app\r\n\r\n");
    let length = head.len();
    format!(
        "REQMOD icap://x/reqmod ICAP/1.0\r\nHost: x\r\nAllow: 204\r\nEncapsulated: req-hdr=0, null-body={length}\r\n\r\n{head}"
    )
    .into_bytes()
}

/// Sends a message; returns whether it was answered, and the time that this took.
fn ask(stream: &mut TcpStream, message: &[u8]) -> (bool, Duration) {
    let start = Instant::now();
    let (mut bytes, mut n_read) = ([0; 1024], 0);
    if stream.write_all(message).is_err() {
        return (false, start.elapsed());
    }
    while !bytes[..n_read].ends_with(b"\r\n\r\n") {
        match stream.read(&mut bytes[n_read..]) {
            Ok(n) if n > 0 => n_read += n,
            _ => return (false, start.elapsed()),
        }
    }
    assert!(bytes.starts_with(b"ICAP/1.0 204 "), "{}", String::from_utf8_lossy(&bytes));
    (true, start.elapsed())
}

/// A program that needs milliseconds for a long path, and microseconds for others.
fn heavy_program() -> String {
    let mut out = "Http := import(\"Http\");\npath := Http.request.uri.path;\n".to_owned();
    for n in 20..40 {
        let _ = writeln!(out, "if (path matches \"[ab][^x]{{{n}}}y\") {{ Access.deny(\"{n}\"); }}");
    }
    out + "Access.allow();"
}

/// While some clients send messages that take long, the others are served: neither the threads' connections nor those
/// of one thread wait in line.
#[test]
fn short_messages_do_not_wait_behind_long_ones() {
    let program = heavy_program();
    let door = Door::quiet_icap(&[&program]);
    let (long, short) = (about(&format!("/{}", "ab".repeat(25_000))), about("/"));
    let (is_over, n_long) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (long_times, short_times) = std::thread::scope(|scope| {
        let until = |message: &'static [u8]| {
            let (is_over, n_long, address) = (&is_over, &n_long, door.address);
            scope.spawn(move || {
                let (mut stream, mut times) = (connect(address), Vec::new());
                while !is_over.load(Ordering::Relaxed) {
                    let (is_answered, took) = ask(&mut stream, message);
                    assert!(is_answered);
                    times.push(took);
                    n_long.fetch_add(usize::from(message.len() > 10_000), Ordering::Relaxed);
                }
                times
            })
        };
        let (long, short): (&'static [u8], &'static [u8]) = (long.leak(), short.leak());
        let slow: Vec<_> = (0..2).map(|_| until(long)).collect();
        let start = Instant::now();
        while n_long.load(Ordering::Relaxed) < 4 {
            std::thread::sleep(Duration::from_millis(5));
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        let fast: Vec<_> = (0..8).map(|_| until(short)).collect();
        std::thread::sleep(Duration::from_secs(2));
        is_over.store(true, Ordering::Relaxed);
        let times = |all: Vec<std::thread::ScopedJoinHandle<'_, Vec<Duration>>>| {
            let mut times: Vec<_> = all.into_iter().flat_map(|one| one.join().unwrap()).collect();
            times.sort();
            times
        };
        (times(slow), times(fast))
    });
    let at = |times: &[Duration], percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "long: {} answers, median {:?}; short: {} answers, median {:?}, 99 % {:?}, most {:?}",
        long_times.len(),
        at(&long_times, 50),
        short_times.len(),
        at(&short_times, 50),
        at(&short_times, 99),
        at(&short_times, 100)
    );
    assert!(short_times.len() > long_times.len() * 10);
    assert!(at(&short_times, 50) < at(&long_times, 50) / 4);
}

/// Every connection gets its answer, and leaves nothing behind.
#[test]
fn connections_come_and_go() {
    let door = Door::quiet_icap(&["Access.allow();"]);
    let message = about("/");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (message, address) = (&message, door.address);
            scope.spawn(move || {
                for n in 0..250 {
                    let mut stream = connect(address);
                    match n % 4 {
                        // It goes without a word, in the middle of one, or before the answer.
                        0 if thread % 2 == 0 => (),
                        1 => stream.write_all(&message[..n % message.len()]).unwrap(),
                        2 => stream.write_all(message).unwrap(),
                        _ => assert!(ask(&mut stream, message).0),
                    }
                }
            });
        }
    });
    // All places are free: as many as there are at most are taken at once.
    let mut all: Vec<_> = (0..500).map(|_| connect(door.address)).collect();
    for stream in &mut all {
        assert!(ask(stream, &message).0);
    }
}

/// Messages that have begun are answered, and then the server ends.
#[test]
fn a_stop_under_load_loses_no_message() {
    let mut door = Door::quiet_icap(&[&heavy_program()]);
    let message = about(&format!("/{}", "ab".repeat(200)));
    let (address, start) = (door.address, Instant::now());
    let clients: Vec<_> = (0..16)
        .map(|_| {
            let message = message.clone();
            std::thread::spawn(move || {
                let mut stream = connect(address);
                let mut n_answers = 0_u64;
                loop {
                    // The server says that it ends by closing a connection between two messages.
                    let mut byte = [0];
                    stream.set_nonblocking(true).unwrap();
                    if matches!(stream.peek(&mut byte), Ok(0)) {
                        return n_answers;
                    }
                    stream.set_nonblocking(false).unwrap();
                    let (is_answered, took) = ask(&mut stream, &message);
                    // One that is sent at the moment of the stop is closed unread, within no time.
                    assert!(is_answered || took < Duration::from_secs(5));
                    if !is_answered {
                        return n_answers;
                    }
                    n_answers += 1;
                }
            })
        })
        .collect();
    let idle = connect(address);
    std::thread::sleep(Duration::from_millis(500));
    door.stop();
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    let n_answers: u64 = clients.into_iter().map(|client| client.join().unwrap()).sum();
    assert!(n_answers > 16, "{n_answers}");
    assert!(matches!((&idle).read(&mut [0]), Ok(0)));
    assert!(TcpStream::connect(address).is_err(), "nothing listens any more");
}
