//! Revocation lists of a CA on another machine, for servers that verify its certificates.

use crate::CaError;
use crate::certificate::Parsed;
use crate::crl::Crl;
use crate::pem::{self, Kind};

/// Returns the text of revocation lists that replace the present ones; nothing if those received say nothing new.
///
/// `authorities` are the certificates of the CA in PEM. Each received list must be signed by one of them, and none of an
/// authority that has a list at present may be missing or older: a server that answers in the place of the CA can't bring
/// a revoked certificate back.
pub fn newer_lists(
    authorities: &[u8],
    present: &[u8],
    received: &[u8],
) -> Result<Option<String>, CaError> {
    let refused = |words: &str| CaError::CrlRefused(words.to_owned());
    let authorities = pem::all(authorities, Kind::Certificate)
        .filter(|all| !all.is_empty())
        .ok_or_else(|| refused("the certificates of the CA can't be read"))?;
    let authorities: Option<Vec<Parsed>> = authorities.into_iter().map(Parsed::from_der).collect();
    let authorities =
        authorities.ok_or_else(|| refused("the certificates of the CA can't be read"))?;
    let received =
        Crl::parse_all(received).filter(|lists| !lists.is_empty()).ok_or(CaError::NoCrls)?;
    let present = Crl::parse_all(present).unwrap_or_default();
    if received.iter().any(Crl::is_delta) {
        return Err(refused("a revocation list has changes only"));
    }
    let issuer = |list: &Crl| authorities.iter().position(|authority| list.is_of(authority));
    let mut newest = Vec::new();
    for list in received {
        let of =
            issuer(&list).ok_or_else(|| refused("no known CA has signed a revocation list"))?;
        newest.push((of, list));
    }
    let mut is_newer = present.is_empty();
    for list in &present {
        // A list of an authority that is trusted no more counts for nothing.
        let Some(of) = issuer(list) else { continue };
        let same = newest.iter().find(|(issuer, _)| *issuer == of);
        let Some((_, other)) = same else {
            return Err(refused("the revocation list of an authority is missing"));
        };
        match other.number().cmp(&list.number()) {
            std::cmp::Ordering::Less => {
                return Err(refused("a revocation list is older than the present one"));
            }
            std::cmp::Ordering::Greater => is_newer = true,
            std::cmp::Ordering::Equal => (),
        }
    }
    is_newer |= newest.len() > present.len();
    let lists: Vec<Crl> = newest.into_iter().map(|(_, list)| list).collect();
    Ok(is_newer.then(|| Crl::format_all(&lists)))
}
