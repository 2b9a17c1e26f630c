//! x
#![allow(missing_docs, clippy::all)]
fn main() {
    let t = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let c = kukla_syntax::check(&t, &Default::default());
    println!("{}", kukla_syntax::pn::pn(&c.ast));
    for d in c.diagnostics {
        println!("{:?} {} {:?} {}", d.severity, d.code, d.place, d.message);
    }
}
