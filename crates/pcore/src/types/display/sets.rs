//! Type sets as text.

use std::fmt;
use std::sync::Arc;

use super::super::{TypeSet, TypeSetBody, TypeSetReference};
use super::Printer;
use super::objects::Entries;
use crate::{Hash, Value};

impl Printer<'_> {
    pub(super) fn type_set(&mut self, set: &Arc<TypeSet>) -> fmt::Result {
        let empty = TypeSetBody::default();
        let body = set.body().unwrap_or(&empty);
        let mut entries = Entries { count: 0 };
        self.out.write_str("TypeSet[{")?;
        if let Some(annotations) = &body.annotations {
            entries.next(self, "annotations")?;
            self.value(annotations)?;
        }
        let text = |text: &Option<_>| text.clone().map(Value::String);
        let texts = [
            ("pcore_uri", text(&body.pcore_uri)),
            ("pcore_version", Some(body.pcore_version.clone().into())),
            ("name_authority", text(&set.name_authority)),
            ("name", Some(text(&set.name).unwrap_or_default())),
            ("version", text(&body.version)),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                entries.next(self, key)?;
                self.value(&text)?;
            }
        }
        self.types_of(set, &mut entries)?;
        self.references(set, &mut entries)?;
        self.out.write_str("}]")
    }

    fn types_of(&mut self, set: &Arc<TypeSet>, entries: &mut Entries) -> fmt::Result {
        if set.types().is_empty() {
            return Ok(());
        }
        entries.next(self, "types")?;
        let around = self.set.replace(Arc::clone(set));
        self.out.write_char('{')?;
        for (index, (name, type_)) in set.types().iter().enumerate() {
            self.comma(index)?;
            write!(self.out, "{name} => ")?;
            self.type_(type_)?;
        }
        self.set = around;
        self.out.write_char('}')
    }

    fn references(&mut self, set: &TypeSet, entries: &mut Entries) -> fmt::Result {
        if set.references().is_empty() {
            return Ok(());
        }
        entries.next(self, "references")?;
        self.out.write_char('{')?;
        for (index, (alias, reference)) in set.references().iter().enumerate() {
            self.comma(index)?;
            write!(self.out, "{alias} => ")?;
            self.hash(&reference_hash(set, reference))?;
        }
        self.out.write_char('}')
    }
}

fn reference_hash(set: &TypeSet, reference: &TypeSetReference) -> Hash {
    let mut hash = Hash::new();
    if let Some(annotations) = &reference.annotations {
        hash.insert("annotations".into(), annotations.clone());
    }
    if let Some(authority) = &reference.name_authority
        && reference.name_authority != set.name_authority
    {
        hash.insert("name_authority".into(), authority.clone().into());
    }
    hash.insert("name".into(), reference.name.clone().into());
    hash.insert("version_range".into(), reference.version_range.to_string().into());
    hash
}
