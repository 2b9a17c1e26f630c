//! Counts allocations of a decision of P.

use kukla_peers::{Rules, p};

fn main() {
    for rules in Rules::ALL {
        let mut decide = p::decide(&p::program(rules), p::rebuilt(rules));
        assert!(decide() && decide(), "it is allowed");
        let counted = allocation_counter::measure(|| {
            for _ in 0..1000 {
                assert!(decide(), "it is allowed");
            }
        });
        println!("{rules:?}: {} allocations in 1 000 decisions", counted.count_total);
    }
}
