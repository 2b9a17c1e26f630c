# Values of several levels.
values = ['1', "'x'", '~', 'true', 'false', '1.5', '[]', '[1, 2]', '[2, 3]', '[1, 1]', '[[1], [2, [3]]]', '{}', '{a: 1}', '{a: 2, b: 3}', '{a: {x: 1}}', '{a: {y: 2}, b: [1]}', '{b: [2, 1]}', '[{a: 1}]', '[{b: 2}]', "['--x', y]", '[x, z]', "{a: '--'}", "{a: ['--1', 3]}", "{a: ['1', '2']}", "{'--a': 1}", "'--'", "['--']", '{1: 2}', "[b, a]", '[a, 1]']
cases = []
strategies = ['first', 'unique', 'hash', 'deep', { 'strategy' => 'deep', 'knockout_prefix' => '--' }, { 'strategy' => 'deep', 'sort_merged_arrays' => true }, { 'strategy' => 'deep', 'merge_hash_arrays' => true }]
values.each do |one|
  others = values.values_at(0, 6, 7, 8, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 28, 29)
  queries = []
  data = { 'one' => +'', 'two' => +'' }
  others.each_with_index do |two, index|
    data['one'] << "k#{index}: #{one}\n"
    data['two'] << "k#{index}: #{two}\n"
    queries.concat(strategies.values_at((index * 3) % 7, (index * 5 + 1) % 7).uniq.flat_map { |merge| [key("k#{index}", merge: merge, explain: index.even? ? nil : true).compact] })
  end
  cases << levels(data, queries)
end
# Three levels, and options of all kinds.
data = {
  'one' => "h: {a: 1, l: [1, '--2'], n: {x: 1, y: '--z'}}\nl: [a, '--b', c]\ns: top\nm: [{a: 1}, {b: 2}]\nonly: 1\nu: [3, 1, 3]\n",
  'two' => "h: {b: 2, l: [2, 3], n: {y: 2}}\nl: [b, d]\ns: middle\nm: [{a: 2, c: 3}]\nu: [2, 1]\n",
  'three' => "h: {a: 3, c: 4, l: [3, 2], n: {z: 3, x: [1]}}\nl: [b, e, a]\ns: bottom\nm: [{x: 1}, {y: 2}, {z: 3}]\nu: [[3], [4, [5]]]\n"
}
options = [nil, 'first', 'default', 'unique', 'hash', 'deep', 'reverse_deep', 'unconstrained_deep', 'nope', '', 'Deep', {}, { 'strategy' => 'hash' }, { 'strategy' => 'nope' }, { 'strategy' => 'hash', 'x' => 1 },
           { 'strategy' => 'unique', 'sort_merged_arrays' => true }, { 'strategy' => 'first', 'x' => true }, { 'strategy' => 'deep', 'x' => 1 }, { 'strategy' => 'deep', 'knockout_prefix' => '' }, { 'strategy' => 'deep', 'knockout_prefix' => '--' },
           { 'strategy' => 'deep', 'knockout_prefix' => '-' }, { 'strategy' => 'deep', 'knockout_prefix' => 1 }, { 'strategy' => 'deep', 'sort_merged_arrays' => true }, { 'strategy' => 'deep', 'sort_merged_arrays' => 'yes' },
           { 'strategy' => 'deep', 'merge_hash_arrays' => true }, { 'strategy' => 'deep', 'merge_hash_arrays' => true, 'sort_merged_arrays' => false, 'knockout_prefix' => '--' }, { 'strategy' => 'deep', 'merge_debug' => false },
           { 'strategy' => 'reverse_deep', 'knockout_prefix' => '--' }, { 'strategy' => 'unconstrained_deep', 'overwrite_arrays' => true }, { 'strategy' => 'unconstrained_deep', 'unpack_arrays' => ',' }, { 'strategy' => 'unconstrained_deep', 'extend_existing_arrays' => true },
           { 'merge' => 'deep' }, 1]
options.each { |merge| cases << levels(data, %w[h l s m only u none h.a h.l.0 h.n.x].flat_map { |name| explained(name, **(merge.nil? ? {} : { merge: merge })) }) }
cases
