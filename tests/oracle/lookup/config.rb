# hiera.yaml of version 5: what is allowed, and what Puppet says about the rest.
configs = <<~YAML.split("\n===\n")
  version: 5
  ===
  version: 6
  ===
  version: 2
  ===
  version: "5"
  ===
  version: 5.0
  ===
  version: [5]
  ===
  version: {a: 1}
  ===
  version: true
  ===
  version: five
  ===
  hierarchy: []
  ===
  version: 5
  hierarchy: []
  ===
  version: 5
  hierarchy: {}
  ===
  version: 5
  hierarchy: common
  ===
  version: 5
  hierarchy:
    - common
  ===
  version: 5
  hierarchy:
    - name: A
  ===
  version: 5
  hierarchy:
    - path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: ''
      path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      path: ''
  ===
  version: 5
  hierarchy:
    - name: A
      paths: []
  ===
  version: 5
  hierarchy:
    - name: A
      paths: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      path: [common.yaml]
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      paths: [common.yaml]
  ===
  version: 5
  hierarchy:
    - name: A
      glob: '*.yaml'
      uri: 'http://x'
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      color: red
  ===
  version: 5
  color: red
  ===
  version: 5
  colour: red
  color: red
  ===
  version: 5
  defaults: {}
  ===
  version: 5
  defaults: []
  ===
  version: 5
  defaults:
    datadir: data
  ===
  version: 5
  defaults:
    data_hash: yaml_data
    lookup_key: eyaml_lookup_key
  ===
  version: 5
  defaults:
    hiera3_backend: foo
  ===
  version: 5
  defaults:
    datadir: other
    data_hash: yaml_data
  ===
  version: 5
  defaults:
    data_hash: json_data
  hierarchy:
    - name: A
      path: common.json
    - name: B
      path: common.yaml
      data_hash: yaml_data
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      data_hash: yaml_data
      lookup_key: x
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
    - name: A
      path: other.yaml
  ===
  version: 5
  hierarchy:
    - name: "A"
      path: common.yaml
    # name: A
    - path: other.yaml
      name: 'A'
  ===
  version: 5
  hierarchy:
    - {name: A, path: common.yaml}
    - {name: A, path: other.yaml}
  ===
  version: 5
  hierarchy:
    - name: A
      hiera3_backend: foo
  ===
  version: 5
  hierarchy:
    - name: A
      hiera3_backend: yaml
  ===
  version: 5
  hierarchy:
    - name: A
      data_hash: nope
      path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      data_hash: m::nope
      path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      lookup_key: nope
  ===
  version: 5
  hierarchy:
    - name: A
      data_dig: environment::nope
  ===
  version: 5
  hierarchy:
    - name: A
      data_hash: yaml_data
  ===
  version: 5
  hierarchy:
    - name: A
      data_hash: json_data
  ===
  version: 5
  hierarchy:
    - name: A
      data_hash: yaml_data
      uri: 'http://example.com/%{role}'
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: {a: 1}
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: {path: 1}
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: {uri: 1}
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: {1: 1}
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: {_a: 1}
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: {a-: 1}
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      options: [a]
  ===
  version: 5
  defaults:
    data_hash: yaml_data
    options: {path: x}
  ===
  version: 5
  defaults:
    data_hash: yaml_data
    options: {color: x}
  ===
  version: 5
  default_hierarchy:
    - name: A
      path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
  default_hierarchy: []
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{nope}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{::nope}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      # path: "%{facts.nope}"
      path: "%{facts.nope}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{nope.x}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{a::b}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{lookup('x')}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{scope('role')}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{.x}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: "%{role.x}.yaml"
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      datadir: "%{nope}"
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      datadir: ''
  ===
  version: 5
  hierarchy:
    - name: A
      mapped_paths: [list, item]
  ===
  version: 5
  hierarchy:
    - name: A
      v4_data_hash: nope
  ===
  version: 5
  plan_hierarchy:
    - name: A
  ===
  version: 5
  plan_hierarchy:
    - name: A
      path: common.yaml
  ===
  :version: 5
  :hierarchy:
    - :name: A
      :path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      data_hash: ~
  ===
  version: 5
  hierarchy: ~
  ===
  version: 5
  defaults: ~
  ===
  version: 5
  hierarchy:
   - name: A
    path: common.yaml
  ===
  version: 5
  hierarchy: [
  ===
  version: 5
  when: 2001-01-01
  ===
  version: 5
  x: !ruby/object:Foo {}
  ===
  version: 5
  hierarchy:
    - name: 1
      path: common.yaml
  ===
  version: 5
  hierarchy:
    - name: A
      path: common.yaml
      datadir: 1
YAML
data = { 'data/common.yaml' => "a: common\nm::a: common\n", 'data/other.yaml' => "a: other\n", 'data/common.json' => '{"a": "json"}', 'other/common.yaml' => "a: elsewhere\n", 'data/web.yaml' => "a: web\n", 'data/.yaml' => "a: nameless\n", 'common.yaml' => "a: root\n" }
# A function of a module that is not there is a mistake of Puppet's own, and so there is one.
data_and_module = in_module('m', 'manifests/init.pp' => 'class m {}')
configs.flat_map do |config|
  # Puppet tells what Ruby could not load.
  ask = ->(name) { config.include?('hiera3_backend: foo') ? [key(name)] : explained(name) }
  [make(in_environment(data.merge('hiera.yaml' => config)).merge(data_and_module), ask.('a')),
   make(data.merge('hiera.yaml' => config).merge(data_and_module), ask.('a')),
   make(in_module('m', data.merge('hiera.yaml' => config)), ask.('m::a'))]
end
