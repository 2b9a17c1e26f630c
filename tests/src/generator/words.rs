//! Names and keywords.

use super::Writer;
use super::random::Random;

/// Keywords, which are names in some places.
pub(super) const KEYWORDS: &[&str] = &[
    "and",
    "case",
    "class",
    "default",
    "define",
    "else",
    "elsif",
    "if",
    "in",
    "inherits",
    "node",
    "or",
    "undef",
    "unless",
    "type",
    "attr",
    "function",
    "private",
    "plan",
    "apply",
    "application",
    "site",
    "consumes",
    "produces",
    "environment",
    "import",
    "component",
];

const NAMES: &[&str] = &[
    "a",
    "b",
    "foo",
    "bar_baz",
    "x1",
    "apache",
    "apache::vhost",
    "a::b::c",
    "::top",
    "::top::x",
    "nginx",
    "notify",
    "file",
    "ensure",
    "title",
    "name",
    "x_y::z_1",
];

/// Words that are almost names.
const ODD_NAMES: &[&str] =
    &["é", "_under", "_x::y", "true", "A", "a::", "a:b", "Foo::bar", "9x", "a--b"];

/// Functions that take arguments without parentheses.
pub(super) const STATEMENTS: &[&str] = &[
    "notice", "include", "fail", "require", "contain", "realize", "tag", "warning", "debug", "err",
    "info",
];

const FUNCTIONS: &[&str] = &[
    "notice",
    "include",
    "fail",
    "require",
    "contain",
    "realize",
    "tag",
    "warning",
    "debug",
    "foo",
    "stdlib::merge",
    "each",
    "map",
    "lookup",
    "break",
    "next",
    "return",
    "err",
    "info",
    "create_resources",
];

const VARIABLES: &[&str] = &[
    "$a",
    "$b",
    "$foo",
    "$_x",
    "$x1",
    "$::top",
    "$a::b",
    "$::a::b::c",
    "$facts",
    "$0",
    "$1",
    "$12",
    "$trusted",
    "$title",
    "$name",
    "$var_name",
    "$if",
    "$a_1::b_2",
];

const TYPES: &[&str] = &[
    "Integer",
    "String",
    "Foo",
    "Foo::Bar",
    "File",
    "::Foo",
    "Any",
    "Array",
    "Hash",
    "Optional",
    "Class",
    "Resource",
    "Apache::Vhost",
    "Notify",
    "Enum",
    "Pattern",
    "Sensitive",
    "Type",
];

const RESOURCE_TYPES: &[&str] =
    &["file", "notify", "package", "service", "apache::vhost", "::foo", "exec", "user", "foo::bar"];

const FILES: &[&str] = &[
    "apache/manifests/init.pp",
    "apache/manifests/vhost.pp",
    "foo/manifests/bar.pp",
    "apache/functions/f.pp",
    "apache/types/t.pp",
    "apache/lib/x.pp",
    "foo/plans/init.pp",
];

/// Returns the path of a program below the module path, if it has one.
pub(super) fn file(random: &mut Random) -> Option<String> {
    random.chance(6).then(|| random.pick(FILES).to_owned())
}

impl Writer {
    pub(super) fn name(&mut self) {
        self.put_or(NAMES, ODD_NAMES);
    }

    pub(super) fn function_name(&mut self) {
        self.put_one(FUNCTIONS);
    }

    pub(super) fn variable(&mut self) {
        self.put_one(VARIABLES);
    }

    pub(super) fn type_name(&mut self) {
        self.put_one(TYPES);
    }

    pub(super) fn resource_type(&mut self) {
        self.put_one(RESOURCE_TYPES);
    }

    /// Writes the name of a definition.
    pub(super) fn definition_name(&mut self) {
        match self.random.below(30) {
            0 if self.odd => self.put_one(KEYWORDS),
            2..=4 if self.loose => {
                self.put_one(&["Foo", "::x", "foo::_y", "a::B", "_z", "init", "main"])
            }
            1 if self.odd => {
                self.put_one(&["Foo", "'foo'", "foo-bar", "9a", "::x", "_y", "default", "\"x\""])
            }
            _ => {
                self.put_one(&["a", "foo", "apache", "apache::vhost", "foo::bar", "x_1", "x::y::z"])
            }
        }
    }

    /// Writes a name or keyword, as the left side of `=>` in a resource.
    pub(super) fn attribute_name(&mut self) {
        match self.random.below(10) {
            0 => self.put_one(KEYWORDS),
            _ => self.put_one(&["ensure", "mode", "owner", "message", "require", "x_1", "content"]),
        }
    }
}
