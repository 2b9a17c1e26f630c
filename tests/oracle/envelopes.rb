# What Ruby's OpenSSL makes of encrypted values: keys of many sizes, ciphers, encodings, and wrong keys.
#
#   ruby envelopes.rb > crates/lookup/tests/eyaml/envelopes.jsonl
#
# A line has a key in PEM, an envelope in Base64, and the text that Ruby finds in it; null if it finds none.
require 'base64'
require 'json'
require 'open3'
require 'openssl'
require 'tempfile'

def pair(bits)
  key = OpenSSL::PKey::RSA.new(bits)
  certificate = OpenSSL::X509::Certificate.new
  certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse('/')
  certificate.serial = bits
  certificate.version = 2
  certificate.not_before = Time.at(0)
  certificate.not_after = Time.at(0x7fffffff)
  certificate.public_key = key.public_key
  certificate.sign(key, OpenSSL::Digest.new('SHA256'))
  [key, certificate]
end

def encrypt(certificates, text, cipher = 'aes-256-cbc')
  OpenSSL::PKCS7.encrypt(certificates, text, OpenSSL::Cipher.new(cipher), OpenSSL::PKCS7::BINARY).to_der
end

# As the command writes what it does not know the length of: BER, with the content in pieces.
def stream(certificate, text)
  Tempfile.create('certificate') do |file|
    file.write(certificate.to_pem)
    file.flush
    command = %w[openssl smime -encrypt -aes256 -binary -stream -outform DER] << file.path
    Open3.capture2(*command, stdin_data: text, binmode: true).first
  end
end

def answer(pem, certificate, der)
  OpenSSL::PKCS7.new(der).decrypt(OpenSSL::PKey::RSA.new(pem), certificate).force_encoding('UTF-8')
rescue OpenSSL::OpenSSLError, ArgumentError
  nil
end

def line(name, pem, certificate, der)
  puts JSON.generate(name: name, key: pem, envelope: Base64.strict_encode64(der), text: answer(pem, certificate, der))
end

pairs = [512, 768, 1024, 1536, 2040, 2048, 3072, 4096, 8192].to_h { |bits| [bits, pair(bits)] }
pairs.each { |bits, (key, certificate)| line("#{bits} bits", key.to_pem, certificate, encrypt([certificate], "for #{bits}")) }
[1024, 2048].each do |bits|
  key, certificate = pairs[bits]
  pkcs8 = key.private_to_pem
  line("#{bits} bits, PKCS #8", pkcs8, certificate, encrypt([certificate], 'pkcs8'))
  line("#{bits} bits, text around the key", "a comment\n#{pkcs8}\nmore\n", certificate, encrypt([certificate], 'around'))
  %w[aes-128-cbc aes-192-cbc].each { |cipher| line("#{bits} bits, #{cipher}", pkcs8, certificate, encrypt([certificate], cipher, cipher)) }
  line("#{bits} bits, no text", pkcs8, certificate, encrypt([certificate], ''))
  line("#{bits} bits, much text", pkcs8, certificate, encrypt([certificate], "line\n" * 200))
  line("#{bits} bits, Unicode", pkcs8, certificate, encrypt([certificate], 'gehäuse 日本'))
  line("#{bits} bits, stream", pkcs8, certificate, stream(certificate, "streamed\n" * 600))
  line("#{bits} bits, bytes after the envelope", pkcs8, certificate, encrypt([certificate], 'more') + "\0more")
  more = [key.to_der + "\0more"].pack('m')
  line("#{bits} bits, bytes after the key", "-----BEGIN RSA PRIVATE KEY-----\n#{more}-----END RSA PRIVATE KEY-----\n", certificate, encrypt([certificate], 'key'))
  others = [512, 4096].map { |other| pairs[other][1] }
  line("#{bits} bits, several holders", pkcs8, certificate, encrypt([others[0], certificate, others[1]], 'for three'))
  line("#{bits} bits, a key of another", pairs[3072][0].to_pem, certificate, encrypt([certificate], 'wrong'))
  line("#{bits} bits, of a smaller key", pkcs8, certificate, encrypt([pairs[512][1]], 'wrong'))
  line("#{bits} bits, of a larger key", pkcs8, certificate, encrypt([pairs[4096][1]], 'wrong'))
end
