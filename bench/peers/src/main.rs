//! Prints nanoseconds per decision of P and of its peers, and their ratios.

use kukla_peers::p::Rebuilt;
use kukla_peers::{Decide, Rules, p, peers, time};

/// An engine, and the minimum factor by which P must be faster.
const ENGINES: [(&str, fn(Rules) -> Decide, [f64; 4]); 6] = [
    ("P", |rules| p::decide(&p::program(rules), p::rebuilt(rules)), [1.0; 4]),
    ("wirefilter", peers::wirefilter, [0.0, 1.0 / 1.3, 0.0, 1.0 / 0.6]),
    ("cel", peers::cel, [8.0; 4]),
    ("regorus", peers::regorus, [15.0; 4]),
    ("rhai", peers::rhai, [15.0; 4]),
    ("cedar-policy", peers::cedar, [30.0; 4]),
];

fn main() {
    let mut all: Vec<Decide> = Vec::new();
    for (name, engine, _) in ENGINES {
        for rules in Rules::ALL {
            let mut decide = engine(rules);
            assert!(decide(), "{name} allows {rules:?}");
            all.push(decide);
        }
    }
    let took = time::nanoseconds(&mut all);
    println!(
        "{:<14}{:>18}{:>18}{:>18}{:>18}",
        "ns (P is × as fast)", "A", "B", "C", "B with context"
    );
    let own = &took[..4];
    let mut n_missed = 0;
    for ((name, _, least), took) in ENGINES.iter().zip(took.chunks(4)) {
        print!("{name:<19}");
        for ((took, own), least) in took.iter().zip(own).zip(least) {
            let ratio = took / own;
            let mark = if ratio < *least { '!' } else { ' ' };
            n_missed += usize::from(ratio < *least);
            print!("{took:>9.0} ({ratio:>5.1}){mark} ");
        }
        println!();
    }
    for kind in ["equal", "prefix", "network"] {
        let mut both =
            [10, 1000].map(|n_rules| p::decide(&p::many(n_rules, kind), Rebuilt::Nothing));
        assert!(both.iter_mut().all(|decide| decide()), "the last rule allows");
        let took = time::nanoseconds(&mut both);
        let ratio = took[1] / took[0];
        n_missed += usize::from(ratio > 2.0);
        println!(
            "rules by {kind}: 10 in {:.0} ns, 1 000 in {:.0} ns: {ratio:.2} ×",
            took[0], took[1]
        );
    }
    let took = time::nanoseconds(&mut [p::decide(&p::program(Rules::B), Rebuilt::Parts)]);
    println!("P on B, with the request taken apart too: {:.0} ns", took[0]);
    println!("{n_missed} of what is wanted does not hold (`!`)");
}
