//! Data that are looked up, and values on their way into a catalog.

use kukla_catalog::exports::ExportsError;
use kukla_lookup::Fault as LookupFault;
use kukla_pcore::richdata;

use super::{Code, Issue};

/// A lookup that fails, in the words of the lookup.
pub(crate) fn lookup_failed(fault: &LookupFault) -> Issue {
    let issue = Issue::new(Code::LOOKUP_FAILED, fault.message_with_place());
    match fault.code {
        Some(code) => issue.with_help(format!("the problem in the data is `{code}`")),
        None => issue,
    }
}

/// Like [`lookup_failed`], without the place.
pub(crate) fn lookup_failed_at_place(fault: &LookupFault) -> Issue {
    Issue::new(Code::LOOKUP_FAILED, fault.message.clone())
}

/// A function that data call changes the catalog.
pub fn not_in_data(name: &str) -> Issue {
    let message = format!("the function `{name}` cannot be called in data: it changes the catalog");
    Issue::new(Code::CATALOG_CHANGE_IN_DATA, message)
}

/// A lookup context that code has kept.
pub(crate) fn context_after_lookup() -> Issue {
    let message = "the context is used after the lookup that it belongs to";
    Issue::new(Code::CONTEXT_AFTER_LOOKUP, message)
}

/// `$context.interpolate()`
pub(crate) fn context_arity(name: &str, wanted: usize, n: usize) -> Issue {
    let s = if wanted == 1 { "" } else { "s" };
    let expected = if wanted == 0 { "no".to_owned() } else { wanted.to_string() };
    let actual = if n == 0 { "none".to_owned() } else { n.to_string() };
    let message = format!(
        "'function Puppet::LookupContext[{name}]' expects {expected} argument{s}, got {actual}"
    );
    Issue::new(Code::ARGUMENT_MISMATCH, message)
}

/// `$context.cache_all(1)`
pub(crate) fn context_arguments(name: &str) -> Issue {
    let message = format!("'Puppet::LookupContext[{name}]' got wrong arguments");
    Issue::new(Code::ARGUMENT_MISMATCH, message)
}

/// Exported resources that can't be searched.
pub(crate) fn exports_unreadable(error: &ExportsError) -> Issue {
    Issue::new(Code::EXPORTS_UNREADABLE, error.to_string())
}

/// `puppetdb_query` without a store.
pub(crate) fn no_store() -> Issue {
    Issue::new(
        Code::FUNCTION_FAILED,
        "there is no store to ask; it comes with the setting `storeconfigs`",
    )
}

/// A value that agents can't take; `at` is where the resource was declared, or empty.
pub(crate) fn unsupported_value(error: &richdata::DataError, at: &str) -> Issue {
    let code = match (error, at) {
        (richdata::DataError::TooDeep, "") => Code::DATA_TOO_DEEP,
        _ => Code::UNSUPPORTED_VALUE,
    };
    Issue::new(code, format!("{error}{at}"))
}
