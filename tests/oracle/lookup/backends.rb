# json_data, hocon_data, and functions of the Puppet language.
cases = []
json = ['{"a": 1, "b": {"c": [1, 2.5, null, true]}, "i": "%{role}"}', '{}', '[]', '1', 'null', '', ' ', '{', '{"a": }', '{"a": 1,}', '{"a": 1} x', "{'a': 1}", '{"a": NaN}', '{"a": 1e400}', '{"a": "\u00e9\n"}', '{"a": 1, "a": 2}', "// c\n{\"a\": 1}", '{"a": "x', "{\"a\": \"x\ty\"}", '"a"', 'true', '{a: 1}', "{\n\"x\": 1,\n\"a\": [\n1,\n2\n]}", '{"lookup_options": {"a": {"merge": "unique"}}, "a": [1, 1]}']
json.each { |text| cases << make(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: J\n    data_hash: json_data\n    path: a.json\n", 'data/a.json' => text), explained('a', 'i', 'b.c.1')) }
hocon = ["a: 1\nb { c: [1, 2] }\n", "a = 1", "{a: 1}", "a { b { c = x } }\n", "a.b.c = 1", "a: ${b}\nb: 2", "a: ${nope}", "a: ${?nope}\nb: 1", "a: [1, 2", "a: {", "[1]", "", "a: \"%{role}\"", "a: yes", "a: 1\na: 2", "a {x: 1}\na {y: 2}", "a += 1\na += 2", "a: 10s", "a: null", "# c\na: 1 // d", "a: \"\"\"x\ny\"\"\"", "a b c: 1", "a:", "a: 1, b: 2", "\"m::a\": 1\na: ${\"m::a\"}"]
hocon.each { |text| cases << make(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: H\n    data_hash: hocon_data\n    path: a.conf\n", 'data/a.conf' => text), explained('a', 'b.c.0')) }
functions = in_module(
  'probe',
  'functions/hash.pp' => "function probe::hash(Hash $options, Puppet::LookupContext $context) {\n  { 'a' => 'x', 'options' => $options, 'i' => '%{role}', 'h' => { 'b' => [1] }, 'd' => default, 't' => Integer[1], 'l' => [1, 2] }\n}",
  'functions/typed.pp' => "function probe::typed(Hash $options, Puppet::LookupContext $context) >> Hash[String, Data] {\n  { 'a' => 'typed', 'i' => '%{role}' }\n}",
  'functions/wrong.pp' => "function probe::wrong(Hash $options, Puppet::LookupContext $context) >> Integer {\n  1\n}",
  'functions/number.pp' => "function probe::number(Hash $options, Puppet::LookupContext $context) {\n  1\n}",
  'functions/key.pp' => "function probe::key(String $key, Hash $options, Puppet::LookupContext $context) {\n  case $key {\n    'a': { \"key ${key}\" }\n    'o': { $options }\n    'i': { '%{role}' }\n    'u': { undef }\n    'h': { { 'b' => [1, { 'c' => 2 }] } }\n    default: { $context.not_found }\n  }\n}",
  'functions/dig.pp' => "function probe::dig(Array $segments, Hash $options, Puppet::LookupContext $context) {\n  case $segments[0] {\n    'a': { $segments }\n    'o': { $options }\n    default: { $context.not_found }\n  }\n}"
)
names = %w[a options i h h.b h.b.0 h.b.1.c d l u o o.x o.0 a.b a.1.c nope nope.x]
%w[data_hash:hash data_hash:typed data_hash:wrong data_hash:number lookup_key:key data_dig:dig].each do |entry|
  kind, name = entry.split(':')
  ['', "    path: one.yaml\n", "    paths: [one.yaml, nope.yaml, two.yaml]\n", "    options: {x: 1, y: '%{role}'}\n", "    uri: 'http://example.com/%{role}'\n", "    options: {x: [1]}\n    uris: ['http://a', 'http://b']\n"].each do |more|
    config = "version: 5\nhierarchy:\n  - name: F\n    #{kind}: probe::#{name}\n#{more}"
    files = functions.merge(in_environment('hiera.yaml' => config, 'data/one.yaml' => '', 'data/two.yaml' => ''))
    cases << make(files, explained(*names) + explained('l', 'a', merge: 'unique') + explained('h', 'o', merge: 'deep'))
    cases << make(files, %w[a a h nope nope i].map { |one| key(one, explain: true) }, together: true) if more.empty?
  end
end
cases
