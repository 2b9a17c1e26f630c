# Options in every layer, merges over all of them, conversions, and data in JSON.
cases = []
layer = ->(name, more = '') { { 'hiera.yaml' => "version: 5\n", 'data/common.yaml' => "m::l: [#{name}, both]\nm::h: {#{name}: 1, both: {#{name}: 2}, l: [#{name}, '--both', 1]}\nm::s: #{name}\n#{more}" } }
strategies = ['first', 'unique', 'hash', 'deep', '{strategy: deep, knockout_prefix: "--"}', '{strategy: deep, sort_merged_arrays: true}', '{strategy: hash}']
strategies.each do |strategy|
  options = "lookup_options:\n  m::l: {merge: #{strategy}}\n  m::h: {merge: #{strategy}}\n"
  pattern = "lookup_options:\n  '^m::[lh]$': {merge: #{strategy}}\n"
  [[options, '', ''], ['', options, ''], ['', '', options], ['', pattern, ''], ['', '', pattern], [options, pattern, '']].each do |global, environment, of_module|
    files = layer.('global', global).merge(in_environment(layer.('environment', environment)), in_module('m', layer.('module', of_module)))
    cases << make(files, explained('m::l', 'm::h') + explained('m::h.both', 'm::s') + [key('m::h', merge: 'hash'), key('m::l', explain: 'options'), key('m::h', explain: 'all')])
  end
end
types = ['Integer', 'String', 'Boolean', 'Float', 'Array', 'Hash', 'Sensitive', 'Sensitive[Integer]', '[Integer, 16]', '[Array, true]', '[String, "%x"]', 'Nope', "Enum[a]", 'Timespan', 'SemVer', 'Optional[Integer]', 'Numeric', '[]', '1', 'Variant[Integer, String]']
values = ["'12'", "'ff'", 'true', '[1, [2]]', '{a: 1}', '~', '1.5', "'1.2.3'"]
types.each do |type|
  text = values.each_with_index.map { |value, index| "k#{index}: #{value}\n" }.join
  options = values.each_index.map { |index| "  k#{index}: {convert_to: #{type}}\n" }.join
  cases << levels({ 'one' => "lookup_options:\n#{options}#{text}" }, values.each_index.flat_map { |index| explained("k#{index}") })
end
texts = ['{"a": 1}', '{"a": [1, {"b": null}]}', '{"a": "x", "a": "y"}', '{}', '[]', '', 'null', '1', '"a"', '{"a": 1', '{"a": }', "{'a': 1}", '{"a": 1,}', '// c' + "\n" + '{"a": 1}', '/* c */ {"a": 1}', '{"a": 1e3}', '{"a": 1.50}', '{"a": -0}', '{"a": 01}', '{"a": "\u00e9\ud83d\ude00"}', '{"a": "\n\t\\"}', '{"a": NaN}', '{"a": true, "b": false}', '{"a": "%{role}", "b": ["%{lookup(\'a\')}"]}', '{"a": {"x": {"y": 1}}}', '{"a": 1.0e400}', "{\"a\":\n\n 1\n}\n", '{"a": "a' + "\t" + 'b"}', '{"a" 1}', '{a: 1}', '{"a": 1} x', '{"": 1, "a": 2}', '{"lookup_options": {"a": {"convert_to": "String"}}, "a": 1}']
texts.each do |text|
  files = { 'hiera.yaml' => "version: 5\nhierarchy:\n  - name: J\n    data_hash: json_data\n    path: one.json\n  - name: Y\n    path: two.yaml\n", 'data/one.json' => text, 'data/two.yaml' => "a: yaml\nz: 1\n" }
  cases << make(in_environment(files), explained('a', 'b', 'a.x.y') + [key('z'), key('a', merge: 'unique')])
end
cases
