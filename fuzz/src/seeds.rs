//! Seeds: the sources of all specs, and generated programs.

use anyhow::Result;
use kukla_ca::CertificateRequest;
use kukla_syntax::ast::{Ast, Child, Expr};
use kukla_xpp::{Encoding, encode};
use kukla_tests::{Case, catalog, eval, evaluable, generator, spec};

use crate::{Target, http, wire, xpp};

/// The number of generated programs among the seeds.
const N_GENERATED: u64 = 500;

/// Queries with the answers of PuppetDB.
const QUERIES: &str = include_str!("../../crates/store/tests/puppetdb/recorded.jsonl");

/// Ruby expressions, each with Ruby's answer.
const EXPRESSIONS: &str = include_str!("../../crates/ruby/tests/expressions.jsonl");

/// The maximum size of a seed: inputs are cut off there.
const MAX_FILE: usize = 1_900;

/// Certificate requests.
const REQUESTS: [&str; 1] = [concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/ca/tests/data/puppetserver-7.9.5/requests/man2.example.pem"
)];

/// Requests that were recorded from Puppet Server.
const RECORDED: &str = include_str!("../../crates/server/tests/agents/recorded.jsonl");

/// Rules of servers.
const RULES: [&str; 2] = [
    include_str!("../../crates/server/tests/agents/site/auth.conf"),
    include_str!("../../crates/server/src/agents/stock_auth.conf"),
];

/// Seeds of every target, in the order of [`Target::ALL`].
#[derive(Debug, Default)]
pub struct Seeds([Vec<Vec<u8>>; Target::ALL.len()]);

impl Seeds {
    /// Returns all sources, and the regular expressions and JSON in them.
    pub fn gather() -> Result<Self> {
        let mut seeds = Self::default();
        for folder in ["valid", "invalid"] {
            for spec in spec::folder(folder)? {
                spec.tests.iter().for_each(|test| seeds.add(&test.case));
            }
        }
        for path in REQUESTS {
            let request = CertificateRequest::parse(&std::fs::read(path)?)?;
            seeds.push(Target::Request, request.der().to_owned());
        }
        (0..N_GENERATED).for_each(|seed| seeds.add(&generator::program(seed)));
        for spec in eval::specs(|_| true)? {
            spec.cases().for_each(|code| seeds.push(Target::Eval, code.clone().into_bytes()));
        }
        for seed in 0..N_GENERATED {
            seeds.push(Target::Eval, evaluable::program(seed).into_bytes());
        }
        for spec in catalog::spec::specs(|_| true)? {
            for case in &spec.cases {
                case.manifests().for_each(|text| seeds.push(Target::Compile, text.into()));
            }
        }
        for line in RECORDED.lines() {
            let input = http::seed(&serde_json::from_str(line)?);
            if input.len() < MAX_FILE {
                seeds.push(Target::Http, input);
            }
        }
        for rules in RULES {
            // Inputs are cut off, so a seed is a list of two rules.
            let rules: Vec<&str> = rules.split("        {\n").skip(1).collect();
            for pair in rules.windows(2) {
                let list = format!("authorization: {{ rules: [\n{{ {}{{ {} ] }}\n", pair[0], pair[1]);
                seeds.push(Target::AuthConf, list.into_bytes());
            }
        }
        let connections = [
            (Target::H1, &wire::HTTP_SEEDS[..]),
            (Target::Icap, &wire::ICAP_SEEDS[..]),
        ];
        for (target, texts) in connections {
            for (size, text) in (0..).zip(texts) {
                seeds.push(target, [&[size], text.as_bytes()].concat());
            }
        }
        for line in QUERIES.lines() {
            let request: serde_json::Value = serde_json::from_str(line)?;
            if let Some(query) = request["parameters"]["query"].as_str() {
                seeds.push(Target::Query, query.as_bytes().to_vec());
            }
        }
        for line in EXPRESSIONS.lines() {
            let pair: (String, String) = serde_json::from_str(line)?;
            seeds.push(Target::Ruby, pair.0.into_bytes());
        }
        Ok(seeds)
    }

    /// Returns the seeds of a target.
    pub fn of(&self, target: Target) -> &[Vec<u8>] {
        &self.0[target as usize]
    }

    fn add(&mut self, case: &Case) {
        let target = if case.template { Target::Template } else { Target::Manifest };
        let mut input = vec![how(case)];
        input.extend_from_slice(&case.bytes);
        self.push(target, input);
        if let Ok(text) = std::str::from_utf8(&case.bytes) {
            let ast = kukla_syntax::parse(text, &case.options()).ast;
            self.add_inner(&ast);
            self.add_files(&ast);
        }
    }

    /// Adds the texts in other languages that a tree has.
    fn add_inner(&mut self, ast: &Ast) {
        let mut rest: Vec<Child> = ast.body().map(Child::Node).into_iter().collect();
        while let Some(child) = rest.pop() {
            let Some(id) = child.id() else { continue };
            match ast[id] {
                Expr::Regexp(text) => self.push(Target::Regexp, ast.text(text).into()),
                Expr::String(text) if ast.text(text).starts_with(['{', '[']) => {
                    self.push(Target::Json, ast.text(text).into());
                }
                _ => (),
            }
            ast.push_children(id, &mut rest);
        }
    }

    /// Adds the files of a tree, unless they are large.
    fn add_files(&mut self, ast: &Ast) {
        for encoding in Encoding::ALL {
            let file = encode(ast, "a.pp", &[], encoding);
            let input = xpp::input(ast.source().as_bytes(), &file);
            if let Some(input) = input.filter(|input| input.len() < MAX_FILE) {
                self.push(Target::Xpp, input);
            }
        }
    }

    fn push(&mut self, target: Target, seed: Vec<u8>) {
        let seeds = &mut self.0[target as usize];
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
    }
}

/// Returns the first byte of an input with the options of a case.
fn how(case: &Case) -> u8 {
    let strict = match case.strict_word() {
        "off" => 0,
        "warning" => 1,
        _ => 2,
    };
    let home = if case.file.is_some() { 1 } else { 0 };
    u8::from(case.tasks) | strict << 1 | home << 3
}
