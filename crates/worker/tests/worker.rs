//! A worker with the machine's own Ruby. Tests in `needs_ruby` and `needs_puppet` fail where it is missing.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kukla_base::cancel::{Cancel, Reason};
use kukla_foreign::{BlockFn, FunctionKind, Host, HostError, Render, RubyError, RunFunctions};
use kukla_pcore::{Hash, Value};
use kukla_worker::{Config, FunctionFile, Pool, Processes, Template, type_facts};

fn path(rest: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/modules/m/lib").join(rest)
}

fn pool(change: impl FnOnce(&mut Config)) -> Arc<Pool> {
    pool_among(Processes::new(2), "", change)
}

fn pool_among(
    processes: impl Into<Arc<Processes>>,
    stamp: &'static str,
    change: impl FnOnce(&mut Config),
) -> Arc<Pool> {
    let mut config = Config {
        libraries: vec![path("")],
        with_puppet: false,
        timeout: Duration::from_secs(20),
        ..Config::default()
    };
    change(&mut config);
    let pool = Arc::new(Pool::among(processes.into(), config, move || stamp.to_owned()));
    if let Err(error) = pool.ruby() {
        panic!("{error}; Debian: ruby. `cargo test -- --skip needs_ruby` leaves this test out");
    }
    pool
}

/// A compilation with a variable `x`, a function that calls blocks, and one that calls a worker again.
struct Around {
    pool: Arc<Pool>,
    logged: Vec<String>,
    set: Vec<(String, Value)>,
}

impl Host for Around {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError> {
        match name {
            "x" => Ok(Some(Value::string("ex"))),
            "secret" => Ok(Some(Value::Sensitive(Value::Integer(1).into()))),
            "none" => Ok(None),
            _ => Err(HostError {
                class: "ArgumentError".to_owned(),
                message: "unknown".to_owned(),
                id: Some(7),
            }),
        }
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        let list = Value::array([Value::Integer(1)]);
        vec![("x".to_owned(), Value::string("ex")), ("list".to_owned(), list)]
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), HostError> {
        self.set.push((name.to_owned(), value));
        Ok(())
    }

    fn variable_changed(&mut self, name: &str, value: Value) {
        self.set.push((name.to_owned(), value));
    }

    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        if let ("host_each", [Value::Array(items)], Some(block)) = (name, &args[..], block) {
            let items = items.clone();
            let results: Result<Vec<_>, _> =
                items.into_iter().map(|item| block(self, vec![item])).collect();
            return results.map(Value::array_of);
        }
        let pool = Arc::clone(&self.pool);
        let result = tools(&pool).call(self, "m::tools", Some(2), &args, false);
        result.map_err(|error| HostError::parse_error(error.message))
    }

    fn has_function(&mut self, name: &str) -> bool {
        name == "again"
    }

    fn call_block(&mut self, args: Vec<Value>) -> Result<Value, HostError> {
        Ok(Value::array([args[0].clone(), Value::string("blocked")]))
    }

    fn resource(&mut self, type_name: &str, title: &str) -> Option<Value> {
        assert_eq!((type_name, title), ("File", "/a"));
        let mut parameters = Hash::with_capacity(1);
        parameters.insert(Value::string("mode"), Value::string("0644"));
        let mut hash = Hash::with_capacity(1);
        hash.insert(Value::string("parameters"), Value::hash(parameters));
        Some(Value::hash(hash))
    }

    fn log(&mut self, level: &str, message: &str) {
        self.logged.push(format!("{level}: {message}"));
    }
}

fn around(pool: &Arc<Pool>) -> Around {
    Around { pool: Arc::clone(pool), logged: Vec::new(), set: Vec::new() }
}

fn tools(pool: &Arc<Pool>) -> FunctionFile {
    let path = path("puppet/functions/m/tools.rb");
    FunctionFile::read(pool, &path.to_string_lossy()).expect("it can be loaded")
}

fn act(pool: &Arc<Pool>, args: &[Value]) -> Result<Value, RubyError> {
    tools(pool).call(&mut around(pool), "m::tools", Some(2), args, false)
}

fn s(text: &str) -> Value {
    Value::string(text)
}
#[test]
fn no_ruby_is_told() {
    let pool = Pool::new(
        Config { command: vec!["/nonexistent/ruby".to_owned()], ..Config::default() },
        String::new,
    );
    let error = pool.ruby().expect_err("there is none");
    assert!(error.to_string().starts_with("no Ruby can be started: /nonexistent/ruby"));
}

mod needs_ruby {
    use super::*;

    #[test]
    fn signatures_are_told() {
        let pool = pool(|_| ());
        let file = tools(&pool);
        let FunctionKind::New { signatures, local_types } = &file.functions()[0].kind else {
            panic!("it is of the new kind")
        };
        assert_eq!(local_types, &["Small = Integer[0, 9]"]);
        assert_eq!(signatures.len(), 3);
        assert_eq!(signatures[0].return_type.as_deref(), Some("Integer"));
        assert_eq!(signatures[1].block, Some(("Callable[1]".to_owned(), true)));
    }

    #[test]
    fn values_go_there_and_back() {
        let pool = pool(|_| ());
        let mut hash = Hash::with_capacity(2);
        hash.insert(Value::Integer(1), Value::Sensitive(s("é").into()));
        hash.insert(s("__ptype"), Value::Default);
        for value in [
            Value::Undef,
            Value::Float(1.5),
            Value::hash(hash),
            Value::array([s("a"), Value::Boolean(true)]),
        ] {
            assert_eq!(act(&pool, &[s("echo"), value.clone()]), Ok(value));
        }
        assert!(act(&pool, &[s("big")]).is_err());
        assert!(act(&pool, &[s("bytes")]).is_err());
        assert_eq!(act(&pool, &[s("print")]), Ok(s("printed")));
        assert_eq!(act(&pool, &[s("class")]), Ok(s("Comparable")));
    }

    #[test]
    fn the_compilation_is_asked() {
        let pool = pool(|_| ());
        assert_eq!(act(&pool, &[s("var"), s("x")]), Ok(s("ex")));
        assert_eq!(act(&pool, &[s("var"), s("none")]), Ok(Value::Undef));
        let error = act(&pool, &[s("var"), s("other")]).expect_err("there is none");
        assert_eq!((error.class.as_str(), error.host_id), ("ArgumentError", Some(7)));
        assert_eq!(act(&pool, &[s("resource"), s("File[/a]")]), Ok(s("0644")));
        // A call within a call within a call.
        let nested = [s("call"), s("again"), s("call"), s("again"), s("var"), s("x")];
        assert_eq!(act(&pool, &nested), Ok(s("ex")));
        let numbers = Value::array([Value::Integer(1), Value::Integer(2)]);
        let more = Value::array([Value::Integer(2), Value::Integer(3)]);
        assert_eq!(act(&pool, &[s("block"), numbers.clone()]), Ok(more));
        let blocked = tools(&pool).call(&mut around(&pool), "m::tools", Some(1), &[numbers], true);
        let pair = |n| Value::array([Value::Integer(n), s("blocked")]);
        assert_eq!(blocked, Ok(Value::array([pair(1), pair(2)])));
    }

    #[test]
    fn old_functions_return_early_and_count() {
        let pool = pool(|_| ());
        let path = path("puppet/parser/functions/old_one.rb");
        let file = FunctionFile::read(&pool, &path.to_string_lossy()).expect("it can be loaded");
        let call = |args: &[Value]| file.call(&mut around(&pool), "old_one", None, args, false);
        assert_eq!(call(&[s("early")]), Ok(s("early")));
        assert_eq!(call(&[s("a"), Value::Undef]), Ok(s("A,ex")));
        let error = call(&[]).expect_err("it needs one");
        assert_eq!(error.message, "old_one(): Wrong number of arguments given (0 for minimum 1)");
    }

    #[test]
    fn templates_are_rendered() {
        let pool = pool(|_| ());
        let render =
            |text: &str, host: &mut Around| Template::new(&pool, Some("/t.erb"), text).render(host);
        let mut host = around(&pool);
        assert_eq!(
            render("<%= @x %> <%= scope['x'] %>\n<% if true -%>\ny\n<% end -%>\n", &mut host),
            Ok("ex ex\ny\n".to_owned())
        );
        assert_eq!(render("<% @list << 2 %>", &mut host), Ok(String::new()));
        assert_eq!(
            host.set,
            [("list".to_owned(), Value::array([Value::Integer(1), Value::Integer(2)]))]
        );
        let error = render("a\n<%= nope %>", &mut host).expect_err("there is no such thing");
        assert_eq!((error.file.as_str(), error.line), ("/t.erb", 2));
        assert!(
            error.message.starts_with("undefined local variable or method `nope'"),
            "{}",
            error.message
        );
    }

    #[test]
    fn a_worker_that_hangs_or_dies_is_replaced() {
        let pool = pool_among(Processes::new(1), "", |config| {
            config.timeout = Duration::from_secs(3);
        });
        for what in ["loop", "flood"] {
            let start = Instant::now();
            let error = act(&pool, &[s(what)]).expect_err("it takes too long");
            assert_eq!(error.message, "the Ruby worker did not answer within 3 seconds");
            assert!(start.elapsed() < Duration::from_secs(20));
        }
        let error = act(&pool, &[s("exit")]).expect_err("it ends");
        assert_eq!(error.message, "the Ruby worker ended: it said nothing");
        let error = act(&pool, &[s("call"), s("again"), s("exit")]).expect_err("it ends within");
        assert!(error.message.contains("worker"), "{}", error.message);
        assert_eq!(act(&pool, &[s("echo"), s("again")]), Ok(s("again")));
    }

    #[test]
    fn environments_do_not_share_code() {
        let processes = Arc::new(Processes::new(4));
        let named = |name: &str| {
            pool_among(Arc::clone(&processes), "", |config| {
                name.clone_into(&mut config.environment)
            })
        };
        let (one, other) = (named("one"), named("other"));
        assert_eq!(act(&one, &[s("const"), s("KuklaSeen")]), Ok(Value::Boolean(false)));
        assert_eq!(act(&one, &[s("const"), s("KuklaSeen")]), Ok(Value::Boolean(true)));
        assert_eq!(act(&other, &[s("const"), s("KuklaSeen")]), Ok(Value::Boolean(false)));
    }

    #[test]
    fn processes_are_used_again_for_the_same_code_and_evicted_for_other_code() {
        let processes = Arc::new(Processes::new(1));
        let stamped = |stamp| pool_among(Arc::clone(&processes), stamp, |_| ());
        let seen = |pool: &Arc<Pool>| act(pool, &[s("const"), s("KuklaSeen")]);
        assert_eq!(seen(&stamped("1")), Ok(Value::Boolean(false)));
        // A new snapshot whose Ruby code is the same.
        assert_eq!(seen(&stamped("1")), Ok(Value::Boolean(true)));
        assert_eq!(seen(&stamped("2")), Ok(Value::Boolean(false)));
        assert_eq!(processes.count(), 1);
        assert_eq!(seen(&stamped("1")), Ok(Value::Boolean(false)));
    }

    #[test]
    fn a_call_ends_when_its_compilation_is_stopped() {
        let pool = pool(|_| ());
        let cancel = Cancel::new();
        let start = Instant::now();
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                cancel.raise(Reason::Deadline);
            });
            cancel.enter(|| act(&pool, &[s("loop")])).expect_err("it is stopped")
        });
        assert_eq!(error.message, "the compilation was stopped at its deadline");
        assert!(start.elapsed() < Duration::from_millis(800), "{:?}", start.elapsed());
        assert_eq!(act(&pool, &[s("echo"), s("again")]), Ok(s("again")));
    }

    #[test]
    fn threads_have_workers_of_their_own() {
        let pool = pool(|_| ());
        std::thread::scope(|scope| {
            for n in 0..6 {
                let pool = &pool;
                scope.spawn(move || {
                    assert_eq!(act(pool, &[s("echo"), Value::Integer(n)]), Ok(Value::Integer(n)))
                });
            }
        });
    }
}

mod needs_puppet {
    use super::*;

    #[test]
    fn with_puppets_library_types_are_told() {
        let pool = pool(|config| config.with_puppet = true);
        let puppet = pool.ruby().expect("it was started").puppet;
        assert!(
            puppet.is_some(),
            "no Puppet; Debian: puppet-agent. `cargo test -- --skip needs_puppet` leaves this test out"
        );
        let declaration = pool.resource_type("file").expect("Puppet has it");
        let facts = type_facts("file", &declaration).expect("it makes sense");
        assert_eq!(facts.keys, ["path"]);
        assert!(facts.properties.iter().any(|name| name == "mode"));
        assert_eq!(act(&pool, &[s("var"), s("x")]), Ok(s("ex")));
    }
}
