# Functions that give data: of the Puppet language and of Ruby, with all that their context offers.
cases = []
puppet = lambda do |name, body, parameters: 'Hash $options', returns: ''|
  { "functions/#{name}.pp" => "function probe::#{name}(#{parameters}, Puppet::LookupContext $context)#{returns} {\n#{body}\n}\n" }
end
ruby = lambda do |name, body, parameters: [%w[Hash options]], returns: nil|
  given = parameters.map { |type, parameter| "    param '#{type}', :#{parameter}\n" }.join
  back = returns ? "    return_type '#{returns}'\n" : ''
  names = parameters.map(&:last).join(', ')
  { "lib/puppet/functions/probe/#{name}.rb" => "Puppet::Functions.create_function(:'probe::#{name}') do\n  dispatch :run do\n#{given}    param 'Puppet::LookupContext', :context\n#{back}  end\n\n  def run(#{names}, context)\n#{body}\n  end\nend\n" }
end
of_key = { parameters: 'String $key, Hash $options' }
of_path = { parameters: 'Array $segments, Hash $options' }
of_ruby_key = { parameters: [%w[String[1] key], %w[Hash options]] }
of_ruby_path = { parameters: [['Array[Variant[String, Numeric]]', 'segments'], %w[Hash options]] }

hashes = [
  puppet.('p', "  { 'a' => 1, 'i' => '%{role} %{lookup(\"b\")}', 'b' => 'x', 'h' => { 'k' => [1, { 'z' => '%{role}' }] }, 'o' => $options, 'm' => $context.module_name }"),
  ruby.('r', "    { 'a' => 1, 'i' => '%{role} %{lookup(\"b\")}', 'b' => 'x', 'h' => { 'k' => [1, { 'z' => '%{role}' }] }, 'o' => options, 'm' => context.module_name }"),
  puppet.('p', "  { 'a' => $context.interpolate('%{role}-%{facts.os.family}'), 'b' => $context.interpolate(['%{role}', { '%{site}' => 1 }]), 'i' => $context.interpolate('%{lookup(\"z\")}') }"),
  ruby.('r', "    { 'a' => context.interpolate('%{role}-%{facts.os.family}'), 'b' => context.interpolate(['%{role}', { '%{site}' => 1 }]), 'i' => context.interpolate('%{lookup(\"z\")}') }"),
  puppet.('p', "  $context.explain || { 'told by the function' }\n  $all = { 'a' => 1 }\n  $all"),
  ruby.('r', "    context.explain { 'told by the function' }\n    { 'a' => 1 }"),
  puppet.('p', "  $context.not_found"),
  ruby.('r', '    context.not_found'),
  puppet.('p', "  fail('no data today')"),
  ruby.('r', "    raise ArgumentError, 'no data today'"),
  puppet.('p', "  undef"), ruby.('r', '    nil'),
  puppet.('p', "  [1]"), ruby.('r', '    [1]'),
  puppet.('p', "  { 1 => 2, 'a' => 3 }"), ruby.('r', "    { 1 => 2, 'a' => 3 }"),
  puppet.('p', "  { 'a' => Integer, 'b' => /x/, 'i' => Sensitive('s'), 'h' => SemVer('1.2.3') }"),
  puppet.('p', "  { 'a' => 1 }", returns: ' >> Hash[String, Integer]'),
  puppet.('p', "  { 'a' => 'x' }", returns: ' >> Hash[String, Integer]'),
  puppet.('p', '  1', returns: ' >> Integer'), puppet.('p', '  {}', returns: ' >> Variant[Hash, Integer]'),
  ruby.('r', "    { 'a' => 1 }", returns: 'Hash[String, Integer]'), ruby.('r', '    1', returns: 'Integer'),
  puppet.('p', "  { 'a' => 1 }", parameters: 'Struct[{path => String}] $options'),
  puppet.('p', "  { 'a' => 1 }", parameters: 'Integer $options'),
  ruby.('r', "    { 'a' => 1 }", parameters: [%w[Integer options]]),
  puppet.('p', "  { 'a' => lookup('z'), 'b' => lookup('nope', undef, undef, 'd') }"),
  puppet.('p', "  { 'a' => lookup('a') }"), ruby.('r', "    { 'a' => call_function('lookup', 'z') }"),
  ruby.('r', "    { 'a' => call_function('lookup', 'a') }"),
  puppet.('p', "  { 'a' => $options['path'], 'b' => \$facts['role'] }"),
  puppet.('p', "  $text = \$context.cached_file_data('/w/data.txt')\n  \$all = { 'a' => \$text, 'b' => \$context.cached_file_data('/w/data.txt') |\$t| { \$t.upcase } }\n  \$all"),
  ruby.('r', "    { 'a' => context.cached_file_data('/w/data.txt'), 'b' => context.cached_file_data('/w/data.txt') { |t| t.upcase } }"),
  puppet.('p', "  { 'a' => \$context.cached_file_data('/w/nope.txt') }"),
  puppet.('p', "  { 'a' => \$context.nothing }"), puppet.('p', "  { 'a' => \$context.cache('x') }"),
  puppet.('p', "  notify { 'x': }\n  \$all = { 'a' => 1 }\n  \$all")
]
names = [%w[a b i h h.k.1.z o o.x m nope], %w[a b i nope]]
tail = "  - name: T\n    path: tail.yaml\n"
hashes.each_with_index do |files, index|
  name = files.keys.first[/(\w+)\.\w+\z/, 1]
  ['', "    path: one.yaml\n    options: {x: '%{role}'}\n"].each do |more|
    all = in_module('probe', files).merge(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: F\n    data_hash: probe::#{name}\n#{more}#{tail}", 'data/one.yaml' => '', 'data/tail.yaml' => "z: from tail\na: tail\n"), 'data.txt' => "text of a file\n")
    cases << make(all, more.empty? ? explained(*names[index < 4 ? 0 : 1]) : explained('a', 'o'))
  end
end

keys = [
  puppet.('p', "  case \$key {\n    'a': { \"%{role} \${key}\" }\n    'u': { undef }\n    'd': { default }\n    'o': { \$options }\n    'l': { [1, 1] }\n    'h': { { 'x' => { 'y' => 2 } } }\n    'i': { \$context.interpolate('%{role} %{lookup(\"z\")}') }\n    't': { Integer }\n    default: { \$context.not_found }\n  }", **of_key),
  ruby.('r', "    case key\n    when 'a' then \"%{role} \#{key}\"\n    when 'u' then nil\n    when 'd' then :default\n    when 'o' then options\n    when 'l' then [1, 1]\n    when 'h' then { 'x' => { 'y' => 2 } }\n    when 'i' then context.interpolate('%{role} %{lookup(\"z\")}')\n    else context.not_found\n    end", **of_ruby_key),
  puppet.('p', "  if \$key == 'lookup_options' {\n    \$context.not_found\n  } elsif \$context.cache_has_key(\$key) {\n    \$context.explain || { \"\${key} is cached\" }\n    \$context.cached_value(\$key)\n  } else {\n    \$context.cache(\$key, \"made of \${key}\")\n  }", **of_key),
  ruby.('r', "    context.not_found if key == 'lookup_options'\n    if context.cache_has_key(key)\n      context.explain { \"\#{key} is cached\" }\n      context.cached_value(key)\n    else\n      context.cache(key, \"made of \#{key}\")\n    end", **of_ruby_key),
  puppet.('p', "  \$context.cache_all({ 'one' => 1, 'two' => 2 })\n  \$list = \$context.cached_entries.map |\$k, \$v| { \"\${k}=\${v}\" }\n  if \$key == 'a' { [\$list, \$context.cached_value('nope')] } else { \$context.not_found }", **of_key),
  ruby.('r', "    context.cache_all('one' => 1, 'two' => 2)\n    list = []\n    context.cached_entries { |k, v| list << \"\#{k}=\#{v}\" }\n    key == 'a' ? [list, context.cached_value('nope')] : context.not_found", **of_ruby_key),
  puppet.('p', "  \$context.explain || { \"asked for \${key}\" }\n  \$context.not_found", **of_key),
  puppet.('p', "  if \$key == 'lookup_options' { \$context.not_found } else { fail(\"no \${key}\") }", **of_key),
  ruby.('r', "    key == 'lookup_options' ? context.not_found : raise(\"no \#{key}\")", **of_ruby_key), ruby.('r', '    throw :no_such_key', **of_ruby_key),
  puppet.('p', "  if \$key == 'a' { lookup('z') } else { \$context.not_found }", **of_key),
  puppet.('p', "  if \$key == 'a' { lookup('i') } elsif \$key == 'i' { lookup('a') } else { \$context.not_found }", **of_key),
  puppet.('p', "  if \$key =~ /^lookup_options\$/ { { 'l' => { 'merge' => 'unique' } } } elsif \$key == 'l' { [1, 1, 2] } else { \$context.not_found }", **of_key),
  puppet.('p', "  if \$key == 'lookup_options' { \$context.not_found } else { 1 }", **of_key, returns: ' >> Integer'), puppet.('p', "  if \$key == 'lookup_options' { \$context.not_found } else { 1 }", **of_key, returns: ' >> Type'),
  puppet.('p', "  if \$key == 'lookup_options' { \$context.not_found } else { 'x' }", **of_key, returns: ' >> Integer'), ruby.('r', "    key == 'lookup_options' ? context.not_found : 1", **of_ruby_key, returns: 'Integer'),
  puppet.('p', '  1', parameters: 'Integer $key, Hash $options'), puppet.('p', '  1', parameters: 'Hash $options'),
  ruby.('r', '    1', parameters: [%w[Integer key], %w[Hash options]]),
  ruby.('r', "    key == 'a' ? call_function('lookup', 'z') + key : context.not_found", **of_ruby_key),
  ruby.('r', "    key == 'a' ? closure_scope['role'].to_s + key : context.not_found", **of_ruby_key)
]
names = [%w[a u d s o o.x l h h.x h.x.y h.q i t z nope], %w[a i z nope]]
keys.each_with_index do |files, index|
  name = files.keys.first[/(\w+)\.\w+\z/, 1]
  ['', "    options: {x: [1, '%{role}']}\n    paths: [one.yaml, two.yaml, nope.yaml]\n", "    uri: 'http://example.com/%{role}'\n"].each do |more|
    all = in_module('probe', files).merge(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: F\n    lookup_key: probe::#{name}\n#{more}#{tail}", 'data/one.yaml' => '', 'data/two.yaml' => '', 'data/tail.yaml' => "z: from tail\nl: [3, 1]\n"))
    cases << make(all, more.empty? ? explained(*names[index < 2 ? 0 : 1]) + explained('l', merge: 'unique') : explained('a', 'o', 'z'))
    cases << make(all, %w[a a z l h.x a].map { |one| key(one, explain: true) }, together: true) if more.empty?
  end
end

digs = [
  puppet.('p', "  case \$segments[0] {\n    'a': { \$segments }\n    'h': { { 'x' => \$segments.size } }\n    'o': { \$options }\n    default: { \$context.not_found }\n  }", **of_path),
  ruby.('r', "    case segments[0]\n    when 'a' then segments\n    when 'h' then { 'x' => segments.size }\n    when 'o' then options\n    else context.not_found\n    end", **of_ruby_path),
  puppet.('p', "  \$k = \$segments.join('/')\n  if \$k == 'lookup_options' { \$context.not_found } elsif \$context.cache_has_key(\$k) { \"again \${k}\" } else { \$context.cache(\$k, \"first \${k}\") }", **of_path),
  puppet.('p', "  if \$segments[0] == 'a' { fail(\$segments.join('.')) } else { \$context.not_found }", **of_path), ruby.('r', "    segments[0] == 'a' ? raise(segments.join('.')) : context.not_found", **of_ruby_path),
  puppet.('p', "  if \$segments[0] == 'a' { Integer } else { \$context.not_found }", **of_path),
  puppet.('p', '  1', parameters: 'String $segments, Hash $options')
]
names = [['a', 'a.b', 'a.1.c', 'a."b.c".0', 'h', 'h.x', 'h.q', 'o', 'nope', 'nope.x', 'z'], ['a', 'a.b', 'z']]
digs.each_with_index do |files, index|
  name = files.keys.first[/(\w+)\.\w+\z/, 1]
  ['', "    options: {x: 1}\n"].each do |more|
    all = in_module('probe', files).merge(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: F\n    data_dig: probe::#{name}\n#{more}#{tail}", 'data/tail.yaml' => "z: from tail\na: {b: 1}\n"))
    cases << make(all, explained(*names[index < 2 ? 0 : 1]) + explained('a', 'h', merge: 'deep'))
    cases << make(all, %w[a.b a.b a z].map { |one| key(one, explain: true) }, together: true)
  end
end

# In the layer of a module, and functions that are not there.
['p', 'r'].each do |name|
  body = name == 'p' ? puppet.('p', "  { 'probe::a' => \$context.module_name, 'probe::i' => '%{role}', 'other' => 1 }") : ruby.('r', "    { 'probe::a' => context.module_name, 'probe::i' => '%{role}', 'other' => 1 }")
  files = in_module('probe', body.merge('hiera.yaml' => "version: 5\nhierarchy:\n  - name: F\n    data_hash: probe::#{name}\ndefault_hierarchy:\n  - name: D\n    path: d.yaml\n", 'data/d.yaml' => "probe::d: 1\n"))
  cases << make(files, explained('probe::a', 'probe::i', 'probe::d', 'probe::nope', 'other'))
end
%w[data_hash lookup_key data_dig].each do |kind|
  cases << make(in_module('probe', 'functions/p.pp' => "function probe::p(Hash \$o) { {} \n").merge(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: F\n    #{kind}: probe::p\n")), explained('a'))
end
cases
