//! Rendering ends, whatever a template does.

use kukla_foreign::{BlockFn, ErrorKind, Host, HostError, Render};
use kukla_pcore::Value;
use kukla_ruby::Template;

struct Nothing;

impl Host for Nothing {
    fn variable(&mut self, _name: &str) -> Result<Option<Value>, HostError> {
        Ok(None)
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        vec![("x".to_owned(), Value::from("y"))]
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
}

fn fails(text: &str) -> (ErrorKind, String, u32) {
    let template = Template::parse(None, text).expect("all of it is known");
    let error = template.render(&mut Nothing).expect_err("it can't end well");
    (error.kind, error.message, error.line)
}

#[test]
fn variables_of_the_scope_are_instance_variables() {
    let template =
        Template::parse(None, "<%= @x %><%= @z.inspect %>\n").expect("all of it is known");
    assert_eq!(template.render(&mut Nothing).as_deref(), Ok("ynil\n"));
}

#[test]
fn deep_recursion_is_an_exception() {
    let (kind, message, _) = fails("<% def f(n) f(n + 1) end; f(0) %>");
    assert_eq!((kind, message.as_str()), (ErrorKind::Raised, "stack level too deep"));
}

#[test]
fn files_are_read_by_the_host_alone() {
    let (kind, message, line) = fails("\n<%= File.read('/etc/passwd') %>");
    assert_eq!(kind, ErrorKind::Raised);
    assert_eq!(message, "No such file or directory @ rb_sysopen - /etc/passwd");
    assert_eq!(line, 2);
}

/// Code that would run or backtrack for ever, or fill the memory.
const HOSTILE: &[&str] = &[
    "<% loop { } %>",
    "<% while true do end %>",
    "<% def f; f2 { f } end; def f2; yield; end; f %>",
    "<% a = []; loop { a << a.dup } %>",
    "<% x = 'a'; loop { x = x + x } %>",
    "<% x = 'a'; loop { x << x } %>",
    "<%= 'a' * 10_000_000_000 %>",
    "<%= 'a'.ljust(10_000_000_000) %>",
    "<%= '%010000000000d' % 1 %>",
    "<%= [0] * 10_000_000_000 %>",
    "<%= (1..1_000_000_000_000).to_a.size %>",
    "<%= 2 ** 10_000_000 %>",
    "<%= ('a' * 50 + 'b') =~ /\\A(a|aa)+\\z/ ? 1 : raise('no match') %>",
    "<%= ('a' * 50 + 'b').gsub(/(a+)+(a+)+(a+)+c/, '').size and raise('no match') %>",
    "<% h = {}; i = 0; loop { h[i += 1] = 'x' * 1000 } %>",
    "<% [1, 2].cycle { } %>",
    "<% a = [1]; a.each { |x| a << x } %>",
    "<%= (1..25).to_a.permutation.to_a.size %>",
];

#[test]
#[cfg_attr(debug_assertions, ignore = "millions of steps take minutes without optimization")]
fn hostile_templates_end_soon() {
    for text in HOSTILE {
        let start = std::time::Instant::now();
        let template = match Template::parse(None, text) {
            Ok(template) => template,
            // A template that is refused does no harm either.
            Err(_) => continue,
        };
        let result = template.render(&mut Nothing);
        let spent = start.elapsed();
        assert!(result.is_err(), "{text} gives {:?}", result.map(|text| text.len()));
        assert!(spent < std::time::Duration::from_secs(10), "{text} takes {spent:?}");
    }
}

#[test]
fn an_array_may_be_in_itself() {
    let render = |text: &str| {
        let template = Template::parse(None, text).expect("all of it is known");
        template.render(&mut Nothing)
    };
    let shown = render("<% a = []; a << a; h = {}; h[:x] = [h] %><%= a %> <%= h.inspect %>");
    assert_eq!(shown.as_deref(), Ok("[[...]] {:x=>[{...}]}"));
    // The result does not matter; the comparison has to end.
    let _ = render("<% a = []; a << a; b = []; b << b %><%= a == b %>");
    let _ = render("<% a = []; a << a; b = []; b << b; h = { a => 1 } %><%= h[b] %>");
}
