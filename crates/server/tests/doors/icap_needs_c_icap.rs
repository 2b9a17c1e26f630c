//! The real c-icap.

use std::sync::Arc;

use kukla_server::icap::{IcapError, IcapMethod};

use crate::peers::{CIcap, adapt, adapt_async, body, runtime};

#[test]
fn it_says_what_it_can() {
    let service = CIcap::start();
    let client = service.client("echo");
    let options = runtime().block_on(client.options()).unwrap();
    assert_eq!(options.methods, [IcapMethod::Reqmod, IcapMethod::Respmod]);
    assert_eq!(options.preview, Some(1024));
    assert!(!options.istag.is_empty() && options.ttl.as_secs() > 0, "{options:?}");
    assert!(matches!(
        runtime().block_on(service.client("none").options()),
        Err(IcapError::Status(404))
    ));
}

/// Echo answers with the same message or says that it is unchanged.
#[test]
fn echo_changes_nothing() {
    let service = CIcap::start();
    let runtime = runtime();
    for method in [IcapMethod::Reqmod, IcapMethod::Respmod] {
        let client = service.client("echo");
        for size in [0, 1, 1023, 1024, 1025, 5000, 300_000] {
            let bytes = body(size);
            for _ in 0..2 {
                match runtime.block_on(adapt_async(&client, method, &bytes)) {
                    Ok(None) => (),
                    Ok(Some((is_response, line, echoed))) => {
                        assert_eq!(is_response, method == IcapMethod::Respmod);
                        let words =
                            if is_response { "HTTP/1.1 200 OK" } else { "POST /upload HTTP/1.1" };
                        assert_eq!((line.as_str(), echoed.len()), (words, size));
                        assert!(echoed == bytes, "{method:?} {size}");
                    }
                    Err(error) => panic!("{method:?} {size}: {error}"),
                }
            }
        }
    }
}

/// The example service of 206 adds a line to HTML and leaves the rest to the client.
#[test]
fn a_part_of_the_original_is_used() {
    let service = CIcap::start();
    let client = service.client("ex206");
    let bytes = body(50_000);
    let answer = adapt(&client, IcapMethod::Respmod, &bytes);
    match answer {
        Ok(None) => (),
        Ok(Some((true, _, adapted))) => {
            assert!(adapted.ends_with(&bytes[100..]), "{}", adapted.len())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn many_exchanges_share_connections() {
    let service = CIcap::start();
    let client = Arc::new(service.client("echo"));
    runtime().block_on(async {
        let mut tasks = Vec::new();
        for index in 0..8_usize {
            let client = Arc::clone(&client);
            tasks.push(async move {
                for round in 0..10 {
                    let bytes = body(500 + 777 * index + round);
                    let answer = adapt_async(&client, IcapMethod::Respmod, &bytes).await.unwrap();
                    if let Some((_, _, echoed)) = answer {
                        assert!(echoed == bytes, "bodies don't mix");
                    }
                }
            });
        }
        for task in tasks {
            task.await;
        }
    });
}
