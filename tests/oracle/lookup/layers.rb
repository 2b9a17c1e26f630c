# Which layer a value comes from.
common = ->(text) { { 'hiera.yaml' => "version: 5\n", 'data/common.yaml' => text } }
global = { 'hiera.yaml' => "version: 5\nhierarchy:\n  - name: Top\n    path: top.yaml\n", 'data/top.yaml' => "a: global\nm::a: global\nh: {g: 1, x: global}\nl: [g, x]\nm::h: {g: 1, x: global}\n" }
environment = in_environment(common.("a: environment\nb: environment\nm::a: environment\nm::b: environment\nh: {e: 1, x: environment}\nl: [e, x]\nm::h: {e: 1, x: environment}\n"))
of_module = in_module('m', common.("m::a: module\nm::b: module\nm::c: module\nm::h: {m: 1, x: module}\nother: 1\n"))
names = %w[a b c m::a m::b m::c m::d h l m::h n::a lookup_options lookup_options.x ::a m::]
cases = [{}, global, environment, of_module, global.merge(environment), environment.merge(of_module), global.merge(of_module), global.merge(environment, of_module)].map do |files|
  make(files, explained(*names))
end
cases << make(global.merge(environment, of_module), explained('m::h', 'h', 'l', 'm::a', merge: 'hash') + explained('l', 'a', 'm::a', merge: 'unique') + explained('m::h', 'h', 'l', merge: 'deep') + explained('h', 'l', merge: 'first'))
cases << make(global.merge(environment, of_module), names.map { |name| key(name, explain: true) }, together: true)
# A module without data, and one whose hiera.yaml is the default.
cases << make(in_module('m', 'manifests/init.pp' => 'class m {}'), explained('m::a', 'x::a'))
cases << make(in_module('m', 'hiera.yaml' => "version: 5\n"), explained('m::a'))
cases << make(in_environment('hiera.yaml' => "version: 5\n"), explained('a', 'm::a'))
# default_hierarchy
default = in_module('m', 'hiera.yaml' => <<~YAML, 'data/common.yaml' => "m::a: 1\n", 'data/default.yaml' => "m::a: 2\nm::b: {x: 1, y: [1]}\nm::c: [1]\nlookup_options:\n  m::b: {merge: deep}\n  m::c: {merge: unique}\n", 'data/last.yaml' => "m::b: {x: 3, z: 4, y: [2]}\nm::c: [1, 2]\nm::d: '%{lookup(\"m::a\")}'\n")
  version: 5
  hierarchy:
    - name: Common
      path: common.yaml
  default_hierarchy:
    - name: Default
      path: default.yaml
    - name: Last
      path: last.yaml
YAML
cases << make(default, explained('m::a', 'm::b', 'm::c', 'm::d', 'm::e', 'm::b.x', 'm::b.q', 'a'))
cases << make(default.merge(in_environment(common.("m::b: {x: 0}\n"))), explained('m::a', 'm::b', 'm::c', 'm::b.y.0', 'm::b.x', merge: 'deep') + explained('m::b', 'm::c'))
cases << make(default, %w[m::b m::b m::c m::a].map { |name| key(name, explain: true) }, together: true)
# What data must look like.
["'a'", '[]', '1', '', '---', "- 1\n", 'false', 'true', '~', '{}', "a\n", "# nothing\n"].each do |text|
  %w[error warning off].each { |strict| cases << make(in_environment(common.(text)), explained('a'), strict: strict) }
  cases << make(in_module('m', common.(text)), explained('m::a'))
  cases << make({ 'hiera.yaml' => "version: 5\n", 'data/common.yaml' => text }, explained('a'))
end
cases
