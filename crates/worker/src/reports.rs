//! Report processors of modules, which are Ruby code.

use kukla_foreign::{NoHost, RubyError};
use kukla_pcore::{Hash, Value};

use crate::message::request;
use crate::pool::Pool;

impl Pool {
    /// Hands a report, as an agent sends it, to the processor of a name. Settings are those that processors read.
    pub fn process_report(
        &self,
        processor: &str,
        json: &str,
        settings: &[(String, String)],
    ) -> Result<(), RubyError> {
        let setting = |(name, value): &(String, String)| {
            (Value::string(name.as_str()), Value::string(value.as_str()))
        };
        let settings: Hash = settings.iter().map(setting).collect();
        let parts = [Value::string(processor), Value::string(json), Value::hash(settings)];
        self.ask(&request("report", parts), &mut NoHost).map(drop)
    }
}
