//! Attacks on a file that a rule restricts. Each is tried without rules, where most reveal the value, and with rules,
//! where none may.

use kukla_pcore::Value;

use super::site::{Node, Site, ask, hash};
use kukla_lookup::Session;

const RULES: &str = "file 'data/secret/*' where $trusted['extensions']['pp_role'] == 'db'\n";

/// An attack on a value.
struct Attack {
    site: Site,
    facts: Vec<(&'static str, Value)>,
    key: &'static str,
    hiera: Option<Vec<ecow::EcoString>>,
}

impl Attack {
    /// Creates a site with a secret, and a hierarchy of one level.
    fn new(level: &str) -> Self {
        let attack = Self { site: Site::new(), facts: Vec::new(), key: "pw", hiera: None };
        attack.site.write("env/data/secret/all.yaml", "pw: LEAK\nm::pw: LEAK\n");
        attack.site.write("env/data/nodes/web1.yaml", "other: 1\n");
        attack.level("env/hiera.yaml", level)
    }

    fn level(self, file: &str, level: &str) -> Self {
        let config = format!("version: 5\nhierarchy:\n  - {{ name: one, {level} }}\n");
        self.write(file, &config)
    }

    fn write(self, path: &str, text: &str) -> Self {
        self.site.write(path, text);
        self
    }

    fn link(self, path: &str, target: &str) -> Self {
        self.site.link(path, target);
        self
    }

    fn hard_link(self, path: &str, target: &str) -> Self {
        self.site.hard_link(path, target);
        self
    }

    fn fact(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        let value = match value.into() {
            Value::String(text) => Value::from(self.site.text(&text)),
            other => other,
        };
        self.facts.push((name, value));
        self
    }

    fn role(self, role: &str) -> Self {
        self.fact("role", role)
    }

    fn key(mut self, key: &'static str) -> Self {
        self.key = key;
        self
    }

    fn module(mut self, level: &str) -> Self {
        self.site.module("m");
        self.level("env/modules/m/hiera.yaml", level).key("m::pw")
    }

    fn pdl(mut self, location: &str, library: Option<&str>) -> Self {
        self.site.places.datalocation = Some(self.site.text(location).into());
        self.site.places.datalibrary = library.map(|path| self.site.text(path).into());
        self.write("env/data/secret/db.pdl", "$pw = 'LEAK'\n$db::pw = 'LEAK'\n").key("db::pw")
    }

    fn is_leak(&self, role: Option<&str>) -> bool {
        let node = Node::new(role, hash(self.facts.clone()));
        let session = Session::new(self.site.layers());
        // The first lookup may leave data in caches for the second.
        let first = ask(&session, &node, self.key, self.hiera.as_deref()).is_leak();
        let second = ask(&session, &node, self.key, self.hiera.as_deref()).is_leak();
        assert_eq!(first, second);
        first
    }

    /// Tries the attack without rules, then with rules.
    #[track_caller]
    fn fails(self, leads_there: bool) {
        self.fails_with(RULES, leads_there);
    }

    #[track_caller]
    fn fails_with(self, rules: &str, leads_there: bool) {
        assert_eq!(self.is_leak(None), leads_there, "without rules");
        self.site.write("env/data_access", rules);
        assert!(!self.is_leak(None), "with rules");
        assert!(!self.is_leak(Some("web")), "with rules, for another role");
    }

    /// Like [`Self::fails`]; and a node with access may read the file this way.
    #[track_caller]
    fn fails_but_for_db(self) {
        assert!(self.is_leak(None), "without rules");
        self.site.write("env/data_access", RULES);
        assert!(!self.is_leak(None), "with rules");
        assert!(self.is_leak(Some("db")), "for the node that may see it");
    }
}

/// Tests, each a name and an expression.
macro_rules! attacks {
    ($($name:ident: $attack:expr;)*) => { $(#[test] fn $name() { $attack; })* };
}

const BY_ROLE: &str = "path: 'nodes/%{facts.role}.yaml'";
const BY_ROLE_ALONE: &str = "path: '%{facts.role}'";
const GLOB: &str = "glob: 'nodes/%{facts.role}.yaml'";
const MAPPED: &str = "mapped_paths: [facts.roles, role, 'nodes/%{role}.yaml']";
const LINKED: &str = "path: 'open/link.yaml'";
const BY_TIER: &str = "datadir: 'data/%{facts.tier}', path: all.yaml";

fn roles(items: &[&str]) -> Value {
    Value::array(items.iter().map(|item| Value::from(*item)))
}

// The reproductions.
attacks! {
    the_path_itself: Attack::new("path: secret/all.yaml").fails_but_for_db();
    dots_in_a_path: Attack::new(BY_ROLE).role("../secret/all").fails(true);
    dots_in_a_glob: Attack::new(GLOB).role("../secret/all").fails(true);
    dots_in_mapped_paths: Attack::new(MAPPED).fact("roles", roles(&["../secret/all"])).fails(true);
    a_symbolic_link: Attack::new(LINKED)
        .link("env/data/open/link.yaml", "../secret/all.yaml").fails_but_for_db();
    a_symbolic_link_by_glob: Attack::new("glob: 'open/*.yaml'")
        .link("env/data/open/link.yaml", "../secret/all.yaml").fails_but_for_db();
    a_datadir_with_dots_as_written: Attack::new("datadir: '@/env/../env/data', path: secret/all.yaml")
        .fails_but_for_db();
    a_linked_directory_in_a_module: Attack::new("path: none.yaml").module("path: s/all.yaml")
        .link("env/modules/m/data/s", "@/env/data/secret").fails_but_for_db();
    a_hard_link_in_a_module: Attack::new("path: none.yaml").module("path: all.yaml")
        .hard_link("env/modules/m/data/all.yaml", "env/data/secret/all.yaml").fails_but_for_db();
    dots_in_a_module_as_written: Attack::new("path: none.yaml")
        .module("path: ../../../data/secret/all.yaml").fails_but_for_db();
}

// Texts in facts.
attacks! {
    doubled_slashes: Attack::new(BY_ROLE).role("..//secret//all").fails(true);
    a_dot_first: Attack::new(BY_ROLE).role("./../secret/all").fails(true);
    a_dot_between: Attack::new(BY_ROLE).role(".././secret/./all").fails(true);
    there_and_back: Attack::new(BY_ROLE).role("../nodes/../secret/all").fails(true);
    up_to_the_root_and_down: Attack::new(BY_ROLE)
        .role(&format!("{}@/env/data/secret/all", "../".repeat(40))).fails(true);
    dots_at_the_start: Attack::new(BY_ROLE_ALONE).role("../data/secret/all.yaml").fails(true);
    two_facts_make_the_dots: Attack::new("path: 'nodes/%{facts.a}%{facts.b}/secret/all.yaml'")
        .fact("a", ".").fact("b", ".").fails(true);
    a_fact_beside_a_dot: Attack::new("path: 'nodes/.%{facts.a}/all.yaml'").fact("a", "./secret").fails(true);
    an_absolute_path: Attack::new(BY_ROLE_ALONE).role("@/env/data/secret/all.yaml").fails(true);
    an_absolute_path_with_two_slashes: Attack::new(BY_ROLE_ALONE).role("/@/env//data/secret/all.yaml").fails(true);
    an_absolute_path_by_proc: Attack::new(BY_ROLE_ALONE)
        .role("/proc/self/root@/env/data/secret/all.yaml").fails(true);
    an_absolute_glob: Attack::new("glob: '%{facts.role}'").role("@/env/data/s*/all.yaml").fails(true);
    an_absolute_mapped_path: Attack::new("mapped_paths: [facts.role, r, '%{r}']")
        .role("@/env/data/secret/all.yaml").fails(true);
    a_nul: Attack::new(BY_ROLE_ALONE).role("secret/all.yaml\0").fails(false);
    a_nul_behind_dots: Attack::new(BY_ROLE).role("../secret/all.yaml\0x").fails(false);
    an_encoded_nul: Attack::new(BY_ROLE).role("../secret/all.yaml%00").fails(false);
    a_newline: Attack::new(BY_ROLE_ALONE).role("secret/all.yaml\n").fails(false);
    encoded_dots: Attack::new(BY_ROLE).role("%2e%2e/secret/all").fails(false);
    encoded_slashes: Attack::new(BY_ROLE).role("..%2fsecret%2fall").fails(false);
    backslashes: Attack::new(BY_ROLE).role("..\\secret\\all").fails(false);
    wide_dots: Attack::new(BY_ROLE).role("\u{ff0e}\u{ff0e}/secret/all").fails(false);
    a_two_dot_leader: Attack::new(BY_ROLE).role("\u{2025}/secret/all").fails(false);
    a_slash_at_the_end: Attack::new(BY_ROLE_ALONE).role("secret/all.yaml/").fails(false);
    a_dot_at_the_end: Attack::new(BY_ROLE_ALONE).role("secret/all.yaml/.").fails(false);
    another_case: Attack::new(BY_ROLE_ALONE).role("SECRET/all.yaml").fails(false);
    a_home_directory: Attack::new(BY_ROLE).role("~/../secret/all").fails(false);
    an_expression_in_a_fact: Attack::new(BY_ROLE).role("%{facts.to}").fact("to", "../secret/all").fails(true);
    the_path_as_a_whole: Attack::new(BY_ROLE_ALONE).role("secret/all.yaml").fails_but_for_db();
    slashes_and_dots_as_a_whole: Attack::new(BY_ROLE_ALONE).role("secret//./all.yaml").fails_but_for_db();
    a_composed_letter: Attack::new(BY_ROLE_ALONE).write("env/data/secret/\u{e9}.yaml", "pw: LEAK")
        .role("secret/\u{e9}.yaml").fails_but_for_db();
    a_letter_in_two_parts: Attack::new(BY_ROLE_ALONE).write("env/data/secret/\u{e9}.yaml", "pw: LEAK")
        .role("secret/e\u{301}.yaml").fails(false);
    another_environment: Attack::new(BY_ROLE).write("other/data/secret/all.yaml", "pw: LEAK").role("../../../other/data/secret/all").fails(true);
    an_absolute_path_to_another_environment: Attack::new(BY_ROLE_ALONE).write("other/all.yaml", "pw: LEAK")
        .role("@/other/all.yaml").fails(true);
    a_datadir_in_another_environment: Attack::new(BY_TIER).write("other/all.yaml", "pw: LEAK").fact("tier", "../../other").fails(true);
    a_mapped_path_to_another_environment: Attack::new(MAPPED).write("other/all.yaml", "pw: LEAK")
        .fact("roles", roles(&["../../../other/all"])).fails(true);
    a_fact_named_like_the_certificate: Attack::new("path: secret/all.yaml")
        .fact("trusted", hash(vec![("extensions", hash(vec![("pp_role", "db".into())]))])).fails(true);
}

// Globs, lists, and data directories.
attacks! {
    a_star: Attack::new(GLOB).role("../s*/*").fails(true);
    braces: Attack::new(GLOB).role("../{secret,x}/all").fails(true);
    a_set: Attack::new(GLOB).role("../[s]ecret/all").fails(true);
    a_question_mark: Attack::new(GLOB).role("../secret/a?l").fails(true);
    two_stars: Attack::new("glob: '%{facts.role}'").role("**/all.yaml").fails_but_for_db();
    an_escaped_letter: Attack::new(GLOB).role("../\\secret/all").fails(true);
    globs: Attack::new("globs: ['nodes/*.yaml', '%{facts.role}/*.yaml']").role("secret").fails_but_for_db();
    paths: Attack::new("paths: [none.yaml, 'nodes/%{facts.role}.yaml']").role("../secret/all").fails(true);
    the_second_mapped_path: Attack::new(MAPPED).fact("roles", roles(&["web1", "../secret/all"])).fails(true);
    a_mapped_hash: Attack::new("mapped_paths: [facts.roles, r, 'nodes/%{r.0}.yaml']")
        .fact("roles", hash(vec![("../secret/all", Value::from(1))])).fails(true);
    a_mapped_text: Attack::new("mapped_paths: [facts.role, r, 'nodes/%{r}.yaml']").role("../secret/all").fails(true);
    a_datadir: Attack::new(BY_TIER).fact("tier", "secret").fails_but_for_db();
    a_datadir_with_dots: Attack::new(BY_TIER).fact("tier", "nodes/../secret").fails(true);
    a_datadir_of_a_fact: Attack::new("datadir: '%{facts.tier}', path: all.yaml").fact("tier", "data/secret").fails_but_for_db();
    a_datadir_that_leaves: Attack::new("datadir: '%{facts.tier}', path: all.yaml")
        .fact("tier", "../env/data/secret").fails(true);
    the_datadir_of_defaults: Attack::new("path: x").write("env/hiera.yaml",
        "version: 5\ndefaults: { datadir: 'data/%{facts.tier}', data_hash: yaml_data }\nhierarchy: [{ name: a, path: all.yaml }]\n")
        .fact("tier", "nodes/../secret").fails(true);
}

// Links.
attacks! {
    a_linked_directory: Attack::new("path: open/all.yaml").link("env/data/open", "secret").fails_but_for_db();
    an_absolute_link: Attack::new(LINKED)
        .link("env/data/open/link.yaml", "@/env/data/secret/all.yaml").fails_but_for_db();
    a_chain: Attack::new(LINKED).link("env/data/open/link.yaml", "b").link("env/data/open/b", "../c")
        .link("env/data/c", "secret/all.yaml").fails_but_for_db();
    a_chain_of_directories: Attack::new("path: a/all.yaml").link("env/data/a", "b").link("env/data/b", "@/out")
        .link("out", "env/data/secret").fails_but_for_db();
    a_link_to_the_directory_above: Attack::new("path: open/up/secret/all.yaml")
        .link("env/data/open/up", "..").fails_but_for_db();
    a_link_that_a_fact_chooses: Attack::new("path: '%{facts.role}/all.yaml'").role("open")
        .link("env/data/open", "secret").fails_but_for_db();
    dots_behind_a_link: Attack::new("path: open/deep/../all.yaml").write("env/data/secret/deep/x.yaml", "")
        .link("env/data/open/deep", "../secret/deep").fails_but_for_db();
    a_hard_link: Attack::new(LINKED).hard_link("env/data/open/link.yaml", "env/data/secret/all.yaml").fails_but_for_db();
    a_hard_link_by_glob: Attack::new("glob: 'open/*'").hard_link("env/data/open/link.yaml", "env/data/secret/all.yaml").fails_but_for_db();
    a_link_to_a_hard_link: Attack::new(LINKED).hard_link("other/all.yaml", "env/data/secret/all.yaml")
        .link("env/data/open/link.yaml", "@/other/all.yaml").fails_but_for_db();
    a_hard_link_outside: Attack::new("path: none.yaml").hard_link("data/all.yaml", "env/data/secret/all.yaml")
        .level("hiera.yaml", "path: all.yaml").fails_but_for_db();
    the_secret_is_a_link: Attack::new("path: vault/all.yaml").write("env/data/vault/all.yaml", "pw: LEAK")
        .link("env/data/secret/linked.yaml", "../vault/all.yaml").fails_but_for_db();
    the_secret_directory_is_a_link: Attack::new("path: vault/one.yaml").write("env/data/vault/one.yaml", "pw: LEAK")
        .link("env/data/secret/more", "../vault").fails_but_for_db();
    a_link_in_a_directory_for_this_node: Attack::new(LINKED).link("env/data/open/link.yaml", "../secret/all.yaml")
        .fails_with(&format!("{RULES}file 'data/open/*' where $trusted['certname'] == 'web1'\n"), true);
    dots_in_a_directory_for_this_node: Attack::new("path: 'open/../secret/all.yaml'").write("env/data/open/x.yaml", "")
        .fails_with(&format!("{RULES}file 'data/open/*' where $trusted['certname'] == 'web1'\n"), true);
    the_pattern_names_a_link: Attack::new("path: vault/all.yaml").write("env/data/vault/all.yaml", "pw: LEAK")
        .link("env/data/name.yaml", "vault/all.yaml")
        .fails_with("file 'data/name.yaml' where false\n", true);
    a_star_in_the_middle_and_a_link: Attack::new("path: vault/one.yaml").write("env/data/vault/one.yaml", "pw: LEAK")
        .link("env/data/b/secret", "../vault").fails_with("file 'data/*/secret/*' where false\n", true);
    an_absolute_pattern: Attack::new(LINKED).link("env/data/open/link.yaml", "../secret/all.yaml")
        .fails_with("file '@/env/data/secret/*' where false\n", true);
}

// Other kinds of files, layers and functions.
attacks! {
    json: Attack::new("data_hash: json_data, path: 'nodes/%{facts.role}.json'")
        .write("env/data/secret/all.json", "{\"pw\": \"LEAK\"}").role("../secret/all").fails(true);
    json_by_a_link: Attack::new("data_hash: json_data, path: link.json")
        .write("env/data/secret/all.json", "{\"pw\": \"LEAK\"}").link("env/data/link.json", "secret/all.json").fails_but_for_db();
    hocon: Attack::new("data_hash: hocon_data, path: link.conf")
        .write("env/data/secret/all.conf", "pw = LEAK").link("env/data/link.conf", "secret/all.conf").fails_but_for_db();
    eyaml: Attack::new("lookup_key: eyaml_lookup_key, path: 'nodes/%{facts.role}.yaml'").role("../secret/all").fails(true);
    eyaml_by_a_link: Attack::new("lookup_key: eyaml_lookup_key, path: link.yaml")
        .link("env/data/link.yaml", "secret/all.yaml").fails_but_for_db();
    a_function_at_its_location: Attack::new("data_hash: 'probe::hash', path: link.yaml")
        .link("env/data/link.yaml", "secret/all.yaml").fails_but_for_db();
    a_function_with_a_path_of_its_own: Attack::new("data_hash: 'probe::hash', options: { file: '@/env/data/secret/all.yaml' }")
        .fails_but_for_db();
    a_function_with_a_path_of_a_fact: Attack::new("data_hash: 'probe::hash', options: { file: '@/env/data/nodes/%{facts.role}.yaml' }")
        .role("../secret/all").fails_but_for_db();
    a_function_for_a_key: Attack::new("lookup_key: 'probe::key', options: { file: '@/env/data/x' }")
        .hard_link("env/data/x", "env/data/secret/all.yaml").fails_but_for_db();
    a_function_that_digs: Attack::new("data_dig: 'probe::dig', options: { file: '@/env/data/x' }")
        .link("env/data/x", "secret/all.yaml").fails_but_for_db();
    a_function_with_a_uri: Attack::new("data_hash: 'probe::hash', uri: 'file:///x', options: { file: '@/env/data/secret/all.yaml' }")
        .fails_but_for_db();
    an_alias: Attack::new("paths: [common.yaml, secret/all.yaml]").write("env/data/common.yaml", "a: \"%{alias('pw')}\"\n")
        .key("a").fails_but_for_db();
    an_interpolated_lookup: Attack::new("paths: [common.yaml, secret/all.yaml]")
        .write("env/data/common.yaml", "a: \"x%{lookup('pw')}\"\n").key("a").fails_but_for_db();
    the_global_layer: Attack::new("path: none.yaml")
        .level("hiera.yaml", "datadir: env/data, path: 'nodes/%{facts.role}.yaml'").role("../secret/all").fails(true);
    the_global_layer_by_its_datadir: Attack::new("path: none.yaml").link("global", "env/data/secret")
        .level("hiera.yaml", "datadir: global, path: all.yaml").fails_but_for_db();
    version_4: Attack::new("path: none.yaml").write("env/hiera.yaml",
        "version: 4\nhierarchy: [{ name: a, backend: yaml, path: 'nodes/%{facts.role}' }]\n").role("../secret/all").fails(true);
    version_4_by_a_link: Attack::new("path: none.yaml").link("env/data/a.yaml", "secret/all.yaml")
        .write("env/hiera.yaml", "version: 4\nhierarchy: [{ name: a, backend: yaml }]\n").fails_but_for_db();
    version_3: Attack::new("path: none.yaml").write("hiera.yaml",
        ":yaml:\n  :datadir: '@/env/data'\n:hierarchy: ['nodes/%{::role}']\n").role("../secret/all").fails(true);
    version_3_by_its_datadir: Attack::new("path: none.yaml").write("hiera.yaml",
        ":yaml:\n  :datadir: '@/env/data/%{::tier}'\n:hierarchy: [all]\n").fact("tier", "nodes/../secret").fails(true);
    version_3_by_a_datadir_of_a_fact: Attack::new("path: none.yaml").write("hiera.yaml",
        ":yaml:\n  :datadir: '%{::tier}'\n:hierarchy: [all]\n").fact("tier", "@/env/data/secret").fails(true);
    version_3_by_a_link: Attack::new("path: none.yaml").link("old/a.yaml", "@/env/data/secret/all.yaml").write("hiera.yaml",
        ":yaml:\n  :datadir: '@/old'\n:hierarchy: [a]\n").fails_but_for_db();
    version_3_by_an_extra_path: {
        let attack = Attack::new("path: none.yaml").write("hiera.yaml", ":yaml:\n  :datadir: '@/env/data/nodes'\n:hierarchy: [none]\n");
        Attack { hiera: Some(vec!["../secret/all".into()]), ..attack }.fails_but_for_db()
    };
    dots_in_a_module: Attack::new("path: none.yaml").module("path: '%{facts.role}.yaml'").write("env/modules/m/data/x.yaml", "")
        .role("../../../data/secret/all").fails(true);
    the_default_hierarchy_of_a_module: Attack::new("path: none.yaml").module("path: none.yaml").write("env/modules/m/hiera.yaml",
        "version: 5\ndefault_hierarchy: [{ name: a, path: a.yaml }]\n").link("env/modules/m/data/a.yaml", "@/env/data/secret/all.yaml")
        .fails_but_for_db();
    a_module_that_is_a_link: Attack::new("path: none.yaml").module("path: all.yaml").write("opt/m/data/all.yaml", "m::pw: LEAK")
        .link("env/modules/m/data", "@/opt/m/data")
        .fails_with("file 'modules/m/data/*' where false\n", true);
    pdl_of_a_class_by_a_link: Attack::new("path: none.yaml").pdl("@/pdl", None)
        .link("pdl/db/init.pdl", "@/env/data/secret/db.pdl").fails_but_for_db();
    pdl_of_a_class_by_a_hard_link: Attack::new("path: none.yaml").pdl("@/pdl", None)
        .hard_link("pdl/db/data/init.pdl", "env/data/secret/db.pdl").fails_but_for_db();
    pdl_by_a_linked_directory: Attack::new("path: none.yaml").write("env/data/secret/init.pdl", "$pw = 'LEAK'\n")
        .pdl("@/pdl", None).link("pdl/db", "@/env/data/secret").fails_but_for_db();
    the_library: Attack::new("path: none.yaml").pdl("@/pdl", Some("@/lib.pdl"))
        .link("lib.pdl", "env/data/secret/db.pdl").fails_but_for_db();
    the_library_with_dots: Attack::new("path: none.yaml").pdl("@/pdl", Some("@/env/data/nodes/../secret/db.pdl"))
        .fails_but_for_db();
    the_site_file: Attack::new("path: none.yaml").pdl("@/pdl", None).link("pdl/site.pdl", "../env/data/secret/db.pdl").fails_but_for_db();
    pdl_that_is_broken: Attack::new("path: none.yaml").pdl("@/pdl", None).write("env/data/secret/db.pdl", "$pw = 12LEAK\n")
        .link("pdl/db/init.pdl", "@/env/data/secret/db.pdl").fails_but_for_db();
    pdl_of_a_module: {
        let attack = Attack::new("path: none.yaml").module("path: none.yaml");
        attack.write("env/data/secret/m.pdl", "$pw = 'LEAK'\n").link("env/modules/m/data/init.pdl", "@/env/data/secret/m.pdl").fails_but_for_db()
    };
}

// Keys.
const KEYS: &str = "key 'pw*' where false\nkey 'm::*' where false\nkey 'db::*' where false\n";
const FLAT: &str = "path: secret/all.yaml";
attacks! {
    a_key: Attack::new(FLAT).fails_with(KEYS, true);
    a_quoted_key: Attack::new(FLAT).key("'pw'").fails_with(KEYS, true);
    a_key_in_double_quotes_and_spaces: Attack::new(FLAT).key(" \"pw\" ").fails_with(KEYS, true);
    a_key_with_a_way: Attack::new(FLAT).write("env/data/secret/all.yaml", "pw: { a: LEAK }\n").key("pw.a").fails_with(KEYS, true);
    a_key_of_another_case: Attack::new(FLAT).key("PW").fails_with(KEYS, false);
    a_key_with_colons: Attack::new(FLAT).key("::pw").fails_with(KEYS, false);
    a_class_that_is_a_path: Attack::new(FLAT).pdl("@/pdl", None).write("pdl/db/init.pdl", "$pw = 'LEAK'\n")
        .write("pdl/x/init.pdl", "").key("'x::../db/init::pw'").fails_with(KEYS, false);
    a_class_with_a_slash: Attack::new(FLAT).pdl("@/pdl", None).write("pdl/db/init.pdl", "$pw = 'LEAK'\n")
        .key("'./db::pw'").fails_with(KEYS, false);
}
