# Encrypted values, with a pair of keys made for the occasion.
require 'openssl'
require 'base64'

pair = lambda do
  secret = OpenSSL::PKey::RSA.new(1024)
  certificate = OpenSSL::X509::Certificate.new
  certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse('/')
  certificate.serial = 1
  certificate.version = 2
  certificate.not_before = Time.at(0)
  certificate.not_after = Time.at(0x7fffffff)
  certificate.public_key = secret.public_key
  certificate.sign(secret, OpenSSL::Digest.new('SHA256'))
  [secret, certificate]
end
private_key, certificate = pair.call
other_key, other_certificate = pair.call
encrypt = lambda do |text, cipher = 'aes-256-cbc', to = [certificate]|
  Base64.strict_encode64(OpenSSL::PKCS7.encrypt(to, text, OpenSSL::Cipher.new(cipher), OpenSSL::PKCS7::BINARY).to_der)
end
enc = ->(*arguments) { "ENC[PKCS7,#{encrypt.(*arguments)}]" }
keys = { 'keys/private.pem' => private_key.to_pem, 'keys/public.pem' => certificate.to_pem, 'keys/pkcs8.pem' => private_key.private_to_pem, 'keys/other.pem' => other_key.to_pem, 'keys/broken.pem' => 'nonsense' }
config = lambda do |private_key: '/w/keys/private.pem', public_key: '/w/keys/public.pem', path: 'secret.eyaml', function: 'eyaml_lookup_key'|
  "version: 5\nhierarchy:\n  - name: Secret\n    lookup_key: #{function}\n#{path && "    path: #{path}\n"}    options:\n      pkcs7_private_key: #{private_key}\n      pkcs7_public_key: #{public_key}\n"
end
block = encrypt.('a long text that is folded').scan(/.{1,60}/).map { |line| "    #{line}\n" }.join
data = <<~YAML
  plain: text
  number: 5
  a: #{enc.('secret')}
  newline: #{enc.("line\n")}
  lines: #{enc.("one\ntwo\n\n")}
  unicode: #{enc.('gehäuse 日本')}
  empty: "#{enc.('')}"
  twice: "<#{enc.('x')}> and <#{enc.('y')}>"
  unnamed: ENC[#{encrypt.('default')}]
  aes128: #{enc.('short key', 'aes-128-cbc')}
  aes192: #{enc.('middle key', 'aes-192-cbc')}
  both: #{enc.('for two', 'aes-256-cbc', [other_certificate, certificate])}
  interpolated: "#{enc.('role %{role}')}"
  hash: {x: #{enc.('inner')}, '%{role}': ['#{enc.('item')}', 1, '%{site}']}
  folded: >
    ENC[PKCS7,
  #{block.chomp}]
  role: 'is %{role}'
  alias: '%{alias("hash")}'
  open: 'ENC[PKCS7,abc'
  none: 'ENC[]'
  long: #{enc.('0123456789' * 50)}
  gone: ~
  l: [#{enc.('one')}, two]
YAML
names = data.scan(/^([a-z]\w*):/).flatten
cases = [make(in_environment('hiera.yaml' => config.(), 'data/secret.eyaml' => data).merge(keys), explained(*names, 'hash.x', 'hash.web.0', 'nope', 'l.0') + explained('l', merge: 'unique'))]
cases << make(in_environment('hiera.yaml' => config.(private_key: '/w/keys/pkcs8.pem'), 'data/secret.eyaml' => data).merge(keys), [key('a'), key('hash'), key("a", explain: true)])
cases << make(in_environment('hiera.yaml' => config.(), 'data/secret.eyaml' => data).merge(keys), %w[a a hash a].map { |name| key(name, explain: true) }, together: true)
cases << make(in_environment('hiera.yaml' => config.(private_key: '/w/keys/nope.pem'), 'data/secret.eyaml' => data).merge(keys), explained('a', 'plain'))
cases << make(in_environment('hiera.yaml' => config.(public_key: '/w/keys/nope.pem'), 'data/secret.eyaml' => data).merge(keys), explained('a', 'plain'))
cases << make(in_environment('hiera.yaml' => config.(path: nil), 'data/secret.eyaml' => data).merge(keys), explained('a'))
cases << make(in_environment('hiera.yaml' => "version: 5\nhierarchy:\n  - name: S\n    lookup_key: eyaml_lookup_key\n    path: secret.eyaml\n", 'data/secret.eyaml' => data).merge(keys), explained('a', 'plain', 'number', 'role'))
cases << make(in_environment('hiera.yaml' => config.(), 'data/secret.eyaml' => "- 1\n").merge(keys), explained('a'))
cases << make(in_environment('hiera.yaml' => config.(), 'data/secret.eyaml' => "a: [\n").merge(keys), explained('a'))
cases << make(in_environment('hiera.yaml' => config.(), 'data/secret.eyaml' => '').merge(keys), explained('a'))
cases << make(keys.merge('hiera.yaml' => ":backends: eyaml\n:hierarchy: secret\n:eyaml:\n  :datadir: /w/data\n  :pkcs7_private_key: /w/keys/private.pem\n  :pkcs7_public_key: /w/keys/public.pem\n", 'data/secret.eyaml' => data), explained('a', 'plain', 'hash', 'nope'))
cases
