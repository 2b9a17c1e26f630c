//! `a -> b`, `a ~> b` and the arrows that point the other way.

use ecow::EcoString;
use kukla_pcore::{Type, Value, types};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId};
use rustc_hash::FxHashMap;

use super::collectors::CollectorId;
use super::reference;
use super::resource::ResourceId;
use super::state::Compilation;
use crate::{Eval, Evaluator, Program, Stop, fault, issues, label};

/// What stands at the end of an arrow.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operand {
    /// A reference to a resource or class.
    Reference(Type),
    /// What a collector finds.
    Collector(CollectorId),
}

/// One resource comes before another.
#[derive(Debug)]
pub(crate) struct Relationship {
    source: Operand,
    target: Operand,
    notifies: bool,
}

impl Evaluator {
    /// `left -> right`; its value is the right side, or the left one if that is empty.
    pub(crate) fn relationship(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Eval<Value> {
        let operands = self.chain(program, id, op, left, right)?;
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
    ) -> Eval<Vec<Operand>> {
        let left = self.operands(program, left, id)?;
        let right = self.operands(program, right, id)?;
        let is_reversed = matches!(op, BinaryOp::Require | BinaryOp::Subscribe);
        let notifies = matches!(op, BinaryOp::Notify | BinaryOp::Subscribe);
        let (sources, targets) = if is_reversed { (&right, &left) } else { (&left, &right) };
        for source in sources {
            for target in targets {
                let (source, target) = (self.known_operand(source)?, self.known_operand(target)?);
                let new = Relationship { source, target, notifies };
                self.compilation.relationships.push(new);
            }
        }
        if right.is_empty() {
            return Ok(left);
        }
        if let [Operand::Collector(only)] = &right[..]
            && let Some(Some(collector)) = self.compilation.collectors.get_mut(only.0 as usize)
        {
            collector.alternative = Some(left);
        }
        Ok(right)
    }

    /// What an operand stands for, each once.
    fn operands(&mut self, program: &Program, at: ExprId, chain: ExprId) -> Eval<Vec<Operand>> {
        let mut found = Vec::new();
        self.add_operands(program, at, chain, &mut found)?;
        let mut unique: Vec<Operand> = Vec::with_capacity(found.len());
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
        found: &mut Vec<Operand>,
    ) -> Eval<()> {
        let ast = program.ast();
        match ast[crate::eval::unwind(program, at)] {
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
        found: &mut Vec<Operand>,
    ) -> Eval<()> {
        let type_ = match value {
            Value::Array(values) => {
                for value in values {
                    self.add_value(program, chain, value, found)?;
                }
                return Ok(());
            }
            Value::String(text) => {
                types::parse(text, &self.names()).map_err(|error| Stop::fault(error.to_string()))?
            }
            Value::Type(type_) => (**type_).clone(),
            other => {
                let message = format!(
                    "Illegal relationship operand, can not form a relationship with {}. \
                     A Catalog type is required.",
                    label::a_an(other)
                );
                return issues::at(program, chain, &message);
            }
        };
        let inner = match &type_ {
            Type::Type(Some(inner)) => inner,
            other => other,
        };
        if !matches!(inner, Type::Class(_) | Type::Resource(_) | Type::CatalogEntry) {
            let message = format!(
                "Illegal relationship operand, can not form a relationship with something of type \
                 {type_}. A Catalog type is required."
            );
            return issues::at(program, chain, &message);
        }
        found.push(Operand::Reference(inner.clone()));
        Ok(())
    }

    /// An operand whose type is there.
    fn known_operand(&self, operand: &Operand) -> Eval<Operand> {
        match operand {
            Operand::Reference(type_) => match self.catalog_value(Value::type_(type_.clone()))? {
                Value::Type(type_) => Ok(Operand::Reference((*type_).clone())),
                _ => Ok(operand.clone()),
            },
            Operand::Collector(_) => Ok(operand.clone()),
        }
    }

    /// Writes all relationships into the resources that come first.
    pub(super) fn evaluate_relationships(&mut self) -> Eval<()> {
        let relationships = std::mem::take(&mut self.compilation.relationships);
        let mut ends = Ends::default();
        for relationship in &relationships {
            let targets = self.resolved(&relationship.target, false, &mut ends);
            for source in self.resolved(&relationship.source, true, &mut ends) {
                for target in &targets {
                    self.relate(&source, target, relationship.notifies)?;
                }
            }
        }
        self.compilation.ends = ends.texts.into_values().collect();
        Ok(())
    }

    /// The resources that an operand stands for.
    fn resolved(&self, operand: &Operand, is_left: bool, ends: &mut Ends) -> Vec<End> {
        match operand {
            Operand::Reference(type_) => {
                let Some(text) = reference::text_of(type_) else { return Vec::new() };
                let end = match self.find_reference(&text) {
                    // It may be another name for the resource, and that is what is written.
                    Some(id) => End { id: Some(id), text: ends.text_of(&text) },
                    None => End { id: None, text: text.into() },
                };
                vec![end]
            }
            Operand::Collector(id) => {
                let collector = self.compilation.collectors.get(id.0 as usize);
                let Some(Some(collector)) = collector else { return Vec::new() };
                if collector.collected.is_empty() && is_left {
                    let others = collector.alternative.iter().flatten();
                    return others.flat_map(|operand| self.resolved(operand, true, ends)).collect();
                }
                let ids = collector.collected.iter();
                ids.map(|&id| ends.resource(id, &self.compilation)).collect()
            }
        }
    }

    fn relate(&mut self, source: &End, target: &End, notifies: bool) -> Eval<()> {
        let (Some(id), Some(_)) = (source.id, target.id) else {
            let (source_text, target_text) = (&source.text, &target.text);
            return fault(match source.id {
                None => format!(
                    "Could not find resource '{source_text}' for relationship on '{target_text}'"
                ),
                Some(_) => format!(
                    "Could not find resource '{target_text}' for relationship from '{source_text}'"
                ),
            });
        };
        let names = &self.compilation.names;
        let name = if notifies { names.notify } else { names.before };
        let resource = self.compilation.resource_mut(id);
        let target = Value::String(target.text.clone());
        match resource.parameters.iter_mut().find(|known| known.name == name) {
            Some(known) => match &mut known.value {
                Value::Array(values) => values.push(target),
                Value::Undef => known.value = Value::array([target]),
                other => *other = Value::array([other.clone(), target]),
            },
            None => resource.set(name, Value::array([target])),
        }
        Ok(())
    }
}

/// A resource at the end of an arrow, as it is written; `None` if it is not there.
struct End {
    id: Option<ResourceId>,
    text: EcoString,
}

/// The texts of resources that are there: one resource is at the end of many arrows.
#[derive(Default)]
struct Ends {
    texts: FxHashMap<String, EcoString>,
    resources: FxHashMap<ResourceId, EcoString>,
}

impl Ends {
    fn resource(&mut self, id: ResourceId, compilation: &Compilation) -> End {
        if let Some(text) = self.resources.get(&id) {
            return End { id: Some(id), text: text.clone() };
        }
        let text = self.text_of(&compilation.reference(id));
        self.resources.insert(id, text.clone());
        End { id: Some(id), text }
    }

    fn text_of(&mut self, text: &str) -> EcoString {
        match self.texts.get(text) {
            Some(known) => known.clone(),
            None => {
                let new = EcoString::from(text);
                self.texts.insert(text.to_owned(), new.clone());
                new
            }
        }
    }
}
