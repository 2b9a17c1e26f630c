# Numbers as text: Float#to_s and the conversions of Kernel and String.
Texts::Subject.new('numbers') do
  op('float.to_s') { |f| f.to_s }
  op('float.round') { |f| f.round }
  op('float.floor') { |f| f.floor }
  op('float.ceil') { |f| f.ceil }
  op('float.truncate') { |f| f.to_i }
  op('Float()') { |s| Float(s) }
  op('to_f') { |s| s.to_f }
  op('Integer()') { |s, radix| radix ? Integer(s, radix) : Integer(s) }
  op('to_i') { |s, radix| s.to_i(radix || 10) }
  op('inspect') { |s| s.inspect }
  op('integer.to_s') { |i, radix| i.to_s(radix) }

  %w[to_s round floor ceil truncate].each do |name|
    ask "float.#{name}", 0.0, -0.0, 1.0, 0.1, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 1e15, 1e16, 9_999_999_999_999_998.0, 123456789012345680.0, 1e20, 1e22, 1e23,
        1e100, 1e308, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 1e-4, 0.00011, 9.999e-5, 1e-5, 1e-10, 3.14159, 100.0, 1234567.891,
        0.1 + 0.2, 1 / 3.0, Float::INFINITY, -Float::INFINITY, Float::NAN, 4503599627370497.5, 0.49999999999999994, -1e18, 9.3e18, -9.3e18
    random("float.#{name}") { |r| [r.float] }
  end

  floats = ['', ' ', '1', ' 1 ', "\t1\n", '1.5', '+1.5', '-1.5', '--1', '1.', '.5', '1.5e3', '1.5E+3', '1e-3', '1e', '1e+', 'e3', '1_000.5', '1__0', '_1', '1_', '1_.5', '1._5', '1.5_5',
            '1.5_', '1e1_0', '1e_1', '0x1A', '0x1.8p1', '0x1p-3', '0xg', '0x', '0b1', '0o7', '007', '08', '1e400', '-1e400', '1e-400', 'Infinity', 'NaN', 'inf', '1 2', "1\0", '1.5abc', 'abc',
            '0x1.8', '0x.8', '0x1_0', '1e5.5', '- 1', '+ 1', '٣', '1,5', '0.1e1', '00.5', '1e0010', '123456789012345678901234567890', '0x1p', '-0x1A', '-0', '0.0000001', "1\u00a0", '1f', '1d',
            '9007199254740993', '0.1000000000000000055511151231257827', '2.4703282292062328e-324', '1.0.0', '-.5', '5.e3', '1e+_3', '0x_1', '0X1P3', '1' * 400]
  ask 'Float()', *floats
  ask 'to_f', *floats
  integers = ['', ' ', '1', ' 1 ', "\n1\t", '+1', '-1', '--1', '+-1', '- 1', '1.5', '1e3', '1_000', '1__0', '_1', '1_', '0', '-0', '00', '007', '08', '0o17', '0O17', '0_7', '0x1f', '0X1F', '0x', '0xg',
              '-0x1f', '0b101', '0B2', '0b', '0d19', '0D19', '0d', '0x_1', '0_x1', 'abc', '1 2', "1\0", '12abc', 'z', 'Z', '9223372036854775807', '9223372036854775808', '-9223372036854775808',
              '123456789012345678901234567890', '0xffffffffffffffffffff', '٣', "1\u00a0", '0b_1', '0__1', '0 1', '0x 1', '+', '-', '0x-1', 'ff', '10', '1e', '"quoted"', "a\nb", '#{x}', 'é', '\\', "\e", "\u200b"]
  ask 'Integer()', *integers
  [2, 8, 10, 16, 36].each { |radix| ask 'Integer()', *integers.map { |i| [i, radix] } }
  [0, 1, -2, -8, -10, -16, 37, 3].each { |radix| ask 'Integer()', *%w[10 0x10 0b10 010 0o10 0d10 102 zz].map { |i| [i, radix] } }
  ask 'to_i', *integers
  [2, 8, 16, 36, 0].each { |radix| ask 'to_i', *integers.map { |i| [i, radix] } }
  pieces = %w[0 1 7 9 a f x b o e . _ - + 0x] + [' ']
  random('Float()') { |r| [r.text(pieces, 6)] }
  random('Float()') { |r| [r.text(%w[0 1 2 3 4 5 6 7 8 9], 24) + '.' + r.text(%w[0 1 2 5 9], 24) + 'e' + r.between(-340, 310).to_s] }
  random('to_f') { |r| [r.text(pieces, 6)] }
  random('Integer()') { |r| [r.text(pieces, 5), r.pick([nil, 2, 8, 10, 16, 36])] }
  random('to_i') { |r| [r.text(pieces, 5), r.pick([nil, 2, 8, 10, 16, 36])] }

  ask 'inspect', '', 'abc', "a\nb\t\r\e\a\b\v\f\0", '"', '\\', '#{x}', '#$x', '#@x', '#x', '#', 'é', "\u0085", "\u00a0", "\u00ad", "\u200b", "\u2028", "\ufeff", "\u{1f600}", "\u{e000}", "\u{10ffff}", "\u0378", "\x7f", "'", "\x01"
  random('inspect') { |r| [[r.pick([r.below(0xd800), 0xe000 + r.below(0x2000), r.below(0x400), 0x10000 + r.below(0x100000), 0x1e000 + r.below(0x2000)])].pack('U')] }
  ask 'integer.to_s', [0, 2], [255, 16], [-255, 16], [2**64, 10], [2**100, 36], [-(2**100), 8], [-1, 2], [2**63, 10], [10**40, 10], [35, 36]
  random('integer.to_s') { |r| [r.integer * (r.one_in(2) ? 1 : r.integer), r.between(2, 36)] }
end
