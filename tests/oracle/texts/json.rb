# JSON, read and written.
Texts::Subject.new('json') do
  op('parse') { |text| JSON.parse(text) }
  op('generate') { |value| JSON.generate(value) }
  op('deep') { |n| JSON.generate((1...n).reduce([]) { |a, _| [a] }) }
  op('pretty') { |value, options| JSON.pretty_generate(value, options&.transform_keys(&:to_sym)) }

  ask 'parse', '', '  ', 'nul', 'tru', '[', '[1', '[1,', '[1,]', '[1 2]', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{a:1}', '{"a" 1}', '{1:2}', '[1]x', '[1] 2', '1 2', '01', '-', '-a', '1.', '1.e3', '.5', '1e', '1e5', '+1', '"abc', "\"a\nb\"", '"\x"', '"\u12"', '"\ud800"', '"\ud83d\ude00"', '"\ud800\u0041"',
      '"\ud800abcdefg"', '"\ud800abc"', 'NaN', 'Infinity', '-Infinity', '[NaN]', '[Infinity]', '[-Infinity]', '{"a":Infinity}', ' Infinity', '[nul]', '[tru,1]', "// c\n1", '/* c */1', '1/* c */', '1//x', '/', '1/x', '[1/x]', '[1,/*c*/2]', '[/*', '{/**/"a"/**/:/**/1/**/}', '{"a":1,"a":2,"b":3}', '123456789012345678901234567890', '-123456789012345678901234567890', '9223372036854775807', '9223372036854775808', '1.5e400', '-0',
      '-0.0', '1E+2', '"\/"', '"é"', '[[[', ']', '}', '[1,2}', '{"a":[}', "\"\t\"", '"\"', 'nullx', 'null x', 'truefalse', '[1,,2]', '{,}', '{"a":}', '{"a":nul}', '["abc]', '["\u00e"]', "\u00a01", "\ufeff1", '1e5.5', '--1', '- 1', '1_000', '0x10', "'a'", '[1]]', '{"a":1}}', '{"a":1 "b":2}', '[1 ,2 ]', ' [ ] ', '{ }', '"\u0000"', '1.0', '1e-2', '-1.5E3', '-.5', '[-]', '[1.]', '[01]', '["a" "b"]', '{"a":01}',
      '{"json_class":"String"}', "\x01", "\"a\x7f\"", '["\a"]', '9007199254740993.0', '"\u00"', '"a\\', '[' * 100 + ']' * 100, '[' * 101 + ']' * 101, '{"a":' * 101, "x\0y", '2.5-', '1-', '1.5.5', '0.1e1', '00', '-01', '0', '[[1,2],{"b":[null,true,false]}]', '"\b\f\n\r\t\"\\\/"', '{"":1}', '[{"a":1,]', '[{"a":[x]}]', "\"\\\n\"", '1e400', '[1e5,2E-3]', 'n', 'Nan', 'I', '-I', '-Infinit'
  values = [nil, true, false, 0, -1, 2**70, 1.0, 1e20, 1e-5, -0.0, 1e15, '', 'a', '"\\/', "\n\r\t\b\f\0\x1f\x7f", "é\u2028\u{1f600}", [], {}, [1, [2, []]], { 'a' => { 'b' => [] } }, { 1 => 2, nil => 3, true => 4, 1.5 => 5, :sym => 6, [1, 'a'] => 7, { 'x' => nil } => 8 }, Float::NAN, Float::INFINITY, -Float::INFINITY, [[], {}], { 'a' => {}, 'b' => [] }, :sym, [nil, [nil]]]
  ask 'generate', *values.map { |v| [v] }
  ask 'pretty', *values.map { |v| [v] }
  [{ 'indent' => "\t" }, { 'space' => '' }, { 'space_before' => ' ' }, { 'object_nl' => '' }, { 'array_nl' => '' }, { 'indent' => '', 'array_nl' => ' ' }, { 'allow_nan' => true }, { 'max_nesting' => 1 }, { 'max_nesting' => 2 }, { 'max_nesting' => 0 }, { 'max_nesting' => false }].each do |options|
    values.each { |v| ask 'pretty', [v, options] }
  end
  ask 'deep', 99, 100, 101
  pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"b"', '1', '-2', '1.5', 'null', 'true', ' ', '"\u00e9"', '/**/', 'x']
  random('parse') { |r| [r.text(pieces, 8)] }
  value = lambda do |r, depth|
    case r.below(depth > 3 ? 6 : 9)
    when 0 then r.pick([nil, true, false])
    when 1 then r.integer
    when 2 then (f = r.float).finite? ? f : 0.5
    when 3, 4, 5 then r.text(['a', 'B', '"', '\\', "\n", 'é', ' ', "\x01", '/', '1'], 6)
    when 6, 7 then Array.new(r.below(4)) { value.(r, depth + 1) }
    else Array.new(r.below(4)) { [r.text(%w[a b c 1], 3), value.(r, depth + 1)] }.to_h
    end
  end
  random('generate') { |r| [value.(r, 0)] }
  random('pretty') { |r| [value.(r, 0)] }
  random('parse') { |r| [JSON.generate(value.(r, 0))] }
  random('parse') { |r| t = JSON.generate([value.(r, 1)]); t[r.below(t.size)] = r.pick(pieces); [t] }
end
