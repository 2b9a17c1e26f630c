# The order of package versions, and semantic versions.
require 'puppet/util/package'
require 'semantic_puppet'

Texts::Subject.new('versions') do
  op('versioncmp') { |a, b, zeroes| Puppet::Util::Package.versioncmp(a, b, zeroes || false) }
  op('semver') do |text|
    v = SemanticPuppet::Version.parse(text)
    [v.to_s, v.stable?, v.prerelease, v.build]
  end
  op('semver <=>') { |a, b| SemanticPuppet::Version.parse(a) <=> SemanticPuppet::Version.parse(b) }
  op('semver ==') { |a, b| SemanticPuppet::Version.parse(a) == SemanticPuppet::Version.parse(b) }
  op('valid?') { |text| SemanticPuppet::Version.valid?(text) }
  op('range') do |text|
    r = SemanticPuppet::VersionRange.parse(text)
    [r.to_s, r.inspect, r.begin&.to_s, r.end&.to_s, r.exclude_begin?, r.exclude_end?]
  end
  op('include?') { |range, version| SemanticPuppet::VersionRange.parse(range).include?(SemanticPuppet::Version.parse(version)) }
  op('intersection') do |a, b|
    r = SemanticPuppet::VersionRange.parse(a).intersection(SemanticPuppet::VersionRange.parse(b))
    [r.to_s, r.inspect]
  end
  op('range ==') { |a, b| SemanticPuppet::VersionRange.parse(a) == SemanticPuppet::VersionRange.parse(b) }
  op('between') do |min, max, exclude|
    min = min ? SemanticPuppet::Version.parse(min) : SemanticPuppet::Version::MIN
    max = max ? SemanticPuppet::Version.parse(max) : SemanticPuppet::Version::MAX
    r = SemanticPuppet::VersionRange.new(min, max, exclude)
    [r.to_s, r.inspect, r.begin&.to_s, r.end&.to_s, r.exclude_begin?, r.exclude_end?]
  end

  packages = ['', '1', '1.0', '1.0.0', '1.00', '1.01', '1.1', '1.10', '1.2', '1.2-3', '1.2-10', '1.2.3', 'a', 'A', 'b', '1a', '1A', '1.a', '1-', '-1', '.1', '1..2', '1.2.', '2.0', '10', '9', '010', '09',
              '99999999999999999999', '99999999999999999998', '1.2~rc1', '1:2.3', 'ß', 'SS', 'é', '1.0-0', '1.0.0-0-0', '0.0', '0', '-', '--', '1.0-', "1.0\n"]
  packages.product(packages).each { |a, b| ask 'versioncmp', [a, b] }
  (packages - ['', '-', '--', "1.0\n"]).product(%w[1 1.0 1.0.0 1.0-0 0 10 1-]).each { |a, b| ask 'versioncmp', [a, b, true] }
  random('versioncmp') { |r| Array.new(2) { r.text(%w[0 1 2 10 . . - a B ~], 6) } }

  versions = ['1.2.3', '0.0.0', '1.2', '1', '', '1.2.3-a', '1.2.3-a.b', '1.2.3-1', '1.2.3-01', '1.2.3-1.2', '1.2.3-0', '1.2.3-a-b', '1.2.3--', '1.2.3+b', '1.2.3+01', '1.2.3-a+b.c', '1.2.3+b-c', '01.2.3', '1.02.3', '1.2.3-', '1.2.3+', '1.2.3-a..b',
              '1.2.3-é', ' 1.2.3', '1.2.3 ', "1.2.3\n", "1.2.3\n\n", 'v1.2.3', '1.2.3.4', '99999999999999999999.0.0', '1.2.3-99999999999999999999', '1.x.0', '-1.2.3', '1.2.3-alpha', '1.2.3-beta', '1.2.3-alpha.1', '1.2.3-alpha.beta', '1.2.4', '1.3.0', '2.0.0', '10.0.0', '1.2.3-10', '1.2.3-9']
  ask 'semver', *versions
  ask 'valid?', *versions
  good = versions.select { |v| SemanticPuppet::Version.parse(v) rescue nil }
  good.product(good).each { |a, b| ask 'semver <=>', [a, b] }
  good.product(good.first(8)).each { |a, b| ask 'semver ==', [a, b] }

  ranges = ['1.2.3', '1', '1.2', '1.x', '1.X', '1.*', '1.2.x', '*', 'x', '', ' ', '||', '|| 1', '1 ||', '1 || 2', '1||3', '1 ||  3 ', '>1', '>1.2', '>1.2.3', '>*', '>=1', '>=1.2', '>=1.2.3', '>=*', '<1', '<1.2', '<1.2.3', '<*', '<=1', '<=1.2', '<=1.2.3', '<=*',
            '=1.2.3', '=1', '~1', '~1.2', '~1.2.3', '~1.2.3-a', '~>1.2', '~=1.2', '~*', '^1', '^1.2', '^1.2.3', '^1.2.3-a', '^1.2.3+b', '^0', '^0.1', '^0.1.2', '^0.0.1', '^*', '>=1.0.0 <2.0.0', '> 1.0.0  < 2.0.0', '>=1.0.0 <=1.0.0', '>2.0.0 <1.0.0', '>2.0.0 <1.0.0 >1',
            '1.2.3 - 2.0.0', '1 - 2', '1.2 - 1.3', '2 - 1', '1.0.0-a - 2.0.0-b', '1.2.3 -2.0.0', '1.2.3- 2.0.0', ' 1.2.3', '1.2.3 ', '>v1', '> v1', 'v1', '>= 1', '>  =1', '1.2.3-a', '1.2.3+b', '1.2.3-01', '>1.2.3-a', '<1.2.3-a', '01', '1.02', '1.2.3.4', 'a', '>', '>>1', '!1', '1.x.3', 'x.1', '1.2.3-a <2',
            '>=1.0.0 <2.0.0 || >=1.5.0 <3.0.0', '>=1.0.0 <2.0.0 || >=1.5.0 <2.0.0', '>=1.0.0 <2.0.0 || >=2.0.0 <3.0.0', '<1 || >=1', '<=1.0.0 || >=1.0.1', '<=1.0.0 || 1.0.1', '1.0.0 || 1.0.0', '1.0.0 || 2.0.0 || 3.0.0', '1 || 2 || 3', '3 || 2 || 1', '>1.0.0 || >1.0.0-a', '>1 || *', '* || >1', '>1.0.0 || <2.0.0', '>=1.0.0 || >=2.0.0',
            '99999999999999999999', '^18446744073709551615', "1\n2", "1.0.0\t<2.0.0", '<0.0.0', '>=0.0.0']
  ask 'range', *ranges
  some = ['1.2.3', '1.x', '>1.2', '<2.0.0', '^1.2.3-a', '~1.2', '>=1.0.0 <3.0.0', '1 || 3', '*', '>3', '2.0.0', '>=1.2.3-a', '<=1.2.3', '<1 || >=2']
  some.product(some).each { |a, b| ask 'intersection', [a, b] }
  some.product(some).each { |a, b| ask 'range ==', [a, b] }
  (some + ['^1', '1.2.3-a', '<1.2.3-b']).product(['1.2.3', '1.2.3-a', '1.2.3-b', '2.0.0', '0.9.0', '3.1.4', '1.2.3+b', '2.0.0-a', '1.3.0-a', '3.0.0']).each { |a, b| ask 'include?', [a, b] }
  [nil, '1.0.0', '1.0.0-a', '2.0.0'].product([nil, '1.0.0', '1.0.0-a', '2.0.0'], [true, false]).each { |row| ask 'between', row }

  version = ->(r) { "#{r.below(3)}.#{r.below(3)}.#{r.below(3)}#{r.pick(['', '', '-a', '-1', '-a.1', '+b'])}" }
  part = ->(r) { [version.(r), "#{r.below(3)}.#{r.below(3)}", r.below(3).to_s, "#{r.below(3)}.x", '*'][r.below(5)] }
  simple = ->(r) { r.pick(['', '', '>', '<', '>=', '<=', '~', '^', '=', '~>']) + r.pick(['', '', ' ']) + part.(r) }
  alternative = ->(r) { r.one_in(4) ? "#{part.(r)} - #{part.(r)}" : Array.new(r.between(1, 2)) { simple.(r) }.join(' ') }
  range = ->(r) { Array.new(r.pick([1, 1, 1, 2, 3])) { alternative.(r) }.join(r.pick(['||', ' || '])) }
  random('range') { |r| [range.(r)] }
  random('include?') { |r| [range.(r), version.(r)] }
  random('semver <=>') { |r| [version.(r), version.(r)] }
  random('intersection') { |r| [range.(r), range.(r)] }
end
