//! Names that the compiler needs often.

use kukla_base::Symbol;

const MODULE_NAME: &str = "module_name";
const CALLER_MODULE_NAME: &str = "caller_module_name";
const TITLE: &str = "title";
const NAME: &str = "name";

/// The variables that classes and defines have besides their parameters, in the order in which they are set.
pub(crate) const OWN_VARIABLES: [&str; 4] = [MODULE_NAME, CALLER_MODULE_NAME, TITLE, NAME];

macro_rules! names {
    ($($field:ident = $text:expr),+ $(,)?) => {
        /// Names that the compiler needs often.
        #[derive(Debug)]
        pub(crate) struct Names {
            $(pub(crate) $field: Symbol,)+
        }

        impl Names {
            pub(crate) fn new() -> Self {
                Self { $($field: Symbol::new($text),)+ }
            }
        }
    };
}

names! {
    class = "Class",
    node = "Node",
    stage_type = "Stage",
    alias = "alias",
    audit = "audit",
    before = "before",
    loglevel = "loglevel",
    noop = "noop",
    notify = "notify",
    require = "require",
    schedule = "schedule",
    stage = "stage",
    subscribe = "subscribe",
    tag = "tag",
    name = NAME,
    title = TITLE,
    module_name = MODULE_NAME,
    caller_module_name = CALLER_MODULE_NAME,
}

impl Names {
    /// Whether a parameter orders resources.
    pub(crate) fn is_relationship(&self, name: Symbol) -> bool {
        name == self.before || name == self.notify || name == self.require || name == self.subscribe
    }

    /// Metaparameters that contained resources get from their container.
    pub(crate) const fn inherited(&self) -> [Symbol; 7] {
        [self.noop, self.schedule, self.audit, self.loglevel, self.alias, self.tag, self.stage]
    }

    /// Whether every resource may have the parameter.
    pub(crate) fn is_metaparameter(&self, name: Symbol) -> bool {
        self.is_relationship(name) || self.inherited().contains(&name)
    }
}
