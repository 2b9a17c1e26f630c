//! Functions, types and variables that a program defines before its last expression.

use super::{Kind, Writer};

impl Writer {
    /// Generates a function in the Puppet language, and a call of it.
    pub(super) fn function(&mut self) -> String {
        let type_ = self.leaf(Kind::Type);
        let default = self.leaf(Kind::Integer);
        self.variables.push(("a".to_owned(), Kind::Any));
        self.variables.push(("b".to_owned(), Kind::Integer));
        let body = self.expression(Kind::Any, 3);
        self.variables.clear();
        let argument = self.leaf(Kind::Any);
        match self.random.below(4) {
            0 => {
                let returns = self.leaf(Kind::Type);
                format!(
                    "function f({type_} $a, $b = {default}) >> {returns} {{ {body} }}\n$r = f({argument})"
                )
            }
            1 => format!(
                "function f($a, Integer *$b) {{ if $a =~ Integer {{ return($a) }} {body} }}\n$r = f({argument}, {default})"
            ),
            2 => format!(
                "function f(Integer $a, $b = $a + 1) {{ if $a > 3 {{ $b }} else {{ f($a + 1) + {default} }} }}\n$r = f({argument})"
            ),
            _ => format!("function f({type_} $a, $b = {default}) {{ {body} }}\n$r = f({argument})"),
        }
    }

    /// Generates a statement with a definition or an effect.
    pub(super) fn statement(&mut self) -> String {
        match self.random.below(7) {
            0 => {
                let (a, b) = (self.name(), self.name());
                let (x, y) = (self.expression(Kind::Integer, 2), self.expression(Kind::Text, 2));
                let code = format!("[${a}, ${b}] = [{x}, {y}]");
                self.variables.push((a, Kind::Integer));
                self.variables.push((b, Kind::Text));
                code
            }
            1 => {
                self.n_names += 1;
                let name = format!("My{}", self.n_names);
                let type_ = self.expression(Kind::Type, 2);
                format!("type {name} = {type_}\n$t{name} = {} =~ {name}", self.leaf(Kind::Any))
            }
            2 => {
                let level = self.pick(&["notice", "warning", "info", "err", "crit"]);
                let kind = self.kind();
                format!("{level}({}, {})", self.expression(kind, 2), self.leaf(Kind::Any))
            }
            3 => {
                self.n_names += 1;
                let (name, text) = (format!("Obj{}", self.n_names), self.leaf(Kind::Text));
                let (kind, number) = (self.leaf(Kind::Type), self.leaf(Kind::Integer));
                let value = self.leaf(Kind::Any);
                let (variable, object) = (self.name(), self.name());
                let code = format!(
                    "type {name} = Object[{{attributes => {{a => {kind}, b => {{type => Integer, value => {number}}}}}}}]\n\
                     ${variable} = {name}({value})\n${object} = [${variable}.a, ${variable}.b, {text}]"
                );
                self.variables.push((variable, Kind::Any));
                self.variables.push((object, Kind::Array));
                code
            }
            4 => {
                let (text, regexp) = (self.expression(Kind::Text, 2), self.regexp());
                let name = self.name();
                let code = format!(
                    "${name} = if {text} =~ {regexp} {{ \"${{0}}-${{1}}\" }} else {{ '' }}"
                );
                self.variables.push((name, Kind::Text));
                code
            }
            5 => {
                let kind = self.kind();
                format!(
                    "if {} {{ notice({}) }}",
                    self.expression(Kind::Boolean, 2),
                    self.expression(kind, 2)
                )
            }
            _ => {
                let (name, list) = (self.name(), self.expression(Kind::Array, 2));
                let body = self.expression(Kind::Any, 1);
                let code = format!(
                    "${name} = ({list}).map |Any $x| {{ if $x == 1 {{ next({body}) }} $x }}"
                );
                self.variables.push((name, Kind::Array));
                code
            }
        }
    }
}
