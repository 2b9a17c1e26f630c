//! Loading of serialized trees compared with parsing the sources: on one core, from memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kukla_syntax::{Options as Reading, check, parse};
use kukla_xpp::{Encoding, decode, decode_trusting, encode};

use crate::Options;
use crate::clock::{cpu_time, shortest};
use crate::inputs::Tree;
use crate::table::{Table, milliseconds};

/// An operation on a source and its serialized file, both passed as if just read.
struct Work {
    name: &'static str,
    /// The encoding of the file; `None` if only the source is needed.
    encoding: Option<Encoding>,
    run: fn(String, &[u8]),
}

/// The measured operations, parsing first.
const ALL: [Work; 6] = [
    Work {
        name: "parse",
        encoding: None,
        run: |text, _| drop(black_box(parse(&text, &Reading::default()))),
    },
    Work {
        name: "parse + validate",
        encoding: None,
        run: |text, _| drop(black_box(check(&text, &Reading::default()))),
    },
    Work { name: "loading flat", encoding: Some(Encoding::Flat), run: load },
    Work {
        name: "loading flat, source not checked",
        encoding: Some(Encoding::Flat),
        run: |text, file| drop(black_box(decode_trusting(file, text).expect(WRITTEN))),
    },
    Work { name: "loading json", encoding: Some(Encoding::Json), run: load },
    Work { name: "loading msgpack", encoding: Some(Encoding::Msgpack), run: load },
];

fn load(text: String, file: &[u8]) {
    drop(black_box(decode(file, text).expect(WRITTEN)));
}

const WRITTEN: &str = "it was just written";

/// The serialized files of one source.
struct Files {
    flat: Vec<u8>,
    json: Vec<u8>,
    msgpack: Vec<u8>,
}

/// Seconds per operation in each round: short ones are repeated more often, so that all have the same chance of a
/// quiet moment.
const A_TURN: f64 = 0.05;

/// Measures all manifests of the tree: each operation has its turn in each round, and its shortest time counts.
pub(crate) fn tree(options: &Options, tree: &Tree, table: &mut Table) {
    let files: Vec<Files> = tree.texts.iter().map(|text| files(text)).collect();
    let mut best = [Duration::MAX; ALL.len()];
    let start = Instant::now();
    let mut n_rounds = 0;
    while n_rounds < 5 || start.elapsed().as_secs_f64() < options.seconds * 3.0 {
        for (best, work) in best.iter_mut().zip(&ALL) {
            if work.name.contains(&options.only) {
                *best = (*best).min(shortest(A_TURN, || round(tree, &files, work)));
            }
        }
        n_rounds += 1;
    }
    sizes(tree, &files, table);
    let [parsing, checking, ..] = best;
    for (time, Work { name, .. }) in
        best.into_iter().zip(ALL).filter(|(time, _)| *time < Duration::MAX)
    {
        table.row(&format!("tree, CPU of {name}"), &milliseconds(time));
        if name.starts_with("loading") && options.only.is_empty() {
            table.ratio("  ratio to parse", parsing, time);
            table.ratio("  ratio to parse + validate", checking, time);
        }
    }
}

fn files(text: &str) -> Files {
    let ast = parse(text, &Reading::default()).ast;
    let [flat, json, msgpack] = Encoding::ALL.map(|encoding| encode(&ast, "", &[], encoding));
    Files { flat, json, msgpack }
}

fn round(tree: &Tree, files: &[Files], work: &Work) -> Duration {
    let texts = tree.texts.clone();
    let file = |files: &Files| match work.encoding {
        None => Vec::new(),
        Some(Encoding::Flat) => files.flat.clone(),
        Some(Encoding::Json) => files.json.clone(),
        Some(Encoding::Msgpack) => files.msgpack.clone(),
    };
    let files: Vec<Vec<u8>> = files.iter().map(file).collect();
    cpu_time(|| {
        let both = texts.into_iter().zip(&files);
        both.for_each(|(text, file)| (work.run)(black_box(text), black_box(file)));
    })
}

fn sizes(tree: &Tree, files: &[Files], table: &mut Table) {
    let sum = |size: fn(&Files) -> usize| files.iter().map(size).sum::<usize>();
    let all = [
        ("flat", sum(|files| files.flat.len())),
        ("json", sum(|files| files.json.len())),
        ("msgpack", sum(|files| files.msgpack.len())),
    ];
    for (name, bytes) in all {
        let share = bytes as f64 / tree.bytes() as f64;
        let size = format!("{:.1} MB, {share:.2} x the sources", bytes as f64 / 1e6);
        table.row(&format!("tree, size in {name}"), &size);
    }
}
