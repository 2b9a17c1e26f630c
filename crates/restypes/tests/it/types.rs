//! TypeLookup of types by name: precedence of modules, generated types and Puppet's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_catalog::types::{AttributeKind, Builtins};
use kukla_restypes::{LibDirectories, ResourceTypes, TypeLookup};
use kukla_world::{Disk, Record};

/// A temporary directory.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root =
            std::env::temp_dir().join(format!("kukla-restypes-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("it has a parent")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        Self(root)
    }

    fn types(&self, module_path: &[&str]) -> ResourceTypes {
        let directories = module_path.iter().map(|directory| self.0.join(directory));
        let sources =
            LibDirectories::of_module_path(directories, &Disk).with_environment(&self.0, &Disk);
        ResourceTypes::new(sources, Arc::new(Builtins::new(kukla_base::Edition::Seven)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn parameters(types: &ResourceTypes, name: &str) -> String {
    match types.find(name, &Disk, &Record::off()) {
        TypeLookup::Known(found) => found.parameters().collect::<Vec<_>>().join(" "),
        TypeLookup::Unreadable(why) => format!("unreadable: {}", why.reason),
        TypeLookup::Missing => "missing".to_owned(),
    }
}

fn declaring(name: &str, parameter: &str) -> String {
    format!("Puppet::Type.newtype(:{name}) {{ newparam(:{parameter}) }}")
}

#[test]
fn the_first_on_the_module_path_wins_and_modules_win_over_puppet() {
    let files = [
        ("one/b/lib/puppet/type/x.rb", declaring("x", "first")),
        ("two/a/lib/puppet/type/x.rb", declaring("x", "second")),
        ("two/a/lib/puppet/type/notify.rb", declaring("notify", "odd")),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let scratch = Scratch::new("order", &files);
    assert_eq!(parameters(&scratch.types(&["one", "two"]), "x"), "first");
    assert_eq!(parameters(&scratch.types(&["two", "one"]), "x"), "second");
    assert_eq!(parameters(&scratch.types(&["two"]), "notify"), "odd");
    assert_eq!(parameters(&scratch.types(&["one"]), "notify"), "withpath name");
}

#[test]
fn names_that_are_none() {
    let types = Scratch::new("none", &[]).types(&[]);
    for name in ["", "nothing", "../x", "a::b", "File", "a/b"] {
        assert_eq!(parameters(&types, name), "missing", "{name}");
    }
}

#[test]
fn generated_types_win_and_take_only_what_they_list() {
    let text = "Puppet::Resource::ResourceType3.new(
      'x',
      [Puppet::Resource::Param(Enum['present', 'absent'], 'ensure')],
      [Puppet::Resource::Param(Any, 'path', true), Puppet::Resource::Param(Any, 'mode')],
      { /(?m-ix:(.*))/ => ['path'] },
      true,
      false)";
    let ruby = declaring("x", "other");
    let files = [(".resource_types/x.pp", text), ("one/a/lib/puppet/type/x.rb", &ruby)];
    let scratch = Scratch::new("generated", &files);
    let types = scratch.types(&["one"]);
    let TypeLookup::Known(found) = types.find("x", &Disk, &Record::off()) else {
        panic!("it is not known")
    };
    assert_eq!(found.parameters().collect::<Vec<_>>(), ["path", "mode"]);
    assert_eq!(found.parse_title("a\nb"), Ok(vec![("path", Some("a\nb".to_owned()))]));
    assert!(!found.is_valid_parameter("name"));
    assert!(found.is_valid_parameter("ensure"));
}

#[test]
fn a_broken_generated_type_is_unreadable() {
    let scratch = Scratch::new("broken", &[(".resource_types/x.pp", "1 + ")]);
    let types = scratch.types(&[]);
    assert!(matches!(types.find("x", &Disk, &Record::off()), TypeLookup::Unreadable(_)));
}

#[test]
fn an_unreadable_type_that_the_table_knows() {
    let text = "Puppet::Type.newtype(:nagios_host) { newparam(gone) }";
    let scratch = Scratch::new("table", &[("one/a/lib/puppet/type/nagios_host.rb", text)]);
    assert!(parameters(&scratch.types(&["one"]), "nagios_host").contains("provider"));
}

#[test]
fn the_table_is_whole() {
    let builtins = Builtins::new(kukla_base::Edition::Seven);
    assert!(builtins.names().is_sorted());
    for name in builtins.names() {
        let found = builtins.find(name).expect("it is in the table");
        assert_eq!(found.name(), name);
        for key in found.key_attributes() {
            assert_eq!(found.kind(key), Some(AttributeKind::Parameter), "{name}: {key}");
        }
    }
    let file = builtins.find("file").expect("there are files");
    assert_eq!(file.namevar(), "path");
    assert_eq!(file.parse_title("/"), Ok(vec![("path", Some("/".to_owned()))]));
    assert_eq!(file.whole_title("/etc/motd").map(|name| name.as_str()), Some("path"));
    assert_eq!(file.whole_title("/etc/"), None);
    assert_eq!(builtins.get("file").and_then(|file| file.module), None);
    assert_eq!(builtins.get("cron").and_then(|cron| cron.module), Some("cron_core"));
    let exec = builtins.find("exec").expect("there are execs");
    assert!(!exec.is_isomorphic());
}

#[test]
fn types_can_be_asked_from_many_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&ResourceTypes::new(
        LibDirectories::of_module_path([Path::new("/nowhere")], &Disk),
        Arc::new(Builtins::new(kukla_base::Edition::default())),
    ));
}
