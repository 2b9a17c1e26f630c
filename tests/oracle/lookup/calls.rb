# lookup() and its arguments.
data = { 'one' => "s: text\ni: 5\nl: [1, 2]\nh: {a: 1}\nu: ~\nf: false\ne: ''\n" }
cases = []
types = ['String', 'Integer', 'Array', 'Array[String]', 'Hash[String, String]', 'Optional[Integer]', 'Undef', 'Boolean', 'Enum[text, other]', 'Pattern[/x/]', 'Integer[1, 4]', 'Variant[Integer, Boolean]', 'Any', 'NotUndef', 'Struct[{a => String}]', 'Tuple[Integer]', 'Scalar', 'Sensitive', 'Type']
types.each { |type| cases << levels(data, %w[s i l h u f e nope].map { |name| key(name, type: type) }) }
types.first(8).each { |type| cases << levels(data, [key('nope', type: type, default: 'd'), key('nope', type: type, default: 1), key('nope', type: type, default: nil), key('s', type: type, default: 1, explain: true)]) }
cases << levels(data, [key('nope'), key('nope', default: 'x'), key('nope', default: nil), key('nope', default: false), key('u', default: 1), key('f', default: 1), key('e', default: 1), key('nope', default: 'x', explain: true), key('nope', explain: true), key(%w[nope s]), key(%w[nope nada], default: 1), key(%w[nope nada])])
given = [{ 'override' => { 's' => 'over' } }, { 'override' => { 's' => nil } }, { 'override' => { 's.x' => 1 } }, { 'override' => { 's' => 1 }, 'type' => 'String' }, { 'defaults' => { 'nope' => 1, 's' => 2 } }, { 'defaults' => { 'nope' => nil } }, { 'defaults' => { 'nope' => 1 }, 'type' => 'String' }, { 'defaults' => { 'nope' => 1 }, 'default' => 2 }, { 'defaults' => {}, 'override' => {} }]
given.each { |more| cases << levels(data, [['s'], ['nope'], %w[nope s], ['s.x'], %w[nada nope]].flat_map { |names| [key(names).merge(more), key(names, explain: true).merge(more)] }) }
cases
