//! Files that are none, secrets that get out, and names that print commands: each is refused, bounded or escaped.

mod bounded;
mod printing;
mod reading;
mod secrets;
