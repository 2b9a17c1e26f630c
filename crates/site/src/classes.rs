//! Classes of an environment and their parameters: Puppet Server's answer to `environment_classes`.
//!
//! ```json
//! { "files": [{ "classes": [{ "name": "a", "params": [{ "name": "x", "type": "String" }] }],
//!               "path": "/…/a/manifests/init.pp" }],
//!   "name": "production" }
//! ```
//! Keys are sorted, files are sorted by path. A parameter with a default has its text as
//! `default_source`, and its value as `default_literal` if the default is a literal.

mod aliases;
mod literal;
mod quote;
mod type_text;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use kukla_base::render::{FileReport, Kind, concise};
use kukla_base::{Diagnostic, Edition, Phase, Source};
use kukla_syntax::ast::{Expr, ExprId, Named, NamedKind};
use kukla_syntax::{Ast, Strict};
use kukla_xpp::SourceCheck;
use serde_json::{Map, Value, json};

use aliases::Aliases;
use type_text::TypeText;

use crate::environment::Environment;
use crate::index::Whole;
use crate::load::{LoadError, Unusable, Xpp};
use kukla_world::paths::Anchor;
use kukla_world::{Disk, Pool};
use kukla_xpp::tree::Manifest;

/// The classes of an environment.
#[derive(Debug)]
pub struct Classes {
    /// The JSON document that Puppet Server answers.
    pub json: Value,
    /// Serialized manifests that could not be used, by their paths.
    pub unusable: Vec<Unusable>,
}

/// Returns the classes of an environment, from the manifests that it has, or from its index if trees may be loaded.
pub fn classes(
    environment: &Environment,
    manifests: &[Manifest],
    xpp: Xpp,
    pool: &Pool,
) -> Classes {
    let is_requested = |manifest: &&Manifest| {
        manifest.path.starts_with(&environment.manifest) || manifest.rest.starts_with("manifests")
    };
    let requested: Vec<Manifest> = manifests.iter().filter(is_requested).cloned().collect();
    let whole = Whole { environment, manifests };
    let indexed = if xpp == Xpp::On { whole.indexed(pool) } else { None };
    let (files, unusable) = match indexed {
        Some(mut files) => {
            let paths: HashSet<_> = requested.iter().filter_map(|it| it.path.to_str()).collect();
            files.retain(|file| file["path"].as_str().is_some_and(|path| paths.contains(path)));
            (files, Vec::new())
        }
        None => {
            files(&Trees { environment, xpp, known: &HashMap::new() }, manifests, &requested, pool)
        }
    };
    let files: Vec<Value> = files.into_iter().map(classes_of_file).collect();
    let name = environment.directory.file_name().unwrap_or_default();
    Classes { json: json!({ "files": files, "name": name.to_string_lossy() }), unusable }
}

/// Returns the entry of one file in Puppet Server's answer.
fn classes_of_file(mut file: Value) -> Value {
    let path = file["path"].take();
    match (file["error"].take(), file["definitions"].take()) {
        (Value::Null, Value::Array(definitions)) => {
            let classes = definitions.into_iter().filter(|it| it["kind"] == "class");
            let class =
                |mut it: Value| json!({ "name": it["name"].take(), "params": it["params"].take() });
            json!({ "classes": classes.map(class).collect::<Vec<_>>(), "path": path })
        }
        (error, _) => json!({ "error": error, "path": path }),
    }
}

/// The source of trees.
pub(crate) struct Trees<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) xpp: Xpp,
    /// Trees that the caller has parsed already, without any diagnostic, keyed by the paths of their manifests.
    pub(crate) known: &'a HashMap<PathBuf, Ast>,
}

/// A tree, its diagnostics, and the serialized manifest that could not be used.
type FoundTree<'a> = (Cow<'a, Ast>, Vec<Diagnostic>, Option<Unusable>);

impl<'a> Trees<'a> {
    fn load(&self, manifest: &Manifest) -> Result<FoundTree<'a>, LoadError> {
        if let Some(ast) = self.known.get(&manifest.path) {
            return Ok((Cow::Borrowed(ast), Vec::new(), None));
        }
        let loaded = self.environment.load(
            manifest,
            self.xpp,
            Strict::default(),
            Edition::default(),
            &Disk,
        )?;
        Ok((Cow::Owned(loaded.ast), loaded.diagnostics, loaded.unusable))
    }
}

/// Returns the definitions of each requested manifest, sorted by path, and the serialized manifests that could not be
/// used.
pub(crate) fn files(
    trees: &Trees<'_>,
    manifests: &[Manifest],
    requested: &[Manifest],
    pool: &Pool,
) -> (Vec<Value>, Vec<Unusable>) {
    let (aliases, mut unusable) = Aliases::of(trees, manifests, pool);
    let mut requested: Vec<&Manifest> = requested.iter().collect();
    requested.sort_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
    let files = pool.map(&requested, |manifest| file(trees, manifest, &aliases));
    let (files, found): (Vec<Value>, Vec<Option<Unusable>>) = files.into_iter().unzip();
    unusable.extend(found.into_iter().flatten());
    unusable.sort_by(|one, other| one.path.cmp(&other.path));
    unusable.dedup();
    (files, unusable)
}

fn file(
    trees: &Trees<'_>,
    manifest: &Manifest,
    aliases: &Aliases<'_>,
) -> (Value, Option<Unusable>) {
    let path = manifest.path.to_string_lossy();
    let (tree, check, unusable) = match trees.load(manifest) {
        Ok((ast, diagnostics, unusable)) => {
            let check = SourceCheck::of(ast.source());
            (tree(&path, ast, diagnostics), Some(check), unusable)
        }
        Err(LoadError::Unreadable(_)) => {
            (Err(format!("The file {path} does not exist")), None, None)
        }
        Err(LoadError::NotText { bytes, diagnostic }) => {
            let text = String::from_utf8_lossy(&bytes);
            (Err(words(&path, &text, vec![*diagnostic])), None, None)
        }
    };
    let (size, crc32) = (check.map(|check| check.size), check.map(|check| check.crc32));
    let value = match tree {
        Ok(ast) => {
            let definitions: Vec<Value> = definitions(&ast, aliases).collect();
            json!({ "path": path, "size": size, "crc32": crc32, "definitions": definitions })
        }
        Err(error) => json!({ "path": path, "size": size, "crc32": crc32, "error": error }),
    };
    (value, unusable)
}

/// Returns the tree of a manifest, or Puppet's first error.
fn tree<'a>(
    file: &str,
    ast: Cow<'a, Ast>,
    mut diagnostics: Vec<Diagnostic>,
) -> Result<Cow<'a, Ast>, String> {
    // Definitions are not registered here, so errors of loading do not apply.
    diagnostics.retain(|diagnostic| diagnostic.is_error() && diagnostic.phase != Phase::Load);
    match diagnostics.is_empty() {
        true => Ok(ast),
        false => Err(words(file, ast.source(), diagnostics)),
    }
}

/// Returns Puppet's final message about a file with errors.
fn words(file: &str, text: &str, mut diagnostics: Vec<Diagnostic>) -> String {
    let n_errors = diagnostics.len();
    if n_errors > 1 && !diagnostics[0].is_raised() {
        return format!("Language validation logged {n_errors} errors. Giving up (file: {file})");
    }
    diagnostics.truncate(1);
    let source = Source::new(file, text);
    let puppet_file = Some(file.to_owned());
    // For templates Puppet's message omits the environment.
    let report = FileReport { source, kind: Kind::Template, puppet_file, diagnostics };
    let line = concise::render_file(&report);
    line.trim_start_matches("Error: ").trim_end().to_owned()
}

/// Returns the classes, defines, functions, plans and type aliases of a tree.
fn definitions<'a>(ast: &'a Ast, aliases: &'a Aliases<'_>) -> impl Iterator<Item = Value> + 'a {
    ast.definitions().iter().filter_map(move |&id| match ast[id] {
        Expr::Named(id) => Some(named(ast, ast.named(id), aliases)),
        Expr::TypeAlias { name, type_ } => {
            let text = TypeText::new(aliases).of_parameter(ast, type_);
            Some(json!({ "kind": "type alias", "name": ast.text(name), "type": text }))
        }
        _ => None,
    })
}

fn named(ast: &Ast, named: &Named, aliases: &Aliases<'_>) -> Value {
    let kind = match named.kind {
        NamedKind::Class => "class",
        NamedKind::Define => "define",
        NamedKind::Function => "function",
        NamedKind::Plan => "plan",
    };
    let parameters = ast.list(named.parameters).iter().map(|&id| parameter(ast, id, aliases));
    let parameters: Vec<Value> = parameters.collect();
    let mut value = json!({ "kind": kind, "name": ast.text(named.name), "params": parameters });
    if let Some(parent) = named.parent_class {
        value["inherits"] = json!(ast.text(parent));
    }
    if let Some(type_) = named.return_type {
        value["returns"] = json!(TypeText::new(aliases).of_parameter(ast, type_));
    }
    value
}

fn parameter(ast: &Ast, id: ExprId, aliases: &Aliases<'_>) -> Value {
    let Expr::Parameter { name, value, type_, captures_rest: _ } = ast[id] else {
        return Value::Null;
    };
    let mut members = Map::new();
    if let Some(value) = value {
        if let Some(literal) = literal::value(ast, value).filter(|literal| !literal.is_null()) {
            members.insert("default_literal".to_owned(), literal);
        }
        // Puppet's offsets in heredocs may lie within a character.
        let extent = ast.extent(value).on_borders(ast.source());
        let source = &ast.source()[extent.range()];
        members.insert("default_source".to_owned(), json!(source));
    }
    members.insert("name".to_owned(), json!(ast.text(name)));
    if let Some(type_) = type_ {
        let text = TypeText::new(aliases).of_parameter(ast, type_);
        members.insert("type".to_owned(), json!(text));
    }
    Value::Object(members)
}

impl Environment {
    /// Returns the manifests of a main manifest that lies outside of the environment.
    pub fn outside_manifests(&self, anchor: &Anchor) -> Vec<Manifest> {
        if self.manifest.starts_with(&self.directory) {
            return Vec::new();
        }
        let root = self.manifest.parent().unwrap_or(Path::new("/"));
        self.manifests_below(root, &self.manifest, anchor)
    }
}
