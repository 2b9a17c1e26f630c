//! Ruby's standard library and Puppet's own classes, as far as modules use them.

pub(crate) mod catalog;
pub(crate) mod data;
pub(crate) mod encode;
pub(crate) mod files;
pub(crate) mod io;
pub(crate) mod ip;
pub(crate) mod math;
pub(crate) mod openssl;
mod parsed;
pub(crate) mod pathname;
pub(crate) mod prelude;
pub(crate) mod puppet;
pub(crate) mod random;
pub(crate) mod regexp;
mod require;
pub(crate) mod resolv;
pub(crate) mod serialize;
pub(crate) mod time;
pub(crate) mod uri;
pub(crate) mod version;

use crate::class::Native;
use crate::value::RubyValue;

/// A predefined class.
#[derive(Clone, Copy)]
pub(crate) struct ClassInfo {
    pub(crate) superclass: &'static str,
    pub(crate) includes: &'static [&'static str],
    pub(crate) is_module: bool,
    pub(crate) native: Native,
}

const fn class(superclass: &'static str, includes: &'static [&'static str]) -> ClassInfo {
    ClassInfo { superclass, includes, is_module: false, native: Native::Builtin }
}

const MODULE: ClassInfo =
    ClassInfo { superclass: "", includes: &[], is_module: true, native: Native::Object };

const fn error(superclass: &'static str) -> ClassInfo {
    ClassInfo { superclass, includes: &[], is_module: false, native: Native::Exception }
}

/// Returns a predefined class by its full name.
#[expect(clippy::too_many_lines, reason = "a table of names")]
pub(crate) fn class_info(path: &str) -> Option<ClassInfo> {
    Some(match path {
        "BasicObject" => class("", &[]),
        "Kernel"
        | "Comparable"
        | "Enumerable"
        | "Math"
        | "JSON"
        | "YAML"
        | "Psych"
        | "Base64"
        | "Digest"
        | "SecureRandom"
        | "Shellwords"
        | "ERB::Util"
        | "Process"
        | "FileTest"
        | "Puppet"
        | "Puppet::Parser"
        | "Puppet::Parser::Functions"
        | "Puppet::Functions"
        | "Puppet::DataTypes"
        | "Puppet::Util"
        | "Puppet::Pops"
        | "Puppet::Pops::Types"
        | "PuppetX"
        | "Puppet::Util::Package"
        | "Puppet::Util::Logging"
        | "Puppet::Pops::Types::TypeCalculator"
        | "PSON"
        | "Puppet::Util::Errors"
        | "Puppet::Pops::Evaluator"
        | "Puppet::Pops::Serialization"
        | "Puppet::Util::Json"
        | "Puppet::Parser::Files"
        | "Puppet::DataBinding"
        | "Puppet::Pops::Lookup"
        | "Puppet::Pops::Lookup::HieraConfig"
        | "Puppet::Pops::PuppetStack"
        | "URI"
        | "Puppet::Pops::Types::Iterable"
        | "CGI"
        | "Errno"
        | "Facter"
        | "FileUtils"
        | "Gem"
        | "OpenSSL"
        | "OpenSSL::KDF"
        | "OpenSSL::PKCS5"
        | "Puppet::FileSystem"
        | "Zlib" => MODULE,
        "Numeric" => class("Object", &["Comparable"]),
        // The first two are other names of `Integer`.
        "Fixnum" | "Bignum" | "Integer" | "Float" => class("Numeric", &[]),
        "String" => class("Object", &["Comparable"]),
        "Symbol" => class("Object", &["Comparable"]),
        "Array" | "Hash" | "Range" | "Struct" | "Set" | "Enumerator" => {
            class("Object", &["Enumerable"])
        }
        "NilClass"
        | "TrueClass"
        | "FalseClass"
        | "Regexp"
        | "MatchData"
        | "Proc"
        | "Method"
        | "Random"
        | "ERB"
        | "Encoding"
        | "IO"
        | "Dir"
        | "Digest::MD5"
        | "Digest::SHA1"
        | "Digest::SHA256"
        | "Digest::SHA384"
        | "Digest::SHA512"
        | "Puppet::Parser::Scope"
        | "Puppet::Parser::TemplateWrapper"
        | "Puppet::Functions::Function"
        | "Puppet::Pops::Types::PSensitiveType"
        | "Puppet::Pops::Types::PSensitiveType::Sensitive"
        | "Puppet::Pops::Types::PAnyType"
        | "Puppet::Resource"
        | "Puppet::Module"
        | "Puppet::Node::Environment"
        | "Puppet::Parser::Resource"
        | "Puppet::Pops::Types::PTypeType"
        | "URI::Generic"
        | "Pathname"
        | "OpenSSL::HMAC"
        | "OpenSSL::Digest"
        | "File::Stat"
        | "Puppet::Parser::Resource::Param"
        | "Puppet::Pops::Types::PBinaryType"
        | "Puppet::Pops::Types::PBinaryType::Binary"
        | "Socket"
        | "Module" => class("Object", &[]),
        "OpenSSL::Digest::MD5"
        | "OpenSSL::Digest::SHA1"
        | "OpenSSL::Digest::SHA224"
        | "OpenSSL::Digest::SHA256"
        | "OpenSSL::Digest::SHA384"
        | "OpenSSL::Digest::SHA512" => class("OpenSSL::Digest", &[]),
        "Time" | "IPAddr" | "Gem::Version" => class("Object", &["Comparable"]),
        "Class" => class("Module", &[]),
        "File" => class("IO", &[]),
        "URI::HTTP" | "URI::LDAP" | "URI::FTP" | "URI::File" => class("URI::Generic", &[]),
        "URI::HTTPS" => class("URI::HTTP", &[]),
        "Puppet::Functions::InternalFunction" | "Puppet::Functions::PuppetFunction" => {
            class("Puppet::Functions::Function", &[])
        }
        other => error(error_above(other)?),
    })
}

/// Returns the superclass of an exception's class.
fn error_above(path: &str) -> Option<&'static str> {
    Some(match path {
        "Exception" => "Object",
        "ScriptError" | "StandardError" | "NoMemoryError" | "SecurityError" | "SystemExit"
        | "SystemStackError" | "SignalException" => "Exception",
        "Interrupt" => "SignalException",
        "LoadError" | "NotImplementedError" | "SyntaxError" => "ScriptError",
        "ArgumentError"
        | "EncodingError"
        | "FiberError"
        | "IOError"
        | "IndexError"
        | "LocalJumpError"
        | "NameError"
        | "RangeError"
        | "RegexpError"
        | "RuntimeError"
        | "ThreadError"
        | "TypeError"
        | "ZeroDivisionError"
        | "SystemCallError"
        | "JSON::JSONError"
        | "URI::Error"
        | "Psych::Exception"
        | "Resolv::ResolvError"
        | "SocketError"
        | "OpenSSL::OpenSSLError" => "StandardError",
        "Resolv::ResolvTimeout" => "Timeout::Error",
        "UncaughtThrowError" | "IPAddr::Error" | "Math::DomainError" => "ArgumentError",
        "EOFError" => "IOError",
        "KeyError" | "StopIteration" => "IndexError",
        "NoMethodError" => "NameError",
        "FloatDomainError" => "RangeError",
        "FrozenError" | "Puppet::Error" | "Timeout::Error" => "RuntimeError",
        "JSON::ParserError" | "JSON::GeneratorError" => "JSON::JSONError",
        "JSON::NestingError" => "JSON::ParserError",
        "IPAddr::InvalidAddressError" | "IPAddr::AddressFamilyError" => "IPAddr::Error",
        "IPAddr::InvalidPrefixError" => "IPAddr::InvalidAddressError",
        "URI::InvalidURIError" | "URI::InvalidComponentError" | "URI::BadURIError" => "URI::Error",
        "Psych::SyntaxError" | "Psych::DisallowedClass" | "Psych::BadAlias" => "Psych::Exception",
        "Errno::ENOENT" | "Errno::EACCES" | "Errno::ERANGE" | "Errno::EINVAL" => "SystemCallError",
        "Puppet::ParseError"
        | "Puppet::DevError"
        | "Puppet::ResourceError"
        | "Puppet::ExecutionFailure"
        | "Puppet::MissingCommand"
        | "Puppet::Util::Execution::ExecutionFailure" => "Puppet::Error",
        "Puppet::ParseErrorWithIssue" | "Puppet::PreformattedError" => "Puppet::ParseError",
        "Puppet::DataBinding::LookupError" => "Puppet::PreformattedError",
        _ => return None,
    })
}

/// Returns a predefined constant that is no class.
pub(crate) fn constant_value(path: &str) -> Option<RubyValue> {
    Some(match path {
        "RUBY_VERSION" => RubyValue::frozen_str("3.1.2"),
        "RUBY_ENGINE" => RubyValue::frozen_str("ruby"),
        "RUBY_PLATFORM" => RubyValue::frozen_str("x86_64-linux-gnu"),
        "Float::INFINITY" => RubyValue::Float(f64::INFINITY),
        "Float::NAN" => RubyValue::Float(f64::NAN),
        "Float::EPSILON" => RubyValue::Float(f64::EPSILON),
        "Float::MAX" => RubyValue::Float(f64::MAX),
        "Float::MIN" => RubyValue::Float(f64::MIN_POSITIVE),
        "Float::DIG" => RubyValue::Int(15),
        "Socket::AF_UNSPEC" | "Socket::PF_UNSPEC" => RubyValue::Int(0),
        "Socket::AF_UNIX" | "Socket::PF_UNIX" => RubyValue::Int(1),
        "Socket::AF_INET" | "Socket::PF_INET" => RubyValue::Int(2),
        "Socket::AF_INET6" | "Socket::PF_INET6" => RubyValue::Int(10),
        "Socket::SOCK_STREAM" => RubyValue::Int(1),
        "Socket::SOCK_DGRAM" => RubyValue::Int(2),
        "Math::PI" => RubyValue::Float(std::f64::consts::PI),
        "Math::E" => RubyValue::Float(std::f64::consts::E),
        "Regexp::IGNORECASE" => RubyValue::Int(1),
        "Regexp::EXTENDED" => RubyValue::Int(2),
        "Regexp::MULTILINE" => RubyValue::Int(4),
        "File::SEPARATOR" | "File::Separator" => RubyValue::frozen_str("/"),
        "File::PATH_SEPARATOR" => RubyValue::frozen_str(":"),
        "File::ALT_SEPARATOR" => RubyValue::Nil,
        "Psych::VERSION" => RubyValue::frozen_str("4.0.3"),
        _ => return resolv::expression(path),
    })
}

/// Returns true if Ruby or Puppet has this constant; asked for those that the interpreter lacks.
pub(crate) fn exists_in_ruby(path: &str) -> bool {
    let first = path.split("::").next().unwrap_or_default();
    crate::names::is_constant(first)
        || matches!(first, "Puppet" | "PuppetX" | "Facter" | "Hiera" | "Hocon")
}

/// Returns true if a file is part of Ruby's library, which is always loaded here.
#[expect(clippy::too_many_lines, reason = "a table of names")]
pub(crate) fn is_library(name: &str) -> bool {
    matches!(
        name,
        "json"
            | "yaml"
            | "set"
            | "ipaddr"
            | "uri"
            | "time"
            | "date"
            | "erb"
            | "digest"
            | "digest/md5"
            | "digest/sha1"
            | "digest/sha2"
            | "base64"
            | "shellwords"
            | "securerandom"
            | "puppet"
            | "ostruct"
            | "cgi"
            | "psych"
            | "strscan"
            | "tempfile"
            | "fileutils"
            | "openssl"
            | "pathname"
            | "timeout"
            | "English"
            | "rubygems"
            | "puppet/util"
            | "puppet/parser/functions"
            | "puppet/functions"
            | "puppet/parser/files"
            | "puppet/util/errors"
            | "puppet/util/execution"
            | "puppet/parser/scope"
            | "puppet/module"
            | "puppet/resource"
            | "enumerator"
            | "puppet/util/package"
            | "puppet/util/json"
            | "puppet/pops"
            | "puppet/error"
            | "puppet/util/logging"
            | "puppet/file_system"
            | "puppet/parser"
            | "puppet/node"
            | "open-uri"
            | "net/http"
            | "etc"
            | "socket"
            | "resolv"
            | "open3"
            | "pp"
            | "bigdecimal"
            | "ripper"
            | "zlib"
            | "stringio"
            | "net/ftp"
            | "net/https"
            | "net/smtp"
            | "tmpdir"
            | "find"
            | "logger"
            | "forwardable"
            | "singleton"
            | "delegate"
            | "observer"
            | "benchmark"
            | "monitor"
            | "optparse"
            | "rexml/document"
            | "racc/parser"
            | "io/console"
            | "pstore"
            | "puppet/util/symbolic_file_mode"
            | "puppet/parameter/boolean"
            | "puppet/util/windows"
            | "puppet/network/http_pool"
            | "puppet/pops/types/types"
            | "semantic_puppet"
            | "facter"
            | "hiera"
            | "syslog"
    )
}
