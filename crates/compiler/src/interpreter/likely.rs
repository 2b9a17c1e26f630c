//! Names that code may have meant, as advice on unknown ones. Nothing here runs unless something is wrong.

use super::{CatalogHost, Interpreter};
use crate::issues::Issue;
use crate::library::NameKind;

impl<C: CatalogHost> Interpreter<C> {
    /// Adds the visible variables whose names are most like an unknown one.
    #[cold]
    pub(crate) fn with_likely_variables(&self, issue: Issue, name: &str) -> Issue {
        let plain = name.strip_prefix("::").unwrap_or(name);
        let visible = self.scopes.visible();
        issue.did_you_mean(plain, visible.iter().map(|(name, _)| name.as_str()))
    }

    /// Adds the functions whose names are most like an unknown one.
    #[cold]
    pub(crate) fn with_likely_functions(&self, issue: Issue, name: &str) -> Issue {
        let mut names = self.inputs.names(NameKind::Function);
        names.extend(self.functions.names());
        names.extend(self.catalog.names(NameKind::Function));
        issue.did_you_mean(name, names.iter().map(String::as_str))
    }

    /// Adds the types of resources whose names are most like an unknown one.
    #[cold]
    pub(crate) fn with_likely_types(&self, issue: Issue, name: &str) -> Issue {
        let mut names = self.inputs.names(NameKind::ResourceType);
        names.extend(self.inputs.names(NameKind::Manifest));
        names.extend(self.catalog.names(NameKind::ResourceType));
        let lower = name.to_lowercase();
        issue.did_you_mean(&lower, names.iter().map(String::as_str))
    }
}
