//! Random changes near the questions of a record.

use kukla_world::{Atom, Kind};

use super::overlay::Change;
use super::subject::{ENVIRONMENT, Subject};
use super::{content, request};
use crate::catalog::corpus::MODULES;
use crate::generator::Random;

/// The questions and keys of a record at which mutations are made.
#[derive(Debug)]
pub(super) struct Targets {
    /// Questions by kind, so that rare kinds are chosen too.
    by_kind: Vec<(Kind, Vec<Atom>)>,
    /// Keys of data.
    keys: Vec<String>,
}

impl Targets {
    pub(super) fn of(record: &[Atom]) -> Self {
        let mut by_kind: Vec<(Kind, Vec<Atom>)> = Vec::new();
        for atom in record {
            match by_kind.last_mut() {
                Some((kind, atoms)) if *kind == atom.kind => atoms.push(atom.clone()),
                _ => by_kind.push((atom.kind, vec![atom.clone()])),
            }
        }
        let is_data =
            |atom: &&Atom| matches!(atom.kind, Kind::Data | Kind::JsonData | Kind::HoconData);
        let parts = record.iter().filter(is_data).filter_map(|atom| atom.part.as_deref());
        Self { by_kind, keys: parts.map(str::to_owned).collect() }
    }

    /// Changes a subject at random; returns a description.
    pub(super) fn mutate(&self, subject: &mut Subject, random: &mut Random) -> String {
        let (kind, atoms) = &self.by_kind[random.below(self.by_kind.len())];
        let atom = &atoms[random.below(atoms.len())];
        match kind {
            Kind::File | Kind::Path | Kind::Link | Kind::Entry | Kind::Directory => {
                self.mutate_path(&atom.name, subject, random)
            }
            Kind::Module => self.mutate_module(&atom.name, subject, random),
            Kind::Data | Kind::JsonData | Kind::HoconData => {
                self.mutate_data(atom, subject, random)
            }
            Kind::Environment | Kind::Code => {
                self.mutate_path(&format!("{ENVIRONMENT}/environment.conf"), subject, random)
            }
            _ => request::mutate(atom, subject, random),
        }
    }

    fn mutate_path(&self, path: &str, subject: &mut Subject, random: &mut Random) -> String {
        let near = match random.below(10) {
            0..=4 => path.to_owned(),
            5 => with_other_extension(path, random),
            6 => elsewhere(path, random),
            7 => beside(path, random),
            8 => twin(path, random),
            _ => well_known(path, random),
        };
        let change = match (subject.files.text(&near), random.below(10)) {
            (_, 0) => Change::Directory,
            (Some(_), 1 | 2) => Change::Remove,
            (Some(text), 3..=7) => put(&content::edited(&text, random)),
            (None, 1) => Change::Remove,
            _ => put(&content::of_new_file(&near, &self.keys, random)),
        };
        apply(&near, change, subject)
    }

    fn mutate_module(&self, name: &str, subject: &mut Subject, random: &mut Random) -> String {
        let place = random.pick(&["/env/modules", MODULES, "/env/other"]);
        let name = if name.is_empty() { "mutated" } else { name };
        let file = random.pick(&[
            "manifests/init.pp",
            "metadata.json",
            "lib/puppet/type/file.rb",
            "lib/puppet/functions/pick.rb",
            "lib/puppet/parser/functions/old_style.rb",
            "data/common.yaml",
            "types/port.pp",
        ]);
        let path = format!("{place}/{name}/{file}");
        match random.below(4) {
            0 => apply(&format!("{place}/{name}"), Change::Remove, subject),
            1 => apply(&format!("{place}/{name}"), Change::Directory, subject),
            _ => {
                let text = content::of_new_file(&path, &self.keys, random);
                apply(&path, put(&text), subject)
            }
        }
    }

    fn mutate_data(&self, atom: &Atom, subject: &mut Subject, random: &mut Random) -> String {
        let key = atom.part.as_deref().unwrap_or("profile::port");
        let text = subject.files.text(&atom.name).unwrap_or_default();
        let text = match atom.kind {
            Kind::Data => content::edited_data(&text, key, random),
            _ => content::edited(&text, random),
        };
        apply(&atom.name, put(&text), subject)
    }
}

fn put(text: &str) -> Change {
    Change::Put(text.as_bytes().into())
}

/// Changes a path and describes it.
fn apply(path: &str, change: Change, subject: &mut Subject) -> String {
    let what = match &change {
        Change::Put(_) if subject.files.file(path).is_some() => "edit",
        Change::Put(_) => "add",
        Change::Directory => "make the directory",
        Change::Remove => "remove",
    };
    subject.files.change(path, change);
    format!("{what} {path}")
}

fn with_other_extension(path: &str, random: &mut Random) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let extension =
        random.pick(&["pp", "rb", "epp", "erb", "yaml", "json", "eyaml", "pdl", "conf"]);
    format!("{stem}.{extension}")
}

/// Returns the module and the rest of a path in a module.
fn in_module(path: &str) -> Option<(&str, &str)> {
    let entries = ["/env/modules/", "/usr/share/puppet/modules/"];
    entries.into_iter().find_map(|entry| path.strip_prefix(entry)?.split_once('/'))
}

/// Returns the path in another directory of modules, in another module, or in the environment itself.
fn elsewhere(path: &str, random: &mut Random) -> String {
    let Some((module, rest)) = in_module(path) else { return beside(path, random) };
    match random.below(5) {
        0 | 1 => format!("/env/modules/{module}/{rest}"),
        2 => format!("{MODULES}/aaa_first/{rest}"),
        3 => format!("{ENVIRONMENT}/{rest}"),
        _ => format!("/env/modules/{}/{rest}", random.pick(&["profile", "stdlib", "zzz_last"])),
    }
}

/// Returns another path in the same directory, or one below.
fn beside(path: &str, random: &mut Random) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    match random.below(5) {
        0 => format!("{directory}/init.pp"),
        1 => format!("{directory}/aaa_{name}"),
        2 => format!("{path}/{}", random.pick(&["new.pp", "new.yaml", "new.rb", "x/new.pp"])),
        3 => format!("{directory}.pp"),
        _ => format!("{directory}/{}", name.to_uppercase()),
    }
}

/// Returns the path of what may stand in for the code at a path: a function in the other language, or a type.
fn twin(path: &str, random: &mut Random) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let name = stem.rsplit('/').next().unwrap_or_default();
    let Some((module, _)) = in_module(path) else {
        return format!("{ENVIRONMENT}/lib/puppet/functions/{name}.rb");
    };
    match random.below(7) {
        0 => format!("/env/modules/{module}/functions/{name}.pp"),
        1 => format!("/env/modules/{module}/lib/puppet/functions/{module}/{name}.rb"),
        2 => format!("/env/modules/{module}/lib/puppet/functions/{name}.rb"),
        3 => format!("{ENVIRONMENT}/lib/puppet/functions/{name}.rb"),
        4 => format!("{ENVIRONMENT}/functions/{name}.pp"),
        5 => format!("{ENVIRONMENT}/.resource_types/{name}.pp"),
        _ => format!("/env/modules/{module}/lib/puppet/type/{name}.rb"),
    }
}

/// Returns a path that has a meaning by its name.
fn well_known(path: &str, random: &mut Random) -> String {
    let module = in_module(path).map_or("profile", |(module, _)| module);
    let place = if random.chance(50) { "/env/modules" } else { MODULES };
    match random.below(14) {
        0 => format!("{ENVIRONMENT}/hiera.yaml"),
        1 => format!("{ENVIRONMENT}/environment.conf"),
        2 => format!("{ENVIRONMENT}/data_access"),
        3 => format!("{ENVIRONMENT}/manifests/zz.pp"),
        4 => format!("{ENVIRONMENT}/manifests/below/aa.pp"),
        5 => "/global/hiera.yaml".to_owned(),
        6 => "/global/data/common.yaml".to_owned(),
        7 => format!("{place}/{module}/hiera.yaml"),
        8 => format!("{place}/{module}/metadata.json"),
        9 => format!("{place}/{module}/data/common.yaml"),
        10 => format!("{place}/{module}/data/{module}.pdl"),
        11 => format!("{place}/{module}/types/init_typeset.pp"),
        12 => format!("{ENVIRONMENT}/types/port.pp"),
        _ => format!("{ENVIRONMENT}/.resource_types/file.pp"),
    }
}
