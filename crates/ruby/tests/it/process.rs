//! Code of one compilation shares classes, globals and required files, as the code in one Ruby process does.

use std::any::Any;
use std::collections::HashMap;

use kukla_foreign::{BlockFn, Host, HostError, NameQuestion, Render};
use kukla_pcore::{Hash, Value};
use kukla_ruby::{Template, evaluate};

/// A compilation that keeps state, and has a name server with pinned replies.
#[derive(Default)]
struct Compilation {
    states: HashMap<usize, Box<dyn Any>>,
    questions: Vec<String>,
}

fn hash(entries: &[(&str, Value)]) -> Value {
    let mut hash = Hash::with_capacity(entries.len());
    for (key, value) in entries {
        hash.insert(Value::from(*key), value.clone());
    }
    Value::hash(hash)
}

/// A reply with records, each of a name, a type and one part.
fn reply(code: i64, records: &[(&str, i64, &str, Value)]) -> Value {
    let records = records.iter().map(|(name, kind, part, value)| {
        let (name, kind) = (Value::from(*name), Value::Integer(*kind));
        hash(&[("name", name), ("kind", kind), ("ttl", Value::Integer(60)), (part, value.clone())])
    });
    let records = Value::array(records.collect::<Vec<_>>());
    hash(&[("code", Value::Integer(code)), ("records", records)])
}

impl Host for Compilation {
    fn variable(&mut self, _name: &str) -> Result<Option<Value>, HostError> {
        Ok(None)
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn call_function(
        &mut self,
        name: &str,
        _args: Vec<Value>,
        _block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        Err(HostError::parse_error(format!("no function {name}")))
    }

    fn has_function(&mut self, _name: &str) -> bool {
        false
    }

    fn take_state(&mut self, key: usize) -> Option<Box<dyn Any>> {
        self.states.remove(&key)
    }

    fn keep_state(&mut self, key: usize, state: Box<dyn Any>) {
        self.states.insert(key, state);
    }

    fn file_exists(&mut self, path: &str) -> bool {
        path == "/etc/resolv.conf"
    }

    fn read_file(&mut self, path: &str) -> Result<String, HostError> {
        Ok(match path {
            "/etc/resolv.conf" => "search one.test two.test # ours\nnameserver 192.0.2.1\n",
            "/etc/hosts" => "127.0.0.1 localhost\n192.0.2.7 seven seven.test\n192.0.2.8 seven\n",
            _ => "",
        }
        .to_owned())
    }

    fn ask_name_server(
        &mut self,
        server: &str,
        port: u16,
        question: NameQuestion<'_>,
    ) -> Option<Value> {
        self.questions.push(format!("{server}:{port} {} {}", question.name, question.kind));
        let text = |text: &str| Value::from(text);
        Some(match (question.name, question.kind) {
            ("www.test", 1) => reply(
                0,
                &[
                    ("www.test", 5, "target", text("web.test")),
                    ("web.test", 1, "address", text("192.0.2.3")),
                    ("web.test", 1, "address", text("192.0.2.4")),
                ],
            ),
            ("short.two.test", 1) => {
                reply(0, &[("short.two.test", 1, "address", text("192.0.2.5"))])
            }
            ("www.test", 28) => {
                reply(0, &[("www.test", 28, "address", text("2001:db8:1:0:2:3:4:5"))])
            }
            ("3.2.0.192.in-addr.arpa", 12) => {
                reply(0, &[("3.2.0.192.in-addr.arpa", 12, "target", text("web.test"))])
            }
            ("empty.test", _) => reply(0, &[]),
            ("silent.test", _) => Value::Undef,
            _ => reply(3, &[]),
        })
    }
}

fn run(code: &str, host: &mut Compilation) -> String {
    evaluate(code, host).unwrap_or_else(|error| format!("{}: {}", error.class, error.message))
}

#[test]
fn a_method_added_to_a_class_of_rubys_is_there_for_code_that_runs_later() {
    let mut host = Compilation::default();
    run("class String; def shout; upcase + '!'; end; end", &mut host);
    assert_eq!(run("'a'.shout", &mut host), "\"A!\"");
    assert!(run("'a'.shout", &mut Compilation::default()).starts_with("NoMethodError"));
}

#[test]
fn methods_that_take_the_place_of_rubys_own_are_called_by_code_that_runs_later() {
    let mut host = Compilation::default();
    run("module More; end; class String; include More; end", &mut host);
    run("module More; def later; size * 2; end; end", &mut host);
    assert_eq!(run("'abc'.later", &mut host), "6");
    run("class Array; def empty?; 'changed'; end; end", &mut host);
    assert_eq!(run("[[].empty?, ''.empty?]", &mut host), "[\"changed\", true]");
    run("class String; def ==(other); 'same'; end; end", &mut host);
    assert_eq!(run("['a' == 'b', 'a' != 'b', 1 == 2]", &mut host), "[\"same\", false, false]");
    run("class Hash; undef_method :keys; end", &mut host);
    assert!(run("{}.keys", &mut host).starts_with("NoMethodError"));
}

#[test]
fn a_module_put_before_a_class_of_the_library_is_there_for_code_that_runs_later() {
    let mut host = Compilation::default();
    run("module Long; def to_s; 'long'; end; end; Resolv::IPv6.prepend(Long)", &mut host);
    assert_eq!(run("Resolv::IPv6.create('::1').to_s", &mut host), "\"long\"");
}

#[test]
fn templates_share_globals_constants_and_methods() {
    let mut host = Compilation::default();
    let mut render = |text: &str| {
        let template = Template::parse(None, text).expect("it is supported");
        template.render(&mut host).unwrap_or_else(|error| error.message)
    };
    render("<% $count = 1; LIMIT = 7; def double(n); n * 2; end %>");
    assert_eq!(render("<%= $count += 1 %> <%= LIMIT %> <%= double(4) %>"), "2 7 8");
}

#[test]
fn names_are_resolved_by_the_name_server_of_the_host() {
    let mut host = Compilation::default();
    let cases = [
        ("Resolv::DNS.new.getaddress('www.test').to_s", "\"192.0.2.3\""),
        (
            "Resolv::DNS.open { |d| d.getresources('www.test', Resolv::DNS::Resource::IN::A).map { |r| [r.address.to_s, r.ttl] } }",
            "[[\"192.0.2.3\", 60], [\"192.0.2.4\", 60]]",
        ),
        (
            "Resolv::DNS.new.getresource('www.test', Resolv::DNS::Resource::IN::AAAA).address.to_s",
            "\"2001:db8:1::2:3:4:5\"",
        ),
        ("Resolv::DNS.new.getname('192.0.2.3').to_s", "\"web.test\""),
        ("Resolv.getaddress('short')", "\"192.0.2.5\""),
        ("Resolv.getaddresses('seven')", "[\"192.0.2.8\", \"192.0.2.7\"]"),
        ("Resolv.getname('192.0.2.7')", "\"seven\""),
        ("Resolv::DNS.new.getresources('empty.test', Resolv::DNS::Resource::IN::TXT)", "[]"),
        (
            "Resolv::DNS.new.getaddress('none.test')",
            "Resolv::ResolvError: DNS result has no information for none.test",
        ),
        ("Resolv.getaddress('none.test')", "Resolv::ResolvError: no address for none.test"),
    ];
    for (code, expected) in cases {
        assert_eq!(run(code, &mut host), expected, "{code}");
    }
}

#[test]
fn servers_are_asked_in_order_and_names_searched_as_ruby_does() {
    let mut host = Compilation::default();
    run(
        "Resolv::DNS.new(nameserver: ['192.0.2.9']).getresources('a', Resolv::DNS::Resource::IN::A)",
        &mut host,
    );
    run("Resolv::DNS.new.getresources('a.b', Resolv::DNS::Resource::IN::A)", &mut host);
    run("Resolv::DNS.new.getresources('c.', Resolv::DNS::Resource::IN::A)", &mut host);
    run(
        "d = Resolv::DNS.new(nameserver_port: [['192.0.2.9', 5353], ['192.0.2.8', 53]]); d.timeouts = 1; d.getresources('silent.test.', Resolv::DNS::Resource::IN::A)",
        &mut host,
    );
    let asked = [
        // Without a domain to search, that of the machine is: here it has none.
        "192.0.2.9:53 a 1",
        "192.0.2.1:53 a.b 1",
        "192.0.2.1:53 a.b.one.test 1",
        "192.0.2.1:53 a.b.two.test 1",
        "192.0.2.1:53 c 1",
        "192.0.2.9:5353 silent.test 1",
        "192.0.2.8:53 silent.test 1",
    ];
    assert_eq!(host.questions, asked);
}
