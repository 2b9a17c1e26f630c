# Keys with dots and quotes.
data = <<~YAML
  a: {b: {c: 1, '0': zero, 0: number, 'x.y': dotted, ' s ': spaced}, l: [x, [y, z], {k: v}], n: ~, t: true, i: 7, f: 1.5, s: text}
  'a.b': quoted
  'a b': space
  "it's": apostrophe
  l: [1, 2]
  '': empty
  '0': zero
  n: ~
  s: text
  i: 5
  ':1': colon
YAML
names = ['a', 'a.b', 'a.b.c', 'a.b.0', "a.b.'0'", 'a.b."0"', "a.b.'x.y'", 'a.b."x.y"', 'a.l', 'a.l.0', 'a.l.1.1', 'a.l.2.k', 'a.l.3', 'a.l.-1', 'a.l.+1', 'a.l.x', 'a.l.0.x', 'a.n', 'a.n.x', 'a.t.x', 'a.i.x', 'a.f.x', 'a.s.x', 'a.s.0', 'a.x', 'a.x.y', "'a.b'", '"a.b"', "'a'.b", '"a"."b".c', "'a'", ' a ', 'a .b', 'a. b . c', "a.' s '", "a.b.' s '", 'a.', '.a', 'a..b', '.', '', "'", '"', "''", "a.''", "'a", "a'", "a'b'", "'a''b'", "'a'b", "a.'b", "a b", "'a b'", "it's", "\"it's\"", 'l.0', 'l.1', 'l.2', 'l.01', 'l.1e0', "l.'0'", '0', "'0'", '0.x', '1.x', 'n', 'n.x', 's.0', 's.x', 'i.0', ':1', "':1'", 'l.:1', 'nope', 'nope.x', 'a.b.c.d', "a.b.c.'d'", 'a::b', 'a::b.c', '::a', '::a.b', 'A', 'lookup_options', 'lookup_options.a', "'lookup_options'", 'lookup_optionsx', "a.\tb", "a\n.b", 'a.b.0.x', 'é', 'a.é', 'a.b[c]', 'a/b']
cases = names.each_slice(6).map { |slice| levels({ 'one' => data }, explained(*slice)) }
low = "a: {b: {c: 2, d: 3}, l: [q], m: 1}\nl: [3]\nn: 1\n"
['first', 'unique', 'hash', 'deep'].each { |merge| cases << levels({ 'one' => data, 'two' => low }, explained('a.b', 'a.b.c', 'a.b.d', 'a.l', 'a.m', 'l.0', 'l.2', 'a.l.0', 'n', 'a.nope', merge: merge)) }
cases << levels({ 'one' => data, 'two' => low }, explained('a.m', 'a.b.d', 'n'))
cases << levels({ 'one' => data }, [key(%w[nope a.b.c]), key(%w[nope nada]), key(%w[nope nada], explain: true), key(%w[nope a], explain: true), key([]), key(['a.', 'a']), key(%w[lookup_options a.b.c], explain: true)])
cases
