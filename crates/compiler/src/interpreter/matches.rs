//! `=~`, `in`, and what the options of `case` match.

use ecow::EcoString;
use kukla_pcore::regex::Regex;
use kukla_pcore::value::shared;
use kukla_pcore::{Value, ruby};
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use super::scope::Match;
use super::{CatalogHost, Interpreter, compare};
use crate::program::NodeInfo;
use crate::{Eval, Program, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `left =~ right`
    pub(super) fn matching(
        &mut self,
        program: &Program,
        left: ExprId,
        right: ExprId,
    ) -> Eval<bool> {
        let constant = match program.node_info(right) {
            NodeInfo::Constant(Value::Regexp(regex)) => Some(regex),
            _ => None,
        };
        if let (Some(regex), Expr::Concat(segments)) = (constant, &program.ast()[left])
            && self.has_room()
        {
            return self.match_built(program, left, *segments, regex);
        }
        let mut value = Value::Undef;
        self.eval_into(program, left, &mut value)?;
        if let (Value::String(text), Some(regex)) = (&value, constant) {
            return self.match_text(regex, text);
        }
        let pattern = self.eval(program, right)?;
        let regex = match &pattern {
            Value::Type(type_) => return Ok(type_.is_instance(&value)),
            Value::Regexp(regex) => regex.clone(),
            Value::String(source) => match Regex::new(source) {
                Ok(regex) => regex,
                Err(error) => {
                    let issue = issues::match_not_regexp(&error.to_string());
                    return issues::at(program, right, issue);
                }
            },
            other => match compare::version_range_includes(other, &value) {
                Some(included) => return Ok(included),
                None => {
                    let detail = ruby::no_implicit_conversion(other);
                    return issues::at(program, right, issues::match_not_regexp(&detail));
                }
            },
        };
        match &value {
            Value::String(text) => self.match_text(&regex, text),
            other => issues::at(program, left, issues::match_not_string(other)),
        }
    }

    /// Whether `"text ${value}"` matches; it becomes a value only if it does.
    fn match_built(
        &mut self,
        program: &Program,
        id: ExprId,
        segments: ExprList,
        regex: &Regex,
    ) -> Eval<bool> {
        self.steps += 1;
        self.nesting += 1;
        let start = self.build(program, segments);
        self.nesting -= 1;
        let start = start.map_err(|stop| issues::locate(stop, program, id))?;
        let found = match regex.spans(&self.buffer[start..], 0) {
            Ok(Some(groups)) => {
                self.scopes.push_match(Match { text: shared(&self.buffer[start..]), groups });
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => fault(issues::regexp_limit(&error)),
        };
        self.buffer.truncate(start);
        found
    }

    /// Whether a text matches; if so, sets `$0` and up.
    pub(super) fn match_text(&mut self, regex: &Regex, text: &EcoString) -> Eval<bool> {
        match regex.spans(text, 0) {
            Ok(Some(groups)) => {
                self.scopes.push_match(Match { text: text.clone(), groups });
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => fault(issues::regexp_limit(&error)),
        }
    }

    /// `left in right`
    pub(super) fn is_in(&mut self, program: &Program, left: ExprId, right: ExprId) -> Eval<bool> {
        let needle = self.eval(program, left)?;
        let hay = self.eval(program, right)?;
        match (&hay, &needle) {
            (Value::String(text), Value::Regexp(regex)) => self.match_text(regex, text),
            (Value::Array(values), _) => self.is_in_array(values, &needle),
            (Value::Hash(hash), _) => {
                let keys: Vec<Value> = hash.keys().cloned().collect();
                self.is_in_array(&keys, &needle)
            }
            _ => Ok(compare::includes(&hay, &needle)),
        }
    }

    fn is_in_array(&mut self, values: &[Value], needle: &Value) -> Eval<bool> {
        match needle {
            Value::Regexp(regex) => {
                for value in values {
                    if let Value::String(text) = value
                        && self.match_text(regex, text)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::String(_) => {
                for value in values {
                    if self.matches_value(needle, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(compare::array_includes(values, needle)),
        }
    }

    /// Whether an option (`pattern`) matches a value.
    #[inline]
    pub(super) fn matches_value(&mut self, value: &Value, pattern: &Value) -> Eval<bool> {
        match (value, pattern) {
            (Value::Integer(value), Value::Integer(pattern)) => Ok(value == pattern),
            _ => self.matches_other(value, pattern),
        }
    }

    #[inline(never)]
    fn matches_other(&mut self, value: &Value, pattern: &Value) -> Eval<bool> {
        match pattern {
            Value::Regexp(regex) => match value {
                Value::String(text) => self.match_text(regex, text),
                _ => Ok(false),
            },
            Value::Type(type_) => Ok(type_.is_instance(value)),
            Value::Default => Ok(true),
            Value::Array(patterns) => {
                let Value::Array(values) = value else { return Ok(false) };
                if values.len() != patterns.len() {
                    return Ok(false);
                }
                for (value, pattern) in values.iter().zip(patterns) {
                    if !self.matches_value(value, pattern)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Value::Hash(patterns) => {
                let Value::Hash(values) = value else { return Ok(false) };
                for (key, pattern) in patterns.iter() {
                    let value = values.get(key).cloned().unwrap_or_default();
                    if !self.matches_value(&value, pattern)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(compare::matches_version(value, pattern)
                .unwrap_or_else(|| compare::equal(value, pattern))),
        }
    }
}
