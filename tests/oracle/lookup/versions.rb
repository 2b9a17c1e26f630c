# Configurations of versions 3 and 4.
cases = []
v3 = <<~YAML.split("\n===\n")
  :backends: yaml
  ===
  ---
  ===
  []
  ===
  :backends: [yaml]
  :hierarchy: [web, common]
  :yaml:
    :datadir: /w/data
  ===
  :backends: [yaml, json]
  :hierarchy: ["%{role}", common]
  :yaml: {:datadir: /w/data}
  :json: {:datadir: /w/data}
  ===
  backends: [json, yaml]
  hierarchy: "%{::role}"
  yaml: {datadir: /w/data}
  json: {datadir: /w/data, extension: jsn}
  ===
  :backends: [yaml, yaml]
  ===
  :backends: yaml
  :yaml: {:datadir: "/w/%{dir}"}
  ===
  :backends: yaml
  :yaml: {:datadir: "/w/%{site}"}
  :hierarchy: common
  ===
  :backends: yaml
  :yaml: ~
  ===
  :backends: yaml
  :yaml: []
  ===
  :backends: []
  ===
  :hierarchy: 1
  ===
  :hierarchy: ["%{nope}"]
  ===
  :hierarchy: ["%{calling_class}", "%{calling_module}", common]
  :yaml: {:datadir: /w/data}
  ===
  :merge_behavior: deeper
  :hierarchy: [web, common]
  :yaml: {:datadir: /w/data}
  ===
  :merge_behavior: deep
  :hierarchy: [web, common]
  :yaml: {:datadir: /w/data}
  ===
  :merge_behavior: native
  :hierarchy: [web, common]
  :yaml: {:datadir: /w/data}
  ===
  :merge_behavior: array
  ===
  :merge_behavior: deeper
  :deep_merge_options: {:knockout_prefix: '--'}
  :hierarchy: [web, common]
  :yaml: {:datadir: /w/data}
  ===
  :deep_merge_options: 1
  ===
  :logger: console
  :hierarchy: [web, common]
  :yaml: {:datadir: /w/data}
  ===
  :color: red
  ===
  :version: 3
  :hierarchy: [web, common]
  :yaml: {:datadir: /w/data}
  ===
  version: 3
  hierarchy: [web.yaml, common.yaml]
  yaml: {datadir: /w/data}
YAML
data = { 'data/web.yaml' => "a: web\nh: {w: 1, x: {p: 1}, l: [1, '--2']}\nl: [w, x]\ni: '%{empty}|%{role}|%{lookup(\"a\")}|%{lookup(\"e\")}'\n", 'data/common.yaml' => "a: common\nb: common\nh: {c: 1, x: {q: 2}, l: [2, 3]}\nl: [c, x]\nm::a: 1\nm::h: {g: 1}\n", 'data/common.json' => '{"a": "json", "j": [1]}', 'data/web.jsn' => '{"a": "jsn"}', 'north/common.yaml' => "a: north\n" }
hieradata = in_environment('hieradata/common.yaml' => "a: hieradata\n", 'hieradata/nodes/web1.example.com.yaml' => "a: node\n")
extra = in_environment('hiera.yaml' => "version: 5\n", 'data/common.yaml' => "a: environment\ne: environment\nh: {e: 1}\nl: [e]\nm::h: {e: 1}\n")
queries = explained('a', 'b', 'h', 'l', 'i', 'h.x', 'm::a') + explained('h', merge: 'deep') + explained('l', 'a', merge: 'unique') + explained('h', merge: 'hash')
calls = [%w[hiera a], %w[hiera_array l], %w[hiera_hash h], %w[hiera nope], ['hiera', 'nope', 'default'], ['hiera', 'h.x'], ['hiera_hash', 'h.x'], ['hiera_array', 'h.l'], %w[hiera_hash a], %w[hiera_array h], ['hiera', 'a', nil, 'common'], ['hiera', 'a', 'd', %w[common web]], ['hiera', 'b', 'd', 'nope'], %w[hiera e], %w[hiera m::a], %w[lookup a], %w[lookup e]].map { |name, *arguments| { 'names' => [arguments[0]], 'call' => name, 'arguments' => arguments } }
v3.each do |config|
  cases << make(data.merge(hieradata, 'hiera.yaml' => config), queries)
  cases << make(data.merge(hieradata, extra, 'hiera.yaml' => config), explained('a', 'h', 'i') + explained('h', merge: 'deep'))
  cases << make(data.merge(hieradata, 'hiera.yaml' => config), calls)
  cases << make(data.merge(hieradata, extra, 'hiera.yaml' => config), calls.first(8))
end
cases << make(extra.merge('hiera.yaml' => "version: 5\n", 'data/common.yaml' => "a: global\nh: {g: 1}\nl: [g]\n"), calls)
cases << make({ 'hiera.yaml' => "version: 5\n", 'data/common.yaml' => "a: global\nh: {g: 1}\nl: [g]\n" }, calls)
%w[error warning off].each do |strict|
  cases << make(in_environment('hiera.yaml' => ":backends: yaml\n"), explained('a'), strict: strict)
  cases << make(in_module('m', 'hiera.yaml' => ":backends: yaml\n"), explained('m::a'), strict: strict)
  cases << make({ 'hiera.yaml' => "version: 4\n" }, explained('a'), strict: strict)
end
v4 = <<~YAML.split("\n===\n")
  version: 4
  ===
  version: 4
  datadir: other
  ===
  version: 4
  hierarchy:
    - name: one
      backend: yaml
    - name: common
      backend: yaml
  ===
  version: 4
  hierarchy:
    - name: A
      backend: yaml
      path: "%{role}"
    - name: B
      backend: json
      paths: [common, nope]
      datadir: other
  ===
  version: 4
  hierarchy:
    - name: A
      backend: nope
  ===
  version: 4
  hierarchy:
    - name: common
      backend: yaml
    - name: common
      backend: json
  ===
  version: 4
  hierarchy:
    - name: common
  ===
  version: 4
  hierarchy: common
  ===
  version: 4
  hierarchy:
    - name: "%{nope}"
      backend: yaml
  ===
  version: 4
  color: red
  ===
  version: 4
  hierarchy:
    - {name: x, backend: hocon, path: common}
  ===
  version: 4
  hierarchy: []
YAML
files = { 'data/common.yaml' => "a: common\nm::a: common\n", 'data/one.yaml' => "a: one\nm::a: one\n", 'data/web.yaml' => "a: web\nm::a: web\n", 'other/common.json' => '{"a": "json", "m::a": "json"}', 'other/common.yaml' => "a: other\nm::a: other\n", 'data/common.conf' => "a: hocon\n\"m::a\": hocon\n" }
v4.each do |config|
  cases << make(in_environment(files.merge('hiera.yaml' => config)), explained('a'))
  cases << make(in_module('m', files.merge('hiera.yaml' => config)), explained('m::a'))
end
cases << make(in_environment(files.merge('hiera.yaml' => v4[0])), explained('a'), strict: 'off')
# environment_data_provider and data_provider
%w[none hiera nope].each do |name|
  cases << make(in_environment(files.merge('environment.conf' => "environment_data_provider = #{name}\n")), explained('a'))
  cases << make(in_environment(files.merge('environment.conf' => "environment_data_provider = #{name}\n", 'hiera.yaml' => "version: 5\n")), explained('a'))
  cases << make(in_environment(files.merge('environment.conf' => "environment_data_provider = #{name}\n", 'hiera.yaml' => "version: 4\n")), explained('a'))
end
cases
