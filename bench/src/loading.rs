//! Loading trees that were written before, beside parsing the same sources: on one core, from memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kukla_syntax::xpp::{Encoding, decode, decode_trusting, encode};
use kukla_syntax::{Options as Reading, check, parse};

use crate::Options;
use crate::clock::cpu_time;
use crate::inputs::Tree;
use crate::table::{Table, milliseconds};

/// Something that is done with a source, which is handed over as one that was just read,
/// and with the file of each encoding that was made of it.
type Work = fn(String, &Files);

/// What is measured, parsing first.
const ALL: [(&str, Work); 6] = [
    ("parse", |text, _| drop(black_box(parse(&text, &Reading::default())))),
    ("parse + validate", |text, _| drop(black_box(check(&text, &Reading::default())))),
    ("loading flat", |text, files| drop(black_box(decode(&files.flat, text).expect(WRITTEN)))),
    ("loading flat, source not checked", |text, files| {
        drop(black_box(decode_trusting(&files.flat, text).expect(WRITTEN)));
    }),
    ("loading json", |text, files| drop(black_box(decode(&files.json, text).expect(WRITTEN)))),
    ("loading msgpack", |text, files| {
        drop(black_box(decode(&files.msgpack, text).expect(WRITTEN)));
    }),
];

const WRITTEN: &str = "it was just written";

/// What was made of one source.
struct Files {
    flat: Vec<u8>,
    json: Vec<u8>,
    msgpack: Vec<u8>,
}

/// All manifests of the tree: each round does everything once, and the shortest time of each counts.
pub(crate) fn tree(options: &Options, tree: &Tree, table: &mut Table) {
    let files: Vec<Files> = tree.texts.iter().map(|text| files(text)).collect();
    let mut best = [Duration::MAX; ALL.len()];
    let start = Instant::now();
    let mut n_rounds = 0;
    while n_rounds < 5 || start.elapsed().as_secs_f64() < options.seconds * 3.0 {
        for (best, (name, work)) in best.iter_mut().zip(ALL) {
            if !name.contains(&options.only) {
                continue;
            }
            *best = (*best).min(round(tree, &files, work));
        }
        n_rounds += 1;
    }
    sizes(tree, &files, table);
    let [parsing, checking, ..] = best;
    for (time, (name, _)) in best.into_iter().zip(ALL).filter(|(time, _)| *time < Duration::MAX) {
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

fn round(tree: &Tree, files: &[Files], work: Work) -> Duration {
    let texts = tree.texts.clone();
    cpu_time(|| {
        texts.into_iter().zip(files).for_each(|(text, files)| work(black_box(text), files));
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
