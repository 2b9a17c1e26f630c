//! Name resolution: a word is a name of the program, a module, or a member of a searched module.

use kukla_base::Span;

use super::build::Checker;
use super::constant::Constant;
use crate::ast::{Expr, ExprId, Word};
use crate::issues;
use crate::module::{Member, Module};
use crate::modules;
use crate::program::{Node, NodeId};
use crate::types::{Plain, Type};
use kukla_base::nearest::likely;

/// Number of diagnostics after which no suggestions are computed.
const MANY: usize = 100;

/// Meaning of an expression before it is called.
#[derive(Debug)]
pub(super) enum Reference {
    /// A value.
    Value(NodeId),
    /// A member: of a module, or of a receiver.
    Member { member: &'static Member, receiver: Option<NodeId> },
    /// A parameter of a service.
    Parameter { service: NodeId, name: Word },
    /// An operator that is called as a member, `a.contains(b)`.
    Operator { left: NodeId, word: Word },
}

impl Checker<'_> {
    /// Resolves a name or a member.
    pub(super) fn reference(&mut self, id: ExprId) -> Reference {
        match &self.ast[id] {
            Expr::Name(word) => self.word(word),
            Expr::Member { object, member } => self.member_of(*object, member),
            _ => Reference::Value(self.expression(id)),
        }
    }

    fn word(&mut self, word: &Word) -> Reference {
        if let Some(&name) = self.by_text.get(&*word.text) {
            return Reference::Value(self.name(name, &word.text, word.span));
        }
        if let Some(module) = self.modules().find(|m| m.is_preset && *m.name == *word.text) {
            return Reference::Value(self.module_node(module, word.span));
        }
        let mut members = self.lookup(&word.text);
        let files = self.lookup_files(&word.text);
        match members.len() + files.len() {
            1 if files.len() == 1 => Reference::Value(self.name(files[0].1, &word.text, word.span)),
            1 => Reference::Member { member: members.remove(0).1, receiver: None },
            0 => {
                self.complain_undefined(word);
                Reference::Value(self.unknown(word.span))
            }
            _ => {
                let mut candidates: Vec<String> =
                    members.iter().map(|(m, _)| format!("{}.{}", m.name, word.text)).collect();
                candidates.extend(
                    files.iter().map(|(file, _)| {
                        format!("{} of {}", word.text, self.trees.trees[*file].path)
                    }),
                );
                self.diagnostics.push(issues::ambiguous(word.span, &word.text, &candidates));
                Reference::Value(self.unknown(word.span))
            }
        }
    }

    /// Returns the members of that name in Core, Services and the searched modules.
    pub(super) fn lookup(&self, name: &str) -> Vec<(&'static Module, &'static Member)> {
        let own = [&modules::core::MODULE, &modules::services::MODULE];
        let others = self.searched.iter().filter(|m| own.iter().all(|o| !std::ptr::eq(**m, *o)));
        let searched = own.into_iter().chain(others.copied());
        searched.filter_map(|module| Some((module, module.member(name)?))).collect()
    }

    /// Returns the names of that text in the searched files.
    fn lookup_files(&self, name: &str) -> Vec<(usize, usize)> {
        let files = self.searched_files.iter();
        files.filter_map(|file| Some((*file, *self.units[*file].by_text.get(name)?))).collect()
    }

    fn complain_undefined(&mut self, word: &Word) {
        let text = &*word.text;
        let module = self.modules().find(|module| module.name.eq_ignore_ascii_case(text));
        let owner = self.modules().find(|module| module.member(text).is_some());
        let issue = match (module, owner) {
            (Some(module), _) => issues::undefined(word.span, text, None, Some(module.name)),
            (None, Some(owner)) => issues::undefined_member(word.span, text, owner.name),
            // Suggestions take long, and do not help with that many errors.
            (None, None) if self.diagnostics.len() >= MANY => {
                issues::undefined(word.span, text, None, None)
            }
            (None, None) => {
                let names = self.names.iter().map(|name| name.text.as_str());
                let presets = self.modules().filter(|m| m.is_preset).map(|m| m.name);
                let members = modules::core::MODULE.members.iter().map(|member| member.name);
                let near = likely(text, names.chain(presets).chain(members));
                issues::undefined(word.span, text, near, None)
            }
        };
        self.diagnostics.push(issue);
    }

    pub(super) fn module_node(&mut self, module: &'static Module, span: Span) -> NodeId {
        self.add(Node::Object, span, Type::Plain(Plain::Module(module)))
    }

    /// Adds an object for a file.
    pub(super) fn file_object(&mut self, file: usize, span: Span) -> NodeId {
        let number = u16::try_from(file).unwrap_or(u16::MAX);
        self.add(Node::Object, span, Type::Plain(Plain::File(number)))
    }

    fn name_of_file(&mut self, file: u16, word: &Word) -> Reference {
        let unit = &self.units[usize::from(file)];
        if let Some(name) = unit.by_text.get(&*word.text) {
            return Reference::Value(self.name(*name, &word.text, word.span));
        }
        let of = format!("`{}`", self.trees.trees[usize::from(file)].path);
        let mut names: Vec<&str> = unit.by_text.keys().copied().collect();
        names.sort_unstable();
        let near = likely(&word.text, names);
        self.diagnostics.push(issues::no_such_member(word.span, &of, &word.text, near));
        Reference::Value(self.unknown(word.span))
    }

    fn member_of(&mut self, object: ExprId, word: &Word) -> Reference {
        let receiver = self.expression(object);
        let (members, of, is_module) = match self.type_of(receiver) {
            Type::Plain(Plain::Module(module)) => {
                (module.members, format!("module {}", module.name), true)
            }
            Type::Plain(Plain::Object(object)) => {
                if std::ptr::eq(object, &raw const modules::services::SERVICE) {
                    return Reference::Parameter { service: receiver, name: word.clone() };
                }
                (object.members, object.name.to_owned(), false)
            }
            Type::Plain(Plain::File(file)) => return self.name_of_file(file, word),
            Type::Unknown => return Reference::Value(receiver),
            type_ => {
                if operator_word(&word.text) {
                    return Reference::Operator { left: receiver, word: word.clone() };
                }
                let of = match type_ {
                    Type::Plain(plain) => format!("a {plain}"),
                    type_ => type_.to_string(),
                };
                self.diagnostics.push(issues::no_such_member(word.span, &of, &word.text, None));
                return Reference::Value(self.unknown(word.span));
            }
        };
        match members.iter().find(|member| *member.name == *word.text) {
            Some(member) => {
                Reference::Member { member, receiver: (!is_module).then_some(receiver) }
            }
            None => {
                let near = likely(&word.text, members.iter().map(|member| member.name));
                self.diagnostics.push(issues::no_such_member(word.span, &of, &word.text, near));
                Reference::Value(self.unknown(word.span))
            }
        }
    }

    /// `import "Http"`
    pub(super) fn import(&mut self, operand: ExprId, span: Span) -> NodeId {
        let uri = self.expression(operand);
        self.import_node(uri, span)
    }

    /// Returns the node of the module that a constant names.
    pub(super) fn import_node(&mut self, uri: NodeId, span: Span) -> NodeId {
        let uri_span = self.span_of(uri);
        let Some(Constant::Text(text)) = self.constant(uri) else {
            if self.type_of(uri) != Type::Unknown {
                self.diagnostics.push(issues::import_not_constant(uri_span));
            }
            return self.unknown(span);
        };
        // No module has a long name, and a hostile program may repeat one long text many times.
        let text = String::from_utf8_lossy(&text[..text.len().min(1000)]).into_owned();
        match self.find_module(&text) {
            Some(module) => {
                self.check_protocol(module, uri_span);
                self.search(module);
                self.module_node(module, span)
            }
            None if text.starts_with("file:") => self.file_node(&text, uri, span),
            None => {
                let is_helpful = self.diagnostics.len() < MANY;
                let names = self.modules().map(|module| module.name);
                let near = if is_helpful { likely(&text, names) } else { None };
                self.diagnostics.push(issues::unknown_module(uri_span, &text, near));
                self.unknown(span)
            }
        }
    }

    /// Checks that a module is about the messages of the program: one program processes one protocol.
    fn check_protocol(&mut self, module: &'static Module, span: Span) {
        let Some(protocol) = module.protocol else { return };
        match *self.uses.protocol.get_or_insert(protocol) {
            own if own == protocol => (),
            own => {
                self.diagnostics.push(issues::other_protocol(span, module.name, protocol, own));
            }
        }
    }

    pub(super) fn find_module(&self, text: &str) -> Option<&'static Module> {
        self.modules().find(|module| module.name == text || module.uri == text)
    }

    /// Searches an imported module, unless the program uses `lookup`: then only modules named there are searched.
    fn search(&mut self, module: &'static Module) {
        if !self.has_lookup {
            self.add_searched(module);
        }
    }

    pub(super) fn add_searched(&mut self, module: &'static Module) {
        if self.searched.iter().all(|other| !std::ptr::eq(*other, module)) {
            self.searched.push(module);
        }
    }

    /// Resolves `import A otherwise import B` at compile time, to the first that exists.
    pub(super) fn import_choice(&mut self, left: ExprId, right: ExprId) -> Option<NodeId> {
        let exists = self.import_exists(left)?;
        Some(self.expression(if exists { left } else { right }))
    }

    /// Warns of a name that shadows a member, or that needs no import.
    pub(super) fn lint_shadowing(&mut self, name: usize, word: &Word, type_: Type) {
        if !self.names[name].sites.is_empty() {
            return;
        }
        let preset = self.modules().find(|m| m.is_preset && *m.name == *word.text);
        let is_same = |module: &'static Module| type_ == Type::Plain(Plain::Module(module));
        if preset.is_some_and(is_same) {
            self.diagnostics.push(issues::redundant_import(word.span, &word.text));
        } else if let Some((module, _)) = self.lookup(&word.text).first() {
            let issue = issues::shadowed_member(word.span, &word.text, module.name);
            self.diagnostics.push(issue);
        }
    }
}

/// Whether an operator word can be called as a member.
fn operator_word(word: &str) -> bool {
    matches!(word, "and" | "or" | "xor")
        || crate::token::Keyword::ALL
            .iter()
            .any(|(text, keyword)| *text == word && crate::parser::text_op(*keyword).is_some())
}
