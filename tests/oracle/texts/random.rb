# Numbers that only look like chance.
require 'digest'

Texts::Subject.new('random') do
  op('rand') { |seed, max, count| r = Random.new(seed); Array.new(count) { r.rand(max) } }
  op('float') { |seed, count| r = Random.new(seed); Array.new(count) { r.rand } }
  op('shuffle') { |seed, count| (0...count).to_a.shuffle(random: Random.new(seed)) }
  op('hex') { |digits, max| Random.new(digits.hex).rand(max) }

  seeds = [0, 1, -1, 42, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**33, 2**33 + 7, 2**63, 2**64, 2**64 + 9, 2**65, 2**96, 2**96 + 1, 2**128 - 1, 2**200, 2**20_000 + 3, 10**30, -(10**30)]
  seeds.each do |seed|
    ask 'float', [seed, 3]
    ask 'shuffle', [seed, 10]
    [1, 2, 3, 10, 100, 2**31, 2**32, 2**32 + 1, 2**40, 2**62, 2**63 - 1].each { |max| ask 'rand', [seed, max, 3] }
  end
  ask 'rand', [1, 0, 1], [1, -5, 1], [7, 1000, 1300], [2**70, 60, 700]
  ask 'hex', *%w[0 1 ffffffff 100000000 d41d8cd98f00b204e9800998ecf8427e 00000000000000000000000000000001].map { |d| [d, 60] }
  random('rand') { |r| [r.integer * (r.one_in(2) ? 1 : r.integer), r.integer.abs + 1, 4] }
  random('shuffle') { |r| [r.integer, r.below(40)] }
  random('hex') { |r| [Digest::MD5.hexdigest(r.integer.to_s), r.between(1, 1000)] }
end
