//! Several servers behind HAProxy with one database: real agents run while servers are stopped, killed, cut off and
//! brought back.
//!
//! The short form has two servers on the loopback interface. The long form, which `cargo xtask test --peers` runs, has
//! three in network namespaces of their own, so that a cable can be pulled.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

mod agents;
mod balancer;
mod checks;
mod fleet;
mod member;
mod network;
#[path = "../../../store/tests/support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod postgres;

use std::time::Duration;

use agents::Crowd;
use balancer::Way;
use fleet::Fleet;
use member::End;

/// Shows how far a long test is.
#[expect(clippy::print_stderr, reason = "the test harness shows it with a failure only")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// Two servers: one is killed while an agent waits for its catalog, and the other one answers.
#[test]
fn needs_agent_needs_haproxy_needs_postgresql_a_killed_server_is_not_noticed() {
    let fleet = Fleet::on_loopback(2, Way::Ended);
    let crowd = Crowd::new(&fleet, 1);
    crowd.run_once();
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| crowd.run_once());
        // The catalog takes a second, so one of the two is asked for it when it is killed.
        let busy = fleet.busy_member();
        fleet.members[busy].end(End::Kill);
        runs.join().expect("a run");
        fleet.members[busy].start();
    });
    checks::all(&fleet, &crowd);
}

/// HAProxy passes TLS through: servers see the agents' own certificates. One is stopped while an agent waits for its
/// catalog, and one is killed between two runs.
#[test]
fn needs_agent_needs_haproxy_needs_postgresql_tls_can_be_passed_through() {
    let fleet = Fleet::on_loopback(2, Way::PassedThrough);
    let crowd = Crowd::new(&fleet, 1);
    crowd.run_once();
    for end in [End::Stop, End::Kill] {
        let ended = match end {
            End::Stop => std::thread::scope(|scope| {
                let runs = scope.spawn(|| crowd.run_once());
                let busy = fleet.busy_member();
                // It answers what has begun.
                fleet.members[busy].end(end);
                runs.join().expect("a run");
                busy
            }),
            // A new connection finds the other one, also before a check has failed. The CA is the first one.
            _ => {
                fleet.members[1].end(end);
                1
            }
        };
        crowd.run_once();
        fleet.members[ended].start();
        fleet.wait_until_up(ended);
    }
    checks::all(&fleet, &crowd);
}

/// Three servers, of which each in turn is stopped, killed and cut off.
#[test]
#[ignore = "takes minutes; `cargo xtask test --peers` runs it"]
fn peers_needs_root_three_servers_take_turns_in_failing() {
    let fleet = Fleet::in_namespaces(3);
    let crowd = Crowd::new(&fleet, 3);
    crowd.while_running(|| {
        for round in 0..2 {
            for end in [End::Stop, End::Kill, End::Cut] {
                // The CA is the first one.
                for member in [1, 2, 0] {
                    say(&format!("round {round}: {end:?} of server {member}"));
                    std::thread::sleep(Duration::from_secs(4));
                    fleet.members[member].end(end);
                    std::thread::sleep(Duration::from_secs(8));
                    fleet.members[member].start();
                    fleet.wait_until_up(member);
                }
            }
        }
    });
    say(&crowd.summary());
    checks::all(&fleet, &crowd);
    checks::revocation(&fleet, &crowd);
    checks::sessions(&fleet);
}
