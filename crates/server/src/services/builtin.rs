//! Services of Kukla itself that need the body.

use kukla_plang::message::Pair;
use kukla_plang::registry::Edits;
use kukla_plang::services::ServiceAnswer;

use super::call::{CallError, OwnedCall};
use crate::body::Held;

/// Applies edits to a message whose body is read whole, up to the limit of the service.
pub(super) async fn apply(
    edits: &Edits,
    call: &OwnedCall,
    body: Option<&mut Held<'_>>,
    limit: u64,
) -> Result<ServiceAnswer, CallError> {
    let mut bytes = Vec::new();
    if let Some(body) = body {
        while let Some(piece) = body.read(bytes.len() as u64).await.map_err(CallError::Body)? {
            bytes.extend_from_slice(&piece);
            if bytes.len() as u64 > limit {
                return Ok(ServiceAnswer::Failed);
            }
        }
    }
    let pairs: Vec<Pair<'_>> =
        call.current().iter().map(|(name, value)| Pair { name, value }).collect();
    Ok(edits.answer(&pairs, &bytes, limit))
}
