//! Network namespaces, joined by a bridge of this machine.

use std::process::Command;

/// The first part of addresses: a range that is for tests.
const RANGE: &str = "198.18.77";
const BRIDGE: &str = "kfleet0";

/// Runs `ip`, which must succeed.
fn ip(arguments: &str) {
    let output = Command::new("ip").args(arguments.split(' ')).output().expect("`ip` runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "ip {arguments}: {text}");
}

fn try_ip(arguments: &str) {
    // What is to be removed may not be there.
    let _ = Command::new("ip").args(arguments.split(' ')).output();
}

/// Namespaces, which end with it.
pub(crate) struct Network {
    n_members: usize,
}

impl Network {
    pub(crate) fn new(n_members: usize) -> Self {
        // A test that was killed leaves them behind.
        let network = Self { n_members };
        network.remove();
        ip(&format!("link add {BRIDGE} type bridge"));
        ip(&format!("addr add {RANGE}.1/24 dev {BRIDGE}"));
        ip(&format!("link set {BRIDGE} up"));
        for number in 0..n_members {
            let (space, address) = (namespace(number), address(number));
            ip(&format!("netns add {space}"));
            ip(&format!("link add {} type veth peer name eth0 netns {space}", cable(number)));
            ip(&format!("link set {} master {BRIDGE} up", cable(number)));
            ip(&format!("-n {space} addr add {address}/24 dev eth0"));
            ip(&format!("-n {space} link set eth0 up"));
            ip(&format!("-n {space} link set lo up"));
        }
        network
    }

    fn remove(&self) {
        for number in 0..self.n_members {
            try_ip(&format!("netns del {}", namespace(number)));
            try_ip(&format!("link del {}", cable(number)));
        }
        try_ip(&format!("link del {BRIDGE}"));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Returns the address of the balancer, the database and the agents.
pub(crate) fn hub() -> String {
    format!("{RANGE}.1")
}

/// Returns the address of a server.
pub(crate) fn address(number: usize) -> String {
    format!("{RANGE}.{}", 11 + number)
}

/// Returns the namespace of a server.
pub(crate) fn namespace(number: usize) -> String {
    format!("kfleet{}", number + 1)
}

fn cable(number: usize) -> String {
    format!("kfleet-v{}", number + 1)
}

/// Pulls the cable of a server, or puts it back.
pub(crate) fn connect(number: usize, is_connected: bool) {
    let state = if is_connected { "up" } else { "down" };
    ip(&format!("link set {} {state}", cable(number)));
}
