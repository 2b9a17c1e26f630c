//! `Type[parameters]` in code, compared with real Puppet.

use anyhow::Result;
use kukla_pcore::types::access::{AccessBlame, access};
use kukla_pcore::types::{Accessed, NoNames, named};
use kukla_pcore::value::Value as Datum;
use kukla_syntax::ast::{Expr, ExprId, UnaryOp};
use kukla_syntax::{Ast, Options};
use serde_json::{Value, json};

use super::cases::CASES;
use super::{Outcome, Question};
use crate::Oracle;
use crate::generator::random::Random;

/// Evaluates accesses of some seeds on both sides.
pub fn compare(seeds: std::ops::Range<u64>) -> Result<Outcome> {
    let mut puppet = Oracle::start_script("types.rb")?;
    puppet.tell(&json!({ "aliases": {} }))?;
    let mut outcome = Outcome::default();
    let written = CASES.iter().map(|&code| code.to_owned());
    let generated = seeds.map(|seed| Writer { random: &mut Random::new(seed), depth: 0 }.access());
    for code in written.chain(generated) {
        let answer = puppet.ask_json(&json!({ "access": code }))?;
        let question = Question { a: code.clone(), b: String::new(), value: String::new() };
        outcome.add(&question, &json!({ "access": answer }), &json!({ "access": ours(&code) }));
    }
    Ok(outcome)
}

/// Returns our answer: a value, or an error with Puppet's message and place.
fn ours(code: &str) -> Value {
    let checked = kukla_syntax::parse(code, &Options::default());
    let Some(body) = checked.ast.body() else { return Value::Null };
    match eval(&checked.ast, body) {
        Ok(value) => json!({ "value": text_of(&value) }),
        Err(Failure { message, column: None }) => json!({ "error": message }),
        Err(Failure { message, column: Some(column) }) => {
            json!({ "error": format!("Evaluation Error: {message} (line: 1, column: {column})") })
        }
    }
}

struct Failure {
    message: String,
    column: Option<u32>,
}

fn text_of(value: &Datum) -> String {
    match value {
        Datum::Type(type_) => type_.text(),
        Datum::Array(values) => {
            format!("[{}]", values.iter().map(text_of).collect::<Vec<_>>().join(", "))
        }
        Datum::Undef => "undef".to_owned(),
        value => format!("{value:?}"),
    }
}

/// Evaluates literals, lists, hashes and accesses.
fn eval(ast: &Ast, id: ExprId) -> Result<Datum, Failure> {
    let unable = |message: String| Failure { message, column: None };
    Ok(match ast[id] {
        Expr::QualifiedReference(name) => match named(ast.text(name)) {
            Some(type_) => type_.into(),
            None => return Err(unable(format!("no type {}", ast.text(name)))),
        },
        Expr::QualifiedName(text) | Expr::String(text) => ast.text(text).into(),
        Expr::Integer { digits, radix } => ast.integer(digits, radix).unwrap_or_default().into(),
        Expr::Float(digits) => ast.float(digits).into(),
        Expr::Boolean(value) => value.into(),
        Expr::Undef => Datum::Undef,
        Expr::Default => Datum::Default,
        Expr::Regexp(source) => match kukla_pcore::regex::Regex::new(ast.text(source)) {
            Ok(regexp) => Datum::Regexp(regexp),
            Err(error) => return Err(unable(error.to_string())),
        },
        Expr::Unary { op: UnaryOp::Minus, expr } => match eval(ast, expr)? {
            Datum::Integer(value) => (-value).into(),
            value => value,
        },
        Expr::List(values) => {
            let values = ast.list(values).iter().map(|&value| eval(ast, value));
            Datum::array(values.collect::<Result<Vec<_>, _>>()?)
        }
        Expr::Hash(entries) => {
            let mut hash = kukla_pcore::Hash::new();
            for &entry in ast.list(entries) {
                if let Expr::KeyedEntry { key, value } = ast[entry] {
                    hash.insert(eval(ast, key)?, eval(ast, value)?);
                }
            }
            hash.into()
        }
        Expr::Access { left, keys } => return eval_access(ast, id, left, ast.list(keys)),
        _ => return Err(unable("not a literal".to_owned())),
    })
}

fn eval_access(ast: &Ast, id: ExprId, left: ExprId, keys: &[ExprId]) -> Result<Datum, Failure> {
    let Datum::Type(type_) = eval(ast, left)? else {
        return Err(Failure { message: "not a type".to_owned(), column: None });
    };
    let values: Vec<Datum> = keys.iter().map(|&key| eval(ast, key)).collect::<Result<_, _>>()?;
    match access(&type_, &values, &NoNames) {
        Ok(Accessed::Value(value)) => Ok(value),
        Ok(Accessed::Attributes { .. }) => {
            Err(Failure { message: "attributes".to_owned(), column: None })
        }
        Err(error) => {
            let blamed = match error.blame {
                AccessBlame::Whole => Some(id),
                AccessBlame::Left => Some(left),
                AccessBlame::Key(place) => keys.get(place).copied(),
            };
            let message = match error.raised {
                true => format!("Error while evaluating a '[]' expression, {}", error.message),
                false => error.message,
            };
            Err(match blamed {
                Some(blamed) => Failure { message, column: Some(ast.span(blamed).start + 1) },
                None => Failure { message: format!("Evaluation Error: {message}"), column: None },
            })
        }
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    depth: usize,
}

const NAMES: &[&str] = &[
    "Any",
    "Undef",
    "Default",
    "Scalar",
    "Numeric",
    "Integer",
    "Float",
    "String",
    "Boolean",
    "Regexp",
    "Pattern",
    "Enum",
    "Array",
    "Hash",
    "Collection",
    "Tuple",
    "Struct",
    "Variant",
    "Optional",
    "NotUndef",
    "Type",
    "Iterable",
    "Iterator",
    "Callable",
    "Runtime",
    "Sensitive",
    "Binary",
    "Timestamp",
    "Timespan",
    "SemVer",
    "SemVerRange",
    "CatalogEntry",
    "Resource",
    "Class",
    "File",
    "Data",
    "Deferred",
    "Init",
    "Error",
];
const PLAIN: &[&str] = &["Integer", "String", "Array", "Undef", "File", "Enum", "Any", "Callable"];
const WORDS: &[&str] = &["a", "b", "'file'", "'1a'", "''", "'A::B'", "'x y'", "ruby", "'1.x'"];

impl Writer<'_> {
    fn access(&mut self) -> String {
        let name = self.random.pick(NAMES);
        self.access_of(name)
    }

    fn access_of(&mut self, name: &str) -> String {
        self.depth += 1;
        let count = self.random.between(1, 4);
        let kind = self.random.below(8);
        let keys: Vec<String> = (0..count)
            .map(|place| match (kind, place) {
                (0, _) => self.type_(),
                (1, 0) => self.type_(),
                (1 | 2, _) => self.number(),
                (3, _) => self.random.pick(WORDS).to_owned(),
                (4, 0) => self.hash(),
                _ => self.key(),
            })
            .collect();
        self.depth -= 1;
        format!("{name}[{}]", keys.join(", "))
    }

    fn number(&mut self) -> String {
        match self.random.below(8) {
            0 => "default".to_owned(),
            1 => "-2".to_owned(),
            2 => "1.5".to_owned(),
            _ => self.random.below(5).to_string(),
        }
    }

    fn type_(&mut self) -> String {
        let name = self.random.pick(PLAIN);
        match self.depth < 3 && self.random.chance(25) {
            true => self.access_of(name),
            false => name.to_owned(),
        }
    }

    fn hash(&mut self) -> String {
        let key = match self.random.below(6) {
            0 => "Optional[a]".to_owned(),
            1 => "NotUndef['b']".to_owned(),
            2 => self.key(),
            _ => self.random.pick(WORDS).to_owned(),
        };
        format!("{{{key} => {}}}", self.type_())
    }

    fn key(&mut self) -> String {
        if self.depth > 3 {
            return self.number();
        }
        match self.random.below(20) {
            0..5 => self.number(),
            5..8 => self.random.pick(WORDS).to_owned(),
            8..12 => self.type_(),
            12 => "undef".to_owned(),
            13 => self.random.pick(&["true", "false"]).to_owned(),
            14 => "/a/".to_owned(),
            15 => "[]".to_owned(),
            16 | 17 => {
                self.depth += 1;
                let keys = [self.key(), self.key()];
                self.depth -= 1;
                format!("[{}]", keys.join(", "))
            }
            _ => self.hash(),
        }
    }
}
