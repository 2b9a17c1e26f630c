//! Calls of built-in functions, lambdas, templates and heredocs.

use super::{Kind, Writer};

/// Formats of `String.new`.
pub(super) const FORMATS: &[&str] = &[
    "'%s'",
    "'%p'",
    "'%d'",
    "'%x'",
    "'%#x'",
    "'%o'",
    "'%#b'",
    "'%5d'",
    "'%-5s'",
    "'%05.2f'",
    "'%e'",
    "'%g'",
    "'%a'",
    "'%t'",
    "'%y'",
    "'%#Y'",
    "'%u'",
    "'%c'",
    "'%#s'",
    "'% a'",
    "'%#p'",
    "'%[a'",
    "'%(h'",
    "'%#<a'",
    "'%+d'",
    "'% d'",
    "{Integer => '%x'}",
    "{Array => {format => '%(a', separator => '; '}}",
    "{Hash => {format => '%h', separator2 => '='}}",
    "{Any => '%p', String => '%#s'}",
    "{Array => {format => '%#a', string_formats => {Integer => '%#o'}}}",
    "'%T'",
    "'%10.3s'",
];

/// Functions with the kinds of their arguments; brackets contain a block.
const CALLS: &[(Kind, &str)] = &[
    (Kind::Integer, "abs i"),
    (Kind::Integer, "ceiling f"),
    (Kind::Integer, "floor f"),
    (Kind::Integer, "round f"),
    (Kind::Integer, "compare t t"),
    (Kind::Integer, "compare i f"),
    (Kind::Integer, "compare t t b"),
    (Kind::Integer, "versioncmp t t"),
    (Kind::Integer, "length c"),
    (Kind::Integer, "size c"),
    (Kind::Integer, "max i i i"),
    (Kind::Integer, "min i f"),
    (Kind::Integer, "max t t"),
    (Kind::Integer, "Integer s"),
    (Kind::Integer, "Integer t i"),
    (Kind::Integer, "Integer f"),
    (Kind::Integer, "Integer s 16 b"),
    (Kind::Integer, "Numeric s"),
    (Kind::Float, "Float s"),
    (Kind::Float, "Float i"),
    (Kind::Text, "camelcase t"),
    (Kind::Text, "capitalize c"),
    (Kind::Text, "chomp t"),
    (Kind::Text, "upcase c"),
    (Kind::Text, "downcase c"),
    (Kind::Text, "join a t"),
    (Kind::Text, "sprintf F x x"),
    (Kind::Text, "sprintf F i f"),
    (Kind::Text, "regsubst t r t"),
    (Kind::Text, "regsubst a r t"),
    (Kind::Text, "md5 t"),
    (Kind::Text, "sha1 t"),
    (Kind::Text, "sha256 t"),
    (Kind::Text, "shellquote t t"),
    (Kind::Text, "shellquote a"),
    (Kind::Text, "fqdn_rand i t"),
    (Kind::Text, "strftime Timespan(i) '%H:%M:%S'"),
    (Kind::Text, "String T"),
    (Kind::Text, "fqdn_rand i"),
    (Kind::Text, "digest t"),
    (Kind::Boolean, "all a |$x| { E }"),
    (Kind::Boolean, "any a |$x| { E }"),
    (Kind::Boolean, "any h |$k, $v| { E }"),
    (Kind::Boolean, "empty c"),
    (Kind::Boolean, "Boolean s"),
    (Kind::Boolean, "defined t"),
    (Kind::Array, "filter a |$x| { E }"),
    (Kind::Array, "filter a |$i, $x| { E }"),
    (Kind::Array, "map a |$x| { X }"),
    (Kind::Array, "map h |$k, $v| { [$k, X] }"),
    (Kind::Array, "flatten a a"),
    (Kind::Array, "keys h"),
    (Kind::Array, "values h"),
    (Kind::Array, "partition a |$x| { E }"),
    (Kind::Array, "slice a 2"),
    (Kind::Array, "slice a i |$x| { X }"),
    (Kind::Array, "sort a"),
    (Kind::Array, "sort a |$p, $q| { compare($p, $q) }"),
    (Kind::Array, "split t r"),
    (Kind::Array, "split t t"),
    (Kind::Array, "unique a"),
    (Kind::Array, "unique a |$x| { E }"),
    (Kind::Array, "unique h |$x| { X }"),
    (Kind::Array, "match t r"),
    (Kind::Array, "match a r"),
    (Kind::Array, "Array x"),
    (Kind::Array, "Array x b"),
    (Kind::Array, "Tuple a"),
    (Kind::Array, "each a |$x| { X }"),
    (Kind::Array, "reverse_each a |$x| { notice($x) }"),
    (Kind::Array, "step a 2 |$x| { $x }"),
    (Kind::Array, "Array(step a i)"),
    (Kind::Array, "Array(reverse_each a)"),
    (Kind::Array, "Array(tree_each a)"),
    (Kind::Array, "Array(tree_each h {'include_root'=>b,'include_containers'=>b})"),
    (Kind::Hash, "group_by a |$x| { X }"),
    (Kind::Hash, "filter h |$k, $v| { E }"),
    (Kind::Hash, "Hash a"),
    (Kind::Hash, "Hash h"),
    (Kind::Hash, "reduce h |$m, $x| { $m }"),
    (Kind::Any, "assert_type T x"),
    (Kind::Any, "assert_type T x |$e, $g| { [$e, $g] }"),
    (Kind::Any, "call 'abs' i"),
    (Kind::Any, "convert_to x T"),
    (Kind::Any, "dig h t"),
    (Kind::Any, "dig a i i"),
    (Kind::Any, "get h t"),
    (Kind::Any, "get a '0.k' x"),
    (Kind::Any, "get h 'a.b' |$m| { $m }"),
    (Kind::Any, "index a |$x| { E }"),
    (Kind::Any, "index a x"),
    (Kind::Any, "index h x"),
    (Kind::Any, "lest x || { X }"),
    (Kind::Any, "then x |$x| { X }"),
    (Kind::Any, "reduce a |$m, $x| { [$m, $x] }"),
    (Kind::Any, "reduce a x |$m, $x| { X }"),
    (Kind::Any, "unwrap Sensitive(x)"),
    (Kind::Any, "unwrap Sensitive(x) |$x| { X }"),
    (Kind::Any, "with x i |$x, $y| { X }"),
    (Kind::Any, "with x |T $x| { X }"),
    (Kind::Any, "with x i t |$x, *$y| { [$x, $y] }"),
    (Kind::Any, "new T x"),
    (Kind::Any, "new T x i"),
    (Kind::Any, "Timespan i i i i"),
    (Kind::Any, "Timespan t '%H'"),
    (Kind::Any, "Timespan f"),
    (Kind::Any, "Timestamp i"),
    (Kind::Any, "Timestamp t"),
    (Kind::Any, "SemVer i i i"),
    (Kind::Any, "SemVer t"),
    (Kind::Any, "SemVerRange t"),
    (Kind::Any, "Binary t"),
    (Kind::Any, "Binary t '%s'"),
    (Kind::Any, "Binary a"),
    (Kind::Any, "URI t"),
    (Kind::Any, "Regexp t"),
    (Kind::Any, "Deferred t a"),
    (Kind::Any, "Sensitive x"),
    (Kind::Any, "type x"),
    (Kind::Any, "type x 'reduced'"),
    (Kind::Any, "type x 'generalized'"),
    (Kind::Any, "getvar t"),
    (Kind::Any, "fail t"),
    (Kind::Any, "each a |$x| { break() }"),
    (Kind::Any, "map a |$x| { if E { break() } X }"),
    (Kind::Any, "filter a |$x| { next(E) }"),
    (Kind::Any, "each h |$p| { notice($p) }"),
    (Kind::Any, "each a |$i, $x| { notice($i) }"),
    (Kind::Any, "return x"),
    (Kind::Any, "epp t"),
    (Kind::Any, "Struct[{'a'=>T}] h"),
    (Kind::Any, "Optional[T] x"),
    (Kind::Any, "Init[T] x"),
    (Kind::Any, "Enum t"),
    (Kind::Any, "Variant[T,T] x"),
];

impl Writer {
    /// Generates a call of a function that returns a value of a kind.
    pub(super) fn call(&mut self, kind: Kind, depth: usize) -> String {
        let fitting: Vec<&str> = CALLS
            .iter()
            .filter(|(gives, _)| *gives == kind || kind == Kind::Any)
            .map(|(_, call)| *call)
            .collect();
        let call = match fitting.len() {
            0 => CALLS[self.random.below(CALLS.len())].1,
            n => fitting[self.random.below(n)],
        };
        let (call, block) = match call.find(" |") {
            Some(at) => call.split_at(at),
            None => (call, ""),
        };
        let words = call.split_once(' ').map_or("", |(_, words)| words);
        // `Array(step a i)`: the elements of an iterator.
        if let Some((outer, inner)) = call.strip_suffix(')').and_then(|call| call.split_once('('))
            && !words.contains('(')
        {
            let inner = self.written(inner, depth);
            return format!("{outer}({inner})");
        }
        self.written(&format!("{call}{block}"), depth)
    }

    /// Formats `name argument argument |block|` as code.
    fn written(&mut self, call: &str, depth: usize) -> String {
        let (call, block) = match call.find(" |") {
            Some(at) => call.split_at(at),
            None => (call, ""),
        };
        let (name, words) = call.split_once(' ').unwrap_or((call, ""));
        let mut arguments: Vec<String> = Vec::new();
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            arguments.push(self.filled(word, depth));
        }
        let name = self.filled(name, 1);
        let block = self.filled(block, depth.min(2));
        if self.random.chance(30) && !arguments.is_empty() && name.starts_with(char::is_lowercase) {
            let first = arguments.remove(0);
            return format!("({first}).{name}({}){block}", arguments.join(", "));
        }
        format!("{name}({}){block}", arguments.join(", "))
    }

    /// Replaces single letters by expressions of a kind.
    fn filled(&mut self, words: &str, depth: usize) -> String {
        let mut out = String::new();
        let chars: Vec<char> = words.chars().collect();
        for (at, &char) in chars.iter().enumerate() {
            let is_word = |char: Option<&char>| {
                char.is_some_and(|c| c.is_alphanumeric() || "$_'%:".contains(*c))
            };
            let before = at.checked_sub(1).and_then(|at| chars.get(at));
            let alone = !is_word(chars.get(at + 1)) && !is_word(before);
            let kind = match char {
                'i' => Kind::Integer,
                'f' => Kind::Float,
                't' => Kind::Text,
                'b' | 'E' => Kind::Boolean,
                'a' => Kind::Array,
                'h' => Kind::Hash,
                'T' => Kind::Type,
                'x' | 'X' => Kind::Any,
                's' | 'c' | 'r' | 'F' => {
                    if alone {
                        out.push_str(&self.special(char, depth));
                        continue;
                    }
                    Kind::Any
                }
                _ => {
                    out.push(char);
                    continue;
                }
            };
            match alone {
                true => out.push_str(&self.expression(kind, depth)),
                false => out.push(char),
            }
        }
        out
    }

    fn special(&mut self, letter: char, depth: usize) -> String {
        match letter {
            's' => self
                .pick(&[
                    "'12'", "'0x1F'", "'-7'", "'1.5e3'", "'0b11'", "'017'", "'true'", "'yes'",
                    "' 5'", "'5x'", "''", "'+3'", "true", "'1_000'", "'0x1G'", "'.5'", "'5.'",
                ])
                .to_owned(),
            'r' => self.regexp(),
            'F' => self
                .pick(&[
                    "'%s|%s'",
                    "'%d-%5.1f'",
                    "'%x %o'",
                    "'%p'",
                    "'%-5s|%5s'",
                    "'%05d %e'",
                    "'%2$s %1$s'",
                    "'%%'",
                    "'%c%s'",
                    "'%+d % d'",
                    "'%b %g'",
                ])
                .to_owned(),
            _ => {
                let kind = [Kind::Text, Kind::Array, Kind::Hash][self.random.below(3)];
                self.expression(kind, depth)
            }
        }
    }

    /// Generates nested blocks, with all kinds of parameters.
    pub(super) fn lambda(&mut self, depth: usize) -> String {
        let list = self.expression(Kind::Array, depth);
        let name = self.name();
        self.variables.push((name.clone(), Kind::Any));
        let inner = self.expression(Kind::Any, depth.min(2));
        let test = self.expression(Kind::Boolean, 1);
        self.variables.retain(|(known, _)| *known != name);
        let type_ = self.leaf(Kind::Type);
        match self.random.below(5) {
            0 => format!("({list}).map |{type_} ${name}| {{ {inner} }}"),
            1 => format!("({list}).map |$n, ${name}| {{ [$n, {inner}] }}"),
            2 => format!("({list}).map |${name}, $d = 5| {{ [{inner}, $d] }}"),
            3 => format!("({list}).map |*${name}| {{ {inner} }}"),
            _ => format!(
                "({list}).map |${name}| {{ [1, 2].map |$q| {{ if {test} {{ next($q) }} {inner} }} }}"
            ),
        }
    }

    /// `@(END)`
    pub(super) fn heredoc(&mut self, depth: usize) -> String {
        let kind = self.kind();
        let inner = self.expression(kind, depth.min(2));
        // A heredoc in a heredoc would end the line of the first.
        if inner.contains("@(") {
            return self.leaf(Kind::Text);
        }
        match self.random.below(5) {
            0 => format!("@(\"END\")\n  a ${{({inner})}}\n    b\n  | END\n"),
            1 => format!("@(END)\n  a ${{({inner})}}\n  |- END\n"),
            2 => "@(\"END\"/tn)\nx\\ty\\nz \\u0041 \\\nEND\n".to_owned(),
            3 => format!("@(\"END\"/L)\n  one \\\n  two ${{({inner})}}\n  |-END\n"),
            _ => "@(END:json)\n  {\"a\": 1}\n  | END\n".to_owned(),
        }
    }

    /// `inline_epp(…)`
    pub(super) fn template(&mut self, depth: usize) -> String {
        let kind = self.kind();
        let inner = self.expression(kind, depth.min(2));
        if inner.contains('\'') || inner.contains("@(") || inner.contains('\\') {
            return "inline_epp('<%- | $x = 5 | -%>a<%= $x %>b<%# c %><%% d', {x => [1, 2]})"
                .to_owned();
        }
        match self.random.below(4) {
            0 => format!("inline_epp('a<%= {inner} %>b')"),
            1 => format!(
                "inline_epp('<%- [1, 2].each |$x| {{ -%>\n  <%= $x %> <%= {inner} -%>\n<%- }} -%>\nend')"
            ),
            2 => format!(
                "inline_epp('<%- | Integer $p, $q = {inner} | -%><%= $p %><%= $q %>', {{p => {}}})",
                self.leaf(Kind::Integer)
            ),
            _ => format!(
                "inline_epp('<% $z = {inner} %>  <%- if $z {{ -%> yes <% }} else {{ %> no <% }} -%>  \nx')"
            ),
        }
    }
}
