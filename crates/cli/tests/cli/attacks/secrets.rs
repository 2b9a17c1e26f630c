//! Secrets stay where they are: in the store, in messages, in every format.

use super::bounded;
use crate::support::Sandbox;

/// The secret of every attack.
const SECRET: &str = "S3CR3T";

/// Exported resources: the store of `--storeconfigs` has none of the secrets.
const EXPORTED: &[&str] = &[
    "@@notify { 'a': message => Sensitive('S3CR3T') }",
    "@@notify { 'a': message => [Sensitive('S3CR3T')] }",
    "@@notify { 'a': message => [[1, [Sensitive('S3CR3T')]]] }",
    "@@notify { 'a': message => { 'k' => Sensitive('S3CR3T') } }",
    "@@notify { 'a': message => { Sensitive('S3CR3T') => 1 } }",
    "@@notify { 'a': message => { 'k' => [{ 'l' => Sensitive('S3CR3T') }] } }",
    "@@file { '/a': content => Deferred('lookup', [Sensitive('S3CR3T')]) }",
    "@@file { '/a': content => Deferred('lookup', [[Sensitive('S3CR3T')]]) }",
    "@@file { '/a': content => Deferred('lookup', [{ 'k' => Sensitive('S3CR3T') }]) }",
    "@@file { '/a': content => Deferred('lookup', [Deferred('f', [Sensitive('S3CR3T')])]) }",
    "@@file { '/a': content => Sensitive(Deferred('lookup', ['S3CR3T'])) }",
    "@@file { '/a': content => Sensitive(['S3CR3T']) }",
    "@@file { '/a': content => Sensitive({ 'k' => 'S3CR3T' }) }",
    "$s = Sensitive('S3CR3T') @@notify { 'a': message => $s } Notify <<| |>>",
    "$s = Sensitive('S3CR3T') @@notify { 'a': } Notify <<| |>> { message => $s }",
    "$s = Sensitive('S3CR3T') @@notify { 'a': } Notify <<| |>> { message => [$s] }",
    "Notify { message => [Sensitive('S3CR3T')] } @@notify { 'a': }",
    "define d($p) { } @@d { 'a': p => [Sensitive('S3CR3T')] }",
    "type O = Object[{ attributes => { s => Sensitive } }] define d($p) { } @@d { 'a': p => O(Sensitive('S3CR3T')) }",
    "@@notify { 'a': message => lookup('secret') }",
    "@@notify { 'a': message => [lookup('secret')] }",
    "@@notify { 'a': message => { 'k' => lookup('secret') } }",
    "@@notify { 'a': message => [1, 2].map |$x| { Sensitive('S3CR3T') } }",
    "@@notify { 'a': message => [Sensitive('S3CR3T')] + [1] }",
    "@@notify { 'a': * => { 'message' => [Sensitive('S3CR3T')] } }",
    "create_resources('@@notify', { 'a' => { 'message' => [Sensitive('S3CR3T')] } })",
    "@@notify { 'a': message => Sensitive('S3CR3T'), tag => ['x'] } Notify <<| tag == 'x' |>>",
];

/// Code whose messages and errors must not show a secret.
const PRINTED: &[&str] = &[
    "notice($s)",
    "notice([$s], { 'k' => $s }, { $s => 1 })",
    "notice(\"${s} ${[$s]} ${{ 'k' => $s }}\")",
    "notice(sprintf('%s %p', $s, $s))",
    "notice(sprintf('%<a>s', { 'a' => $s }))",
    "notice(String($s), String([$s]), String({ 'k' => $s }))",
    "notice(String($s, '%p'), String([$s], '%#p'))",
    "notice(type($s), type($s, 'detailed'), type([$s], 'detailed'))",
    "notice(inline_epp('<%= $s %>', { 's' => $s }))",
    "notice(inline_template('<%= @s %> <%= @s.to_s %> <%= @s.inspect %> <%= [@s] %> <%= [@s].inspect %>'))",
    "notice(inline_template('<%= scope[\"s\"] %> <%= scope.lookupvar(\"s\") %> <%= \"#{@s}\" %>'))",
    "notice(inline_template('<%= @s.nosuchmethod %>'))",
    "notice(inline_template('<%= raise @s.inspect %>'))",
    "fail($s)",
    "fail([$s])",
    "err($s) warning([$s]) crit({ 'k' => $s })",
    "notice($s + 1)",
    "notice(1 + $s)",
    "notice($s < 1)",
    "notice(-$s)",
    "notice($s[0])",
    "notice([1][$s])",
    "notice($s =~ 'x')",
    "notice($s =~ /x/)",
    "notice('x' =~ $s)",
    "notice($s in 'x', 'S' in $s)",
    "notice(*$s)",
    "include $s",
    "notify { $s: }",
    "notify { [$s]: }",
    "notice(Notify[$s])",
    "Notify[$s] -> Notify['b']",
    "notify { 'a': nosuch => $s }",
    "notify { 'a': require => $s }",
    "notify { 'a': tag => $s }",
    "notify { 'a': noop => $s }",
    "notify { 'a': message => $s } notify { 'a': message => $s }",
    "class c(Integer $p) { } class { 'c': p => $s }",
    "class c(Enum['a', 'b'] $p) { } class { 'c': p => $s }",
    "class c(Sensitive[Integer] $p) { } class { 'c': p => $s }",
    "class c(Sensitive[Enum['a']] $p) { } class { 'c': p => $s }",
    "class c(Sensitive[Pattern[/^a/]] $p) { } class { 'c': p => $s }",
    "class c(Struct[{ 'a' => Integer }] $p) { } class { 'c': p => { 'a' => $s } }",
    "define d(Array[Integer] $p) { } d { 'a': p => [$s] }",
    "function f(Integer $x) { } f($s)",
    "function f(Sensitive[Enum['a']] $x) { } f($s)",
    "function f() >> Integer { $s } f()",
    "function f($x) >> Sensitive[Enum['a']] { $x } f($s)",
    "assert_type(Integer, $s)",
    "assert_type(Sensitive[Enum['a']], $s)",
    "assert_type(Sensitive[Integer], $s)",
    "with($s) |Integer $x| { }",
    "$x = $s ? { 'a' => 1 }",
    "case $s { 'a': { } default: { notice($s) } }",
    "notice($s.upcase)",
    "notice($s.length)",
    "notice(join([$s], ','))",
    "notice(regsubst($s, 'a', 'b'))",
    "notice(split($s, 'a'))",
    "notice(Integer($s))",
    "notice(Array($s))",
    "notice(Hash($s))",
    "notice(md5($s))",
    "notice(versioncmp($s, '1'))",
    "notice(max($s, $s))",
    "notice(flatten([$s]))",
    "notice(unique([$s, $s]))",
    "notice(convert_to($s, String))",
    "notice(lookup($s))",
    "notice(lookup('nokey', { 'default_value' => $s }))",
    "notice(lookup('nokey', Integer, 'first', $s))",
    "notice(lookup('secret'))",
    "notice(lookup('secret', Integer))",
    "notice(lookup('nested'))",
    "notice(lookup('nested.k'))",
    "notice(hiera('secret'))",
    "notice(dig([$s], 0))",
    "notice(file($s))",
    "notice(template($s))",
    "notice(generate($s))",
    "notice(call($s))",
    "notice(Deferred('f', [$s]))",
    "notice(tagged($s), defined($s))",
    "notice(fqdn_rand(10, $s))",
    "create_resources('notify', $s)",
    "create_resources('notify', { 'a' => $s })",
    "create_resources($s, {})",
    "realize($s)",
    "Notify <| message == $s |>",
    "break($s)",
    "undef.then |$x| { } $s.then |$x| { fail(\"${x}\") }",
    "$h = { 'a' => 1 } notice($h[$s])",
    "notice(Enum[$s])",
    "notice(Sensitive($s))",
    "notice(Variant[$s])",
    "notice(Integer[$s])",
    "notice(Pattern[$s])",
    "debug($s) info($s)",
    "$s()",
    "Integer[1, $s].each |$x| { }",
    "notice({ 'a' => $s }.map |$k, $v| { $v })",
    "[$s].each |$x| { notice($x) }",
    "notice([$s].reduce |$m, $x| { $x })",
    "notice([$s, $s].sort)",
    "notice([$s] == [$s], $s == 'S3CR3T')",
    "notice([[$s, 1]].tree_each.map |$x| { $x })",
];

/// Formats of catalogs: what is for people never shows a secret.
const FORMATS: &[&[&str]] = &[
    &["compile", "--facts", "facts", "--format", "summary"],
    &["compile", "--facts", "facts", "--format", "tree"],
    &["compile", "--facts", "facts", "--format", "dot"],
    &["compile", "--facts", "facts", "--format", "svg"],
    &["compile", "--facts", "facts", "--format", "origins"],
    &["compile", "--facts", "facts", "--format", "summary", "--inputs", "record"],
    &["compile", "--facts", "facts", "--format", "summary", "--profile", "--debug"],
    &["params", "--facts", "facts"],
    &["params", "--facts", "facts", "--format", "json"],
    &["params", "--facts", "facts", "--format", "html"],
    &["lookup", "secret", "--facts", "facts"],
    &["lookup", "secret", "--facts", "facts", "--explain"],
    &["lookup", "secret", "--facts", "facts", "--explain", "--places"],
    &["lookup", "secret", "--facts", "facts", "--explain", "--render-as", "json"],
    &["lookup", "secret", "--facts", "facts", "--render-as", "s"],
    &["lookup", "secret", "--facts", "facts", "--type", "Integer"],
    &["lookup", "c::p", "--facts", "facts", "--merge", "deep"],
    &["lookup", "nested", "--facts", "facts", "--explain"],
    &["lookup", "nested.k", "--facts", "facts"],
    &["lookup", "--audit", "--facts", "facts"],
    &["data", "check", "--facts", "facts"],
    &["data", "uses", "data/common.yaml", "--facts", "facts"],
    &["doctor"],
    &["doctor", "--edition", "9", "--facts", "facts"],
];

const DATA: &str = "lookup_options:\n  secret: {convert_to: Sensitive}\n  c::p: {convert_to: Sensitive}\n  nested: {convert_to: Sensitive}\nsecret: S3CR3T\nc::p: S3CR3T\nnested: {k: S3CR3T}\n";

fn environment() -> Sandbox {
    Sandbox::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
        ("data/common.yaml", DATA),
        ("facts/web1.json", "{\"a\": 1}"),
        (
            "manifests/site.pp",
            "class c($p) { notify { 'a': message => $p } file { '/a': content => Sensitive([$p, { 'k' => $p }]) } }\ninclude c\n",
        ),
    ])
}

#[test]
fn exported_secrets_are_not_stored() {
    let mut problems = Vec::new();
    for code in EXPORTED {
        let sandbox = environment();
        let args = [
            "compile",
            "--facts",
            "facts",
            "--storeconfigs",
            "--vardir",
            "var",
            "--format",
            "summary",
            "-e",
            code,
        ];
        let ran = sandbox.run(&args);
        if ran.code != 0 {
            problems.push(format!("{code}: {}", ran.error));
        }
        for file in std::fs::read_dir(sandbox.path("var")).expect("the store is there").flatten() {
            let bytes = std::fs::read(file.path()).unwrap_or_default();
            if bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()) {
                problems.push(format!("{code}: in {}", file.path().display()));
            }
            use std::os::unix::fs::PermissionsExt as _;
            let mode = file.metadata().expect("it is there").permissions().mode();
            if file.path().is_file() && mode & 0o077 != 0 {
                problems.push(format!("{}: {mode:o}", file.path().display()));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn messages_show_no_secret() {
    let mut problems = Vec::new();
    let sandbox = environment();
    for code in PRINTED {
        let line = format!(
            "$s = Sensitive(lookup('plain', {{ 'default_value' => \"S3${{'CR'}}3T\" }}))\n{code}\n"
        );
        for errors in ["line", "pretty"] {
            let args = [
                "compile", "--debug", "--facts", "facts", "--format", "summary", "--errors",
                errors, "-e", &line,
            ];
            let ran = sandbox.run(&args);
            if ran.output.contains(SECRET) || ran.error.replace("'S3CR3T'", "").contains(SECRET) {
                problems.push(format!("{code}: {}{}", ran.output, ran.error));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn formats_show_no_secret() {
    let mut problems = Vec::new();
    for args in FORMATS {
        let sandbox = environment();
        match bounded::run(&mut sandbox.command(args)) {
            Err(problem) => problems.push(format!("{args:?}: {problem}")),
            Ok(ended) => {
                let record = std::fs::read_to_string(sandbox.path("record")).unwrap_or_default();
                let printed = ended.printed() + &record;
                if printed.contains(SECRET) || printed.trim().is_empty() {
                    problems.push(format!("{args:?}: {printed}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
