//! Order and limit.

use super::super::entities::{Field, Type};
use super::super::tree::Select;
use super::Writer;

impl Writer {
    /// Writes `ORDER BY`, `LIMIT` and `OFFSET`. Numbers were checked to be numbers, so they are written out.
    pub(super) fn paging(&mut self, select: &Select) {
        self.order(select);
        let paging = &select.paging;
        match (paging.limit, self.is_sqlite() && paging.offset.is_some()) {
            (Some(limit), _) => self.push(&format!(" LIMIT {limit}")),
            (None, true) => self.push(" LIMIT -1"),
            (None, false) => (),
        }
        if let Some(offset) = paging.offset {
            self.push(&format!(" OFFSET {offset}"));
        }
    }

    /// Writes `ORDER BY`.
    pub(super) fn order(&mut self, select: &Select) {
        let order = select.paging.order.iter();
        let fields = order
            .filter_map(|(name, is_descending)| Some((select.entity.field(name)?, *is_descending)));
        for (n, (field, is_descending)) in fields.enumerate() {
            self.push(if n == 0 { " ORDER BY " } else { ", " });
            self.key(field);
            self.push(if is_descending { " DESC NULLS FIRST" } else { " NULLS LAST" });
        }
    }

    /// Writes what a field is ordered by: texts by their bytes, JSON as `jsonb`, places by their components.
    fn key(&mut self, field: &Field) {
        let column = field.column.of(self.dialect);
        let written = match (field.type_, self.is_sqlite()) {
            (Type::Text, false) => format!("{column} COLLATE \"C\""),
            (Type::EncodedPath, true) => format!("encoded_path({column})"),
            (Type::EncodedPath, false) => format!("{} COLLATE \"C\"", encoded(column)),
            (Type::Path | Type::Texts, true) => format!("{column} COLLATE PLACES"),
            (Type::Path, false) => {
                format!("ARRAY(SELECT jsonb_array_elements_text({column}::jsonb)) COLLATE \"C\"")
            }
            (
                Type::Value | Type::ValueText | Type::Facts | Type::Parameters | Type::Document,
                true,
            ) => format!("{column} COLLATE JSONB"),
            _ => column.to_owned(),
        };
        self.push(&written);
    }
}

/// Returns the expression of PostgreSQL for a place as PuppetDB keeps it: `os#~name`, with quotes around digits.
pub(super) fn encoded(column: &str) -> String {
    format!(
        "(SELECT string_agg(CASE WHEN jsonb_typeof(e) = 'string' AND e #>> '{{}}' !~ '^[0-9]+$' \
         THEN e #>> '{{}}' ELSE e::text END, '#~') FROM jsonb_array_elements({column}::jsonb) e)"
    )
}
