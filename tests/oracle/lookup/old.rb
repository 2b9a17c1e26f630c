# More of versions 3 and 4: backends, hierarchies, merges and interpolation, one beside the other.
cases = []
data = {}
{ 'common' => 'common', 'web' => 'role', 'Debian' => 'family', 'north/web' => 'site', 'nodes/web1.example.com' => 'node' }.each do |path, name|
  value = { 'a' => name, "only_#{name}" => 1, 'h' => { name => 1, 'x' => { name => 2 }, 'l' => [name] }, 'l' => [name, 'x', "--#{name}"], 'm::a' => name }
  data["data/#{path}.yaml"] = value.map { |key, item| "#{key}: #{JSON.generate(item)}\n" }.join
  data["data/#{path}.json"] = JSON.generate(value.merge('a' => "#{name} json", 'j' => name))
end
hierarchies = ['[common]', '["%{role}", common]', '["%{::site}/%{role}", "%{role}", common]', '["nodes/%{trusted.certname}", "%{facts.os.family}", common]', '["nodes/%{::trusted.certname}", "%{os.family}", nope]', '"%{role}"']
backends = ['yaml', '[json]', '[yaml, json]', '[json, yaml]']
calls = [%w[hiera a], %w[hiera_array l], %w[hiera_hash h], ['hiera', 'a', 'd', 'nodes/web1.example.com'], ['hiera_array', 'a', [], %w[Debian web]], ['hiera_hash', 'l']].map { |name, *arguments| { 'call' => name, 'arguments' => arguments } }
backends.each do |backend|
  hierarchies.each_with_index do |hierarchy, index|
    merge = %w[native deep deeper][index % 3]
    config = ":backends: #{backend}\n:hierarchy: #{hierarchy}\n:merge_behavior: #{merge}\n:yaml: {:datadir: /w/data}\n:json: {:datadir: /w/data}\n"
    cases << make(data.merge('hiera.yaml' => config), explained('a', 'h', 'l', 'j', 'm::a') + explained('h', merge: 'deep') + explained('l', merge: 'unique') + [key('h', merge: 'hash')])
    cases << make(data.merge('hiera.yaml' => config), calls)
  end
end
texts = ["%{hiera('a')}", "%{lookup('a')}x", "%{scope('role')}", "%{literal('%')}{role}", "%{alias('h')}", '%{facts.os.family}', '%{::os.family}', '%{os.release.major}', 'a%{empty}b', '%{}', '%{::}', '%{nope}', '%{nested.a.b.1}', '%{list.0} %{list.7}', "%{scope('os.name')}", "%{hiera('h.x')}", "%{hiera('nope')}", '%{calling_module}|', '%{module_name}|', '%{trusted.certname}', '%{environment}', '%{"odd-name"}', "x%{alias('a')}", '%{number} %{yes} %{float}']
texts.each do |text|
  files = data.merge('hiera.yaml' => ":hierarchy: [own, web]\n:yaml: {:datadir: /w/data}\n", 'data/own.yaml' => "i: #{JSON.generate(text)}\nn: {k: [#{JSON.generate(text)}]}\n")
  cases << make(files, explained('i', 'n') + [{ 'call' => 'hiera', 'arguments' => ['i'] }])
  cases << make(files.merge(in_environment('hiera.yaml' => "version: 5\n", 'data/common.yaml' => "a: environment\n")), [key('i', explain: true), { 'call' => 'hiera', 'arguments' => ['i'] }])
end
# Version 4, of environments and modules.
entries = ['{name: common, backend: yaml}', '{name: common, backend: json}', '{name: "%{role}", backend: yaml}', '{name: R, backend: yaml, path: "%{role}"}', '{name: N, backend: yaml, path: "nodes/%{trusted.certname}"}', '{name: P, backend: json, paths: ["%{facts.os.family}", common]}', '{name: D, backend: yaml, datadir: data/north, path: web}', '{name: E, backend: yaml, paths: []}', '{name: X, backend: yaml, path: nope}']
entries.each_with_index do |one, index|
  config = "version: 4\nhierarchy:\n  - #{one}\n  - #{entries[(index + 4) % entries.size]}\n"
  queries = ->(keys) { explained(*keys) + explained(keys.last, merge: 'deep') }
  cases << make(in_environment(data.merge('hiera.yaml' => config)), queries.(%w[a j l h]))
  cases << make(in_environment(data.merge('hiera.yaml' => config)), queries.(%w[a h]), strict: 'warning')
  cases << make(in_module('m', data.merge('hiera.yaml' => config)), explained('m::a'), strict: 'warning')
  cases << make(in_environment(data.merge('hiera.yaml' => "version: 4\ndatadir: data\nhierarchy:\n  - #{one}\n")), explained('a'))
end
cases
