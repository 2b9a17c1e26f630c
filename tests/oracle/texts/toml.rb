# TOML, as stdlib writes it.
stdlib = Dir['/usr/share/puppet/modules/stdlib/lib'].first
if stdlib
  $LOAD_PATH.unshift(stdlib)
  require 'puppet_x/stdlib/toml_dumper'

  Texts::Subject.new('toml') do
    op('to_toml') { |hash| PuppetX::Stdlib::TomlDumper.new(hash).toml_str }

    ask 'to_toml', [{}], [{ 'a' => 1 }], [{ 'b' => 1, 'a' => 2 }], [{ 'a' => nil, 'b' => true, 'c' => 1.5, 'd' => 'x"y', 'e' => [1, 'a', [2]] }], [{ 'a' => { 'b' => 1 } }], [{ 'a' => {} }], [{ 'a' => { 'b' => {} } }], [{ 'a' => { 'b' => { 'c' => 1 }, 'd' => 2 } }], [{ 'a b' => 1, 'c.d' => { 'e"f' => 2 } }], [{ 'l' => [{ 'a' => 1 }, { 'b' => { 'c' => 2 } }] }], [{ 'l' => [{ 'a' => [{ 'x' => 1 }] }, {}] }], [{ 'l' => [{ 'a' => 1 }, 2] }], [{ 'l' => [2, { 'a' => 1 }] }],
        [{ 's' => "a\nb\té\u0001" }], [{ 's' => '#{x} #$y #@z #w \\#{v}' }], [{ 's' => ['#{x}'] }], [{ '' => 1 }], [{ "a b\nc" => 1 }], [{ 'é' => 1 }], [{ 'a' => [] }], [{ 'a' => '' }], [{ 'x' => 2**70, 'y' => -0.0, 'z' => 1e20 }], [{ 'a' => 'x', 'A' => 'y', '1' => 'z' }]
    value = lambda do |r, depth|
      case r.below(depth > 2 ? 5 : 8)
      when 0 then r.pick([true, false, nil])
      when 1 then r.integer
      when 2 then 1.5
      when 3, 4 then r.text(['a', '"', '#{', '\\', 'é', "\n"], 4)
      when 5 then Array.new(r.below(3)) { value.(r, 3) }
      when 6 then Array.new(r.between(1, 2)) { { r.pick(%w[a b]) => value.(r, depth + 1) } }
      else Array.new(r.below(3)) { [r.pick(['a', 'b', 'c d', 'e.f']), value.(r, depth + 1)] }.to_h
      end
    end
    random('to_toml') { |r| [Array.new(r.below(4)) { [r.pick(['a', 'b', 'c d', 'z', 'B']), value.(r, 0)] }.to_h] }
  end
end
