//! The registry of Ruby's own methods, by class.
//!
//! It is built once per process. The evaluator looks up methods that the code does not define itself, and `judge` looks up
//! names.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;

use ecow::EcoString;
use foldhash::fast::FixedState;
use kukla_pcore::Value;
use kukla_regex::Regex;
use kukla_rubytext::BigInt;

use super::kernel::{self, Caller};
use super::table::{Builtin, Table};
use super::{
    array, array_change, array_combine, big, bytes, class, comparable, constructors,
    enumerable_all, enumerable_groups, enumerable_order, enumerable_some, enumerator, exception,
    float, hash, hash_change, hash_select, integer, module, object, proc, puppet, range, regexp,
    scalar, scope, set, string, string_change, string_convert, string_index, string_match,
    string_set, structs,
};
use crate::class::{Class, Object};
use crate::library::{
    catalog, encode, files, io, ip, math, openssl, pathname, puppet as puppet_modules, random,
    regexp as regexp_class, resolv, serialize, time, uri, version,
};
use crate::read::tree::Name;
use crate::value::{List, Map, Match, Proc, Range, RubyValue, Str};
use crate::{data_type, function};

/// The methods of every kind of receiver.
pub(crate) struct Registry {
    pub(super) nil: Table<()>,
    pub(super) bool: Table<bool>,
    pub(super) integer: Table<i64>,
    pub(super) big: Table<Rc<BigInt>>,
    pub(super) float: Table<f64>,
    pub(super) symbol: Table<Name>,
    pub(super) string: Table<Rc<Str>>,
    pub(super) bytes: Table<Rc<[u8]>>,
    pub(super) array: Table<Rc<List>>,
    pub(super) hash: Table<Rc<Map>>,
    pub(super) range: Table<Rc<Range>>,
    pub(super) regexp: Table<Rc<Regex>>,
    pub(super) match_data: Table<Rc<Match>>,
    pub(super) proc: Table<Rc<Proc>>,
    /// Methods that all classes and modules have.
    pub(super) class: Table<Rc<Class>>,
    /// Methods that one class or module has for itself, by its full name.
    pub(super) singletons: HashMap<&'static str, Table<Rc<Class>>, FixedState>,
    pub(super) puppet: Table<Rc<Value>>,
    pub(super) object: Table<RubyValue>,
    pub(super) comparable: Table<RubyValue>,
    pub(super) enumerable: Table<RubyValue>,
    pub(super) enumerator: Table<Rc<Object>>,
    pub(super) exception: Table<Rc<Object>>,
    pub(super) structs: Table<Rc<Object>>,
    pub(super) set: Table<Rc<Object>>,
    pub(super) random: Table<Rc<Object>>,
    pub(super) path: Table<EcoString>,
    pub(super) digest: Table<Rc<Object>>,
    pub(super) file: Table<Rc<Object>>,
    pub(super) file_status: Table<u32>,
    pub(super) param: Table<(Name, RubyValue)>,
    pub(super) module: Table<Rc<(EcoString, String)>>,
    pub(super) ip: Table<ip::Ip>,
    pub(super) uri: Table<uri::Uri>,
    pub(super) time: Table<time::Time>,
    pub(super) version: Table<EcoString>,
    pub(super) resource: Table<Rc<Map>>,
    pub(super) scope: Table<()>,
    pub(super) template: Table<()>,
    pub(super) catalog: Table<()>,
    pub(super) compiler: Table<()>,
    pub(super) environment: Table<()>,
    pub(super) autoloader: Table<()>,
    pub(super) settings: Table<()>,
    pub(super) main: Table<()>,
    pub(super) dispatch: Table<()>,
    pub(super) data_type: Table<()>,
    /// Functions that are called without a receiver.
    pub(super) kernel: Table<Caller>,
    /// The names in all tables.
    names: HashSet<&'static str, FixedState>,
}

/// Returns the registry.
#[inline]
pub(crate) fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);
    &REGISTRY
}

type Rows<T> = &'static [Builtin<T>];

/// Names that the evaluator itself implements, and no table has.
const EVALUATOR_NAMES: &[&str] = &["initialize", "super"];

impl Registry {
    fn new() -> Self {
        let mut build = Builder { names: EVALUATOR_NAMES.iter().copied().collect() };
        let object: Rows<RubyValue> = object::METHODS;
        let comparable: Rows<RubyValue> = comparable::METHODS;
        let (all, some) = (enumerable_all::METHODS, enumerable_some::METHODS);
        let (groups, order) = (enumerable_groups::METHODS, enumerable_order::METHODS);
        let collection = [all, some, groups, order, object];
        let ordered = [comparable, object];
        Self {
            nil: build.table(&[scalar::NIL], &[object]),
            bool: build.table(&[scalar::BOOL], &[object]),
            integer: build.table(&[integer::METHODS], &ordered),
            big: build.table(&[big::METHODS], &ordered),
            float: build.table(&[float::METHODS], &ordered),
            symbol: build.table(&[scalar::SYMBOL], &ordered),
            string: build.table(
                &[
                    string::METHODS,
                    string_change::METHODS,
                    string_convert::METHODS,
                    string_index::METHODS,
                    string_match::METHODS,
                    string_set::METHODS,
                ],
                &ordered,
            ),
            bytes: build.table(&[bytes::METHODS], &[]),
            array: build.table(
                &[array::METHODS, array_combine::METHODS, array_change::METHODS],
                &collection,
            ),
            hash: build
                .table(&[hash::METHODS, hash_select::METHODS, hash_change::METHODS], &collection),
            range: build.table(&[range::METHODS], &collection),
            regexp: build.table(&[regexp::METHODS], &[object]),
            match_data: build.table(&[regexp::MATCH], &[object]),
            proc: build.table(&[proc::METHODS], &[object]),
            class: build
                .table(&[module::METHODS, class::METHODS, function::DECLARATIONS], &[object]),
            singletons: singletons(&mut build),
            puppet: build.table(&[puppet::METHODS], &[object]),
            object: build.table(&[object], &[]),
            comparable: build.table(&[comparable], &[]),
            enumerable: build.table(&[all, some, groups, order], &[]),
            enumerator: build.table(&[enumerator::METHODS], &collection),
            exception: build.table(&[exception::METHODS], &[object]),
            structs: build.table(&[structs::METHODS], &[object]),
            set: build.table(&[set::METHODS], &collection),
            random: build.table(&[random::METHODS], &[]),
            path: build.table(&[pathname::METHODS], &[]),
            digest: build.table(&[openssl::METHODS], &[]),
            file: build.table(&[io::METHODS], &[]),
            file_status: build.table(&[io::STATUS], &[]),
            param: build.table(&[catalog::PARAM], &[]),
            module: build.table(&[puppet_modules::MODULE], &[]),
            ip: build.table(&[ip::METHODS], &[]),
            uri: build.table(&[uri::METHODS], &[]),
            time: build.table(&[time::METHODS], &[]),
            version: build.table(&[version::METHODS], &[]),
            resource: build.table(&[catalog::RESOURCE], &[]),
            scope: build.table(&[scope::SCOPE, scope::SCOPE_LOGGING], &[]),
            template: build.table(&[scope::TEMPLATE, scope::TEMPLATE_LOGGING], &[]),
            catalog: build.table(&[catalog::CATALOG], &[]),
            compiler: build.table(&[scope::COMPILER, catalog::COMPILER], &[]),
            environment: build.table(&[scope::ENVIRONMENT], &[]),
            autoloader: build.table(&[scope::AUTOLOADER], &[]),
            settings: build.table(&[puppet_modules::SETTINGS], &[]),
            main: build.table(&[scope::MAIN], &[]),
            dispatch: build.table(&[function::DISPATCH], &[]),
            data_type: build.table(&[data_type::DESCRIPTION], &[]),
            kernel: build.table(&[kernel::FUNCTIONS, puppet::FUNCTIONS], &[]),
            names: build.names,
        }
    }

    /// Returns whether any class of ours has a method of that name, for its instances or for itself.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        name.starts_with("function_") || self.names.contains(name)
    }
}

/// Makes tables, and remembers the names in them.
struct Builder {
    names: HashSet<&'static str, FixedState>,
}

impl Builder {
    fn table<T>(&mut self, own: &[Rows<T>], above: &[Rows<RubyValue>]) -> Table<T> {
        let table = Table::new(own, above);
        self.names.extend(table.names());
        table
    }
}

/// The methods that classes and modules have for themselves.
fn singletons(build: &mut Builder) -> HashMap<&'static str, Table<Rc<Class>>, FixedState> {
    let rows: &[(&[&'static str], Rows<Rc<Class>>)] = &[
        (&["BasicObject"], constructors::BASIC_OBJECT),
        (&["String"], constructors::STRING),
        (&["Array"], constructors::ARRAY),
        (&["Hash"], constructors::HASH),
        (&["Range"], constructors::RANGE),
        (&["Integer"], constructors::INTEGER),
        (&["Proc"], constructors::PROC),
        (&["Class"], constructors::CLASS),
        (&["Module"], constructors::MODULE),
        (&["Struct"], structs::CLASS),
        (&["Set"], set::CLASS),
        (&["File", "Dir", "IO", "FileTest"], files::METHODS),
        (&["JSON", "PSON", "Puppet::Util::Json"], serialize::JSON),
        (&["YAML", "Psych"], serialize::YAML),
        (&["Regexp"], regexp_class::REGEXP),
        (&["Math"], math::METHODS),
        (&["Base64"], encode::BASE64),
        (
            &["Digest::MD5", "Digest::SHA1", "Digest::SHA256", "Digest::SHA384", "Digest::SHA512"],
            openssl::DIGEST,
        ),
        (
            &[
                "OpenSSL::Digest",
                "OpenSSL::Digest::MD5",
                "OpenSSL::Digest::SHA1",
                "OpenSSL::Digest::SHA224",
                "OpenSSL::Digest::SHA256",
                "OpenSSL::Digest::SHA384",
                "OpenSSL::Digest::SHA512",
            ],
            openssl::DIGEST,
        ),
        (&["OpenSSL::HMAC"], openssl::HMAC),
        (&["OpenSSL::KDF"], openssl::KDF),
        (&["OpenSSL::PKCS5"], openssl::PKCS5),
        (&["OpenSSL"], openssl::OPENSSL),
        (&["Pathname"], pathname::CLASS),
        (&["Zlib"], openssl::ZLIB),
        (&["FileUtils"], files::UTILS),
        (&["Puppet::FileSystem"], files::FILE_SYSTEM),
        (&["Puppet::Module"], puppet_modules::MODULES),
        (&["Puppet::Pops::Types::PBinaryType::Binary"], puppet_modules::BINARY),
        (&["Shellwords"], encode::SHELLWORDS),
        (&["ERB::Util", "CGI"], encode::ESCAPES),
        (&["URI"], uri::CLASS),
        (&["Time"], time::CLASS),
        (&["IPAddr"], ip::CLASS),
        (&["Gem::Version"], version::CLASS),
        (&["SecureRandom"], random::SECURE),
        (&["Random"], random::CLASS),
        (&["Resolv::DNS"], resolv::DNS),
        (&["Puppet"], puppet_modules::PUPPET),
        (&["Puppet::Util"], puppet_modules::UTIL),
        (&["Puppet::Util::Package"], puppet_modules::PACKAGE),
        (&["Puppet::Pops::PuppetStack"], puppet_modules::STACK),
        (&["Puppet::Pops::Lookup::HieraConfig"], puppet_modules::HIERA_CONFIG),
        (&["Puppet::Parser::Functions"], puppet_modules::FUNCTIONS),
        (&["Puppet::Parser::Files"], puppet_modules::FILES),
        (&["Puppet::Functions"], puppet_modules::NEW_FUNCTIONS),
        (&["Puppet::DataTypes"], puppet_modules::DATA_TYPES),
        (&["Puppet::Pops::Types::PSensitiveType::Sensitive"], puppet_modules::SENSITIVE),
    ];
    let mut tables = HashMap::default();
    for (classes, rows) in rows {
        for class in *classes {
            tables.insert(*class, build.table(&[*rows], &[]));
        }
    }
    tables
}
