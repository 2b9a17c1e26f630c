# Starts Debian's Puppet Server on the test site, and records its answers to the requests of agents.rb.
#
#   ruby tests/oracle/agents/record.rb > crates/server/tests/agents/recorded.jsonl
#
# Clients have certificates of an authority of their own, so that the routes of the CA begin with a new CA.

require 'fileutils'
require 'openssl'
require 'socket'
require 'tmpdir'

SITE = File.expand_path('../../../crates/server/tests/agents/site', __dir__)
ROOT = Dir.mktmpdir('kukla-record')
PORT = ENV.fetch('PORT') { TCPServer.open('127.0.0.1', 0) { |server| server.addr[1] } }.to_i
File.chmod(0o755, ROOT)
at_exit { FileUtils.rm_rf(ROOT) unless ENV['KEEP'] }

%w[conf code tls server/conf.d].each { |name| FileUtils.mkdir_p("#{ROOT}/#{name}") }
FileUtils.cp(Dir.glob("#{SITE}/*").select { |path| File.file?(path) }, "#{ROOT}/conf")
FileUtils.cp_r(["#{SITE}/environments", "#{SITE}/mount"], "#{ROOT}/code")
FileUtils.mv("#{ROOT}/conf/auth.conf", "#{ROOT}/server/conf.d/auth.conf")
File.write("#{ROOT}/conf/puppet.conf", "cadir = #{ROOT}/ca\nkeylength = 2048\nenvironment_timeout = 0\n", mode: 'a')

# An authority, and certificates of it.
class Pki
  def initialize
    @key = OpenSSL::PKey::RSA.new(2048)
    @ca = certificate('Test CA', 1, @key.public_key)
    @ca.add_extension(factory.create_extension('basicConstraints', 'CA:TRUE', true))
    @ca.add_extension(factory.create_extension('keyUsage', 'keyCertSign, cRLSign', true))
    @ca.add_extension(factory.create_extension('subjectKeyIdentifier', 'hash'))
    @ca.sign(@key, 'SHA256')
    @serial = 1
  end

  def sign(name, extensions = {})
    key = OpenSSL::PKey::RSA.new(2048)
    certificate = certificate(name, @serial += 1, key.public_key)
    certificate.add_extension(factory.create_extension('subjectAltName', 'DNS:localhost,IP:127.0.0.1'))
    extensions.each do |oid, text|
      certificate.add_extension(OpenSSL::X509::Extension.new("1.3.6.1.4.1.34380.1.#{oid}", OpenSSL::ASN1::UTF8String(text).to_der))
    end
    certificate.sign(@key, 'SHA256')
    File.write("#{ROOT}/tls/#{name}.pem", certificate.to_pem)
    File.write("#{ROOT}/tls/#{name}.key", key.to_pem)
  end

  def write
    crl = OpenSSL::X509::CRL.new
    crl.issuer = @ca.subject
    crl.version = 1
    crl.last_update = Time.now - 86_400
    crl.next_update = Time.now + 86_400 * 365
    ext = OpenSSL::X509::ExtensionFactory.new
    ext.issuer_certificate = @ca
    crl.add_extension(ext.create_extension('authorityKeyIdentifier', 'keyid:always'))
    crl.add_extension(OpenSSL::X509::Extension.new('crlNumber', OpenSSL::ASN1::Integer(1)))
    crl.sign(@key, 'SHA256')
    File.write("#{ROOT}/tls/ca.pem", @ca.to_pem)
    File.write("#{ROOT}/tls/crl.pem", crl.to_pem)
  end

  private

  def certificate(name, serial, key)
    certificate = OpenSSL::X509::Certificate.new
    certificate.version = 2
    certificate.serial = serial
    certificate.subject = OpenSSL::X509::Name.new([['CN', name]])
    certificate.issuer = @ca ? @ca.subject : certificate.subject
    certificate.public_key = key
    certificate.not_before = Time.now - 86_400
    certificate.not_after = Time.now + 86_400 * 365
    certificate
  end

  def factory
    OpenSSL::X509::ExtensionFactory.new.tap { |factory| factory.subject_certificate = @ca }
  end
end

pki = Pki.new
pki.write
pki.sign('server')
pki.sign('agent.example')
pki.sign('admin.example')
pki.sign('trusted.example', '1.13' => 'web', '2.7' => 'x', '2.1.1' => 'blue')
pki.sign('cli.example', '3.39' => 'true')
File.write("#{ROOT}/server/conf.d/webserver.conf", <<~HOCON)
  webserver: {
    client-auth: want, ssl-host: 127.0.0.1, ssl-port: #{PORT}
    ssl-cert: #{ROOT}/tls/server.pem, ssl-key: #{ROOT}/tls/server.key
    ssl-ca-cert: #{ROOT}/tls/ca.pem, ssl-crl-path: #{ROOT}/tls/crl.pem
  }
HOCON
server = IO.popen(['ruby', "#{__dir__}/puppetserver.rb", ROOT, PORT.to_s], 'r+')
abort 'Puppet Server does not start' unless server.gets == "ready\n"
if ENV['KEEP']
  warn "ruby tests/oracle/agents.rb https://127.0.0.1:#{PORT} #{ROOT}/tls #{ROOT}/code #{ROOT}/conf"
  $stdin.read
else
  system('ruby', "#{__dir__}/../agents.rb", "https://127.0.0.1:#{PORT}", "#{ROOT}/tls", "#{ROOT}/code", "#{ROOT}/conf")
end
server.close
