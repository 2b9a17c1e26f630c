//! The table of changes between editions.

use super::Edition;

/// A behaviour that an edition changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditionChange {
    /// Types, references and negative numbers count as keys that may be duplicate.
    WideDuplicateKeys,
    /// Groups `(?…)` are part of the name of a node.
    NodeGroupNames,
    /// An unknown variable in a path of `hiera.yaml` is a warning.
    LenientHieraPaths,
    /// An unknown variable in data has the value of `default_values_hash`.
    DefaultsOfUnknownVariables,
    /// Types of class parameters that are not literal are deprecated.
    LiteralParameterTypes,
    /// `max` and `min` compare versions and times.
    TypedExtremes,
    /// `split` accepts Sensitive.
    SplitSensitive,
    /// `regsubst` accepts Sensitive.
    RegsubstSensitive,
    /// The fifth argument of `regsubst` is deprecated.
    RegsubstEncodingDeprecated,
    /// `regsubst` has no fifth argument.
    RegsubstEncodingRemoved,
    /// The warning about keys of a module's data names the key.
    NamedPrunedKeys,
    /// `package` has an attribute `environment`.
    PackageEnvironment,
    /// `checksum => etag` of files.
    ChecksumEtag,
    /// `$server_facts['serverimplementation']`
    ServerImplementation,
    /// Backends of Hiera 3 need its gem, which packages no longer contain.
    Hiera3Optional,
    /// Settings that no longer exist.
    RemovedSettings,
    /// Agents send no legacy facts.
    NoLegacyFacts,
    /// Messages name OpenVox, and its site.
    OpenvoxMessages,
    /// The content of a file is never taken from the filebucket.
    LiteralChecksumContent,
    /// Ruby prints hashes, sets and names in messages in another way.
    RubyTexts,
    /// `strict` is `error` and `strict_variables` is on by default.
    StrictByDefault,
}

/// The effect of a change on code that meets it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Impact {
    /// Code that compiled fails.
    Breaks,
    /// The catalog may be another one.
    Changes,
    /// There are other messages.
    Messages,
    /// Code that failed compiles.
    Allows,
}

impl Impact {
    /// Returns its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::Changes => "changes",
            Self::Messages => "messages",
            Self::Allows => "allows",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct ChangeRow {
    /// The change.
    pub change: EditionChange,
    /// Its name in reports.
    pub code: &'static str,
    /// The first edition that has it.
    pub since: Edition,
    /// Its effect.
    pub impact: Impact,
    /// The behaviour from that edition on, in one line.
    pub summary: &'static str,
    /// Advice to a user whose code it concerns.
    pub advice: &'static str,
}

impl EditionChange {
    /// Returns the row of the change.
    pub fn row(self) -> &'static ChangeRow {
        // The rows are in the order of the variants, which a test checks.
        &ROWS[self as usize]
    }
}

const fn row(
    change: EditionChange,
    code: &'static str,
    since: Edition,
    impact: Impact,
    [summary, advice]: [&'static str; 2],
) -> ChangeRow {
    ChangeRow { change, code, since, impact, summary, advice }
}

use Edition::{Eight, Nine};
use EditionChange::{
    ChecksumEtag, DefaultsOfUnknownVariables, Hiera3Optional, LenientHieraPaths,
    LiteralChecksumContent, LiteralParameterTypes, NamedPrunedKeys, NoLegacyFacts, NodeGroupNames,
    OpenvoxMessages, PackageEnvironment, RegsubstEncodingDeprecated, RegsubstEncodingRemoved,
    RegsubstSensitive, RemovedSettings, RubyTexts, ServerImplementation, SplitSensitive,
    StrictByDefault, TypedExtremes, WideDuplicateKeys,
};
use Impact::{Allows, Breaks, Changes, Messages};

/// All changes, in the order of [`EditionChange`].
#[rustfmt::skip]
pub(super) const ROWS: &[ChangeRow] = &[
    row(WideDuplicateKeys, "wide-duplicate-keys", Eight, Breaks, [
        "types, `T[…]` and negative numbers count as keys of a hash literal; of `T[…]` only the list in brackets is compared, so `File['a']` and `Notify['a']` are the same key",
        "build one of the two keys with a variable, or set `strict` to `warning`",
    ]),
    row(NodeGroupNames, "node-group-names", Eight, Changes, [
        "groups such as `(?:a)` and `(?<!a)` are part of the internal name of a node, which is the title of `Node[…]` and a tag of its resources",
        "do not rely on these tags; Puppet 8.9 and 8.10 and OpenVox before 8.28.1 cannot find such nodes at all",
    ]),
    row(LenientHieraPaths, "lenient-hiera-paths", Eight, Changes, [
        "an unknown variable in a path of `hiera.yaml` is a warning, and the level is skipped; before, it was an error with `strict=error`",
        "use facts that all nodes have, or `trusted` data",
    ]),
    row(DefaultsOfUnknownVariables, "defaults-of-unknown-variables", Eight, Allows, [
        "an unknown variable that data interpolates has its value of `default_values_hash`",
        "nothing to do",
    ]),
    row(LiteralParameterTypes, "literal-parameter-types", Eight, Messages, [
        "a type of a class parameter that is not literal is deprecated",
        "write the type without calculations, variables and doubled brackets",
    ]),
    row(TypedExtremes, "typed-extremes", Eight, Changes, [
        "`max` and `min` compare versions, timespans and timestamps by value; before, they compared texts",
        "nothing to do, unless the old order was wanted",
    ]),
    row(SplitSensitive, "split-sensitive", Eight, Allows, [
        "`split` accepts a Sensitive text, and its result is Sensitive",
        "nothing to do",
    ]),
    row(RegsubstSensitive, "regsubst-sensitive", Eight, Allows, [
        "`regsubst` accepts Sensitive texts; a Sensitive array comes back without its wrapper",
        "wrap the result of an array again",
    ]),
    row(RegsubstEncodingDeprecated, "regsubst-encoding-deprecated", Eight, Messages, [
        "the fifth argument of `regsubst` is deprecated",
        "leave out the fifth argument, which has no effect",
    ]),
    row(RegsubstEncodingRemoved, "regsubst-encoding-removed", Nine, Breaks, [
        "`regsubst` has at most four arguments",
        "leave out the fifth argument, which has no effect",
    ]),
    row(NamedPrunedKeys, "named-pruned-keys", Eight, Messages, [
        "the warning about a key of a module's data that lacks the name of the module names the key",
        "begin the key with the name of the module",
    ]),
    row(PackageEnvironment, "package-environment", Eight, Allows, [
        "`package` has an attribute `environment`",
        "nothing to do",
    ]),
    row(ChecksumEtag, "checksum-etag", Eight, Allows, [
        "`file` accepts `checksum => etag`",
        "nothing to do",
    ]),
    row(ServerImplementation, "server-implementation", Eight, Changes, [
        "`$server_facts` has `serverimplementation`, and OpenVox 9 has no `pe_serverversion`",
        "rename variables and facts of the same name",
    ]),
    row(Hiera3Optional, "hiera-3-optional", Eight, Breaks, [
        "backends of Hiera 3 need the gem `hiera`, which packages no longer contain",
        "convert `hiera.yaml` to version 5 and the backend to a function",
    ]),
    row(RemovedSettings, "removed-settings", Nine, Breaks, [
        "the settings `pluginsync`, `configprint`, `data_binding_terminus` and `environment_data_provider` no longer exist",
        "remove the setting; data of an environment is configured in its `hiera.yaml`",
    ]),
    row(NoLegacyFacts, "no-legacy-facts", Eight, Breaks, [
        "agents send no legacy facts unless `include_legacy_facts` is set, so the variable is unknown",
        "use the structured fact",
    ]),
    row(OpenvoxMessages, "openvox-messages", Nine, Messages, [
        "messages name OpenVox, and addresses of its documentation",
        "nothing to do",
    ]),
    row(LiteralChecksumContent, "literal-checksum-content", Nine, Changes, [
        "`content => '{sha256}…'` is literal text; before, the agent fetched the content from its filebucket",
        "use `source`, or the content itself",
    ]),
    row(RubyTexts, "ruby-texts", Nine, Changes, [
        "servers run Ruby 4.0: hashes print as `{\"a\" => 1, b: 2}`, sets as `Set[1]`, and messages quote names as 'name'",
        "print hashes with a loop, `to_json` or `to_yaml`",
    ]),
    row(StrictByDefault, "strict-by-default", Eight, Breaks, [
        "`strict` is `error` and `strict_variables` is on unless `puppet.conf` says otherwise",
        "mend the code, or set `strict` and `strict_variables`",
    ]),
];
