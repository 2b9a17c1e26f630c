//! `new`

use kukla_pcore::convert::{Convert, Present, new_instance};
use kukla_pcore::time::Timestamp;
use kukla_pcore::{Type, Value};

use super::{CatalogHost, Interpreter};
use crate::{Eval, fault};

impl<C: CatalogHost> Interpreter<C> {
    /// `type.new(arguments)`
    pub(crate) fn instance(&mut self, type_: &Type, arguments: &[Value]) -> Eval<Value> {
        // Asked for only by types that need it: a compilation that has looked at the clock is never the same again.
        let inputs = &self.inputs;
        let present = || Present { now: Timestamp(inputs.now()), utc_offset: 0 };
        let names = self.names();
        let convert = Convert::new(&names, &present);
        match new_instance(&convert, type_, arguments) {
            Ok(value) => Ok(C::adopt(self, value)),
            Err(error) => fault(crate::issues::conversion_failed(error.to_string())),
        }
    }
}
