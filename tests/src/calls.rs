//! Generated calls of stdlib's functions, for both generations of the module.
//!
//! Most arguments are of a kind that the function takes, some are not. Nothing here predicts the result: real Puppet
//! with the real module does.

use std::path::Path;

use kukla_stdlib::module::{self, File};

use crate::eval::Modules;
use crate::generator::Random;

/// Functions whose value changes from call to call, or that need a catalog or files.
const LEFT_OUT: &str = "assert_private private defined_with_params getparam ensure_resource ensure_resources \
    ensure_packages stdlib::ensure_packages stdlib::str2resource pry glob time stdlib::time shuffle \
    load_module_metadata get_module_path loadjson loadyaml validate_cmd str2saltedsha512 validate_augeas \
    validate_x509_rsa_key_pair stdlib::deferrable_epp";

/// Returns the functions that are called.
pub fn names(modules: Modules) -> Vec<&'static str> {
    let left_out: Vec<&str> = LEFT_OUT.split_whitespace().collect();
    let all = module::functions(modules.generation()).into_iter().map(|row| row.name);
    all.filter(|name| !left_out.contains(name)).collect()
}

/// Returns files of the module with functions that have no native version; functions with the names of built-in ones,
/// and old files beside new ones, need none.
pub fn not_native(modules: Modules) -> Vec<String> {
    let path = modules.path().and_then(|path| path.into_iter().next()).unwrap_or_default();
    let root = Path::new(&path).join("stdlib");
    let built_in =
        |name: &str| kukla_stdlib::BUILT_IN.iter().copied().flatten().any(|row| row.name == name);
    let places = [
        ("lib/puppet/functions", "", File::New),
        ("lib/puppet/functions/stdlib", "stdlib::", File::New),
        ("functions", "stdlib::", File::Puppet),
        ("lib/puppet/parser/functions", "", File::Old),
    ];
    let mut names = Vec::new();
    for (folder, prefix, file) in places {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| path.is_file());
        for stem in paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())) {
            let name = format!("{prefix}{stem}");
            let is_known = module::find(&name, file, modules.generation()).is_some()
                || file == File::Old
                    && module::find(&name, File::New, modules.generation()).is_some();
            if !is_known && !built_in(&name) {
                names.push(name);
            }
        }
    }
    names.sort();
    names
}

/// Returns the call of a seed.
pub fn call(seed: u64, names: &[&str]) -> String {
    let mut random = Random::new(seed);
    let name = names[random.below(names.len())];
    let hints = hints(name.trim_start_matches("stdlib::"));
    let n = match hints.len() {
        0 => random.below(4),
        n if random.chance(85) => random.between(least(name).min(n), n),
        n => random.below(n + 2),
    };
    let arguments: Vec<String> = (0..n)
        .map(|at| match hints.get(at) {
            Some(kind) if random.chance(85) => argument(kind, &mut random),
            _ => argument(random.pick(KINDS), &mut random),
        })
        .collect();
    let block = match name {
        "stdlib::sort_by" => " |$x| { $x }",
        "merge" | "stdlib::merge" if random.chance(15) => " |$m, $x| { { $x => 1 } }",
        "stdlib::rewrap_sensitive_data" if random.chance(50) => " |$x| { [$x] }",
        _ => "",
    };
    // The value of a check is of no use, and Puppet can't show some of them.
    let end = if name.starts_with("validate_") { "\n0" } else { "" };
    format!("{name}({}){block}{end}", arguments.join(", "))
}

/// All kinds of arguments.
const KINDS: &[&str] = &[
    "any",
    "text",
    "path",
    "number",
    "integer",
    "boolean",
    "array",
    "texts",
    "hash",
    "deep",
    "type",
    "regexp",
    "json",
    "yaml",
    "address",
    "domain",
    "bytes",
    "shell",
    "charset",
    "bounds",
    "check",
    "range",
    "version",
    "sprintf",
    "toml",
    "method",
    "salt",
    "algorithm",
    "fact",
];

/// Returns the kinds of arguments that a function takes, as many as it can use.
fn hints(name: &str) -> Vec<&'static str> {
    let row = HINTS.iter().find(|(names, _)| names.split(' ').any(|known| known == name));
    row.map_or_else(Vec::new, |(_, kinds)| kinds.split(' ').collect())
}

/// Names of functions, and the kinds of their arguments.
const HINTS: &[(&str, &str)] = &[
    (
        "any2array any2bool is_array is_bool is_hash is_float is_integer is_numeric is_string type_of type3x to_json to_python to_ruby rewrap_sensitive_data crc32 sha256 bool2num num2bool",
        "any",
    ),
    ("str2bool swapcase regexpescape uriescape dos2unix unix2dos fqdn_uuid xml_encode", "text"),
    (
        "enclose_ipv6 is_ip_address is_ipv4_address is_ipv6_address validate_ip_address validate_ipv4_address validate_ipv6_address has_ip_address has_ip_network",
        "address address",
    ),
    ("ip_in_range", "address address"),
    ("bool2str", "boolean text text"),
    ("clamp", "number number number"),
    ("concat union zip difference intersection", "array array array"),
    ("convert_base", "integer bounds"),
    ("count member delete delete_values", "array any"),
    ("delete_at", "array integer any"),
    ("delete_regex grep reject", "texts regexp"),
    ("delete_undef_values reverse hash", "array"),
    ("dig44", "deep texts any"),
    ("try_get_value", "deep path any text"),
    ("dirname extname is_absolute_path validate_absolute_path", "path"),
    ("basename", "path text"),
    ("base64", "method text charset"),
    ("batch_escape powershell_escape shell_escape shell_split", "shell"),
    ("shell_join", "texts"),
    ("deep_merge merge", "deep deep deep"),
    ("deprecation", "text text boolean"),
    ("ensure", "boolean check"),
    ("fact", "fact"),
    ("fqdn_rand_string seeded_rand_string", "integer charset text"),
    ("fqdn_rotate", "array text"),
    ("seeded_rand", "integer text"),
    ("has_function is_function_available", "check"),
    ("has_interface_with", "check address"),
    ("has_key", "hash text"),
    ("is_a", "any type"),
    ("is_domain_name validate_domain_name", "domain domain"),
    ("is_email_address validate_email_address", "domain domain"),
    ("is_mac_address", "address"),
    ("join_keys_to_values", "hash text"),
    ("nested_values", "deep"),
    ("os_version_gte", "text version"),
    ("parsehocon", "toml any"),
    ("parsejson parsepson", "json any"),
    ("parseyaml", "yaml any"),
    ("pick pick_default", "any any any"),
    ("prefix suffix", "texts text"),
    ("pw_hash", "text algorithm salt"),
    ("range", "range range integer"),
    ("sort_by", "array"),
    ("sprintf_hash", "sprintf hash"),
    ("squeeze", "text text"),
    ("start_with end_with", "text texts"),
    ("str2saltedpbkdf2", "text salt integer"),
    ("to_bytes", "bytes"),
    ("to_json_pretty", "deep boolean hash"),
    ("to_toml", "deep"),
    ("to_yaml", "deep hash"),
    ("validate_array validate_bool validate_hash validate_string", "any any"),
    ("validate_integer validate_numeric", "number number number"),
    ("validate_legacy", "type check any number"),
    ("validate_re", "text regexp text"),
    ("validate_slength", "text integer integer"),
    ("values_at", "array range"),
];

/// Returns the usual minimum number of arguments.
fn least(name: &str) -> usize {
    match name {
        "clamp" | "delete_regex" | "difference" | "union" => 2,
        "pw_hash" | "validate_legacy" | "str2saltedpbkdf2" => 3,
        "deep_merge" | "has_key" | "grep" | "reject" | "member" | "delete" | "convert_base"
        | "is_a" | "dig44" => 2,
        _ => 1,
    }
}

/// Returns an argument of a kind.
fn argument(kind: &str, random: &mut Random) -> String {
    let row = CHOICES.iter().find(|(known, _)| *known == kind).or(CHOICES.last());
    row.map_or_else(String::new, |(_, choices)| random.pick(choices).to_owned())
}

/// Arguments of each kind; the last entry is used for any kind.
const CHOICES: &[(&str, &[&str])] = &[
    (
        "text",
        &[
            "'abc'",
            "'ABC def'",
            "''",
            "' '",
            "'äöü ß'",
            "\"a\\nb\\r\\nc\"",
            "'aabbccaa'",
            "'true'",
            "'no'",
            "'10'",
            "'a-b_c.d'",
            "'ab'",
            "'\"q\" & <t> \\\\'",
            "'3'",
            "'Y'",
            "'undef'",
        ],
    ),
    (
        "path",
        &[
            "'/a/b/c.txt'",
            "'a/b'",
            "'/'",
            "'//a//b/'",
            "'c:/win'",
            "'c:\\\\win\\\\x'",
            "'.hidden'",
            "'a.tar.gz'",
            "''",
            "'/a b/c'",
            "'..'",
            "['/a', '/b']",
            "['/a', 'b']",
            "'a/b/'",
            "'foo.'",
            "'\\\\\\\\host\\\\share'",
        ],
    ),
    (
        "number",
        &[
            "0", "1", "7", "-3", "2.5", "'5'", "'2.5'", "-1.5", "1000000", "'0x1F'", "'abc'",
            "[1, 5]", "['1', 2]",
        ],
    ),
    ("integer", &["0", "1", "2", "3", "10", "255", "-1", "'12'", "8", "'3'"]),
    ("boolean", &["true", "false", "'present'", "'absent'", "undef", "'true'", "1"]),
    (
        "array",
        &[
            "[]",
            "[1, 2, 3]",
            "['a', 'b', 'a']",
            "[1, [2, [3]]]",
            "['a', 1, true, undef]",
            "[undef, '', 'x']",
            "[[1, 2], [3, 4]]",
            "'abc'",
            "{'a' => 1, 'b' => undef}",
            "['b', 'a', 'C']",
            "[1.5, 1, '1']",
        ],
    ),
    (
        "texts",
        &[
            "['a', 'b', 'c']",
            "['aaa', 'bbb', 'aab']",
            "[]",
            "'abc'",
            "['a b', \"it's\"]",
            "['a']",
            "{'x' => 'y'}",
            "['ab', '', 'A']",
        ],
    ),
    (
        "hash",
        &[
            "{}",
            "{'a' => 1}",
            "{'a' => 1, 'b' => 'x'}",
            "{1 => 2}",
            "{'a' => [1, 2], 'b' => undef}",
            "{'name' => 'Bo', 'n' => 5}",
            "{'indentation' => 4}",
            "{'indent' => '    '}",
            "{'line_width' => 20}",
            "{'a' => 'undef'}",
            "{'space' => ''}",
        ],
    ),
    (
        "deep",
        &[
            "{'a' => {'b' => {'c' => 1}}}",
            "{'a' => {'x' => 1}, 'l' => [1, {'k' => 'v'}]}",
            "{'a' => 'text: with # signs', 'b' => [true, undef, 1.5]}",
            "{'a' => {'b' => 'other'}}",
            "[1, [2, {'x' => 'y'}]]",
            "{}",
            "{'s' => Sensitive('p'), 'n' => {'m' => 'o'}}",
            "{'a' => [], 'b' => {}}",
            "{'t' => {'u' => [{'v' => 1}, {'v' => 2}]}}",
            "{'multi' => \"a\\nb\\n\", 'e' => ''}",
            "{'num' => '1', 'y' => 'yes', 'd' => '2020-01-01', 'n' => '~'}",
            "''",
        ],
    ),
    (
        "type",
        &[
            "Integer",
            "String",
            "Array",
            "Hash",
            "Boolean",
            "Any",
            "Numeric",
            "Undef",
            "Optional[String]",
            "'Integer[1, 5]'",
            "Stdlib::Compat::Array",
            "Stdlib::Compat::String",
            "Stdlib::Compat::Integer",
            "Stdlib::Compat::Bool",
            "Stdlib::Absolutepath",
            "Stdlib::Port",
            "'Stdlib::Ensure'",
            "Pattern[/a/]",
            "Enum['a', 'abc']",
        ],
    ),
    ("regexp", &["'^a'", "'b'", "'[a-b]+'", "'x|c$'", "['^a', 'b']", "''", "'('", "/a/", "'\\d'"]),
    (
        "json",
        &[
            "'{\"a\": 1}'",
            "'[1, 2.5, null, true]'",
            "'\"x\"'",
            "'nope'",
            "''",
            "'{\"a\": '",
            "'1'",
            "'null'",
            "'{\"a\": {\"b\": [\"\\\\u00e4\"]}}'",
        ],
    ),
    (
        "yaml",
        &[
            "'a: 1'",
            "\"a: 1\\nb:\\n  - x\\n  - 2.5\\n\"",
            "'- 1'",
            "'plain'",
            "''",
            "'{a: b}'",
            "'a: yes'",
            "'a: 2020-01-01'",
            "\"a: |\\n  t\\n  u\\n\"",
            "'x: 0o17'",
            "'~'",
        ],
    ),
    (
        "toml",
        &[
            "'a = 1'",
            "'a { b = 2 }'",
            "'a: [1, 2], b: \"x\"'",
            "'{\"a\": 1}'",
            "'a = ${x}'",
            "''",
            "'a {'",
            "'a = 1, a = 2, b = ${a}'",
            "'x.y.z = true'",
            "'t = 10 seconds'",
        ],
    ),
    (
        "address",
        &[
            "'10.0.0.1'",
            "'::1'",
            "'fe80::1'",
            "'10.0.0.0/8'",
            "'256.1.1.1'",
            "'1.2.3'",
            "'2001:db8::/32'",
            "'00:11:22:aa:bb:cc'",
            "'*'",
            "''",
            "'192.168.1.5'",
            "['10.0.0.0/8', '192.168.0.0/16']",
            "['::1', '10.0.0.1']",
            "'10.0.0.1-10.0.0.9'",
        ],
    ),
    (
        "domain",
        &[
            "'example.com'",
            "'a-b.example.com.'",
            "'-a.com'",
            "'a'",
            "'a@b.com'",
            "'x.y@z.example.org'",
            "'@b'",
            "'a..b'",
            "'.'",
            "''",
            "'ä.de'",
            "'a_b.com'",
            "'1.2.3.4'",
            "'bob@'",
        ],
    ),
    (
        "bytes",
        &[
            "'1k'", "'4 kB'", "'2.5M'", "'10'", "10", "'1 GB'", "'x'", "'1TB'", "'3 EB'", "''",
            "'1e3'",
        ],
    ),
    (
        "shell",
        &[
            "'a b'",
            "\"it's\"",
            "''",
            "'$HOME `x`'",
            "'a\"b'",
            "\"l1\\nl2\"",
            "'x;y|z'",
            "'ä'",
            "1",
            "'100%'",
            "'a \"b c\" d'",
            "\"a 'b c\"",
        ],
    ),
    (
        "charset",
        &["'abc'", "'01'", "''", "undef", "'strict'", "'urlsafe'", "'default'", "'äöü'", "'a'"],
    ),
    ("bounds", &["2", "16", "36", "'8'", "1", "37", "'x'"]),
    (
        "check",
        &[
            "'validate_array'",
            "'validate_string'",
            "'validate_integer'",
            "'validate_re'",
            "'validate_bool'",
            "'validate_absolute_path'",
            "'package'",
            "'service'",
            "'file'",
            "'link'",
            "'include'",
            "'pick'",
            "'stdlib::merge'",
            "'ipaddress'",
            "'nope'",
            "'eth0'",
            "'validate_hash'",
            "'validate_slength'",
            "'validate_numeric'",
        ],
    ),
    (
        "range",
        &[
            "0", "1", "5", "'a'", "'e'", "'3'", "'1..3'", "'host01'", "'host05'", "'a-c'", "-1",
            "[0, 2]", "'0-2'", "'1...4'", "10",
        ],
    ),
    ("version", &["'10'", "'8.5'", "''", "9", "'11.2.1'"]),
    ("sprintf", &["'%<a>s'", "'%{name} %<n>d'", "'%<b>5.2f'", "'x'", "'%s'"]),
    ("method", &["'encode'", "'decode'", "'x'"]),
    (
        "salt",
        &[
            "'salt'",
            "'saltsaltsaltsaltsaltsaltsaltsalt'",
            "'a b'",
            "''",
            "'xy'",
            "'0123456789abcdef0123456789abcdef'",
        ],
    ),
    (
        "algorithm",
        &["'sha-512'", "'SHA-256'", "'md5'", "'bcrypt'", "'des'", "'bcrypt-a'", "'sugar'", "''"],
    ),
    ("fact", &["'os'", "'os.family'", "'a.\"b.c\".0'", "''", "'.'"]),
    (
        "any",
        &[
            "undef",
            "''",
            "1",
            "0",
            "-1",
            "1.5",
            "true",
            "false",
            "'abc'",
            "'1'",
            "[]",
            "[1]",
            "{}",
            "{'a' => 1}",
            "default",
            "Integer",
            "/a/",
            "Sensitive('x')",
            "Timespan(5)",
            "SemVer('1.2.3')",
            "File['/a']",
            "['a', ['b']]",
            "'yes'",
            "'t'",
            "'0'",
            "Binary('YQ==')",
            "[undef]",
            "{'k' => [1, {'x' => undef}]}",
            "Timestamp(0)",
            "9223372036854775807",
            "1e20",
        ],
    ),
];
