# HOCON, as the hocon gem reads it.
require 'hocon'

Texts::Subject.new('hocon') do
  op('parse') { |text| Hocon.parse(text) }

  ask 'parse', 'a=1', 'a : 1, b : 2', "a=1\nb=2", 'a { b { c = 1 } }', 'a.b.c = 1', "a.b=1\na.c=2", "a={b=1}\na={c=2}", 'a=[1,2,3]', "a=[1\n2\n3\n]", 'a = foo bar', 'a = "x" y "z"', 'a = ${b}, b = 2', 'a=1, c=${a}x', 'a=${?missing}', 'a=${missing}', 'a=null', 'a=true, b=yes', 'a=1.5, b=1e3, c=007', "# c\na=1 // d", 'a = """x "y" z"""', 'a += 1', "a=[1]\na += 2", "a=[1]\na=${a} [2]", 'a={x=1}, b=${a} {y=2}', '{"a":1}', '[1,2]', '', '   ', 'a', 'a=', '{', 'a=}', 'a=[', 'a=1,,b=2', 'a=1,',
      '"a b"=1', '"a.b"=1', 'a b = 1', 'a."b.c".d=1', 'include "x"', 'a = 10s', 'a=x#y', 'a=x//y', 'a=-1', 'a=1 2', 'a=[1,]', 'a=[,1]', "a\n{b=1}", "a=\n1", 'a="\u00e9\n"', 'a : [ {x=1}, {y=2} ]', 'a=[1] [2]', "a=b\n\n\nc=d", 'a={}', 'a=[]', 'a = 12345678901234567890', 'a=1, a=2', 'a.b=1, a=2', 'a=2, a.b=1', 'a=x=y', 'a=x:y', 'a=é', 'a=1x', 'a=true false', 'a = x ${b} y, b = 1', 'a=[${b}], b=3', 'a = 1.0', 'a=1.50', 'a=1e400', 'a=nullx', 'a = -', 'a=.5', 'a=5.', '1=2', '-1=x', 'a-b=1', 'a_b=1', '/a=1',
      'a.=1', '.a=1', 'a..b=1', '""=1', "a {\n  b = 1\n  c = [\n    x,\n    y\n  ]\n}\nd = ${a.b}", 'a={x=1}, a=${a}{y=2}', "a.b=1\na={c=2}\na.d=3", 'a={b={c=1}}, a.b.d=2', '{a:1,b:{c:[1,2,{d:3}]}}', "a=\"x\"\"y\"", 'a = "1"', 'a = "true"', "a = 1\n\n, b = 2", 'a=${b.c}, b={c=5}', 'a=${b}, b={c=${d}}, d=1'
  fields = nil
  value = lambda do |r, depth|
    case r.below(depth > 2 ? 5 : 8)
    when 0 then r.pick(%w[true false null])
    when 1 then r.below(1000).to_s
    when 2 then r.pick(%w[1.5 -2 foo bar-baz 10s])
    when 3 then "\"#{r.text(%w[a b c] + [' ', '.'], 4)}\""
    when 4 then 'foo bar'
    when 5 then "[#{Array.new(r.below(3)) { value.(r, depth + 1) }.join(r.pick([',', ', ', "\n"]))}]"
    else "{#{fields.(r, depth + 1)}}"
    end
  end
  fields = ->(r, depth) { Array.new(r.below(4)) { "#{r.pick(%w[a b c a.b b.c "x.y" d])} #{r.pick(['=', ':'])} #{value.(r, depth)}" }.join(r.pick([', ', "\n"])) }
  random('parse') { |r| [fields.(r, 0)] }
end
