# YAML, read and written.
require 'yaml'
require 'date'

Texts::Subject.new('yaml') do
  # Nothing in it appears twice.
  copy = ->(v) { v.is_a?(Array) ? v.map(&copy) : v.is_a?(Hash) ? v.to_h { |k, w| [copy.(k), copy.(w)] } : v }
  op('to_yaml') { |value, options| copy.(value).to_yaml((options || {}).transform_keys(&:to_sym)) }
  op('load') { |text| YAML.safe_load(text, permitted_classes: [], aliases: true) }
  op('load symbols') { |text| YAML.safe_load(text, permitted_classes: [Symbol, Date], aliases: true) }
  # Arrays are used again by their number.
  op('aliased') do |shape|
    parts = [[1], [], { 'a' => 1 }]
    build = ->(s) { s.is_a?(Integer) ? parts[s] : s.is_a?(Array) ? s.map(&build) : s.is_a?(Hash) ? s.transform_values(&build) : s }
    build.(shape).to_yaml
  end

  words = %w[y n Y N yes no Yes NO on off On OFF true false True FALSE null Null NULL ~ nil none tru truee yess o t f] +
          %w[1 -1 +1 0 00 01 07 08 09 0777 0o17 0x1f 0X1F 0xg 0b101 0b2 1_000 1,000 1__0 1_ _1 1.5 -1.5 +1.5 .5 5. . -. +. 1.5e3 1.5e+3 1e3 1.e+3 1e+3 1_0.5 1,0.5 .inf -.inf +.inf .Inf .INF .nan .NaN inf nan 1:30 1:30:15 1:60 -1:30 1:2:3:4 1:30.5 12:30:45.5 1_0:30 0:0 190:20:30] +
          %w[2016-01-02 2016-1-2 2016-13-01 2016-02-30 2016-02-31 16-01-02 2016-01-02T03:04:05 2016-01-02T03:04:05Z 2016-01-02t03:04:05.5+01:00 2016-01-02T25:04:05Z -2016-01-02T03:04:05 2016-01-02x] +
          ['2016-01-02 03:04:05', '2016-01-02 03:04:05 +01:00', '2016-01-02  3:04:05.123 Z', '2016-01-02 03:04:05 -5', '2016-01-02 03:04'] +
          %w[:a :a_b ::a : :: :"a" :'a' a: a:b a#b #a a-b -a - -- --- ... .a a. & &a *a !a |a >a %a @a `a 'a' "a" ?a ? ,a [a] {a} a,b a[b] = < << => 123abc abc123 0.0.0.0 1.2.3 1-2 1/2 50% $a ~a a~ \\ a\\b / /a] +
          ['', ' ', '  ', ' a', 'a ', 'a b', 'a: b', 'a :b', 'a #b', 'a# b', '- a', '? a', ': a', 'a:', "a\n", "a\n\n", "a\nb", "a\nb\n", "a\nb\n\n", "\na", "\n", "\n\n", "\n\n\n", " a\nb", "a \nb", "a\n b", "a\tb", "\ta", "a\t", "a\r\nb", "a\rb", "a\u0085b", "a\u2028b", "a\u00a0b", "\u00a0", 'é', 'ñandú', 'aé: b', '日本', "\u{1f600}", "a\0b", "\e", "\x7f", "\ufeff", "no\n", "yes\nx", "1\n", "a\"b", "'", '"', "it's", '"a" b', "-\"", "-a\"b", "a'b\"c", '- "x"', ':"a b"', '!ruby/object:X',
           'word ' * 30, 'a' * 200, "#{'word ' * 30}\nsecond", 'x' * 70 + ' yyyyyyyyyyyyyyyyyyyy zzz', "'#{'word ' * 25}'", "é #{'word ' * 25}", "#{'word ' * 18}: #{'word ' * 10}", "#{'w ' * 60}  two  spaces #{'w ' * 60}", "- #{'word ' * 25}", "#{'word ' * 25}\n", "line one\n\n\nline two\n  indented\nlast", "  leading\nx", "a\n\tb", "trailing \n", "x: y\nz: w\n", "---\na", "--- a", "...", "key: |\n  text\n", '%{foo}', '%{hiera("x")}', 'a@b.c', 'http://x/y?z=1#f', 'C:\\x', '*', '!', '&', '|', '>', '@', '`', '%', ',', '[', ']', '{', '}']
  words.uniq.each do |word|
    ask 'to_yaml', [word], [[word]], [{ word => word }], [{ 'a' => [word, { 'b' => word }] }]
    ask 'to_yaml', [{ 'key' => word }, { 'line_width' => 20 }], [{ 'key' => { 'k' => word } }, { 'line_width' => -1 }], [{ 'key' => [word] }, { 'indentation' => 4 }]
  end
  others = [nil, true, false, 0, -5, 2**70, 1.0, -0.0, 1e20, 1e-7, Float::INFINITY, -Float::INFINITY, Float::NAN, :sym, :'a b', :'', :'a: b', :':x', [], {}, [[]], [{}], [[], {}], [[1, 2], [3]], [[[1]]], { 'a' => {} }, { 'a' => [] }, { 'a' => nil, 'b' => [nil] }, { nil => nil }, { 1 => 2, 1.5 => 3, true => 4, :s => 5 }, { [1] => 2 }, { [] => 1 }, { {} => 1 }, { { 'a' => [1] } => { 'b' => 2 } },
            { 'a' => { 'b' => { 'c' => [1, { 'd' => 2, 'e' => [3] }] } } }, [{ 'a' => 1, 'b' => 2 }, { 'c' => [1, [2, [3]]] }], { 'a' * 128 => 1 }, { 'a' * 129 => 1 }, { "a\nb" => 1 }, { "a\nb" => ["c\nd\n", { 'x' => "e\nf" }] }, [["a\nb"]], "\xff\xfebinary".b, { 'b' => "\x80".b * 100 }, { "\xff".b => 1 }, [[[], [[]]], { 'k' => [[], [1]] }]]
  others.each do |value|
    ask 'to_yaml', [value], [{ 'key' => value }], [[value, value]], [{ 'key' => [value] }, { 'indentation' => 4 }], [[value, [value]], { 'indentation' => 3, 'line_width' => 30 }]
  end
  ask 'to_yaml', [{ 'a' => 'b' }, { 'indentation' => 1 }], [{ 'a' => ['b'] }, { 'indentation' => 9 }], [{ 'a' => ['b'] }, { 'indentation' => 10 }], ['a b c d e f g h', { 'line_width' => 5 }], ['a b c', { 'line_width' => 0 }], ['a', { 'line_width' => -2 }]
  ask 'aliased', [[0, 0]], [{ 'a' => 0, 'b' => 0 }], [[1, 1]], [[2, 2, 0, 0]], [{ 'x' => [2, 0], 'y' => [0, 2] }], [[0, [0, [0]]]], [[0, 1, 2]]

  words.uniq.each do |word|
    next if word =~ /\n|\t|\0|\r|\u0085|\u2028|\e|\x7f|\ufeff|\A\s*\z/ || word.size > 60

    plain = YAML.parse(word)&.root.is_a?(YAML::Nodes::Scalar) && !YAML.parse(word).root.quoted && YAML.parse(word).root.value == word rescue nil
    next unless plain

    ask 'load', word
    ask 'load symbols', word
  end
  documents = ['', '---', '--- a', "---\n...", "a: 1\nb: 2", "- 1\n- 2", "a:\n  - 1\n  - b: 2\n    c: 3", "a:\n- 1\n- 2", '{a: 1, b: [1, 2]}', '[a, b, {c: d}]', '"quoted"', "'it''s'", '"a\nb\t\u00e9\x41"', "a: |\n  line 1\n  line 2\n", "a: |-\n  text", "a: |+\n  text\n\n", "a: >\n  folded\n  text\n\n  para\n", "a: plain\n  continued", '&a 1', "a: &x 1\nb: *x", "a: &x [1, 2]\nb: *x", "base: &b {x: 1, y: 2}\nderived:\n  <<: *b\n  y: 3", "derived:\n  y: 3\n  <<: {y: 1, z: 2}", "<<: [{a: 1}, {a: 2, b: 3}]", "<<: 1", "<<: [1]", "'<<': {a: 1}", "!!str <<: {a: 1}",
               'a: *unknown', '!!str 123', '!!int "1"', '!!float 1', '!!float "1.5"', '!!float x', '!!bool yes', '!!null x', '! 123', '!foo 123', '!foo {a: 1}', '!binary aGVsbG8=', '!!binary "/w=="', '!ruby/object:Foo {}', '!ruby/object {}', '!ruby/object:Hash {a: 1}', '!ruby/regexp /a/', '!ruby/symbol a', '!ruby/sym a', '!ruby/range 1..2', '!!set {a, b}', '!!omap [a: 1, b: 2]', '!ruby/struct:Foo {}', '!ruby/class String', '!ruby/exception:X {}', '!map:Foo {}', '!str:Foo x', '!seq:Foo []',
               "a: 1\na: 2", "? a\n: b", "? [1, 2]\n: x", "{1: a, 1.0: b, yes: c, ~: d}", 'a: :sym', ':a: 1', "a: 2016-01-02", "a: 2016-02-30", "a: 2016-01-02 03:04:05", "# comment\na: 1 # more\n", "a: 'x'  # c", "a: x#y", "%YAML 1.1\n---\na: 1", "a: 1\n---\nb: 2", "a: 1\n...\nb", "key with spaces: value", "a:\n  b:\n    c: d\ne: f", "- - 1\n  - 2\n- 3", "-\n  a: 1", "a: ''\nb: \"\"\nc:", "a: ~\nb: null\nc: Null", "on: yes\noff: no", "é: ü", "a: {b: c}", "a: [1, [2, 3], {x: y}]", 'a: "multi
  line"', "a: b: c", "\ufeffa: 1", "- !!str 1\n- !!str yes", "a: 0o17\nb: 017\nc: 0x1f\nd: 1_000\ne: 1:30", "x: 1e3\ny: 1.0e+3\nz: .5", "a: >-\n  x\n  y\n", "a: |2\n   x\n", "- |\n a\n- b"]
  documents.each { |d| ask 'load', d; ask 'load symbols', d }

  value = lambda do |r, depth|
    case r.below(depth > 3 ? 6 : 9)
    when 0 then r.pick([nil, true, false, r.integer, 1.5])
    when 1, 2 then r.pick(words)
    when 3, 4, 5 then r.text(['a', 'b', ' ', ':', '-', '#', "\n", 'é', '"', "'", '1', '.', ',', '[', '{', 'no', '~', '!', "\t", '0'], 7)
    when 6, 7 then Array.new(r.below(4)) { value.(r, depth + 1) }
    else Array.new(r.below(4)) { [r.pick([r.pick(words), r.text(%w[a b c 1 :], 3), r.integer]), value.(r, depth + 1)] }.to_h
    end
  end
  random('to_yaml') { |r| [value.(r, 0)] }
  random('to_yaml') { |r| [value.(r, 0), { 'line_width' => r.pick([-1, 0, 10, 40, 120]), 'indentation' => r.between(1, 10) }] }
  random('to_yaml') { |r| [[Array.new(r.between(10, 40)) { r.pick(%w[word a longer-word é x: - "q" 'q' #h] + ['', "two\nlines"]) }.join(' ')]] }
  # YAML 1.1 knows more line breaks than our parser, and the end of a text of line breaks only.
  random('load') { |r| loop { t = value.(r, 0).to_yaml; break [t] unless t =~ /\d\d-\d\d|[\u0085\u2028]|\|\d\+\n\n/ } }
end
