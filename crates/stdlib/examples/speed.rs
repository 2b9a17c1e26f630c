#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used)]
#[path = "../../../bench/src/tasks.rs"]
mod tasks;
use std::sync::Arc;
use kukla_compiler::{Functions, Limits, Session, Settings};
use kukla_pcore::Hash;
#[global_allocator]
static A: mimalloc::MiMalloc = mimalloc::MiMalloc;
fn cpu() -> u64 {
    std::thread::yield_now();
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse().unwrap()
}
fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let seconds: f64 = std::env::args().nth(2).map_or(0.5, |s| s.parse().unwrap());
    // puppet's times, quiet, in ms
    let puppet = [406.0, 353.0, 207.0, 380.0, 109.0, 102.0, 12.31, 242.0, 6430.0, 416.0, 208.0];
    let mut logs = 0.0; let mut n = 0;
    for (task, theirs) in tasks::TASKS.iter().zip(puppet) {
        if !task.name.contains(&only) { continue; }
        let library = Arc::new(Functions::new(kukla_stdlib::BUILT_IN));
        let mut session = Session::new(library, Settings::default(), Limits::default(), &Hash::new());
        session.evaluate(task.definitions, "/b.pp").value.unwrap();
        let program = session.program(task.code, "/b.pp").unwrap();
        let start = std::time::Instant::now();
        let mut best = u64::MAX;
        let mut runs = 0;
        while runs < 3 || start.elapsed().as_secs_f64() < seconds {
            let a = cpu();
            session.evaluator().run(&program).map_err(|f| f.full_message()).unwrap();
            best = best.min(cpu() - a);
            runs += 1;
        }
        let ms = best as f64 / 1e6;
        logs += (theirs / ms).ln(); n += 1;
        println!("{:40} {:9.3} ms  {:6.0} x", task.name, ms, theirs / ms);
    }
    println!("mean {:.0}", (logs / n as f64).exp());
}
