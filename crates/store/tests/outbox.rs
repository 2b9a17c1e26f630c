//! Commands that wait for PuppetDB, where another store had the journal before.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

use std::path::PathBuf;
use std::sync::Arc;

use kukla_store::puppetdb::{Outbox, PuppetDb, PuppetDbConf, PuppetDbFiles, RefusedFiles, Sender};
use kukla_store::{Queue, Saying, Store, Subject, Submission};

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kukla-outbox-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory");
    path
}

/// A PuppetDB at a port where nothing listens.
fn nowhere() -> Arc<PuppetDb> {
    let text = "[main]\nserver_urls = http://127.0.0.1:1\nserver_url_timeout = 2\n";
    let conf = PuppetDbConf::parse("puppetdb.conf".as_ref(), text).expect("settings");
    let none = PathBuf::from("/nonexistent");
    let files = PuppetDbFiles {
        certificate: none.clone(),
        key: none.clone(),
        authorities: none,
        revocations: None,
        is_leaf_only: false,
    };
    Arc::new(PuppetDb::open(conf, files).expect("no certificate is needed"))
}

fn facts(time: i64) -> String {
    let time = kukla_store::time::written(time);
    format!(r#"{{"certname":"a","producer_timestamp":"{time}","values":{{"x":1}}}}"#)
}

#[test]
fn a_journal_of_another_store_is_sent_but_for_its_short_commands() {
    let directory = scratch("journal");
    let queued = directory.join("queue");
    let store = Store::open(&directory.join("store.sqlite3")).expect("a store");
    {
        let queue = Queue::open(&queued).expect("a queue");
        for time in [1_000, 2_000] {
            let same = |since: &str| {
                let time = kukla_store::time::written(time);
                format!(r#"{{"certname":"a","producer_timestamp":"{time}","since":"{since}"}}"#)
            };
            let saying = Saying {
                node: "a",
                subject: Subject::Facts,
                content: &[b"x"],
                time,
                keeps_exports: false,
                may_be_short: true,
                whole: &|| facts(time),
                same: &same,
            };
            queue.say(&store, &saying).expect("said");
        }
    }
    let outbox = Arc::new(Outbox::open(&queued).expect("an outbox"));
    let payload = facts(3_000);
    let payload = payload.as_bytes();
    let submission =
        Submission { name: "replace facts", version: 5, payload, keeps_exports: false };
    outbox.accept(submission).expect("accepted");
    let wrong = Submission { name: "replace facts", version: 99, ..submission };
    assert!(outbox.accept(wrong).is_err(), "a command that PuppetDB does not know");
    assert_eq!(outbox.waiting().records, 3);
    let files = RefusedFiles::beside(&queued);
    let mut sender = Sender::new(nowhere(), Arc::clone(&outbox), files);
    let round = sender.round().expect("a round");
    assert_eq!((round.n_sent, round.unusable.len(), round.is_stuck), (0, 1, true));
    assert!(round.unusable[0].to_string().contains("same facts"), "{:?}", round.unusable);
    assert_eq!(round.failures.len(), 1);
    assert!(sender.pause() >= std::time::Duration::from_secs(1));
    // The others wait, in this process and in the next one.
    let round = sender.round().expect("a round");
    assert_eq!((round.unusable.len(), round.is_stuck), (0, true));
    drop((sender, outbox));
    // A store of Kukla's own takes over what waits.
    let queue = Queue::open(&queued).expect("a queue");
    let drained = queue.drain(&store).expect("stored");
    assert_eq!((drained.stored, drained.discarded.len()), (3, 0));
    let _ = std::fs::remove_dir_all(&directory);
}
