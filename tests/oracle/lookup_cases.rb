# Words for cases of lookups.

ENVIRONMENT = 'code/environments/production'.freeze
FACTS = {
  'os' => { 'family' => 'Debian', 'name' => 'Debian', 'release' => { 'major' => '12', 'full' => '12.5' } },
  'networking' => { 'fqdn' => 'web1.example.com', 'domain' => 'example.com', 'interfaces' => { 'eth0' => { 'ip' => '192.0.2.7' } } },
  'role' => 'web', 'site' => 'north', 'empty' => '', 'number' => 42, 'float' => 1.5, 'yes' => true, 'no' => false,
  'list' => %w[one two three], 'numbers' => [1, 2], 'nested' => { 'a' => { 'b' => %w[x y] } },
  'loop' => '%{loop}', 'twice' => '%{role}', 'odd-name' => 'dash', 'processors' => { 'count' => 4 }
}.freeze

# Paths of the environment, of a module, or of the global layer.
def in_environment(files) = files.transform_keys { |path| "#{ENVIRONMENT}/#{path}" }
def in_module(name, files) = files.transform_keys { |path| "#{ENVIRONMENT}/modules/#{name}/#{path}" }

# A query for one key; with explain it is asked twice.
def key(name, **options) = { 'names' => [name].flatten, **options.transform_keys(&:to_s) }
def explained(*names, **options) = names.flat_map { |name| [key(name, **options), key(name, **options, explain: true)] }

def make(files, queries, **more)
  { 'files' => files, 'facts' => FACTS, 'queries' => queries, **more.transform_keys(&:to_s) }
end

# An environment with these levels, each a name and a YAML text.
def levels(levels, queries, hiera: nil, **more)
  hierarchy = levels.keys.map { |name| "  - name: #{name}\n    path: #{name}.yaml\n" }.join
  files = { 'hiera.yaml' => hiera || "version: 5\nhierarchy:\n#{hierarchy}" }
  levels.each { |name, text| files["data/#{name}.yaml"] = text }
  make(in_environment(files), queries, **more)
end
