//! The proleptic Gregorian calendar: conversion between dates and days since 1970.

/// A date and a time of day, without a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Civil {
    /// The year; 0 is the year before 1.
    pub year: i64,
    /// 1 to 12
    pub month: u32,
    /// 1 to 31
    pub day: u32,
    /// 0 to 23
    pub hour: u32,
    /// 0 to 59
    pub minute: u32,
    /// 0 to 59
    pub second: u32,
    /// 0 to 999999999
    pub nanosecond: u32,
}

impl Civil {
    /// Converts seconds since 1970 and nanoseconds.
    pub fn new(seconds: i64, nanosecond: u32) -> Self {
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400) as u32);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        Self { year, month, day, hour, minute, second, nanosecond }
    }

    /// Returns the days since 1970.
    pub fn days(&self) -> i64 {
        days(self.year, self.month, self.day)
    }

    /// Returns the day of the week; 0 is Sunday.
    pub fn weekday(&self) -> u32 {
        (self.days() + 4).rem_euclid(7) as u32
    }

    /// Returns the day of the year, from 1 to 366.
    pub fn day_of_year(&self) -> u32 {
        (self.days() - days(self.year, 1, 1)) as u32 + 1
    }

    /// Returns the week of the year; weeks start on Sunday (0) or Monday (1).
    pub fn week(&self, first: u32) -> u32 {
        (self.day_of_year() + 6 - (self.weekday() + 7 - first) % 7) / 7
    }

    /// Returns the year and week of ISO 8601.
    pub fn iso_week(&self) -> (i64, u32) {
        // The Thursday of a week determines its year.
        let thursday = self.days() + 3 - i64::from((self.weekday() + 6) % 7);
        let (year, _, _) = date(thursday);
        (year, ((thursday - days(year, 1, 1)) / 7) as u32 + 1)
    }
}

/// Returns the days since 1970 of a date. The month must be valid; days beyond its end are counted on.
pub fn days(year: i64, month: u32, day: u32) -> i64 {
    // Years start in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns year, month and day of a number of days since 1970.
pub fn date(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year =
        (day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100)) as u32;
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// Names of months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of the days of the week.
pub const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
