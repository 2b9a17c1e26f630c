//! Programs that are replaced while requests are answered.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kukla_plang::Options;
use kukla_server::rules::Rules;

use crate::support::{EndpointOptions, RunningEndpoint};

const TOLD: [(&str, &str); 2] = [("X-Original-Method", "GET"), ("X-Original-URI", "/a")];

fn until(served: &RunningEndpoint, status: u16) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if served.ask("GET /p/authz", &TOLD).0 == status {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_changed_program_goes_live_and_a_broken_one_does_not() {
    let served = RunningEndpoint::new("Access.allow();", EndpointOptions::default());
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200);
    std::fs::write(served.folder.join("policy.p"), "Access.deny(\"changed\");")
        .expect("it is written");
    assert!(until(&served, 403), "the change goes live");
    std::fs::write(served.folder.join("policy.p"), "Access.allow(").expect("it is written");
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20)
        && !served
            .log
            .lock()
            .expect("it is whole")
            .iter()
            .any(|line| line.contains("reload-failed"))
    {
        assert_eq!(served.ask("GET /p/authz", &TOLD).0, 403, "the old one decides");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (_, metrics) = served.ask("GET /metrics", &[]);
    assert!(metrics.contains("kukla_p_reload_errors_total 1\n"), "{metrics}");
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 403, "the old one decides");
}

/// Waits for a line of the log.
fn logged(served: &RunningEndpoint, words: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if served.log_text().contains(words) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Replaces the program by something else for a moment.
fn displaced(place: impl Fn(&Path)) {
    let served = RunningEndpoint::new("Access.allow();", EndpointOptions::default());
    let (path, aside) = (served.folder.join("policy.p"), served.folder.join("aside"));
    std::fs::rename(&path, &aside).expect("it is moved");
    place(&path);
    assert!(logged(&served, "reload-failed"), "it is noticed");
    assert!(served.log_text().contains("it is no regular file"), "{}", served.log_text());
    for _ in 0..20 {
        assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200, "the old program decides");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::rename(&path, served.folder.join("other")).expect("it is moved");
    std::fs::rename(&aside, &path).expect("it is moved back");
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200, "so it does now");
    std::fs::write(&path, "Access.deny(\"changed\");").expect("it is written");
    assert!(until(&served, 403), "a change goes live again");
}

#[test]
fn a_fifo_in_the_place_of_the_program_holds_nothing_up() {
    displaced(|path| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).expect("a FIFO can be made");
    });
}

#[test]
fn a_directory_in_the_place_of_the_program_changes_nothing() {
    displaced(|path| std::fs::create_dir(path).expect("it is made"));
}

#[test]
fn a_device_in_the_place_of_the_program_changes_nothing() {
    displaced(|path| std::os::unix::fs::symlink("/dev/zero", path).expect("it is linked"));
}

#[test]
fn a_fifo_that_is_imported_holds_nothing_up() {
    let served = RunningEndpoint::new("Access.allow();", EndpointOptions::default());
    let kind = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, served.folder.join("lib.p"), kind, mode, 0)
        .expect("a FIFO can be made");
    let program = "Lib := import \"file:lib.p\"; Access.deny(\"\");";
    std::fs::write(served.folder.join("policy.p"), program).expect("it is written");
    assert!(logged(&served, "it is no regular file"), "{}", served.log_text());
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200, "the old program decides");
}

#[test]
fn a_program_that_is_too_large_is_not_read_to_its_end() {
    let served = RunningEndpoint::new("Access.allow();", EndpointOptions::default());
    let large = served.folder.join("large");
    std::fs::File::create(&large).and_then(|file| file.set_len(1 << 40)).expect("it is sparse");
    std::fs::rename(&large, served.folder.join("policy.p")).expect("it is put in place");
    assert!(logged(&served, "it is larger than 1 MiB"), "{}", served.log_text());
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200, "the old program decides");
}

#[test]
fn an_imported_file_that_changes_is_read_again() {
    let served = RunningEndpoint::new("Access.deny(\"\");", EndpointOptions::default());
    std::fs::write(served.folder.join("lib.p"), "isOpen := true;").expect("it is written");
    let program =
        "Lib := import \"file:lib.p\"; if (Lib.isOpen) { Access.allow(); } Access.deny(\"shut\");";
    std::fs::write(served.folder.join("policy.p"), program).expect("it is written");
    assert!(until(&served, 200), "the program goes live");
    std::fs::write(served.folder.join("lib.p"), "isOpen := false; // shut").expect("it is written");
    assert!(until(&served, 403), "so does the file");
}

#[test]
fn files_outside_of_the_folder_are_not_imported() {
    let served = RunningEndpoint::new("Access.allow();", EndpointOptions::default());
    let path = served.folder.join("linked.p");
    std::fs::write(&path, "import \"file:link.p\"; Access.allow();").expect("it is written");
    std::os::unix::fs::symlink("/etc/hostname", served.folder.join("link.p"))
        .expect("it is linked");
    let error = Rules::open(&path, Options::default()).expect_err("it is refused").to_string();
    assert!(error.contains("outside of the folder"), "{error}");
}

/// `RELOADS=1000` does more of them.
#[test]
fn reloads_under_load_fail_and_mix_nothing() {
    let n_reloads = std::env::var("RELOADS").ok().and_then(|n| n.parse().ok()).unwrap_or(50);
    // Each program returns two values, which must be of the same version.
    let program = |n: u32| {
        format!(
            "Http := import \"Http\"; Http.request.headers.set(\"X-One\", \"{n}\");\n{}\
             Http.request.headers.set(\"X-Two\", \"{n}\"); Access.allow();\n",
            " ".repeat(n as usize % 7)
        )
    };
    let served = Arc::new(RunningEndpoint::new(&program(0), EndpointOptions::default()));
    let (must_stop, n_answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (served, must_stop, n_answers) =
                (Arc::clone(&served), Arc::clone(&must_stop), Arc::clone(&n_answers));
            std::thread::spawn(move || load(&served, &must_stop, &n_answers))
        })
        .collect();
    let path = served.folder.join("policy.p");
    for n in 1..=n_reloads {
        // As editors and deployments do it: the new file is renamed over the old one.
        let new = served.folder.join("policy.new");
        std::fs::write(&new, program(n)).expect("it is written");
        std::fs::rename(&new, &path).expect("it is put in place");
        served.endpoint.engine.rules.reload().expect("it goes live");
        std::thread::sleep(Duration::from_millis(2));
    }
    must_stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().expect("no answer is wrong"));
    println!("{n_reloads} reloads, {} answers", n_answers.load(Ordering::Relaxed));
    assert!(n_answers.load(Ordering::Relaxed) > u64::from(n_reloads) / 4, "there was load");
    let version = served.endpoint.engine.rules.live().version;
    assert!(version > u64::from(n_reloads), "all went live: {version}");
}

/// Sends requests until the flag is set; every response is complete and of one version.
fn load(served: &RunningEndpoint, must_stop: &AtomicBool, n_answers: &AtomicU64) {
    let mut stream = served.connect();
    let request =
        b"GET /p/authz HTTP/1.1\r\nHost: a\r\nX-Original-Method: GET\r\nX-Original-URI: /a\r\n\r\n";
    let mut buffer = [0; 2048];
    while !must_stop.load(Ordering::Relaxed) {
        stream.write_all(request).expect("it is taken");
        let n = stream.read(&mut buffer).expect("there is an answer");
        let text = String::from_utf8_lossy(&buffer[..n]).to_lowercase();
        assert!(text.starts_with("http/1.1 200"), "{text}");
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        assert!(field("x-one: ").is_some() && field("x-one: ") == field("x-two: "), "{text}");
        n_answers.fetch_add(1, Ordering::Relaxed);
    }
}
