//! `Time`

use std::rc::Rc;

use kukla_rubytext::time::civil::Civil;
use kukla_rubytext::time::strftime::{Local, strftime};

use crate::class::{Class, Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    pub(crate) fn make_time(
        &mut self,
        seconds: i64,
        nanoseconds: u32,
        offset: i32,
        utc: bool,
    ) -> RubyValue {
        let class: Rc<Class> = self.class_named("Time");
        RubyValue::Object(Rc::new(Object::new(
            class,
            Data::Time { seconds, nanoseconds, offset, utc },
        )))
    }

    pub(crate) fn now(&mut self) -> RubyValue {
        let (seconds, nanoseconds, offset) = self.host.now();
        self.make_time(seconds, nanoseconds, offset, false)
    }

    #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
    pub(crate) fn time_method(
        &mut self,
        (seconds, nanoseconds, offset, utc): (i64, u32, i32, bool),
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let civil = Civil::new(seconds + i64::from(offset), nanoseconds);
        let field = |number: i64| RubyValue::Int(number);
        Ok(Some(match name {
            "to_i" | "tv_sec" => field(seconds),
            "to_f" => RubyValue::Float(seconds as f64 + f64::from(nanoseconds) / 1e9),
            "nsec" => field(i64::from(nanoseconds)),
            "usec" => field(i64::from(nanoseconds / 1000)),
            "year" => field(civil.year),
            "month" | "mon" => field(i64::from(civil.month)),
            "day" | "mday" => field(i64::from(civil.day)),
            "hour" => field(i64::from(civil.hour)),
            "min" => field(i64::from(civil.minute)),
            "sec" => field(i64::from(civil.second)),
            "wday" => field(i64::from(civil.weekday())),
            "yday" => field(i64::from(civil.day_of_year())),
            "utc" | "getutc" | "gmtime" | "getgm" => self.make_time(seconds, nanoseconds, 0, true),
            "localtime" | "getlocal" => {
                let (_, _, local) = self.host.now();
                self.make_time(seconds, nanoseconds, local, false)
            }
            "utc?" => RubyValue::Bool(utc),
            "utc_offset" | "gmt_offset" => field(i64::from(offset)),
            "strftime" => {
                let format = self.text_arg(&a.get(0))?;
                self.time_text(&format, civil, seconds, offset, utc)?
            }
            "to_s" | "inspect" => {
                let format = if utc { "%Y-%m-%d %H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S %z" };
                self.time_text(format, civil, seconds, offset, utc)?
            }
            "iso8601" | "xmlschema" => {
                let format = if utc { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%:z" };
                self.time_text(format, civil, seconds, offset, utc)?
            }
            "+" | "-" => match a.get(0) {
                RubyValue::Int(number) => {
                    let sum = if name == "+" {
                        seconds.checked_add(number)
                    } else {
                        seconds.checked_sub(number)
                    };
                    self.make_time(sum.unwrap_or(i64::MAX), nanoseconds, offset, utc)
                }
                RubyValue::Object(other) if name == "-" => match &*other.data.borrow() {
                    Data::Time { seconds: s, nanoseconds: n, .. } => RubyValue::Float(
                        (seconds - s) as f64 + (f64::from(nanoseconds) - f64::from(*n)) / 1e9,
                    ),
                    _ => return self.unsupported("time arithmetic"),
                },
                _ => return self.unsupported("time arithmetic"),
            },
            "<=>" => match a.get(0) {
                RubyValue::Object(other) => match &*other.data.borrow() {
                    Data::Time { seconds: s, nanoseconds: n, .. } => {
                        RubyValue::Int((seconds, nanoseconds).cmp(&(*s, *n)) as i64)
                    }
                    _ => RubyValue::Nil,
                },
                _ => RubyValue::Nil,
            },
            _ => return Ok(None),
        }))
    }

    fn time_text(
        &mut self,
        format: &str,
        civil: Civil,
        seconds: i64,
        offset: i32,
        utc: bool,
    ) -> Eval {
        if !utc && offset != 0 && format.contains("%Z") {
            return self.unsupported("names of time zones");
        }
        let local = Local { civil, seconds, offset, zone: Some("UTC".to_owned()) };
        Ok(RubyValue::str(self.from_text(strftime(format, &local))?))
    }
}
