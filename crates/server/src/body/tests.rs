use super::*;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// A source of numbered parts.
struct Counting {
    next: u8,
    last: u8,
}

impl BodySource for Counting {
    fn next(&mut self) -> NextPiece<'_> {
        Box::pin(async move {
            if self.next == self.last {
                return Ok(None);
            }
            self.next += 1;
            Ok(Some(Bytes::from(vec![self.next; 1000])))
        })
    }
}

async fn all(held: &mut Held<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(bytes) = held.read(out.len() as u64).await.expect("it is readable") {
        out.extend_from_slice(&bytes);
    }
    out
}

#[test]
fn a_body_is_read_again_from_memory_and_file() {
    let expected: Vec<u8> = (1..=20).flat_map(|byte| [byte; 1000]).collect();
    for memory in [0, 1, 999, 1000, 2500, 100_000] {
        let keep = Keep { memory, ..Keep::default() };
        runtime().block_on(async {
            let mut held = Held::new(Box::new(Counting { next: 0, last: 20 }), None, &keep);
            assert_eq!(held.preview(1500).await.expect("a preview"), expected[..1500]);
            assert_eq!((held.is_whole(), held.size()), (false, None));
            assert_eq!(all(&mut held).await, expected);
            assert_eq!(all(&mut held).await, expected);
            assert_eq!((held.is_whole(), held.size()), (true, Some(20_000)));
        });
    }
}

#[test]
fn a_body_that_passes_is_not_kept() {
    let keep = Keep { memory: 1000, size: 5000, ..Keep::default() };
    runtime().block_on(async {
        let mut held = Held::new(Box::new(Counting { next: 0, last: 200 }), None, &keep);
        held.preview(10).await.expect("a preview");
        let mut n_passed = 0;
        while let Some(bytes) = held.pass(n_passed).await.expect("it is readable") {
            n_passed += bytes.len() as u64;
        }
        assert_eq!((n_passed, held.spool.len()), (200_000, 1000));
    });
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let keep = Keep { memory: 100, size: 5000, ..Keep::default() };
    runtime().block_on(async {
        let mut held = Held::new(Box::new(Counting { next: 0, last: 20 }), None, &keep);
        assert!(matches!(held.complete().await, Err(BodyError::TooLarge)));
    });
}
