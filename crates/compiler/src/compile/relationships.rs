//! `a -> b`, `a ~> b` and the arrows that point the other way.

use ecow::EcoString;
use kukla_base::cancel::walk;
use kukla_catalog::origins::OriginId;
use kukla_pcore::{Type, Value, types};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId};
use smallvec::SmallVec;

use super::Compiler;
use super::collectors::CollectorId;
use super::reference;
use super::resource::ResourceId;
use super::shared_arrays::SharedArrays;
use super::state::Compilation;
use crate::program::NodeInfo;
use crate::{Eval, Program, Stop, fault, issues};

/// An operand of an arrow.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operand {
    /// A reference to a resource or class.
    Reference(Type),
    /// The resources that a collector finds.
    Collector(CollectorId),
}

/// The operands of one side of an arrow: mostly one.
pub(crate) type Operands = SmallVec<[Operand; 2]>;

/// One resource comes before another.
#[derive(Debug)]
pub(crate) struct Relationship {
    source: Operand,
    target: Operand,
    notifies: bool,
    origin: OriginId,
}

impl Compiler {
    /// `left -> right`; its value, if it is used, is the right side, or the left one if that is empty.
    pub(crate) fn relationship(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Eval<Value> {
        let operands = self.chain(program, id, op, left, right)?;
        if matches!(program.node_info(id), NodeInfo::Statement) {
            return Ok(Value::Undef);
        }
        let references = operands.into_iter().filter_map(|operand| match operand {
            Operand::Reference(type_) => Some(Value::type_(type_)),
            Operand::Collector(_) => None,
        });
        Ok(Value::array(references))
    }

    fn chain(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Eval<Operands> {
        let left = self.operands(program, left, id)?;
        let right = self.operands(program, right, id)?;
        let is_reversed = matches!(op, BinaryOp::Require | BinaryOp::Subscribe);
        let notifies = matches!(op, BinaryOp::Notify | BinaryOp::Subscribe);
        let (sources, targets) = if is_reversed { (&right, &left) } else { (&left, &right) };
        let origin = self.catalog.origins.expression(program, id);
        for source in sources {
            for target in targets {
                let (source, target) = (self.known_operand(source)?, self.known_operand(target)?);
                let new = Relationship { source, target, notifies, origin };
                self.catalog.relationships.push(new);
            }
        }
        if right.is_empty() {
            return Ok(left);
        }
        if let [Operand::Collector(only)] = &right[..]
            && let Some(Some(collector)) = self.catalog.collectors.get_mut(only.0 as usize)
        {
            collector.alternative = Some(left);
        }
        Ok(right)
    }

    /// Returns the operands that an expression stands for, each once.
    fn operands(&mut self, program: &Program, at: ExprId, chain: ExprId) -> Eval<Operands> {
        let mut found = Operands::new();
        self.add_operands(program, at, chain, &mut found)?;
        if found.len() < 2 {
            return Ok(found);
        }
        let mut unique = Operands::with_capacity(found.len());
        for operand in found {
            if !unique.contains(&operand) {
                unique.push(operand);
            }
        }
        Ok(unique)
    }

    fn add_operands(
        &mut self,
        program: &Program,
        at: ExprId,
        chain: ExprId,
        found: &mut Operands,
    ) -> Eval<()> {
        let ast = program.ast();
        match ast[crate::interpreter::unwind(program, at)] {
            Expr::Collect { type_, query, operations } => {
                let collector = self
                    .collect(program, at, type_, query, operations)
                    .map_err(|stop| issues::locate(stop, program, at))?;
                found.push(Operand::Collector(collector));
                Ok(())
            }
            Expr::Binary {
                op:
                    op @ (BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe),
                left,
                right,
            } => {
                found.extend(self.chain(program, at, op, left, right)?);
                Ok(())
            }
            Expr::List(elements) => {
                for &element in ast.list(elements) {
                    self.add_operands(program, element, chain, found)?;
                }
                Ok(())
            }
            _ => {
                let value = self.eval(program, at)?;
                self.add_value(program, chain, &value, found)
            }
        }
    }

    fn add_value(
        &mut self,
        program: &Program,
        chain: ExprId,
        value: &Value,
        found: &mut Operands,
    ) -> Eval<()> {
        let type_ = match value {
            Value::Array(values) => {
                return walk(Ok(()), || {
                    values.iter().try_for_each(|value| self.add_value(program, chain, value, found))
                });
            }
            Value::String(text) => types::parse(text, &self.names())
                .map_err(|error| Stop::fault(issues::illegal_type_expression(&error)))?,
            Value::Type(type_) => (**type_).clone(),
            other => {
                return issues::at(program, chain, issues::illegal_operand_value(other));
            }
        };
        let inner = match &type_ {
            Type::Type(Some(inner)) => inner,
            other => other,
        };
        if !matches!(inner, Type::Class(_) | Type::Resource(_) | Type::CatalogEntry) {
            return issues::at(program, chain, issues::illegal_operand_type(&type_));
        }
        found.push(Operand::Reference(inner.clone()));
        Ok(())
    }

    /// An operand whose type is there.
    fn known_operand(&self, operand: &Operand) -> Eval<Operand> {
        match operand {
            Operand::Reference(type_) => {
                let known = self.catalog_type(type_)?;
                Ok(Operand::Reference(known.unwrap_or_else(|| type_.clone())))
            }
            Operand::Collector(_) => Ok(operand.clone()),
        }
    }

    /// Writes all relationships into the resources that come first.
    pub(super) fn evaluate_relationships(&mut self) -> Eval<()> {
        let relationships = std::mem::take(&mut self.catalog.relationships);
        self.catalog.related = vec![[0; 2]; self.catalog.n_resources()];
        let texts = vec![None; self.catalog.n_resources()];
        let mut ends = Ends { texts, buffer: String::new() };
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        let shared = match relationships.is_empty() {
            true => SharedArrays::default(),
            false => SharedArrays::find(&self.catalog),
        };
        for relationship in &relationships {
            self.resolve(&relationship.target, false, &mut targets);
            self.resolve(&relationship.source, true, &mut sources);
            // Most resources have no such parameter yet, and all of those can have one array.
            let texts = targets.iter().map(|target| ends.text(target, &self.catalog));
            let texts = Value::array(texts.map(Value::String));
            for source in sources.drain(..) {
                ends.check(&source, &targets, &self.catalog)?;
                if let Some(source) = source.id() {
                    self.relate(source, &texts, relationship, &shared);
                }
            }
            targets.clear();
        }
        Ok(())
    }

    /// Adds the resources that an operand stands for.
    fn resolve(&self, operand: &Operand, is_left: bool, found: &mut Vec<End>) {
        match operand {
            Operand::Reference(type_) => found.extend(self.end(type_)),
            Operand::Collector(id) => {
                let collector = self.catalog.collectors.get(id.0 as usize);
                let Some(Some(collector)) = collector else { return };
                if collector.collected.is_empty() && is_left {
                    for operand in collector.alternative.iter().flatten() {
                        self.resolve(operand, true, found);
                    }
                }
                found.extend(collector.collected.iter().map(|&id| End::Resource(id)));
            }
        }
    }

    /// The resource that a reference names.
    fn end(&self, type_: &Type) -> Option<End> {
        match self.referenced(type_) {
            Some(id) if self.is_named_so(id, type_) => Some(End::Resource(id)),
            // It may be another name for the resource, and that is what is written.
            known => reference::text_of(type_).map(|text| End::Named(known, text)),
        }
    }

    /// Whether a reference has the very title of the resource that it names.
    fn is_named_so(&self, id: ResourceId, type_: &Type) -> bool {
        let resource = self.catalog.resource(id);
        match type_ {
            // The titles of classes are made from their names.
            Type::Class(_) => resource.is_class(),
            Type::Resource(reference) => {
                reference.title.as_ref() == Some(&resource.title)
                    && reference.name.as_deref() == Some(resource.type_.as_str())
            }
            _ => false,
        }
    }

    /// Adds an array of references to what a resource comes before, or notifies.
    fn relate(
        &mut self,
        id: ResourceId,
        added: &Value,
        arrow: &Relationship,
        shared: &SharedArrays,
    ) {
        let Value::Array(texts) = added else { return };
        if texts.is_empty() {
            return;
        }
        let names = &self.catalog.names;
        let name = if arrow.notifies { names.notify } else { names.before };
        self.catalog.related[id.0 as usize][usize::from(arrow.notifies)] += texts.len();
        let targets = texts.iter().cloned();
        let (resource, origins) = self.catalog.resource_and_origins(id);
        match resource.parameters.iter_mut().find(|known| known.name == name) {
            Some(known) => match &mut known.value {
                Value::Array(values) => {
                    values.extend(targets);
                    known.origin = origins.append(known.origin, arrow.origin, texts.len(), None);
                }
                // In Puppet this is another parameter, of which it does not know the place.
                Value::Undef => {
                    known.value = Value::array(targets);
                    known.origin = arrow.origin;
                }
                other => {
                    let values: Vec<Value> =
                        std::iter::once(other.clone()).chain(targets).collect();
                    *other = Value::array(values);
                    let unnamed = Some(OriginId::COMPILER);
                    known.origin = origins.append(known.origin, arrow.origin, texts.len(), unnamed);
                }
            },
            None => resource.set(name, added.clone(), arrow.origin),
        }
        let others = shared.with(id, name);
        if let (Some(parameter), [_, _, ..]) = (resource.parameter(name), others) {
            let (value, origin) = (parameter.value.clone(), parameter.origin);
            for &other in others.iter().filter(|&&other| other != id) {
                self.catalog.resource_mut(other).set(name, value.clone(), origin);
            }
        }
    }
}

/// A resource at the end of an arrow.
enum End {
    Resource(ResourceId),
    /// By another name, or one that is not there; with what is written for it.
    Named(Option<ResourceId>, EcoString),
}

impl End {
    fn id(&self) -> Option<ResourceId> {
        match self {
            Self::Resource(id) => Some(*id),
            Self::Named(id, _) => *id,
        }
    }
}

/// The texts of resources by their numbers: many arrows may lead to one.
struct Ends {
    texts: Vec<Option<EcoString>>,
    /// Where they are put together.
    buffer: String,
}

impl Ends {
    /// Whether the resources at both ends of an arrow are there.
    fn check(&mut self, source: &End, targets: &[End], compilation: &Compilation) -> Eval<()> {
        for target in targets {
            if source.id().is_none() || target.id().is_none() {
                return self.not_there(source, target, compilation);
            }
        }
        Ok(())
    }

    fn not_there(&mut self, source: &End, target: &End, compilation: &Compilation) -> Eval<()> {
        let [source_text, target_text] = [source, target].map(|end| self.text(end, compilation));
        fault(match source.id() {
            None => issues::unknown_source(&source_text, &target_text),
            Some(_) => issues::unknown_target(&source_text, &target_text),
        })
    }

    /// Returns the reference that parameters have for a resource.
    fn text(&mut self, end: &End, compilation: &Compilation) -> EcoString {
        match end {
            End::Resource(id) => {
                let known = &mut self.texts[id.0 as usize];
                let new = || {
                    let resource = compilation.resource(*id);
                    self.buffer.clear();
                    reference::write(resource.type_.as_str(), &resource.title, &mut self.buffer);
                    EcoString::from(self.buffer.as_str())
                };
                known.get_or_insert_with(new).clone()
            }
            End::Named(_, text) => text.clone(),
        }
    }
}
