# %{…} in values.
texts = ["%{role}", "a %{role} b", "%{::role}", "%{facts.role}", "%{facts.os.release.major}", "%{facts.nope}", "%{facts.os.nope.x}", "%{facts.role.x}", "%{nope}", "%{::nope}", "%{a::b}", "%{::a::b}", "%{nope.x}", "%{}", "%{ }", "%{::}", "%{''}", '%{""}', "%{'::'}", "%{ role }", "%{\trole\n}", "%{number}", "%{float}", "%{yes}", "%{no}", "%{list}", "%{nested}", "%{empty}", "%{list.0}", "%{list.-1}", "%{list.9}", "%{list.x}", "%{nested.a.b.1}", "%{nested.a}", "%{number.x}", "%{yes.x}", "%{float.0}", "%{facts.'role'}", "%{'facts'.role}", "%{'facts.role'}", "%{facts.\"os\".family}", "%{facts..role}", "%{.role}", "%{role.}", "%{'role}", "%{1}", "%{1.x}", "%{facts.odd-name}", "%{odd-name}", "%{twice}", "%{loop}", "%{role", "%role}", "%%{role}", "%{role}}", "%{{role}", "%{%{role}}", "%{role}%{site}", "%{trusted.certname}", "%{trusted.nope}", "%{environment}", "%{server_facts.environment}", "%{module_name}", "%{::module_name}", "%{calling_class}", "%{calling_module}", "%{settings::strict}",
         "%{lookup('t')}", '%{lookup("t")}', "%{hiera('t')}", "x%{lookup('t')}y", "%{lookup('nope')}", "%{lookup('h')}", "%{lookup('h.a')}", "%{lookup('h.nope')}", "%{lookup('l')}", "%{lookup('l.0')}", "%{lookup('n')}", "%{lookup('u')}", "%{lookup('f')}", "%{lookup('chain')}", "%{lookup('self')}", "%{lookup('cycle1')}", "%{lookup('x.')}", "%{lookup('')}", "%{lookup(t)}", "%{lookup('t'}", "%{lookup ('t')}", "%{ lookup('t') }", "%{lookup('t') }", "%{lookup('t','u')}", "%{Lookup('t')}", "%{nope('t')}", "%{lookup_('t')}", "%{lookup('lookup_options')}", "%{lookup('m::t')}", "%{hiera('chain')} %{role}",
         "%{alias('t')}", "%{alias('h')}", "%{alias('l')}", "%{alias('n')}", "%{alias('u')}", "%{alias('f')}", "%{alias('nope')}", "%{alias('h.a')}", " %{alias('h')}", "%{alias('h')} ", "%{alias('h')}%{alias('l')}", "%{alias('chain')}", "%{alias('self')}", "%{ alias('h') }", '%{alias("l.1")}',
         "%{literal('%')}", "%{literal('%')}{role}", "%{literal('x')}", "%{literal('%{role}')}", "%{literal('')}", "%{literal('a')}%{literal('b')}", "%{scope('role')}", "%{scope('facts.role')}", "%{scope('nope')}", "%{scope('twice')}", "%{scope('.')}", '%{scope("list.0")}', "%{scope('loop')}"]
base = "t: text\nh: {a: 1, b: '%{role}'}\nl: [x, '%{role}']\nn: 5\nu: ~\nf: false\nchain: '%{lookup(\"link\")}!'\nlink: '<%{lookup(\"t\")}>'\nself: '%{lookup(\"self\")}'\ncycle1: '%{lookup(\"cycle2\")}'\ncycle2: '%{alias(\"cycle1\")}'\nm::t: module\n"
cases = texts.each_slice(4).map do |slice|
  data = slice.each_with_index.map { |text, index| "k#{index}: #{JSON.generate(text)}\n" }.join
  levels({ 'one' => base + data }, slice.each_index.flat_map { |index| explained("k#{index}") })
end
nested = "v: {'%{role}': '%{site}', list: ['%{role}', {x: '%{number}'}], '%{nope2}': 1}\nw: ['%{role}', ['%{site}'], {'a%{role}': 1}]\nx: {a: '%{lookup(\"w.0\")}', b: '%{alias(\"w\")}'}\ny: {'%{role}': 1, web: 2}\n"
cases << levels({ 'one' => base + nested }, explained('v', 'w', 'x', 'y', 'x.a', 'x.b.1.0', 'w.2.aweb', 'y.web'))
cases << levels({ 'one' => base + nested }, explained('v', 'w'), strict: 'warning')
cases << levels({ 'one' => "a: '%{nope}'\nb: '%{x::y}'\nc: '%{::nope}%{nope}'\n" }, explained('a', 'b', 'c'), strict: 'off')
cases << levels({ 'one' => "a: '%{nope}'\nb: '%{x::y}'\nc: '%{::nope}%{nope}'\n" }, explained('a', 'b', 'c'), strict: 'warning')
# Values that lookups of other levels give.
cases << levels({ 'one' => "a: 'one %{lookup(\"b\")}'\nh: {x: '%{lookup(\"a\")}'}\n", 'two' => "a: two\nb: 'two %{lookup(\"c\")}'\nh: {y: '%{alias(\"l\")}'}\nl: [1]\n", 'three' => "c: three\nl: [2]\nh: {x: 3, z: '%{role}'}\nlookup_options: {l: {merge: unique}, h: {merge: deep}}\n" }, explained('a', 'b', 'h', 'l', 'h.y.1'))
cases << levels({ 'one' => "a: '%{lookup(\"b\")}'\n", 'two' => "a: '%{lookup(\"a\")}'\nb: 1\n" }, explained('a', merge: 'unique') + explained('a'))
overriding = { 'override' => { 'role' => 'overridden', 'q' => 1 }, 'defaults' => { 'nope' => 'given', 'role' => 'unused' } }
cases << levels({ 'one' => "a: '%{role}'\nb: '%{nope}'\nc: '%{lookup(\"role\")}'\nd: '%{q}'\n" }, %w[a b c d role q nope].flat_map { |name| [key(name).merge(overriding), key(name, explain: true).merge(overriding)] }, strict: 'off')
cases << levels({ 'one' => "a: '%{role}'\nb: '%{nope}'\n" }, %w[a b].flat_map { |name| [key(name).merge(overriding)] })
cases
