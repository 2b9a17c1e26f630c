//! Names that the compiler needs often.

use kukla_base::Symbol;

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
    name = "name",
    title = "title",
    module_name = "module_name",
    caller_module_name = "caller_module_name",
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
