# lookup_options: by name, by pattern, per layer, with conversions.
cases = []
data = "h: {a: 1}\nl: [1]\nm::h: {a: 1}\nm::l: [1]\ns: '5'\nn: 7\nb: 'yes'\nd: '2001-01-01'\np: secret\nlist: [a, 1, b, 2]\n"
low = "h: {b: 2}\nl: [2]\nm::h: {b: 2}\nm::l: [2, 1]\ns: '6'\nlist: [c, 3]\n"
['h: {merge: hash}', 'h: {merge: deep}', 'h: {merge: {strategy: deep}}', "h: {merge: {strategy: deep, knockout_prefix: '--'}}", 'h: {merge: nope}', 'h: {merge: {}}', 'h: {merge: [hash]}', 'h: {}', 'h: hash', 'h: ~', 'h: []',
 "'^h': {merge: hash}", "'^.*': {merge: deep}", "'^h$': {merge: hash}", "'^nope': {merge: hash}", "'^(': {merge: hash}", "'^l': {merge: unique}\n  l: {merge: first}", "'^l': {merge: unique}\n  '^.': {merge: first}",
 'l: {merge: unique}', 'l: {merge: hash}', '1: {merge: hash}', "h: {merge: hash}\n  l: {merge: unique}\n  m::h: {merge: hash}\n  m::l: {merge: unique}", "'^m::': {merge: deep}", 's: {merge: unique}', 's: {merge: deep}'].each do |options|
  cases << levels({ 'one' => "#{data}lookup_options:\n  #{options}\n", 'two' => low }, %w[h l s m::h m::l h.a nope].flat_map { |name| explained(name) })
end
['1', '[]', "'x'", '~', '{}', 'true'].each { |options| cases << levels({ 'one' => "#{data}lookup_options: #{options}\n", 'two' => low }, explained('h', 'm::h')) }
# Options of several levels and layers.
cases << levels({ 'one' => "#{data}lookup_options: {h: {merge: hash}}\n", 'two' => "#{low}lookup_options: {h: {merge: first}, l: {merge: unique}}\n" }, %w[h l m::l].flat_map { |name| explained(name) })
layered = ->(g, e, m) do
  files = { 'hiera.yaml' => "version: 5\n", 'data/common.yaml' => "h: {g: 1}\nm::h: {g: 1}\nm::l: [g]\n#{g}\n" }
  files.merge!(in_environment('hiera.yaml' => "version: 5\n", 'data/common.yaml' => "h: {e: 1}\nm::h: {e: 1}\nm::l: [e]\n#{e}\n"))
  files.merge(in_module('m', 'hiera.yaml' => "version: 5\n", 'data/common.yaml' => "m::h: {m: 1}\nm::l: [m, g]\n#{m}\n"))
end
choices = ['', 'lookup_options: {m::h: {merge: hash}}', "lookup_options: {'^m::.*': {merge: deep}}", 'lookup_options: {h: {merge: hash}}', 'lookup_options: {m::l: {merge: unique}, m::h: {merge: first}}', 'lookup_options: [1]']
choices.each { |g| choices.values_at(0, 1, 4).each { |e| choices.each { |m| cases << make(layered.(g, e, m), explained('m::h') + [key('m::l', explain: true), key('h')]) } } }
["lookup_options: {'^n::': {merge: hash}}", "lookup_options: {'^m': {merge: hash}}", "lookup_options: {'^m::': {merge: hash}}", "lookup_options: {'^(m)::h': {merge: hash}}"].each { |m| cases << make(layered.('', '', m), explained('m::h')) }
# Only the options are explained.
cases << make(layered.(choices[1], choices[4], choices[2]), %w[m::h h __global__].flat_map { |name| [key(name, explain: 'options'), key(name, explain: 'both')] })
# Conversions. Puppet's explanation of a list shows addresses of objects, since it puts the type into the data.
[%w[s Integer], %w[n String], ['n', '[String, "%x"]'], %w[s Float], ['s', '[Integer, 16]'], %w[b Boolean], %w[n Boolean], %w[p Sensitive], ['p', '"Sensitive[String]"'], %w[l Sensitive], ['list', '[Hash]'], ['list', 'Hash'], ['h', '[Array, true]'],
 ['l', '"Array[String]"'], %w[s Nope], ['s', '"Integer["'], ['s', '"Integer[1,"'], %w[s integer], ['s', '[]'], ['s', '{}'], ['s', '5'], ['s', '"Integer[7]"'], ['s', '[Integer, 99]'], %w[d Timestamp], ['d', '[Timestamp, "%Y-%m-%d"]'], %w[s SemVer], ['s', '"Optional[Integer]"'], ['s', '"Enum[a]"'], ['s', '~'], %w[b Binary], ['n', '[Timespan]'], ['s', 'Any'], ['h', '"Struct[{a => Integer}]"'], ['l', 'Set'], ['s', '"Variant[Integer, Float]"'], ['s', '"String"'], ['l', '[String]'], ['h', 'String']].each do |name, type|
  cases << levels({ 'one' => "#{data}lookup_options: {#{name}: {convert_to: #{type}}}\n" }, type.start_with?('[') ? [key(name)] : explained(name, "#{name}.a", "#{name}.0"))
end
cases << levels({ 'one' => "#{data}lookup_options: {h: {convert_to: [Array, true], merge: hash}, '^l': {convert_to: Sensitive, merge: unique}}\n", 'two' => low }, [key('h'), key('l'), key('h', merge: 'first'), key('nope'), key('list')])
cases << levels({ 'one' => "x: '%{lookup(\"s\")}'\ny: '%{alias(\"s\")}'\ns: '5'\nlookup_options: {s: {convert_to: Integer}}\n" }, explained('x', 'y', 's'))
cases
