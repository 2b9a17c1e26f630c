//! Identifiers of catalogs.

use std::io;

use kukla_rubytext::digest;
use kukla_world::World;

/// Returns a random UUID of version 4.
pub fn random(world: &dyn World) -> io::Result<String> {
    Ok(digest::uuid(4, &world.random(16)?))
}
