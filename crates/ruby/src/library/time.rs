//! `Time`

use std::rc::Rc;

use kukla_rubytext::time::civil::Civil;
use kukla_rubytext::time::strftime::{LocalTime, strftime};

use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method, plain};
use crate::methods::tools::{text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// A point in time, with the offset of a zone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Time {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
    pub(crate) offset: i32,
    pub(crate) is_utc: bool,
}

/// The methods of this file; those of `Comparable` come after them.
pub(crate) static METHODS: &[Builtin<Time>] = &[
    method("to_i", |_, this, _| Ok(RubyValue::Int(this.seconds))),
    method("tv_sec", |_, this, _| Ok(RubyValue::Int(this.seconds))),
    method("to_f", to_f),
    method("nsec", |_, this, _| Ok(field(this.nanoseconds))),
    method("usec", |_, this, _| Ok(field(this.nanoseconds / 1000))),
    method("year", |_, this, _| Ok(RubyValue::Int(this.civil().year))),
    method("month", |_, this, _| Ok(field(this.civil().month))),
    method("mon", |_, this, _| Ok(field(this.civil().month))),
    method("day", |_, this, _| Ok(field(this.civil().day))),
    method("mday", |_, this, _| Ok(field(this.civil().day))),
    method("hour", |_, this, _| Ok(field(this.civil().hour))),
    method("min", |_, this, _| Ok(field(this.civil().minute))),
    method("sec", |_, this, _| Ok(field(this.civil().second))),
    method("wday", |_, this, _| Ok(field(this.civil().weekday()))),
    method("yday", |_, this, _| Ok(field(this.civil().day_of_year()))),
    method("utc", utc),
    method("getutc", utc),
    method("gmtime", utc),
    method("getgm", utc),
    method("localtime", local_time),
    method("getlocal", local_time),
    method("utc?", |_, this, _| yes(this.is_utc)),
    method("utc_offset", |_, this, _| Ok(field(this.offset))),
    method("gmt_offset", |_, this, _| Ok(field(this.offset))),
    method("strftime", format),
    method("to_s", to_s),
    method("inspect", to_s),
    method("iso8601", iso8601),
    method("xmlschema", iso8601),
    method("+", add),
    method("-", subtract),
    method("<=>", compare),
];

/// The methods of `Time` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] = &[
    plain("new", |run, _, _| Ok(run.now())),
    method("now", |run, _, _| Ok(run.now())),
    method("at", at),
];

fn field(number: impl Into<i64>) -> RubyValue {
    RubyValue::Int(number.into())
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn to_f(_run: &mut Run<'_>, this: &Time, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Float(this.seconds as f64 + f64::from(this.nanoseconds) / 1e9))
}

fn utc(run: &mut Run<'_>, this: &Time, _a: Args<'_>) -> Eval {
    Ok(run.make_time(Time { offset: 0, is_utc: true, ..*this }))
}

fn local_time(run: &mut Run<'_>, this: &Time, _a: Args<'_>) -> Eval {
    let (_, _, offset) = run.host.now();
    Ok(run.make_time(Time { offset, is_utc: false, ..*this }))
}

fn at(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let seconds = run.int_arg(&a.get(0))?;
    let (_, _, offset) = run.host.now();
    Ok(run.make_time(Time { seconds, nanoseconds: 0, offset, is_utc: false }))
}

fn format(run: &mut Run<'_>, this: &Time, a: Args<'_>) -> Eval {
    let format = run.text_arg(&a.get(0))?;
    this.text(run, &format)
}

fn to_s(_run: &mut Run<'_>, this: &Time, _a: Args<'_>) -> Eval {
    text(this.shown())
}

fn iso8601(run: &mut Run<'_>, this: &Time, _a: Args<'_>) -> Eval {
    let zone = if this.is_utc { "Z" } else { "%:z" };
    this.text(run, &format!("%Y-%m-%dT%H:%M:%S{zone}"))
}

fn add(run: &mut Run<'_>, this: &Time, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Int(number) => {
            let seconds = this.seconds.checked_add(number).unwrap_or(i64::MAX);
            Ok(run.make_time(Time { seconds, ..*this }))
        }
        _ => run.unsupported("time arithmetic"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn subtract(run: &mut Run<'_>, this: &Time, a: Args<'_>) -> Eval {
    let other = a.get(0);
    if let RubyValue::Int(number) = other {
        let seconds = this.seconds.checked_sub(number).unwrap_or(i64::MAX);
        return Ok(run.make_time(Time { seconds, ..*this }));
    }
    let Some(other) = Time::of(&other) else { return run.unsupported("time arithmetic") };
    let nanoseconds = f64::from(this.nanoseconds) - f64::from(other.nanoseconds);
    Ok(RubyValue::Float((this.seconds - other.seconds) as f64 + nanoseconds / 1e9))
}

fn compare(_run: &mut Run<'_>, this: &Time, a: Args<'_>) -> Eval {
    Ok(Time::of(&a.get(0)).map_or(RubyValue::Nil, |other| {
        let order = (this.seconds, this.nanoseconds).cmp(&(other.seconds, other.nanoseconds));
        RubyValue::Int(order as i64)
    }))
}

impl Time {
    /// Returns Ruby's `to_s`.
    pub(crate) fn shown(&self) -> String {
        let zone = if self.is_utc { "UTC" } else { "%z" };
        let (civil, seconds, offset) = (self.civil(), self.seconds, self.offset);
        let local = LocalTime { civil, seconds, offset, zone: None };
        strftime(&format!("%Y-%m-%d %H:%M:%S {zone}"), &local).unwrap_or_default()
    }

    fn of(value: &RubyValue) -> Option<Self> {
        let RubyValue::Object(object) = value else { return None };
        match &*object.data.borrow() {
            Data::Time(time) => Some(*time),
            _ => None,
        }
    }

    fn civil(&self) -> Civil {
        Civil::new(self.seconds + i64::from(self.offset), self.nanoseconds)
    }

    fn text(&self, run: &mut Run<'_>, format: &str) -> Eval {
        if !self.is_utc && self.offset != 0 && format.contains("%Z") {
            return run.unsupported("names of time zones");
        }
        let (civil, seconds, offset) = (self.civil(), self.seconds, self.offset);
        let local = LocalTime { civil, seconds, offset, zone: Some("UTC".to_owned()) };
        text(run.from_text(strftime(format, &local))?)
    }
}

impl Run<'_> {
    fn make_time(&mut self, time: Time) -> RubyValue {
        let class = self.class_named("Time");
        RubyValue::Object(Rc::new(Object::new(class, Data::Time(time))))
    }

    fn now(&mut self) -> RubyValue {
        let (seconds, nanoseconds, offset) = self.host.now();
        self.make_time(Time { seconds, nanoseconds, offset, is_utc: false })
    }
}
