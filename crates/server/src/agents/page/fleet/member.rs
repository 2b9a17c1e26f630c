//! A node on the map: when it ran, and what that run did.

use serde_json::{Value, json};

use super::super::data::{Row, flag, moment, text};

/// The fields of nodes that are asked for.
pub(in super::super) const FIELDS: [&str; 11] = [
    "certname",
    "latest_report_status",
    "latest_report_noop",
    "latest_report_noop_pending",
    "latest_report_corrective_change",
    "latest_report_hash",
    "report_timestamp",
    "catalog_timestamp",
    "facts_timestamp",
    "catalog_environment",
    "report_environment",
];

const HOUR: i64 = 3_600_000;

/// Outcomes of the last run of a node, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum State {
    Failed,
    Corrected,
    Changed,
    Pending,
    Unknown,
    Unchanged,
}

impl State {
    pub(super) const ALL: [Self; 6] = [
        Self::Failed,
        Self::Corrected,
        Self::Changed,
        Self::Pending,
        Self::Unknown,
        Self::Unchanged,
    ];

    /// Returns its name in addresses and JSON.
    pub(in super::super) const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Corrected => "corrected",
            Self::Changed => "changed",
            Self::Pending => "pending",
            Self::Unknown => "unknown",
            Self::Unchanged => "unchanged",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Returns the class of the style, which is the name.
    pub(in super::super) const fn class(self) -> &'static str {
        self.name()
    }

    /// Returns the letter that is shown beside the colour.
    pub(in super::super) const fn sign(self) -> &'static str {
        match self {
            Self::Failed => "F",
            Self::Corrected => "R",
            Self::Changed => "C",
            Self::Pending => "P",
            Self::Unknown => "?",
            Self::Unchanged => "·",
        }
    }

    /// Returns it in words.
    pub(in super::super) const fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Corrected => "repaired drift",
            Self::Changed => "changed",
            Self::Pending => "would change",
            Self::Unknown => "no report",
            Self::Unchanged => "unchanged",
        }
    }

    fn of(row: &Row) -> Self {
        match text(row, "latest_report_status") {
            Some("failed") => Self::Failed,
            Some("changed") if flag(row, "latest_report_corrective_change") => Self::Corrected,
            Some("changed") => Self::Changed,
            Some(_) if flag(row, "latest_report_noop_pending") => Self::Pending,
            Some(_) => Self::Unchanged,
            None => Self::Unknown,
        }
    }
}

/// The age of the last run of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Age {
    Hour,
    Hours,
    Day,
    Week,
    Older,
    Never,
}

impl Age {
    fn of(now: i64, report: Option<i64>) -> Self {
        let Some(report) = report else { return Self::Never };
        match now.saturating_sub(report) / HOUR {
            ..1 => Self::Hour,
            1..4 => Self::Hours,
            4..24 => Self::Day,
            24..168 => Self::Week,
            _ => Self::Older,
        }
    }

    /// Returns it in words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Hour => "Ran within the last hour",
            Self::Hours => "1 to 4 hours ago",
            Self::Day => "4 to 24 hours ago",
            Self::Week => "1 to 7 days ago",
            Self::Older => "More than a week ago",
            Self::Never => "Never sent a report",
        }
    }
}

/// A node.
#[derive(Clone, Debug)]
pub(in super::super) struct Member {
    pub(in super::super) name: String,
    pub(in super::super) state: State,
    /// When the last run ended.
    pub(in super::super) report: Option<i64>,
    /// When the catalog came.
    pub(in super::super) catalog: Option<i64>,
    /// When the facts came.
    pub(in super::super) facts: Option<i64>,
    pub(in super::super) environment: String,
    /// Whether the last run was to change nothing.
    pub(in super::super) is_noop: bool,
}

impl Member {
    pub(in super::super) fn of(row: &Row) -> Self {
        let environment = text(row, "catalog_environment").or(text(row, "report_environment"));
        Self {
            name: text(row, "certname").unwrap_or_default().to_owned(),
            state: State::of(row),
            report: moment(row, "report_timestamp"),
            catalog: moment(row, "catalog_timestamp"),
            facts: moment(row, "facts_timestamp"),
            environment: environment.unwrap_or_default().to_owned(),
            is_noop: flag(row, "latest_report_noop"),
        }
    }

    pub(super) fn age(&self, now: i64) -> Age {
        Age::of(now, self.report)
    }

    /// Returns by what nodes are sorted.
    pub(super) fn key(&self, now: i64) -> (Age, State, &str) {
        (self.age(now), self.state, &self.name)
    }

    pub(in super::super) fn json(&self) -> Value {
        let written = |time: Option<i64>| time.map(kukla_store::time::written);
        json!({
            "certname": self.name, "state": self.state.name(), "report": written(self.report),
            "catalog": written(self.catalog), "facts": written(self.facts),
            "environment": self.environment, "noop": self.is_noop,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_those_of_the_last_report() {
        let of = |row: Value| match row {
            Value::Object(row) => Member::of(&row).state,
            _ => panic!("an object"),
        };
        let status = "latest_report_status";
        assert_eq!(of(json!({})), State::Unknown);
        assert_eq!(of(json!({ status: "failed" })), State::Failed);
        assert_eq!(of(json!({ status: "changed" })), State::Changed);
        let drift = json!({ status: "changed", "latest_report_corrective_change": true });
        assert_eq!(of(drift), State::Corrected);
        let noop = json!({ status: "unchanged", "latest_report_noop_pending": true });
        assert_eq!(of(noop), State::Pending);
        assert_eq!(of(json!({ status: "unchanged" })), State::Unchanged);
    }

    #[test]
    fn each_name_is_of_one_state() {
        for state in State::ALL {
            assert_eq!(State::named(state.name()), Some(state));
        }
        assert_eq!(State::named("<script>"), None);
    }

    #[test]
    fn ages_follow_each_other() {
        let now = 1_000 * HOUR;
        let hours = [0, 1, 3, 4, 23, 24, 167, 168, 999];
        let ages: Vec<Age> =
            hours.iter().map(|hours| Age::of(now, Some(now - hours * HOUR))).collect();
        use Age::{Day, Hour, Hours, Older, Week};
        assert_eq!(ages, [Hour, Hours, Hours, Day, Day, Week, Week, Older, Older]);
        assert_eq!(Age::of(now, Some(now + HOUR)), Hour);
        assert_eq!(Age::of(now, None), Age::Never);
    }
}
