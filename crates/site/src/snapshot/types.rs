//! Type aliases that modules and the environment define, each in a file of its own.
//!
//! Types may refer to each other, so all types that come up while one is resolved are finished before any is published.
//! The recorded questions of a type are those of its own file and of all types that it uses, however many others were
//! resolved with it: records don't depend on earlier requests.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_compiler::issues::{self, Code, Issue, TypeFileProblem};
use kukla_compiler::source::{self, Refusal};
use kukla_compiler::{Library, Program, make_type};
use kukla_pcore::Type;
use kukla_pcore::types::{Names, capitalize_segments, named};
use kukla_syntax::Options as SyntaxOptions;
use kukla_syntax::ast::{Expr, ExprId};
use kukla_world::{Reads, Record, World};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Snapshot;

impl Snapshot {
    /// Returns the type of a name.
    pub(crate) fn find_type(&self, name: &str, record: &Record) -> Option<Type> {
        let key = name.to_lowercase();
        if let Some(found) = self.types.get(&key, record) {
            return found?.ok();
        }
        let resolving = Resolving {
            snapshot: self,
            made: RefCell::default(),
            members: RefCell::default(),
            reads: RefCell::default(),
            current: RefCell::default(),
        };
        let found = resolving.find_type(&key);
        let closures = resolving.closures();
        let made = resolving.made.into_inner();
        #[expect(clippy::iter_over_hash_type, reason = "they are put into another table")]
        for (name, reads) in closures {
            let made = made.get(&name).cloned();
            self.types.keep(name, made, reads);
        }
        self.types.get(&key, record).flatten().map_or(found, Result::ok)
    }

    /// Returns the error of the file that should define a type, if it is not a valid program.
    pub(crate) fn refused_type(&self, name: &str, record: &Record) -> Option<Refusal> {
        let refusal = self.types.get(&name.to_lowercase(), record)??.err()?;
        // Only a source that was read has a span to underline.
        let is_reported = refusal.at.is_some() || refusal.issue.code() == Code::MISSING_DEFINITION;
        is_reported.then_some(refusal)
    }

    fn type_file(&self, key: &str, record: &Record) -> Option<(PathBuf, &str)> {
        let world = self.recording(record);
        let mut segments = key.split("::");
        let first = segments.next()?;
        let rest: Vec<&str> = segments.collect();
        let (root, module, rest) = match self.module(first, record) {
            Some(module) if !rest.is_empty() => {
                (&module.path, module.name.as_str(), rest.join("/"))
            }
            // The environment has types of its own: `Name`, and `Environment::Name` in a directory of that name.
            _ if rest.is_empty() || first == "environment" => {
                (&self.environment.directory, "", key.replace("::", "/"))
            }
            _ => return self.set_file(key, record),
        };
        let path = root.join("types").join(format!("{rest}.pp"));
        if world.is_file(&path.to_string_lossy()) {
            return Some((path, module));
        }
        self.set_file(key, record)
    }

    /// Returns the file of the type set that has the name of its module.
    fn set_file(&self, key: &str, record: &Record) -> Option<(PathBuf, &str)> {
        let module = self.module(key, record)?;
        let path = module.path.join("types/init_typeset.pp");
        let exists = self.recording(record).is_file(&path.to_string_lossy());
        exists.then_some((path, module.name.as_str()))
    }
}

/// Types that one thread is resolving.
struct Resolving<'a> {
    snapshot: &'a Snapshot,
    made: RefCell<FxHashMap<String, Result<Type, Refusal>>>,
    /// Types in type sets, each with the name of its set.
    members: RefCell<FxHashMap<String, (String, Type)>>,
    /// The recorded questions of each requested name.
    reads: RefCell<FxHashMap<String, Questions>>,
    /// The names that are being resolved, the innermost last.
    current: RefCell<Vec<String>>,
}

/// The recorded questions of one type.
#[derive(Default)]
struct Questions {
    /// The questions of its own file.
    own: Record,
    /// The types of this round that it uses.
    uses: Vec<String>,
}

impl Resolving<'_> {
    fn find_type(&self, key: &str) -> Option<Type> {
        self.note_use(key);
        if let Some(made) = self.made.borrow().get(key) {
            return made.clone().ok();
        }
        if self.reads.borrow().contains_key(key) {
            // It was searched already, or an outer call is searching it.
            return None;
        }
        let questions = Questions { own: Record::on(), uses: Vec::new() };
        self.reads.borrow_mut().insert(key.to_owned(), questions);
        self.current.borrow_mut().push(key.to_owned());
        let found = self.work_out(key);
        self.current.borrow_mut().pop();
        found
    }

    fn work_out(&self, key: &str) -> Option<Type> {
        if let Some(path) = self.noting(key, |record| self.snapshot.ruby_type_path(key, record)) {
            let made = self.in_ruby(key, &path);
            self.made.borrow_mut().insert(key.to_owned(), made.clone());
            return made.ok();
        }
        let file = self.noting(key, |record| self.snapshot.type_file(key, record));
        let Some((path, module)) = file else {
            let found = self.in_set(key).or_else(|| self.in_manifest(key));
            return found.or_else(|| self.in_main(key));
        };
        let program = self.noting(key, |record| {
            self.snapshot.read_program(&path, module, &mut Vec::new(), record)
        });
        let made = program.and_then(|program| {
            let made = check_file(key, &program).and_then(|()| self.make(key, &program, true));
            made.map_err(|issue| Refusal::of_file(issue, None))
        });
        let made = made.and_then(|made| match self.refused_use(key) {
            Some(refusal) => Err(refusal),
            None => Ok(made),
        });
        self.made.borrow_mut().insert(key.to_owned(), made.clone());
        made.ok()
    }

    /// Makes the type of a file in Ruby.
    fn in_ruby(&self, key: &str, path: &Path) -> Result<Type, Refusal> {
        let described =
            self.noting(key, |record| self.snapshot.read_ruby_type(path, record).map(|it| it.1));
        let described = described.map_err(|issue| Refusal::of_file(issue, None))?;
        if !described.name.eq_ignore_ascii_case(key) {
            let issue = issues::misnamed_ruby_type(&path.to_string_lossy(), key, &described.name);
            return Err(Refusal::of_file(issue, None));
        }
        let text = format!("type {} = Object[{{ {} }}]", described.name, described.interface);
        let options = SyntaxOptions { file: path.to_string_lossy().into(), ..Default::default() };
        let program = source::program(&text, &options, &mut Vec::new())?;
        self.make(key, &program, false).map_err(|issue| Refusal::of_file(issue, None))
    }

    /// Runs a closure and attributes its questions to a name.
    fn noting<T>(&self, key: &str, work: impl FnOnce(&Record) -> T) -> T {
        let reads = self.reads.borrow();
        match reads.get(key) {
            Some(questions) => work(&questions.own),
            None => work(&Record::off()),
        }
    }

    /// Records that the type that is being resolved uses another one.
    fn note_use(&self, key: &str) {
        if let Some(user) = self.current.borrow().last()
            && let Some(questions) = self.reads.borrow_mut().get_mut(user)
        {
            questions.uses.push(key.to_owned());
        }
    }

    /// Returns the questions of each name: its own, and those of all names that it uses.
    fn closures(&self) -> FxHashMap<String, Arc<Reads>> {
        let all = self.reads.take();
        let mut uses: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let mut own: FxHashMap<String, Arc<Reads>> = FxHashMap::default();
        #[expect(clippy::iter_over_hash_type, reason = "they are put into other tables")]
        for (name, questions) in all {
            own.insert(
                name.clone(),
                Record::off().gather(|record| questions.own.move_to(record)).1,
            );
            uses.insert(name, questions.uses);
        }
        let closure = |name: &String| {
            let mut seen: FxHashSet<&str> = FxHashSet::default();
            let mut open = vec![name.as_str()];
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(uses.get(next).into_iter().flatten().map(String::as_str));
                }
            }
            let ((), reads) = Record::off().gather(|record| {
                #[expect(clippy::iter_over_hash_type, reason = "records are sorted when read")]
                for name in seen {
                    own.get(name).into_iter().for_each(|reads| record.replay(reads));
                }
            });
            (name.clone(), reads)
        };
        own.keys().map(closure).collect()
    }

    /// Returns the refusal of a file that is to define a type which another one uses.
    fn refused_use(&self, key: &str) -> Option<Refusal> {
        let (reads, made) = (self.reads.borrow(), self.made.borrow());
        let mut used =
            reads.get(key)?.uses.iter().filter_map(|name| made.get(name)?.as_ref().err());
        used.find(|refusal| refusal.issue.code() == Code::MISSING_DEFINITION).cloned()
    }

    /// Returns a type that the manifest of a class or define defines: `A::B::C` of `a/manifests/init.pp`,
    /// `a/manifests/b/c.pp` or `a/manifests/b.pp`.
    fn in_manifest(&self, key: &str) -> Option<Type> {
        let (module, mut rest) = key.split_once("::")?;
        let mut paths = vec![format!("{module}/"), format!("{module}/{}", rest.replace("::", "/"))];
        while let Some((outer, _)) = rest.rsplit_once("::") {
            paths.push(format!("{module}/{}", outer.replace("::", "/")));
            rest = outer;
        }
        let program = paths.iter().find_map(|path| {
            let manifest = self.noting(key, |record| self.snapshot.find_manifest(path, record));
            let program = manifest?.ok()?.program.clone();
            definition(key, &program).map(|_| program)
        })?;
        self.made_of(key, &program, true)
    }

    /// Returns a type that the initial manifests define.
    fn in_main(&self, key: &str) -> Option<Type> {
        let manifests = self.noting(key, |record| self.snapshot.main_manifests(record)).ok()?;
        let mut programs = manifests.iter().map(|manifest| &manifest.program);
        let program = programs.find(|program| definition(key, program).is_some())?;
        // The types of a set are found in files only.
        self.made_of(key, program, false)
    }

    fn made_of(&self, key: &str, program: &Arc<Program>, has_members: bool) -> Option<Type> {
        let made =
            self.make(key, program, has_members).map_err(|issue| Refusal::of_file(issue, None));
        self.made.borrow_mut().insert(key.to_owned(), made.clone());
        made.ok()
    }

    /// Returns a type in the type set whose name precedes its own.
    fn in_set(&self, key: &str) -> Option<Type> {
        let mut name = key;
        while let Some((set, _)) = name.rsplit_once("::") {
            if let Some(type_) = self.member(key) {
                return Some(type_);
            }
            if let Some(Type::TypeSet(_)) = self.find_type(set) {
                return self.member(key);
            }
            name = set;
        }
        None
    }

    /// Returns a type in a type set that was read in this round.
    fn member(&self, key: &str) -> Option<Type> {
        let (set, type_) = self.members.borrow().get(key).cloned()?;
        self.note_use(&set);
        self.made.borrow_mut().insert(key.to_owned(), Ok(type_.clone()));
        Some(type_)
    }

    fn make(&self, key: &str, program: &Arc<Program>, has_members: bool) -> Result<Type, Issue> {
        let Some(definition) = definition(key, program) else {
            return Err(issues::missing_definition(program.file()));
        };
        // Not published: whether a type of a set has a file of its own is checked when the type is requested.
        let register = |name: &str, type_: Type| {
            if has_members {
                let member = (key.to_owned(), type_);
                self.members.borrow_mut().insert(name.to_lowercase(), member);
            }
        };
        make_type(program, definition, self, &register)
    }
}

impl Names for Resolving<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        if let Some(type_) = named(name) {
            return Some(type_);
        }
        let key = name.to_lowercase();
        let user = self.current.borrow().last().cloned().unwrap_or_default();
        if let Some(found) = self.noting(&user, |record| self.snapshot.types.get(&key, record)) {
            return found?.ok();
        }
        self.find_type(&key).or_else(|| {
            let found = self.noting(&user, |record| self.snapshot.resource_type(&key, record))?;
            let name = Some(capitalize_segments(found.name()).into());
            Some(Type::resource(name, None))
        })
    }
}

/// Checks that a file defines the type of its name, and nothing else.
fn check_file(key: &str, program: &Program) -> Result<(), Issue> {
    let ast = program.ast();
    let problem = match *ast.definitions() {
        [] => TypeFileProblem::Empty,
        [definition] => match ast[definition] {
            Expr::TypeAlias { name, .. } if ast.text(name).eq_ignore_ascii_case(key) => {
                return Ok(());
            }
            Expr::TypeAlias { name, .. } => TypeFileProblem::OtherName(ast.text(name)),
            Expr::TypeDefinition(_) => return Ok(()),
            _ => TypeFileProblem::NoType,
        },
        _ => TypeFileProblem::Additional,
    };
    Err(issues::wrong_type_file(program.file(), key, problem))
}

/// Returns the definition of a type in a program.
fn definition(key: &str, program: &Program) -> Option<ExprId> {
    let ast = program.ast();
    let has_name = |&&id: &&_| matches!(ast[id], Expr::TypeAlias { name, .. } if ast.text(name).eq_ignore_ascii_case(key));
    ast.definitions().iter().find(has_name).copied()
}
