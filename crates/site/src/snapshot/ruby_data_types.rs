//! Data types that modules define in Ruby, below `lib/puppet/datatypes`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_base::Symbol;
use kukla_compiler::issues::{self, Issue};
use kukla_compiler::{FunctionRef, InlineMethod, RubyFunction};
use kukla_ruby::{DataTypeError, DataTypeText, FunctionFile};
use kukla_world::{Record, World};

use super::Snapshot;
use super::ruby::RubyFiles;

impl Snapshot {
    /// Returns the file in Ruby that is to define a type; the name is in lower case.
    pub(crate) fn ruby_type_path(&self, key: &str, record: &Record) -> Option<PathBuf> {
        let (module, _) = key.split_once("::")?;
        let root = &self.module(module, record)?.path;
        let file = format!("lib/puppet/datatypes/{}.rb", key.replace("::", "/"));
        let path = root.join(file);
        self.recording(record).is_file(&path.to_string_lossy()).then_some(path)
    }

    /// Reads a type and the methods of its objects.
    pub(crate) fn read_ruby_type(
        &self,
        path: &Path,
        record: &Record,
    ) -> Result<(FunctionFile, DataTypeText), Issue> {
        let path = path.to_string_lossy();
        let text = self.recording(record).read_text(&path);
        let text = text.map_err(|error| issues::unreadable_file(format!("{error} - {path}")))?;
        if !text.contains("Puppet::DataTypes.create_type") {
            return Err(issues::no_ruby_type(&path));
        }
        FunctionFile::read_type(&path, &text, &mut RubyFiles(self, record)).map_err(|error| {
            match error {
                DataTypeError::Raised(message) => issues::ruby_type_error(message),
                DataTypeError::Unsupported(unsupported) => issues::ruby_type_error(format!(
                    "the data type of {path} can't be read: {unsupported}"
                )),
            }
        })
    }

    /// Returns the method of a type that is defined in Ruby.
    pub(crate) fn ruby_method(
        &self,
        type_: &str,
        name: Symbol,
        record: &Record,
    ) -> Option<FunctionRef> {
        let path = self.ruby_type_path(&type_.to_lowercase(), record)?;
        let (file, _) = self.read_ruby_type(&path, record).ok()?;
        Some(FunctionRef::Foreign(Arc::new(RubyFunction::new(name, Arc::new(file))?)))
    }
    /// Returns the method whose body is a text.
    pub(crate) fn ruby_method_of_text(&self, method: &InlineMethod<'_>) -> Option<FunctionRef> {
        let InlineMethod { name, parameters, body, attributes } = method;
        let text = format!(
            "Puppet::DataTypes.create_type('Inline') do\n  interface '{attributes}'\n  \
             implementation do\n    def {name}({parameters})\n      {body}\n    end\n  end\nend\n"
        );
        let files = &mut RubyFiles(self, &Record::off());
        let (file, _) = FunctionFile::read_type("(annotation)", &text, files).ok()?;
        Some(FunctionRef::Foreign(Arc::new(RubyFunction::new(*name, Arc::new(file))?)))
    }
}
