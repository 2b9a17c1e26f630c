//! `to_string` of a time: the templates of PostgreSQL's `to_char`, in UTC and English.

use kukla_rubytext::time::civil::{Civil, DAYS, MONTHS, days};

/// Templates; a longer one stands before its start.
const TEMPLATES: [&str; 54] = [
    "HH24", "HH12", "HH", "MI", "SSSSS", "SSSS", "SS", "MS", "US", "FF1", "FF2", "FF3", "FF4",
    "FF5", "FF6", "A.M.", "P.M.", "a.m.", "p.m.", "AM", "PM", "am", "pm", "Y,YYY", "YYYY", "YYY",
    "YY", "Y", "IYYY", "IYY", "IY", "MONTH", "Month", "month", "MON", "Mon", "mon", "MM", "DAY",
    "Day", "day", "DY", "Dy", "dy", "IDDD", "DDD", "DD", "ID", "D", "WW", "IW", "W", "Q", "J",
];

/// A time in all its parts.
struct Moment {
    civil: Civil,
    milliseconds: i64,
    /// Days since 1970.
    day: i64,
    /// Days of the year, from 1.
    day_of_year: i64,
    /// 0 is Sunday.
    weekday: i64,
    /// Year and week by ISO 8601.
    week: (i64, i64),
}

/// Returns a time as a template says.
pub(super) fn written(milliseconds: i64, template: &str) -> String {
    let moment = Moment::new(milliseconds);
    let mut out = String::new();
    let mut rest = template;
    let mut is_filled = true;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("FM") {
            (is_filled, rest) = (false, behind);
            continue;
        }
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"').unwrap_or(quoted.len());
            out.push_str(&quoted[..end]);
            rest = quoted.get(end + 1..).unwrap_or_default();
            continue;
        }
        let Some(found) = TEMPLATES.iter().find(|template| rest.starts_with(**template)) else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        rest = &rest[found.len()..];
        let text = moment.part(found, is_filled);
        out.push_str(&text);
        if let Some(behind) = rest.strip_prefix("TH").or_else(|| rest.strip_prefix("th")) {
            let ending = ordinal(&text);
            out.push_str(&if rest.starts_with("TH") {
                ending.to_uppercase()
            } else {
                ending.to_owned()
            });
            rest = behind;
        }
        is_filled = true;
    }
    out
}

fn ordinal(number: &str) -> &'static str {
    let is_teen = number.len() > 1 && number.as_bytes()[number.len() - 2] == b'1';
    match number.bytes().last() {
        Some(b'1') if !is_teen => "st",
        Some(b'2') if !is_teen => "nd",
        Some(b'3') if !is_teen => "rd",
        _ => "th",
    }
}

/// Returns the year and week by ISO 8601 of a day since 1970.
fn iso_week(day: i64) -> (i64, i64) {
    // Thursday of the same week decides the year.
    let thursday = day - (day + 3).rem_euclid(7) + 3;
    let year = Civil::new(thursday * 86_400, 0).year;
    (year, (thursday - days(year, 1, 1)) / 7 + 1)
}

impl Moment {
    fn new(milliseconds: i64) -> Self {
        let seconds = milliseconds.div_euclid(1000);
        let civil = Civil::new(seconds, 0);
        let day = seconds.div_euclid(86_400);
        let day_of_year = day - days(civil.year, 1, 1) + 1;
        let weekday = (day + 4).rem_euclid(7);
        let milliseconds = milliseconds.rem_euclid(1000);
        Self { civil, milliseconds, day, day_of_year, weekday, week: iso_week(day) }
    }

    fn part(&self, template: &str, is_filled: bool) -> String {
        match template.to_uppercase().as_str() {
            "MONTH" | "MON" | "DAY" | "DY" => self.name(template, is_filled),
            "AM" | "PM" | "A.M." | "P.M." => self.half(template),
            _ => self.number(template, is_filled),
        }
    }

    fn name(&self, template: &str, is_filled: bool) -> String {
        let month = MONTHS[usize::try_from(self.civil.month - 1).unwrap_or_default()];
        let weekday = DAYS[usize::try_from(self.weekday).unwrap_or_default()];
        let (name, is_whole) = match template.to_uppercase().as_str() {
            "MONTH" => (month, true),
            "MON" => (&month[..3], false),
            "DAY" => (weekday, true),
            _ => (&weekday[..3], false),
        };
        let cased = match template {
            _ if template.bytes().all(|byte| byte.is_ascii_uppercase()) => name.to_uppercase(),
            _ if template.bytes().all(|byte| byte.is_ascii_lowercase()) => name.to_lowercase(),
            _ => name.to_owned(),
        };
        if is_filled && is_whole { format!("{cased:<9}") } else { cased }
    }

    fn half(&self, template: &str) -> String {
        let letter = if self.civil.hour < 12 { 'A' } else { 'P' };
        let text =
            if template.contains('.') { format!("{letter}.M.") } else { format!("{letter}M") };
        if template.starts_with(['a', 'p']) { text.to_lowercase() } else { text }
    }

    fn number(&self, template: &str, is_filled: bool) -> String {
        let civil = &self.civil;
        let second_of_day =
            i64::from(civil.hour) * 3600 + i64::from(civil.minute) * 60 + i64::from(civil.second);
        let micro = self.milliseconds * 1000;
        let (number, width) = match template {
            "HH24" => (i64::from(civil.hour), 2),
            "HH12" | "HH" => (i64::from((civil.hour + 11) % 12 + 1), 2),
            "MI" => (i64::from(civil.minute), 2),
            "SS" => (i64::from(civil.second), 2),
            "SSSS" | "SSSSS" => (second_of_day, 0),
            "MS" | "FF3" => (self.milliseconds, 3),
            "US" | "FF6" => (micro, 6),
            "FF1" => (micro / 100_000, 1),
            "FF2" => (micro / 10_000, 2),
            "FF4" => (micro / 100, 4),
            "FF5" => (micro / 10, 5),
            "Y,YYY" => return format!("{},{:03}", civil.year / 1000, civil.year % 1000),
            "YYYY" => (civil.year, 4),
            "YYY" => (civil.year % 1000, 3),
            "YY" => (civil.year % 100, 2),
            "Y" => (civil.year % 10, 1),
            "IYYY" => (self.week.0, 4),
            "IYY" => (self.week.0 % 1000, 3),
            "IY" => (self.week.0 % 100, 2),
            "MM" => (i64::from(civil.month), 2),
            "DD" => (i64::from(civil.day), 2),
            "DDD" => (self.day_of_year, 3),
            "IDDD" => ((self.week.1 - 1) * 7 + (self.weekday + 6) % 7 + 1, 3),
            "D" => (self.weekday + 1, 1),
            "ID" => ((self.weekday + 6) % 7 + 1, 1),
            "WW" => ((self.day_of_year - 1) / 7 + 1, 2),
            "IW" => (self.week.1, 2),
            "W" => ((i64::from(civil.day) - 1) / 7 + 1, 1),
            "Q" => (i64::from((civil.month - 1) / 3 + 1), 1),
            // Julian days: 1970 began with day 2 440 588.
            _ => (self.day + 2_440_588, 0),
        };
        let width = if is_filled { width } else { 0 };
        format!("{number:0width$}")
    }
}
