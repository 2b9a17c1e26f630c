//! Texts of files that mutations add or edit.

use crate::generator::Random;

/// Words that are replaced by their neighbours.
const WORDS: [(&str, &str); 8] = [
    ("present", "absent"),
    ("true", "false"),
    ("Debian", "RedHat"),
    ("installed", "latest"),
    ("root", "daemon"),
    ("==", "!="),
    ("file", "directory"),
    ("Integer", "String"),
];

/// Returns a text for a new file at a path: what Puppet expects there, mostly.
pub(super) fn of_new_file(path: &str, keys: &[String], random: &mut Random) -> String {
    if random.chance(8) {
        return random.pick(&["", "}{", "# nothing\n", "---\n- a list\n", "null"]).to_owned();
    }
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    match extension {
        "pp" => puppet(stem, random),
        "rb" => ruby(stem, random),
        "yaml" if stem.ends_with("hiera") => hiera(random),
        "yaml" => format!("---\n{}: {}\n", key(keys, random), value(random)),
        "json" if stem.ends_with("metadata") => metadata(random),
        "json" => format!("{{ \"{}\": \"mutated\" }}\n", key(keys, random)),
        "conf" if stem.ends_with("environment") => environment(random),
        "conf" => format!("{} = \"mutated\"\n", key(keys, random)),
        _ => "mutated <%= 1 %>\n".to_owned(),
    }
}

/// Returns a key that a record asks for.
fn key<'k>(keys: &'k [String], random: &mut Random) -> &'k str {
    keys.get(random.below(keys.len())).map_or("profile::port", String::as_str)
}

/// Returns a value for data, as YAML.
pub(super) fn value(random: &mut Random) -> &'static str {
    random.pick(&[
        "mutated",
        "42",
        "true",
        "[mutated]",
        "{ mutated: { uid: 1 } }",
        "~",
        ":symbol",
        "\"%{facts.os.family}\"",
        "\"%{lookup('profile::city')}\"",
        "\"%{alias('profile::list')}\"",
        "\"%{no_such_variable}\"",
    ])
}

/// Returns the name that a path defines: `…/ntp/manifests/a/b` is `ntp::a::b`.
fn defined_name(stem: &str) -> (String, &str) {
    for folder in ["manifests", "functions", "types"] {
        if let Some((module, rest)) = stem.split_once(&format!("/{folder}/")) {
            let module = module.rsplit('/').next().unwrap_or_default();
            let rest = rest.replace('/', "::");
            let name = match (module, rest.as_str()) {
                ("env", rest) if folder == "functions" => format!("environment::{rest}"),
                ("env", rest) => rest.to_owned(),
                (module, "init") => module.to_owned(),
                (module, rest) => format!("{module}::{rest}"),
            };
            return (name, folder);
        }
    }
    ("mutated".to_owned(), "")
}

fn puppet(stem: &str, random: &mut Random) -> String {
    let (name, folder) = defined_name(stem);
    let capitalized: Vec<String> = name
        .split("::")
        .map(|part| {
            part.get(..1).unwrap_or_default().to_uppercase() + part.get(1..).unwrap_or_default()
        })
        .collect();
    match folder {
        "functions" => format!("function {name}(*$arguments) {{ 'mutated' }}\n"),
        "types" => {
            let type_ = random.pick(&["String", "Integer", "Hash", "Enum['small']", "Any"]);
            format!("type {} = {type_}\n", capitalized.join("::"))
        }
        _ if random.chance(60) => format!("class {name} {{ notify {{ 'mutated {name}': }} }}\n"),
        _ if random.chance(50) => {
            format!(
                "define {name}($port = 1, $uid = 1) {{ notify {{ \"mutated ${{title}}\": }} }}\n"
            )
        }
        _ => "notify { 'mutated': }\n".to_owned(),
    }
}

fn ruby(stem: &str, random: &mut Random) -> String {
    let last = stem.rsplit('/').next().unwrap_or_default();
    if stem.contains("/puppet/type/") {
        let more = random.pick(&["newparam(:level)", "newproperty(:owner)", "ensurable", ""]);
        return format!("Puppet::Type.newtype(:{last}) do\n  newparam(:name)\n  {more}\nend\n");
    }
    if stem.contains("/parser/functions/") {
        return format!(
            "module Puppet::Parser::Functions\n  newfunction(:{last}, :type => :rvalue) {{ |args| 'mutated' }}\nend\n"
        );
    }
    let name = match stem.split_once("/puppet/functions/") {
        Some((_, rest)) => rest.replace('/', "::"),
        None => last.to_owned(),
    };
    format!(
        "Puppet::Functions.create_function(:'{name}') do\n  dispatch :run do\n    repeated_param 'Any', :all\n  end\n  \
         def run(*all)\n    'mutated'\n  end\nend\n"
    )
}

fn hiera(random: &mut Random) -> String {
    let path =
        random.pick(&["common.yaml", "nodes/%{trusted.certname}.yaml", "new.yaml", "*.yaml"]);
    let kind = if path.contains('*') { "glob" } else { "path" };
    format!("---\nversion: 5\nhierarchy:\n  - name: mutated\n    {kind}: \"{path}\"\n")
}

fn metadata(random: &mut Random) -> String {
    let version = random.pick(&["0.1.0", "9.0.0", "6.0.0"]);
    let needs = random.pick(&["puppetlabs/stdlib", "example/profile", "puppetlabs/concat"]);
    format!(
        "{{ \"name\": \"x-y\", \"version\": \"{version}\", \"dependencies\": [{{ \"name\": \"{needs}\" }}] }}\n"
    )
}

fn environment(random: &mut Random) -> String {
    random
        .pick(&[
            "modulepath = /usr/share/puppet/modules\n",
            "modulepath = other:modules:/usr/share/puppet/modules\n",
            "modulepath = mod*:/usr/share/puppet/modules\n",
            "modulepath = modules:/usr/share/puppet/modules\nmanifest = other\n",
            "modulepath = modules:/usr/share/puppet/modules\n# the same\n",
        ])
        .to_owned()
}

/// Returns a text with one small change.
pub(super) fn edited(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.below(lines.len());
    match random.below(9) {
        0 => lines.insert(0, "# mutated".to_owned()),
        1 => lines.push("# mutated".to_owned()),
        2 if !lines.is_empty() => drop(lines.remove(at)),
        3 if !lines.is_empty() => lines.insert(at, lines[at].clone()),
        4 => return with_other_word(text, random),
        5 => return text.chars().map(|c| if c == '1' { '2' } else { c }).collect(),
        6 => lines.insert(at, "notify { 'mutated line': }".to_owned()),
        7 => lines.truncate(at),
        _ => lines.insert(at, String::new()),
    }
    lines.join("\n") + "\n"
}

fn with_other_word(text: &str, random: &mut Random) -> String {
    let start = random.below(WORDS.len());
    let word = (0..WORDS.len()).map(|n| WORDS[(start + n) % WORDS.len()]);
    match word.into_iter().find(|(from, _)| text.contains(from)) {
        Some((from, to)) => text.replacen(from, to, 1 + random.below(3)),
        None => format!("{text} "),
    }
}

/// Returns the text of a data file with a change about a key.
pub(super) fn edited_data(text: &str, key: &str, random: &mut Random) -> String {
    let without = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with(key));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    match random.below(8) {
        0 => without(text),
        1 | 2 => format!("{}{key}: {}\n", without(text), value(random)),
        3 => format!("{text}mutated::key{}: 1\n", random.below(9)),
        4 => format!(
            "{text}lookup_options:\n  {key}: {{ merge: {} }}\n",
            random.pick(&["unique", "first", "deep", "hash"])
        ),
        5 => format!(
            "{text}lookup_options:\n  {key}: {{ convert_to: {} }}\n",
            random.pick(&["String", "Sensitive", "Array"])
        ),
        6 => format!("{text}1: odd\n"),
        _ => edited(text, random),
    }
}
