//! Whatever a template does, rendering ends.

use kukla_pcore::Value;
use kukla_ruby::{BlockFn, ErrorKind, Host, HostError, Render, Template};

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
