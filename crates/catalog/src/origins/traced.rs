//! The origins of single resources' parameters, for readers who look at some of a catalog.

use serde_json::Value as Json;

use super::lines::Lines;
use super::tracer::Tracer;
use super::{Leaf, Origin, OriginId};
use crate::Catalog;

/// The maximum nesting of origins of arrays.
const MAX_DEPTH: usize = 16;

/// The origin of one parameter.
#[derive(Clone, Debug)]
pub struct TracedParameter {
    /// The index of the parameter in its resource.
    pub parameter: usize,
    /// The origin and the ends of its chain, as lines of [`write`](super::write) have them.
    pub origin: Json,
    /// Set if the value is a secret, or may come from one.
    pub is_secret: bool,
}

/// Returns the origins of all parameters of some resources, given by their indexes.
pub fn traced(catalog: &Catalog, resources: &[usize]) -> Vec<Vec<TracedParameter>> {
    let tracer = Tracer::new(catalog);
    let lines = Lines::new(catalog);
    let of = |&number: &usize| {
        let Some(resource) = catalog.resources.get(number) else { return Vec::new() };
        let one = |(parameter, (name, _)): (usize, &(kukla_base::Symbol, _))| {
            let id = catalog.parameter_origin(number, parameter);
            let leaves = tracer.leaves(number, name.as_str(), id);
            let is_secret = resource.sensitive.contains(name)
                || is_secret(catalog, id, 0)
                || leaves.iter().any(|leaf| match leaf {
                    Leaf::Data(id) => is_secret(catalog, *id, 0),
                    _ => false,
                });
            TracedParameter { parameter, origin: lines.parameter(number, id, &leaves), is_secret }
        };
        resource.parameters.iter().enumerate().map(one).collect()
    };
    resources.iter().map(of).collect()
}

/// Returns whether an origin is data that is a secret.
fn is_secret(catalog: &Catalog, id: OriginId, depth: usize) -> bool {
    match catalog.origin(id) {
        Origin::Data(data) => data.is_secret,
        // What is nested too deeply to look at is not shown.
        Origin::Parts(_) if depth == MAX_DEPTH => true,
        Origin::Parts(parts) => {
            let mut all = std::iter::once(parts.first).chain(parts.rest.iter().map(|(by, _)| *by));
            all.any(|id| is_secret(catalog, id, depth + 1))
        }
        _ => false,
    }
}
