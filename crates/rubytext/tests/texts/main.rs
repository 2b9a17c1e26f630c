//! Our answers compared with those of Ruby, Puppet and the stdlib module, recorded (`recorded/`) or live.
//!
//! The answers are recorded by `tests/oracle/texts.rb record`. With `KUKLA_ORACLE=SEED:COUNT` in the environment, that many
//! generated questions per subject are sent to Ruby.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

mod case;
mod cases;
mod crypt;
mod hocon;
mod json;
mod numbers;
mod random;
mod scanf;
mod sprintf;
mod time;
mod toml;
mod versions;
mod words;
mod yaml;

#[test]
fn numbers() {
    case::check("numbers", numbers::answer);
}

#[test]
fn sprintf() {
    case::check("sprintf", sprintf::answer);
}

#[test]
fn versions() {
    case::check("versions", versions::answer);
}

#[test]
fn random() {
    case::check("random", random::answer);
}

#[test]
fn upper_and_lower_case() {
    case::check("case", cases::answer);
}

#[test]
fn timestamps_and_timespans() {
    case::check("time", time::answer);
}

#[test]
fn json() {
    case::check("json", json::answer);
}

#[test]
fn yaml() {
    case::check("yaml", yaml::answer);
}

#[test]
fn words_of_the_shell_and_addresses() {
    case::check("words", words::answer);
}

#[test]
fn passwords_and_digests() {
    case::check("crypt", crypt::answer);
}

#[test]
fn toml() {
    case::check("toml", toml::answer);
}

#[test]
fn scanf() {
    case::check("scanf", scanf::answer);
}

#[test]
fn hocon() {
    case::check("hocon", hocon::answer);
}
