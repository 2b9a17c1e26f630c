# Words of the shell, Base64, percent-encoding and addresses.
require 'shellwords'
require 'base64'
require 'uri'
require 'ipaddr'

Texts::Subject.new('words') do
  Puppet.initialize_settings([])
  environment = Puppet::Node::Environment.create(:texts, [])
  scope = Puppet::Parser::Scope.new(Puppet::Parser::Compiler.new(Puppet::Node.new('texts', environment: environment)))
  Puppet::Parser::Functions.function(:shellquote, environment)
  op('shellquote') { |words| scope.function_shellquote(words) }
  op('escape') { |word| Shellwords.shellescape(word) }
  op('join') { |words| Shellwords.shelljoin(words) }
  op('split') { |line| Shellwords.shellsplit(line) }
  op('encode64') { |text| Base64.encode64(text) }
  op('strict_encode64') { |text| Base64.strict_encode64(text) }
  op('urlsafe_encode64') { |text| Base64.urlsafe_encode64(text) }
  op('decode64') { |text| Base64.decode64(text) }
  op('strict_decode64') { |text| Base64.strict_decode64(text) }
  op('urlsafe_decode64') { |text| Base64.urlsafe_decode64(text) }
  op('uriescape') { |text| URI::DEFAULT_PARSER.escape(text) }
  op('ip') { |text| ip = IPAddr.new(text); [ip.to_s, ip.ipv6?] }

  words = ['', 'a', 'a b', "it's", 'say "x"', '$x', '`x`', 'a\\b', "a'b\"c", '!', 'a!', "é", "é'!x", "a\nb", 'a@%_+=:,./-b', '-', '*', '~', "\t", 'a;b', 'a|b&c', "'", '"', '\\', "\\\n"]
  words.each { |w| ask 'shellquote', [[w]]; ask 'escape', w; ask 'split', w; ask 'uriescape', w; ask 'encode64', w; ask 'strict_encode64', w; ask 'urlsafe_encode64', w }
  ask 'shellquote', [['a', 'b c', "d'e"]], [[]]
  ask 'join', [['a', 'b c', '']], [[]]
  ask 'split', 'a b', ' a  b ', "a 'b c' d", 'a "b c" d', 'a\\ b', '"a\\"b"', '"a\\$b\\xc"', "'a", '"a', 'a\\', "a'b'c\"d\"e", "''", '""', "a '' b", "\"a\\\nb\"", "a\\\nb", " ", "a\tb\nc", '"\\\\"', "x\\", 'é à', "a ' b"
  ask 'uriescape', 'http://x/y z?a=b&c=d#e', '%41', 'ä', "-_.!~*'()", '<>"{}|\\^`', '[]'
  ask 'encode64', 'x' * 45, 'x' * 46, 'x' * 100, "\xff\xfe\xfd".b, "\0"
  ask 'urlsafe_encode64', "\xff\xfe\xfd\xfb\xff".b
  encoded = ['', 'YQ==', 'YWI=', 'YWJj', 'YQ', 'YQ=', 'YR==', 'YWJ=', 'YW Jj', "YWJj\nYWJj\n", 'YWJjYQ', '=', '==', 'Y', 'Y===', 'YWJj=', '!!!!', 'YW!Jj', 'YWJjZA==YWJj', '-_-_', '+/+/', 'é', 'YQ==YQ==', 'YQ=a', "YQ==\n", 'A=BC', 'AB=C', '=YWJj']
  %w[decode64 strict_decode64 urlsafe_decode64].each { |o| ask o, *encoded; random(o) { |r| [r.text(%w[A Q b / + = - _] + [' '], 9)] } }
  ask 'ip', '1.2.3.4', '1.2.3.256', '1.2.3', '01.2.3.4', '1.2.3.04', '0.0.0.0', '255.255.255.255', '::', '::1', '1::', 'fe80::1', 'FE80::ABCD', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '1::2::3', '::ffff:1.2.3.4', '::1.2.3.4', '1:2:3:4:5:6:1.2.3.4', '[::1]', '[1.2.3.4]', '::1%eth0', 'fe80::1%eth0', '1.2.3.4%eth0', '10.1.2.3/8', '10.1.2.3/0', '10.1.2.3/32', '10.1.2.3/33', '10.1.2.3/255.255.0.0', '10.1.2.3/255.0.255.0', '10.1.2.3/08', '10.1.2.3/x', '2001:db8::1/32', '2001:db8::1/128', '2001:db8::1/129', '2001:db8::1/ffff::', '10.0.0.1/ffff::',
      '', ' ', 'x', '1.2.3.4.5', '::g', '12345::', '1:0:0:2:0:0:0:3', '0:0:1:0:0:0:0:0', '1:0:2:0:3:0:4:0', '0:0:0:0:0:ffff:0:0', '::ffff:0:1', '::2:3', '::0:1', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1.2.3.4/', '1.2.3.4\n', ':::', '::ffff:1.2.3.256', '::1/0', '1:2:3:4::5:6:7:8', '0::0', '1::0:0:2', '::ffff:abcd:1', '*'
  random('escape') { |r| [r.text(['a', ' ', "'", '"', '\\', '$', "\n", 'é', '-'], 6)] }
  random('split') { |r| [r.text(['a', ' ', "'", '"', '\\', '$', "\n", 'é', '-'], 8)] }
  random('shellquote') { |r| [[r.text(['a', ' ', "'", '"', '\\', '$', "\n", '-'], 6), 'x']] }
  random('ip') { |r| [Array.new(8) { r.one_in(2) ? 0 : r.below(0x10000) }.map { |g| g.to_s(16) }.join(':') + (r.one_in(4) ? "/#{r.below(130)}" : '')] }
  random('ip') { |r| [r.text(%w[: :: 1 ab 0 ffff . 1.2.3.4], 7)] }
  random('encode64') { |r| [r.text(['a', 'é', "\0", 'xyz'], 60)] }
end
