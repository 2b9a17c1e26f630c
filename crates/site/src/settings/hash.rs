//! Settings as manifests see them.

use std::path::Path;

use kukla_pcore::{Hash, Value};

use super::{Setting, Settings};
use crate::Environment;

impl Settings {
    /// Returns the settings as `$settings::name`, including those of the environment itself.
    pub(crate) fn hash(&self, environment: &Environment, name: &str) -> Hash {
        let mut hash: Hash =
            self.all().map(|(name, setting)| (Value::from(name), value(setting))).collect();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let modulepath: Vec<String> =
            environment.modulepath.iter().map(|path| text(path)).collect();
        for (name, value) in [
            ("environment", name.to_owned()),
            ("manifest", text(&environment.manifest)),
            ("modulepath", modulepath.join(":")),
        ] {
            hash.insert(Value::from(name), Value::from(value));
        }
        hash
    }
}

fn value(setting: Setting) -> Value {
    match setting {
        Setting::Undef => Value::Undef,
        Setting::Text(text) => Value::from(text),
        Setting::Flag(flag) => Value::Boolean(flag),
        Setting::Number(number) => Value::Integer(number),
        Setting::List(entries) => Value::array(entries.into_iter().map(Value::from)),
    }
}
