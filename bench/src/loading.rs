//! Loading trees that were written before, beside parsing the same sources: on one core.

use std::hint::black_box;
use std::time::Duration;

use kukla_syntax::xpp::{Decoded, Encoding, XppError, decode, decode_trusting, encode};
use kukla_syntax::{Options as Reading, check, parse};

use crate::Options;
use crate::clock::{cpu_time, shortest};
use crate::inputs::Tree;
use crate::table::{Table, milliseconds};

type Load = fn(&[u8], &str) -> Result<Decoded, XppError>;

/// All manifests of the tree.
pub(crate) fn tree(options: &Options, tree: &Tree, table: &mut Table) {
    let reading = Reading::default();
    let parsing = shortest(options.seconds, || each(tree, |text| drop(parse(text, &reading))));
    let checking = shortest(options.seconds, || each(tree, |text| drop(check(text, &reading))));
    table.row("tree, CPU of parse", &milliseconds(parsing));
    for (name, encoding, load) in [
        ("flat", Encoding::Flat, decode as Load),
        ("flat, without checksum", Encoding::Flat, decode_trusting),
        ("json", Encoding::Json, decode),
        ("msgpack", Encoding::Msgpack, decode),
    ] {
        let files = files(tree, encoding);
        let loading = shortest(options.seconds, || load_all(tree, &files, load));
        table.row(&format!("tree, CPU of loading {name}"), &milliseconds(loading));
        table.ratio("  ratio to parse", parsing, loading);
        table.ratio("  ratio to parse + validate", checking, loading);
    }
}

fn each(tree: &Tree, work: impl Fn(&str)) -> Duration {
    cpu_time(|| tree.texts.iter().for_each(|text| work(black_box(text))))
}

fn files(tree: &Tree, encoding: Encoding) -> Vec<Vec<u8>> {
    let reading = Reading::default();
    tree.texts.iter().map(|text| encode(&parse(text, &reading).ast, "", &[], encoding)).collect()
}

fn load_all(tree: &Tree, files: &[Vec<u8>], load: Load) -> Duration {
    cpu_time(|| {
        for (file, text) in files.iter().zip(&tree.texts) {
            drop(black_box(load(black_box(file), text).expect("it was just written")));
        }
    })
}
