# frozen_string_literal: true

# Manifests at the edges of the language. Some are only parsed: Puppet would not accept them.
module Edges
  SOURCES = {
    empty: '',
    only_a_comment: "# nothing\n",
    only_blanks: "  \n\n  ",
    crlf: "class a {\r\n  notify { 'x':\r\n    message => \"a\r\nb\",\r\n  }\r\n}\r\n",
    no_last_newline: "$a = 1",
    multibyte: "$a = 'Ä€𝄞' # ü\n$b = \"é${a}ö${a}\"\nnotice($a)\n",
    nul_in_strings: "$a = 'x\0y'\n$b = \"\0${a}\0\"\n$c = \"\\u0000\"\n",
    quotes: %q(notice('it\'s', 'a\\b', "a\tb\n\s\$x\"", "", '', bare, two-words, "'", '"')) + "\n",
    one_empty_string: "''",
    interpolation: %q(notice("$a ${b} ${c['d'][1]} ${e.f} ${if} ${1} ${::x::y} ${g.map |$x| { "<${x}>" }} $ $$ ${'x'}")) + "\n",
    heredocs: "$a = @(X)\n  raw ${x}\n  | X\n$b = @(\"Y\"/L)\n  one ${x} \\\n    two\n  |- Y\n" \
              "notice(@(A), @(B:json))\n'quoted'\n| A\n{\"a\": 1}\n|- B\n$c = @(\"Z\")\nplain\n|Z\n$d = @(Q)\n\"x\"\n|-Q\n",
    empty_heredocs: "$a = @(X)\n|X\n$b = @(\"X\")\n|-X\n$c = @(X/nt)\nX\n$d = @(X)\n\n|-X\n$e = @(\"X\"/L)\n${a}\n|-X\n",
    numbers: 'notice(0, 1, 017, 0x1F, 0XaB, 1.5, 1e10, 1.5E-3, 9223372036854775807, -7, -1.5)',
    regexps: "notice('a' =~ /a\\/b\\n(?i:c)/, 'b' !~ /ü+/)\nnode /^web\\d+$/ { }\n",
    literals: 'notice(undef, default, true, false, [1, 2,], {}, { a => 1, "b" => [] }, [])',
    operators: '$r = ((1 + 2 - 3) * 4 / 5 % 6 << 7 >> 8) == -1 or !true and $a != 2 and 1 < 2 and 1 <= 2 and 1 > 2 and 1 >= 2 and 3 in [3]',
    assignments: "$a = 1\n$b += 2\n$c -= 3\n[$d, $e] = [1, 2]\n$f = $g = 4\n",
    splat: "notice(*[1, 2])\nfile { '/x': * => { mode => '1' } }\n",
    branches: "if $a { notice(1) } elsif $b { } else { notice(3) }\nunless $a { notice(1) } else { notice(2) }\n" \
              "case $a { 1, 'b': { notice(1) } /c/: { } default: { notice(2) } }\n$x = $a ? { 1 => 2, default => 3 }\n",
    calls: "notice 'x'\ninclude a, b\n$a.each |$k, $v| { notice($k) }\n$b = [1].map |Integer $x = 2, *$r| >> Integer { $x }\n" \
           "$c = a::b(1)\n$d = $x.y.z(3)\nfunc() |$x| {}\nInteger('3')\n",
    accesses: "$a[1]\n$a[1, 2]['x']\nFile['/a', '/b']\nInteger[1, default]\n$x.type\n",
    resources: "file { '/a': ensure => file, mode +> '0644'; ['/b', '/c']: ; default: owner => root }\n@user { 'v': }\n@@user { 'e': }\n" \
               "File { mode => '0600' }\nFile['/a'] { owner => 'x' }\nclass { 'c': x => 1 }\nPackage <| title == 'a' and (tag != b or x == 1) |> { a => 1 }\n" \
               "Package <| |>\nService <<| tag == 'x' |>>\nUser <<| |>>\nNotify['a'] -> Notify['b'] ~> Notify['c'] <- Notify['d'] <~ Notify['e']\n",
    classes: "class a::b (String $x, $y = 1, Optional[Integer] $z = undef) inherits a::c {\n  class d { }\n  define e($f) { notify { $f: } }\n}\nclass g { $h = 1 }\n",
    nested_defines: "define a { define b { class c { define d::e { } } } }\n",
    nodes: "node 'a', b.c.d, default { notice(1) }\nnode x { }\n",
    functions: "function a::b(Integer $x, String *$y) >> Array[String] {\n  [$y]\n}\nfunction c { }\n",
    types: "type A::B = Struct[{ a => Integer, Optional['b'] => Enum['x', 'y'] }]\ntype C = Pattern[/a/]\n",
    type_definitions: "type Foo inherits Bar { $x = 1 }\ntype Runtime[ruby, 'A::B'] = Foo\n",
    plans: "plan a::b(String $x = 'y') {\n  $r = apply($x) { notify { 'x': } }\n  $r\n}\n",
    reserved: "$a = private\n$b = attr\n",
    many_lines: "#{"# a comment\n" * 9000}notice('far away')\n",
    deep: "#{'[' * 100}#{']' * 100}",
    template: "<%- | $a, $b = 1 | -%>\nHello <%= $a %> and\n<% if $b { -%>\n  text\n<%- } -%>\n"
  }.freeze

  # Nothing in the language makes these.
  UNREACHABLE = %w[CallFunctionExpression].freeze

  # Without validation, in the dialect that has them.
  def self.parse(text, file)
    parser = template?(text) ? Puppet::Pops::Parser::EppParser.new : Puppet::Pops::Parser::Parser.new
    Puppet[:tasks] = plan?(text)
    parser.parse_string(text, file).model
  ensure
    Puppet[:tasks] = false
  end

  def self.plan?(text)
    text.start_with?('plan')
  end

  def self.template?(text)
    text.start_with?('<%-')
  end

  # The names of all classes in a tree.
  def self.classes(program)
    names = [program.body.class]
    program._pcore_all_contents([]) { |node, _| names << node.class }
    names.uniq.map { |ruby_class| ruby_class.name.split('::').last }
  end
end
