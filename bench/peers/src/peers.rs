//! The other engines.

use std::net::IpAddr;

use cedar_policy::{
    Authorizer, Context as CedarContext, Decision, Entities, EntityUid, PolicySet, Request,
    RestrictedExpression,
};
use cel::{Context, Program, Value};
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::vm::RegoVM;

use crate::message::{AGENT, CLIENT, METHOD, NETWORK, NUMBER, PATH, QUERY, agent};
use crate::{Decide, Rules};

/// Joins the conditions of all rules with a word for `or`.
fn any(rules: Rules, or: &str, a: impl Fn(&str) -> String, b: impl Fn(&str) -> String) -> String {
    let one = |prefix: &String| if rules == Rules::A { a(prefix) } else { b(prefix) };
    let all: Vec<String> = rules.prefixes().iter().map(|p| format!("({})", one(p))).collect();
    all.join(or)
}

/// wirefilter, by Cloudflare.
pub fn wirefilter(rules: Rules) -> Decide {
    use wirefilter::{ExecutionContext, Scheme};
    let scheme: &'static Scheme = Box::leak(Box::new(
        Scheme! { method: Bytes, path: Bytes, query: Bytes, ua: Bytes, client: Ip },
    ));
    let text = any(
        rules,
        " or ",
        |p| format!("method == \"GET\" and path contains \"{p}\""),
        |p| {
            format!(
                "method in {{\"GET\" \"POST\"}} and path contains \"{p}\" and path contains \"agent1.example.com\" \
                 and client in {{10.0.0.0/8}} and ua contains \"Puppet\" and query != \"\""
            )
        },
    );
    let text: &'static str = Box::leak(text.into_boxed_str());
    let filter = scheme.parse(text).expect("the filter is valid").compile();
    let client: IpAddr = CLIENT.parse().expect("it is an address");
    let fill = move |context: &mut ExecutionContext<'static>| {
        context.set_field_value("method", METHOD).expect("it is a field");
        context.set_field_value("path", PATH).expect("it is a field");
        context.set_field_value("query", QUERY).expect("it is a field");
        context.set_field_value("ua", agent()).expect("it is a field");
        context.set_field_value("client", client).expect("it is a field");
    };
    let mut context = ExecutionContext::new(scheme);
    fill(&mut context);
    Box::new(move || {
        if rules == Rules::Context {
            let mut context = ExecutionContext::new(scheme);
            fill(&mut context);
            return filter.execute(&context).expect("it runs");
        }
        filter.execute(&context).expect("it runs")
    })
}

/// cel, the Common Expression Language.
pub fn cel(rules: Rules) -> Decide {
    let (low, high) = NETWORK;
    let text = any(
        rules,
        " || ",
        |p| format!("method == \"GET\" && path.startsWith(\"{p}\")"),
        |p| {
            format!(
                "(method == \"GET\" || method == \"POST\") && path.startsWith(\"{p}\") && path.endsWith(\"agent1.example.com\") \
                 && client >= {low} && client <= {high} && ua.contains(\"Puppet\") && query != \"\""
            )
        },
    );
    let program = Program::compile(&text).expect("the program is valid");
    let make = || {
        let mut context = Context::default();
        for (name, value) in [("method", METHOD), ("path", PATH), ("query", QUERY), ("ua", agent())]
        {
            context.add_variable_from_value(name, value);
        }
        context.add_variable_from_value("client", NUMBER);
        context
    };
    let context = make();
    Box::new(move || {
        let value = if rules == Rules::Context {
            program.execute(&make())
        } else {
            program.execute(&context)
        };
        matches!(value, Ok(Value::Bool(true)))
    })
}

/// rhai, an embedded language, with its limits on.
pub fn rhai(rules: Rules) -> Decide {
    let (low, high) = NETWORK;
    let text = any(
        rules,
        " || ",
        |p| format!("method == \"GET\" && path.starts_with(\"{p}\")"),
        |p| {
            format!(
                "(method == \"GET\" || method == \"POST\") && path.starts_with(\"{p}\") && path.ends_with(\"agent1.example.com\") \
                 && client >= {low} && client <= {high} && ua.contains(\"Puppet\") && query != \"\""
            )
        },
    );
    let mut engine = rhai::Engine::new();
    engine.set_max_expr_depths(2000, 2000).set_max_operations(100_000);
    let ast = engine.compile_expression(&text).expect("the program is valid");
    let make = || {
        let mut scope = rhai::Scope::new();
        for (name, value) in [("method", METHOD), ("path", PATH), ("query", QUERY), ("ua", agent())]
        {
            scope.push_constant(name, value);
        }
        scope.push_constant("client", NUMBER);
        scope
    };
    let mut scope = make();
    Box::new(move || {
        if rules == Rules::Context {
            return engine.eval_ast_with_scope(&mut make(), &ast).expect("it runs");
        }
        engine.eval_ast_with_scope(&mut scope, &ast).expect("it runs")
    })
}

/// regorus, an interpreter of Rego, with its faster virtual machine.
pub fn regorus(rules: Rules) -> Decide {
    let mut text = "package p\nimport rego.v1\ndefault allow := false\n".to_owned();
    for prefix in rules.prefixes() {
        text += &match rules {
            Rules::A => format!(
                "allow if {{ input.method == \"GET\"; startswith(input.path, \"{prefix}\") }}\n"
            ),
            Rules::B | Rules::C | Rules::Context => format!(
                "allow if {{ input.method in {{\"GET\", \"POST\"}}; startswith(input.path, \"{prefix}\"); endswith(input.path, \"agent1.example.com\")\n\
                 input.client >= {}; input.client <= {}; contains(input.ua, \"Puppet\"); input.query != \"\" }}\n",
                NETWORK.0, NETWORK.1
            ),
        };
    }
    let mut engine = regorus::Engine::new();
    engine.add_policy("p.rego".to_owned(), text).expect("the policy is valid");
    let entry: regorus::Rc<str> = "data.p.allow".into();
    let policy = engine.compile_with_entrypoint(&entry).expect("it compiles");
    let program = Compiler::compile_from_policy(&policy, &[&entry]).expect("it compiles");
    let json = format!(
        r#"{{"method":"{METHOD}","path":"{PATH}","query":"{QUERY}","ua":"{AGENT}","client":{NUMBER}}}"#
    );
    let input = regorus::Value::from_json_str(&json).expect("it is JSON");
    let mut machine = RegoVM::new();
    machine.load_program(program);
    Box::new(move || {
        let input = match rules {
            Rules::Context => regorus::Value::from_json_str(&json).expect("it is JSON"),
            Rules::A | Rules::B | Rules::C => input.clone(),
        };
        machine.set_input(input);
        matches!(machine.execute(), Ok(regorus::Value::Bool(true)))
    })
}

/// Cedar, by Amazon.
pub fn cedar(rules: Rules) -> Decide {
    let mut text = String::new();
    for prefix in rules.prefixes() {
        text += &match rules {
            Rules::A => format!(
                "permit(principal, action, resource) when {{ context.method == \"GET\" && context.path like \"{prefix}*\" }};\n"
            ),
            Rules::B | Rules::C | Rules::Context => format!(
                "permit(principal, action, resource) when {{ [\"GET\", \"POST\"].contains(context.method) && context.path like \"{prefix}*\" \
                 && context.path like \"*agent1.example.com\" && context.client.isInRange(ip(\"10.0.0.0/8\")) \
                 && context.ua like \"*Puppet*\" && context.query != \"\" }};\n"
            ),
        };
    }
    let policies: PolicySet = text.parse().expect("the policies are valid");
    let uid = |text: &str| -> EntityUid { text.parse().expect("it is an entity") };
    let (principal, action, resource) =
        (uid("User::\"a\""), uid("Action::\"a\""), uid("Thing::\"a\""));
    let make = move || {
        let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let pairs = [("method", METHOD), ("path", PATH), ("query", QUERY), ("ua", agent())];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), text(value)));
        let client = ("client".to_owned(), RestrictedExpression::new_ip(CLIENT));
        let context =
            CedarContext::from_pairs(pairs.into_iter().chain([client])).expect("it is valid");
        Request::new(principal.clone(), action.clone(), resource.clone(), context, None)
            .expect("it is valid")
    };
    let (entities, authorizer, request) = (Entities::empty(), Authorizer::new(), make());
    Box::new(move || {
        let response = match rules {
            Rules::Context => authorizer.is_authorized(&make(), &policies, &entities),
            Rules::A | Rules::B | Rules::C => {
                authorizer.is_authorized(&request, &policies, &entities)
            }
        };
        response.decision() == Decision::Allow
    })
}
