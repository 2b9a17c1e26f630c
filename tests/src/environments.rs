//! Generator of small environments: settings, functions that shadow others, legacy data, logs, types in Ruby, types that
//! initialise each other.
//!
//! Nothing here predicts the catalog: real Puppet does.

use std::fmt::Write;

use serde_json::Map;

use crate::catalog::spec::CatalogCase;
use crate::generator::Random;

/// Returns the environment of a seed.
pub fn environment(seed: u64) -> CatalogCase {
    let mut writer =
        Writer { random: Random::new(seed), files: Vec::new(), main: String::new(), n_names: 0 };
    if writer.random.chance(40) {
        writer.settings();
    }
    for _ in 0..writer.random.between(1, 3) {
        match writer.random.below(6) {
            0 => writer.shadow(),
            1 => writer.legacy_data(),
            2 => writer.logs(),
            3 => writer.ruby_type(),
            4 => writer.objects(),
            _ => writer.alias(),
        }
    }
    let Writer { mut files, main, .. } = writer;
    files.push(("manifests/site.pp".to_owned(), main));
    CatalogCase::generated(format!("seed {seed}"), files, Map::new())
}

struct Writer {
    random: Random,
    files: Vec<(String, String)>,
    main: String,
    n_names: usize,
}

/// Functions that code shadows, with a call each.
const SHADOWED: [(&str, &str); 8] = [
    ("upcase", "upcase('a')"),
    ("md5", "md5('a')"),
    ("length", "'abc'.length"),
    ("lookup", "lookup('k')"),
    ("sprintf", "sprintf('%s')"),
    ("flatten", "[[1]].flatten"),
    ("max", "max(1)"),
    ("join", "['a'].join"),
];

/// Values to test types with.
const VALUES: [&str; 12] = [
    "'w'",
    "3",
    "undef",
    "[]",
    "['w']",
    "[['w']]",
    "[3, 'w']",
    "{}",
    "{'a' => 3}",
    "{'a' => 'w'}",
    "{'a' => {'a' => 3}}",
    "true",
];

/// Types of attributes; `T` is another type of the program.
const ATTRIBUTES: [&str; 12] = [
    "String",
    "Integer",
    "Init[T]",
    "Variant[Init[T], String]",
    "Variant[Init[T], Integer]",
    "Optional[Init[T]]",
    "Array[Init[T]]",
    "Variant[T, Init[Integer]]",
    "Hash[String, Init[T]]",
    "Init[Integer]",
    "Optional[T]",
    "Variant[Init[T], Init[Integer], Undef]",
];

impl Writer {
    fn name(&mut self) -> usize {
        self.n_names += 1;
        self.n_names
    }

    fn file(&mut self, path: &str, text: impl Into<String>) {
        self.files.retain(|(known, _)| known != path);
        self.files.push((path.to_owned(), text.into()));
    }

    fn add(&mut self, line: &str) {
        self.main.push_str(line);
        self.main.push('\n');
    }

    /// `environment.conf` with quotes and blanks in odd places.
    fn settings(&mut self) {
        let mut text = String::new();
        for (name, value) in [
            ("modulepath", "modules"),
            ("manifest", "manifests"),
            ("manifest", "manifests/site.pp"),
        ] {
            if !self.random.chance(50) {
                continue;
            }
            let quote = self.random.pick(&["", "\"", "'"]);
            let equals = self.random.pick(&["=", " = ", "  =", "=\t"]);
            let (before, after) =
                (self.random.pick(&["", " ", "\t"]), self.random.pick(&["", " ", "  "]));
            let _ = writeln!(text, "{before}{name}{equals}{quote}{value}{quote}{after}");
            text.push_str(self.random.pick(&["", "\n", "# note\n", "  # note = 'x'\n"]));
        }
        self.file("environment.conf", text);
    }

    /// A function of the main manifest or of the environment that has the name of a built-in one.
    fn shadow(&mut self) {
        let (name, call) = SHADOWED[self.random.below(SHADOWED.len())];
        let parameters = self.random.pick(&["$a", "*$a", "$a = 1", "String $a", "$a, $b = 2"]);
        let body = self.random.pick(&["'mine'", "$a", "[1, $a]", "undef"]);
        let function = format!("function {name}({parameters}) {{ {body} }}");
        match self.random.below(3) {
            0 => self.file(&format!("functions/{name}.pp"), function),
            _ if !self.main.contains(&format!("function {name}(")) => self.add(&function),
            _ => (),
        }
        let call = match self.random.below(3) {
            0 => format!("notice({call})"),
            1 => format!("class c{} {{ notice({call}) }}\ninclude c{}", self.n_names, self.n_names),
            _ => format!("notice([1].map |$x| {{ {call} }})"),
        };
        self.n_names += 1;
        self.add(&call);
    }

    /// Data of a function in place of `hiera.yaml`.
    fn legacy_data(&mut self) {
        let quote = self.random.pick(&["", "\"", "'"]);
        let data =
            self.random.pick(&["{ 'l::x' => 'data', 'k' => 1 }", "{ 'k' => undef }", "{}", "3"]);
        let parameters = self.random.pick(&["", "", "$o, $c", "$o = 1"]);
        if self.random.chance(50) {
            self.file(
                "environment.conf",
                format!("environment_data_provider = {quote}function{quote}\n"),
            );
            let path = self.random.pick(&["functions/environment/data.pp", "functions/data.pp"]);
            self.file(path, format!("function environment::data({parameters}) {{ {data} }}"));
        } else {
            self.file("modules/l/metadata.json", "{\"name\": \"a-l\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"x\", \"summary\": \"\", \"source\": \"\", \"dependencies\": [], \"data_provider\": \"function\"}");
            self.file(
                "modules/l/functions/data.pp",
                format!("function l::data({parameters}) {{ {data} }}"),
            );
        }
        self.file(
            "modules/l/manifests/init.pp",
            "class l($x = 'default') { notify { \"l ${x}\": } }",
        );
        let line = self.random.pick(&[
            "include l",
            "notice(lookup('k', undef, undef, 'none'))",
            "notice(lookup('l::x', undef, undef, 'none'))",
        ]);
        if !self.main.contains(line) {
            self.add(line);
        }
    }

    /// Messages of all levels from all kinds of scopes.
    fn logs(&mut self) {
        let level = self
            .random
            .pick(&["notice", "warning", "err", "info", "alert", "crit", "emerg", "debug"]);
        let text = self.random.pick(&[
            "'x'",
            "1, [2, undef]",
            "{a => 1}",
            "Integer[1, 2]",
            "undef",
            "''",
            "\"a\\nb\"",
        ]);
        let n = self.name();
        let call = format!("{level}({text})");
        let line = match self.random.below(7) {
            0 => call,
            1 => format!("class k{n} {{ {call} }}\ninclude k{n}"),
            2 => format!("define d{n} {{ {call} }}\nd{n} {{ 'it': }}"),
            3 => format!("function f{n}() {{ {call} }}\nf{n}()"),
            4 => format!("class k{n} {{ [1, 2].each |$x| {{ {call} }} }}\ninclude k{n}"),
            5 => format!(
                "class k{n}::in {{ {call} }}\nclass k{n} inherits k{n}::in {{ {call} }}\ninclude k{n}"
            ),
            _ => format!("inline_epp('<% {level}(\"x\") %>')"),
        };
        self.add(&line);
    }

    /// A data type in Ruby, with or without an implementation.
    fn ruby_type(&mut self) {
        let n = self.name();
        let types = [
            "String",
            "Integer",
            "Array[Integer]",
            "Optional[String]",
            "{ type => Integer, value => 4 }",
        ];
        let (first, second) = (self.random.pick(&types), self.random.pick(&types));
        let has_code = self.random.chance(60);
        let functions = if has_code {
            ", functions => { f => Callable[[], Any], g => Callable[[Integer], Any] }"
        } else {
            ""
        };
        let body = self.random.pick(&[
            "@a",
            "a.to_s",
            "[a, b]",
            "\"#{a}-#{b.inspect}\"",
            "@b.nil? ? 'none' : @b",
        ]);
        let code = match has_code {
            true => format!(
                "  implementation do\n    def f\n      {body}\n    end\n    def g(x)\n      x + 1\n    end\n  end\n"
            ),
            false => String::new(),
        };
        let name = self.random.pick(&["T", "T", "T", "Other"]);
        self.file(
            &format!("modules/m{n}/lib/puppet/datatypes/m{n}/t.rb"),
            format!("Puppet::DataTypes.create_type('M{n}::{name}') do\n  interface <<-PUPPET\n    attributes => {{ a => {first}, b => {second} }}{functions}\n  PUPPET\n{code}end\n"),
        );
        let arguments = self.random.pick(&[
            "'x', 3",
            "3, 'x'",
            "3",
            "{'a' => 3, 'b' => 'x'}",
            "[1], [2]",
            "'x'",
            "3, 4",
            "'x', undef",
        ]);
        let line = match self.random.below(5) {
            0 => format!("notice(M{n}::T({arguments}))"),
            1 => format!(
                "$o{n} = M{n}::T({arguments})\nnotice($o{n}.a, $o{n}.b, $o{n}.f, $o{n}.g(2))"
            ),
            2 => format!("notify {{ 'n{n}': message => M{n}::T({arguments}) }}"),
            3 => format!("notice(M{n}::T, {} =~ M{n}::T)", VALUES[self.random.below(VALUES.len())]),
            _ => format!(
                "class c{n}(Optional[M{n}::T] $x = undef) {{ notify {{ \"n ${{x}}\": }} }}\nclass {{ 'c{n}': x => M{n}::T({arguments}) }}"
            ),
        };
        self.add(&line);
    }

    /// Object types with attributes of `Init` of each other. Only questions that Puppet answers: its messages about
    /// such types overflow the stack.
    fn objects(&mut self) {
        let n = self.name();
        let count = self.random.between(1, 3);
        for own in 0..count {
            let mut attribute = || {
                let other = self.random.below(count);
                ATTRIBUTES[self.random.below(ATTRIBUTES.len())]
                    .replace("T]", &format!("O{n}x{other}]"))
                    .replace("[T,", &format!("[O{n}x{other},"))
            };
            let (a, b) = (attribute(), attribute());
            let b = if self.random.chance(40) {
                format!(", b => {{ type => Optional[{b}], value => undef }}")
            } else {
                String::new()
            };
            self.add(&format!("type O{n}x{own} = Object[{{attributes => {{a => {a}{b}}}}}]"));
        }
        for _ in 0..3 {
            let type_ = self.random.below(count);
            let value = VALUES[self.random.below(VALUES.len())];
            let line = match self.random.below(3) {
                0 => format!("notice({value} =~ Init[O{n}x{type_}])"),
                1 => format!(
                    "if {value} =~ Init[O{n}x{type_}] {{ notice(Init[O{n}x{type_}] == Init[O{n}x{type_}]) }}"
                ),
                _ => {
                    format!("notice({value} =~ O{n}x{type_}, {value} =~ Array[Init[O{n}x{type_}]])")
                }
            };
            self.add(&line);
        }
    }

    /// A type alias of a module that uses one of the main manifest, of the environment, or of another manifest.
    fn alias(&mut self) {
        let n = self.name();
        let used = self.random.pick(&["Mine", "E", "Environment::F", "O::U", "Nope", "A::B"]);
        let line = match used {
            "Mine" if !self.main.contains("type Mine") => "type Mine = Integer[1, 3]",
            _ => "",
        };
        self.add(line);
        self.file(
            "types/e.pp",
            self.random.clone().pick(&[
                "type E = Integer",
                "type G = Integer",
                "type E = Integer\ntype H = String",
            ]),
        );
        self.file("types/environment/f.pp", "type Environment::F = String");
        self.file(
            "modules/o/manifests/init.pp",
            "type O::U = Variant[Integer, Boolean]\nclass o { }",
        );
        self.file(&format!("modules/a{n}/types/t.pp"), format!("type A{n}::T = Array[{used}]"));
        let value = self.random.pick(&["[2]", "[7]", "['x']", "[]", "3"]);
        let line = match self.random.below(2) {
            0 => {
                self.file(
                    &format!("modules/a{n}/manifests/init.pp"),
                    format!("class a{n}(A{n}::T $x = {value}) {{ notify {{ \"${{x}}\": }} }}"),
                );
                format!("include o\ninclude a{n}")
            }
            _ => format!("include o\nnotice({value} =~ A{n}::T)"),
        };
        self.add(&line);
    }
}
