//! Errors in a configuration, in Puppet's words.

use super::Config;
use crate::Fault;

const FUNCTIONS: &str = "data_hash, lookup_key, data_dig, or hiera3_backend";
const LOCATIONS: &str = "path, paths, glob, globs, uri, uris, or mapped_paths";

pub(super) fn unsupported_version(version: i64, path: Option<&str>) -> Fault {
    let message = format!("This runtime does not support hiera.yaml version {version}");
    Fault::issue("HIERA_UNSUPPORTED_VERSION", message, path)
}

/// Reports version 3 in an environment or a module.
pub(crate) fn version_3_not_global(config: &Config, place: &str) -> Fault {
    let message = format!("hiera.yaml version 3 cannot be used in {place}");
    config.issue("HIERA_VERSION_3_NOT_GLOBAL", message)
}

/// Reports version 4 in the global layer.
pub(crate) fn version_4_global(config: &Config) -> Fault {
    let message = "hiera.yaml version 4 cannot be used in the global layer";
    config.issue("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", message)
}

/// Reports an unknown variable in a configuration.
pub(crate) fn undefined_variable(config: &Config, name: &str) -> Fault {
    let fault = config.issue("HIERA_UNDEFINED_VARIABLE", format!("Undefined variable '{name}'"));
    fault.at(config.line_of_variable(name))
}

/// Reports an unknown function.
pub(crate) fn function_not_found(config: &Config, kind: &str, name: &str) -> Fault {
    let message = format!("Unable to find '{kind}' function named '{name}'");
    config.issue("HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND", message)
}

fn more_than_once(message: String, first_line: Option<u32>) -> String {
    match first_line {
        Some(line) => format!("{message} First defined at (line: {line})"),
        None => message,
    }
}

impl Config {
    fn issue(&self, code: &'static str, message: impl Into<String>) -> Fault {
        Fault::issue(code, message, self.path())
    }

    pub(super) fn backend_twice(&self, name: &str, first: Option<u32>) -> Fault {
        let message = format!("Backend '{name}' is defined more than once.");
        self.issue("HIERA_BACKEND_MULTIPLY_DEFINED", more_than_once(message, first))
    }

    pub(super) fn no_provider(&self, name: &str) -> Fault {
        let message = format!("No data provider is registered for backend '{name}'");
        self.issue("HIERA_NO_PROVIDER_FOR_BACKEND", message)
    }

    pub(super) fn name_twice(&self, name: &str, first: Option<u32>) -> Fault {
        let message = format!("Hierarchy name '{name}' defined more than once.");
        self.issue("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED", more_than_once(message, first))
    }

    pub(super) fn backend_not_global(&self) -> Fault {
        let message = "'hiera3_backend' is only allowed in the global layer";
        self.issue("HIERA_V3_BACKEND_NOT_GLOBAL", message)
    }

    pub(super) fn default_hierarchy_not_in_module(&self) -> Fault {
        let message = "'default_hierarchy' is only allowed in the module layer";
        self.issue("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", message)
    }

    pub(super) fn backend_replaced(&self, name: &str) -> Fault {
        let message =
            format!("Use \"data_hash: {name}_data\" instead of \"hiera3_backend: {name}\"");
        self.issue("HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH", message)
    }

    pub(super) fn missing_function(&self, name: &str) -> Fault {
        let message = format!("One of {FUNCTIONS} must be defined in hierarchy '{name}'");
        self.issue("HIERA_MISSING_DATA_PROVIDER_FUNCTION", message)
    }

    pub(super) fn many_functions(&self, name: &str) -> Fault {
        let message = format!("Only one of {FUNCTIONS} can be defined in hierarchy '{name}'");
        self.issue("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", message)
    }

    pub(super) fn many_default_functions(&self) -> Fault {
        let message = format!("Only one of {FUNCTIONS} can be defined in defaults");
        self.issue("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT", message)
    }

    pub(super) fn many_locations(&self, name: &str) -> Fault {
        let message = format!("Only one of {LOCATIONS} can be defined in hierarchy '{name}'");
        self.issue("HIERA_MULTIPLE_LOCATION_SPECS", message)
    }

    pub(super) fn reserved_option(&self, key: &str, name: &str) -> Fault {
        let message =
            format!("Option key '{key}' used in hierarchy '{name}' is reserved by Puppet");
        self.issue("HIERA_OPTION_RESERVED_BY_PUPPET", message)
    }

    pub(super) fn reserved_default_option(&self, key: &str) -> Fault {
        let message = format!("Option key '{key}' used in defaults is reserved by Puppet");
        self.issue("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", message)
    }
}
