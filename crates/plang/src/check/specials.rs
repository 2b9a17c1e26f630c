//! Members that the language itself implements.

use std::sync::Arc;

use kukla_base::Span;

use super::build::Checker;
use super::constant::Constant;
use crate::ip::Network;
use crate::issues;
use crate::module::{Member, Special};
use crate::program::{End, Node, NodeId};
use crate::sets::{NetSet, TextSet};
use crate::types::{Plain, Type};
use kukla_base::nearest::likely;

impl Checker<'_> {
    /// Adds the node of such a member, whose arguments were checked.
    pub(super) fn special(
        &mut self,
        special: Special,
        member: &'static Member,
        args: &[NodeId],
        span: Span,
    ) -> NodeId {
        match special {
            Special::Import => self.import_node(args[0], span),
            Special::Lookup => self.lookup_node(args[0], span),
            Special::Set => self.set(args, member, span),
            Special::List => self.list(args[0], member, span),
            Special::NetSet => self.net_set(args, member, span),
            Special::Capture => self.capture(args, member, span),
            Special::LanguageVersion => self.version(args[0], span),
            Special::Stop => self.end(End::Stop, span),
            Special::Allow => {
                self.uses.allows = true;
                self.end(End::Allow, span)
            }
            Special::Deny => self.end(End::Deny(args[0]), span),
            Special::Challenge => self.end(End::Challenge(args[0]), span),
            Special::Respond => self.end(End::Respond(args[0], args[1]), span),
            Special::Restart => {
                self.uses.restarts = true;
                self.ending(Node::Restart, span)
            }
            Special::Fail => {
                let node = self.ending(Node::Fail(args[0]), span);
                self.traits_mut(node).fails = true;
                node
            }
            Special::FindOne => self.find_one(args[0], member, span),
            Special::ApplyOne => self.apply_one(args, member, span),
        }
    }

    fn end(&mut self, end: End, span: Span) -> NodeId {
        self.uses.decides |= end != End::Stop;
        self.ending(Node::End(end), span)
    }

    /// Adds a node that ends the program.
    fn ending(&mut self, node: Node, span: Span) -> NodeId {
        let node = self.add(node, span, Type::Plain(Plain::Never));
        self.traits_mut(node).acts = true;
        self.flow.ends = true;
        node
    }

    fn lookup_node(&mut self, module: NodeId, span: Span) -> NodeId {
        match self.type_of(module) {
            Type::Plain(Plain::Module(module)) => self.add_searched(module),
            Type::Plain(Plain::File(file)) => self.add_searched_file(usize::from(file)),
            _ => (),
        }
        self.add(Node::Nothing, span, Type::NOTHING)
    }

    fn set(&mut self, args: &[NodeId], member: &'static Member, span: Span) -> NodeId {
        if self.is_too_large(args, span) {
            return self.unknown(span);
        }
        let texts: Vec<Box<[u8]>> = self.texts(args);
        for (index, text) in texts.iter().enumerate() {
            if texts.len() < 1000 && texts[..index].contains(text) {
                self.diagnostics.push(issues::duplicate_member(self.span_of(args[index])));
            }
        }
        let node = self.set_node(texts, member, span);
        self.sets.insert(node, args.to_vec());
        node
    }

    /// Counts the members of a set towards its limit: a set copies each member, and a program may repeat a long text.
    fn is_too_large(&mut self, args: &[NodeId], span: Span) -> bool {
        let size: u64 = args.iter().map(|arg| self.facts(*arg).size).sum();
        self.sets_size = self.sets_size.saturating_add(size);
        let is_too_large = self.sets_size > self.options.limits.memory;
        if is_too_large {
            self.diagnostics.push(issues::sets_too_large(span, self.options.limits.memory));
        }
        is_too_large
    }

    fn list(&mut self, name: NodeId, member: &'static Member, span: Span) -> NodeId {
        let name =
            String::from_utf8_lossy(self.texts(&[name]).first().map_or(b"", |t| t)).into_owned();
        let list = self.options.registry.as_ref().and_then(|registry| registry.list(&name));
        let texts = list.unwrap_or_default().iter().map(|text| text.as_bytes().into()).collect();
        self.set_node(texts, member, span)
    }

    fn set_node(&mut self, texts: Vec<Box<[u8]>>, member: &'static Member, span: Span) -> NodeId {
        let type_ = member.returns.plain().map_or(Type::Unknown, Type::Plain);
        self.add(Node::Set(Arc::new(TextSet::new(texts))), span, type_)
    }

    fn net_set(&mut self, args: &[NodeId], member: &'static Member, span: Span) -> NodeId {
        let texts = self.texts(args);
        let networks: Vec<Network> = texts
            .iter()
            .filter_map(|text| Network::parse(std::str::from_utf8(text).ok()?).ok())
            .collect();
        for (index, network) in networks.iter().enumerate() {
            let is_inside =
                |other: &Network| other.low() <= network.low() && network.high() <= other.high();
            if networks.len() < 1000 && networks[..index].iter().any(is_inside) {
                self.diagnostics.push(issues::duplicate_member(self.span_of(args[index])));
            }
        }
        let type_ = member.returns.plain().map_or(Type::Unknown, Type::Plain);
        self.add(Node::NetSet(Arc::new(NetSet::new(networks))), span, type_)
    }

    fn capture(&mut self, args: &[NodeId], member: &'static Member, span: Span) -> NodeId {
        let Some(regex) = self.pattern(args[1], false) else { return self.unknown(span) };
        let group = self.constant(args[2]).and_then(Constant::number);
        let group = group.and_then(|group| usize::try_from(group).ok()).unwrap_or(usize::MAX);
        if group >= regex.captures_len() {
            let issue = issues::no_such_group(self.span_of(args[2]), regex.captures_len() - 1);
            self.diagnostics.push(issue);
            return self.unknown(span);
        }
        let (text, size) = (args[0], self.facts(args[0]).size);
        let node = self.add(Node::Capture { text, regex, group }, span, Type::TEXT);
        self.facts_mut(node).size = size;
        self.may_fail(node, member.fails.unwrap_or_default());
        node
    }

    /// Returns the texts of arguments that were checked to be constants.
    fn texts(&self, args: &[NodeId]) -> Vec<Box<[u8]>> {
        let texts = args.iter().filter_map(|arg| self.constant(*arg).and_then(Constant::text));
        texts.map(Into::into).collect()
    }

    fn version(&mut self, version: NodeId, span: Span) -> NodeId {
        let is_known = self.constant(version).is_some();
        let node = self.add(Node::Version(version), span, Type::NOTHING);
        self.traits_mut(node).acts = true;
        if !is_known {
            self.may_fail(node, "the version is not known");
        }
        node
    }

    fn find_one(&mut self, uri: NodeId, member: &'static Member, span: Span) -> NodeId {
        if member.name == "find" {
            self.diagnostics.push(issues::find_alias(span));
        }
        let service = self.registered(uri);
        let type_ = member.returns.plain().map_or(Type::Unknown, Type::Plain);
        let node = self.add(Node::FindOne(uri), span, type_);
        match service {
            Some(index) => self.facts_mut(node).constant = Some(Constant::Service(index)),
            None => self.may_fail(node, "the registry has no such service"),
        }
        node
    }

    /// Returns the service of a constant URI; reports an error if the registry has none.
    fn registered(&mut self, uri: NodeId) -> Option<u16> {
        let registry = self.options.registry.as_ref()?;
        let text = self.constant(uri).and_then(Constant::text)?;
        if let Some((index, _)) = registry.find(text) {
            return Some(index);
        }
        let text = String::from_utf8_lossy(text).into_owned();
        let near = likely(&text, registry.services.iter().map(|service| service.uri.as_str()));
        // With a handler around it, the program may try another service.
        if self.n_catching == 0 {
            let issue = issues::unknown_service(self.span_of(uri), &text, near);
            self.diagnostics.push(issue);
        }
        None
    }

    fn apply_one(&mut self, args: &[NodeId], member: &'static Member, span: Span) -> NodeId {
        let (service, parts) = (args[0], args[1..].into());
        let node = self.add(Node::Apply { service, parts }, span, Type::BOOLEAN);
        self.traits_mut(node).acts = true;
        self.may_fail(node, member.fails.unwrap_or_default());
        node
    }
}
