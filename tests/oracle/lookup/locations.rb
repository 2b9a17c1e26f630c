# Paths, globs, URIs, mapped paths, directories.
entries = <<~YAML.split("\n")
  path: web.yaml
  path: "%{role}.yaml"
  path: "%{::role}.yaml"
  path: "%{facts.role}.yaml"
  path: "%{facts.os.family}.yaml"
  path: "%{facts.os.release.major}/%{role}.yaml"
  path: "%{trusted.certname}.yaml"
  path: "%{trusted.extensions.pp_role}.yaml"
  path: "%{trusted.hostname}-%{trusted.domain}.yaml"
  path: "%{environment}.yaml"
  path: "%{::environment}.yaml"
  path: "%{server_facts.environment}.yaml"
  path: "%{list.0}.yaml"
  path: "%{list.1}.yaml"
  path: "%{list.7}.yaml"
  path: "%{list}.yaml"
  path: "%{number}.yaml"
  path: "%{yes}.yaml"
  path: "%{empty}web.yaml"
  path: "%{}web.yaml"
  path: "%{::}web.yaml"
  path: "%{''}web.yaml"
  path: "%{ role }.yaml"
  path: "%{'role'}.yaml"
  path: '%{"role"}.yaml'
  path: "%{facts.'role'}.yaml"
  path: "%{facts.odd-name}.yaml"
  path: "%{twice}.yaml"
  path: "%{loop}.yaml"
  path: "%{role"
  path: "%{role}}.yaml"
  path: "%{{role}}.yaml"
  path: "web"
  path: nope.yaml
  path: ../web.yaml
  path: ./web.yaml
  path: sub/../web.yaml
  path: sub//web.yaml
  path: sub/web.yaml
  path: /w/web.yaml
  path: sub
  path: .
  paths: [nope.yaml, web.yaml, one.yaml]
  paths: ["%{site}.yaml", "%{role}.yaml"]
  glob: "*.yaml"
  glob: "sub/*.yaml"
  glob: "**/*.yaml"
  glob: "{one,web}.yaml"
  glob: "[wx]eb.yaml"
  glob: "[^w]*.yaml"
  glob: "?eb.yaml"
  glob: "*"
  glob: "nope/*"
  glob: "%{role}*"
  glob: ".*.yaml"
  glob: "{a,{one,two}}.yaml"
  glob: "sub/**/*.yaml"
  globs: ["t*.yaml", "w*.yaml"]
  globs: ["nope*", "one*"]
  uri: "http://example.com/%{role}"
  uri: "not a uri"
  uri: "x"
  uris: ["http://a/", "http://b/"]
  mapped_paths: [list, item, "%{item}.yaml"]
  mapped_paths: [facts.list, item, "%{item}.yaml"]
  mapped_paths: ["facts.list", "item", "%{role}/%{item}.yaml"]
  mapped_paths: [role, item, "%{item}.yaml"]
  mapped_paths: [empty, item, "%{item}.yaml"]
  mapped_paths: [nope, item, "%{item}.yaml"]
  mapped_paths: [facts.nope, item, "%{item}.yaml"]
  mapped_paths: [number, item, "%{item}.yaml"]
  mapped_paths: [numbers, item, "%{item}.yaml"]
  mapped_paths: [nested, item, "%{item}.yaml"]
  mapped_paths: [nested.a.b, item, "%{item}.yaml"]
  mapped_paths: [list, role, "%{role}.yaml"]
  mapped_paths: [list, item, "%{other}.yaml"]
  mapped_paths: [list, item, "fixed.yaml"]
  mapped_paths: [".x", item, "%{item}.yaml"]
YAML
text = ->(name) { "a: #{name}\nh: {#{name}: 1}\nl: [#{name}]\n" }
data = %w[web one two three Debian production 42 x sub/web sub/deep/web 12/web web1.example.com .hidden dash true].to_h { |name| ["data/#{name}.yaml", text.(name.delete('/.'))] }
data['web.yaml'] = text.('root')
data['web'] = text.('bare')
functions = in_module('probe', 'functions/uri.pp' => 'function probe::uri(Hash $options, Puppet::LookupContext $context) { { "a" => $options } }')
cases = entries.map do |entry|
  config = "version: 5\nhierarchy:\n  - name: E\n    #{entry}\n"
  config << "    data_hash: probe::uri\n" if entry.start_with?('uri')
  make(in_environment({ 'hiera.yaml' => config }.merge(data)).merge(functions), explained('a') + explained('l', merge: 'unique') + explained('h', merge: 'hash'), trusted: { 'pp_role' => 'web' })
end
['datadir: sub', 'datadir: data/sub', 'datadir: "data/%{facts.os.release.major}"', 'datadir: /w/elsewhere', 'datadir: ../production/data', 'datadir: ./data', 'datadir: "%{nope}"', 'datadir: "%{lookup(\'a\')}"', 'datadir: data/'].each do |datadir|
  files = in_environment({ 'hiera.yaml' => "version: 5\nhierarchy:\n  - name: E\n    path: web.yaml\n    #{datadir}\n" }.merge(data))
  cases << make(files.merge('elsewhere/web.yaml' => "a: elsewhere\n"), explained('a'))
  files = in_environment({ 'hiera.yaml' => "version: 5\ndefaults:\n  data_hash: yaml_data\n  #{datadir}\nhierarchy:\n  - name: E\n    path: web.yaml\n" }.merge(data))
  cases << make(files.merge('elsewhere/web.yaml' => "a: elsewhere\n"), explained('a'))
end
cases
