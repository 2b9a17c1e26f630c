# Hashed passwords and digests.
require 'digest'
require 'openssl'

Texts::Subject.new('crypt') do
  op('crypt') { |password, setting| password.crypt(setting) }
  op('pbkdf2') { |password, salt, iterations, length| OpenSSL::PKCS5.pbkdf2_hmac(password, salt, iterations, length, OpenSSL::Digest::SHA512.new).unpack1('H*') }
  op('salted_sha512') { |password, salt| seed = [salt].pack('H*'); (seed + Digest::SHA512.digest(seed + password)).unpack1('H*') }
  op('md5') { |text| Digest::MD5.hexdigest(text) }
  op('sha1') { |text| Digest::SHA1.hexdigest(text) }
  op('sha224') { |text| OpenSSL::Digest.new('SHA224').hexdigest(text) }
  op('sha256') { |text| Digest::SHA256.hexdigest(text) }
  op('sha384') { |text| Digest::SHA384.hexdigest(text) }
  op('sha512') { |text| Digest::SHA512.hexdigest(text) }
  op('uuid') do |name|
    bytes = Digest::SHA1.digest(['6ba7b8109dad11d180b400c04fd430c8'].pack('H*') + name.b)[0, 16].bytes
    bytes[6] = bytes[6] & 0x0f | 0x50
    bytes[8] = bytes[8] & 0x3f | 0x80
    bytes.pack('C*').unpack('H8H4H4H4H12').join('-')
  end

  salt = '04$abcdefghijklmnopqrstuu'
  ['a', 'password', 'pässwörd', 'x' * 72, 'x' * 73, 'x' * 100, 'ÿ', '££', "\u00ff\u00a3", 'a' * 16, 'a' * 17, 'a' * 64, 'a' * 65, '!@#$%^&*()', 'ab', "a\0b"].each do |password|
    %w[1 5 6].each { |kind| ask 'crypt', [password, "$#{kind}$salt"], [password, "$#{kind}$aVeryLongSaltOfManyLetters"], [password, "$#{kind}$s"] }
    %w[2a 2b 2x 2y].each { |kind| ask 'crypt', [password, "$#{kind}$#{salt}"] }
  end
  ask 'crypt', *%w[03 04 05 32 99 4].map { |cost| ['pw', "$2b$#{cost}$abcdefghijklmnopqrstuu"] } - [['pw', '$2b$99$abcdefghijklmnopqrstuu']], ['pw', '$2b$04$abcdefghijklmnopqrstuv'], ['pw', '$2b$04$abcdefghijklmnopqrstuz'], ['pw', '$2b$04$abcdefghijklmnopqrstuu extra'], ['pw', '$2b$04$short'], ['pw', '$2c$04$abcdefghijklmnopqrstuu']
  ask 'pbkdf2', ['Pa55w0rd', 'Use a s@lt h3r3 th@t is 32 byt3s', 1000, 128], ['x', 'saltsalt', 1, 128], ['x' * 200, 'é' * 10, 3, 100]
  ask 'salted_sha512', ['password', '01020304'], ['', 'ffffffff']
  %w[md5 sha1 sha224 sha256 sha384 sha512 uuid].each do |name|
    ask name, '', 'abc', 'é' * 100, "\0"
    random(name) { |r| [r.text(%w[a b c é] + ["\n"], 200)] }
  end
  # Not as often as the others: they are slow.
  random('crypt') { |r| [r.text(['a', 'B', '1', 'é', 'ÿ', ' ', '£'], 30) + 'x', "$#{r.pick(%w[1 5 6])}$#{r.text(%w[a B 1 . /], 18)}x"] }
  random('crypt') { |r| [r.text(['a', 'B', 'é', 'ÿ', '£'], 40) + 'x', "$#{r.pick(%w[2a 2b 2x 2y])}$04$#{Array.new(22) { r.pick(%w[a B 1 . / z 9]) }.join}"] }
end
