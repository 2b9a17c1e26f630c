# frozen_string_literal: true

require 'json'
require 'net/http'
require 'openssl'
require 'uri'

# Asks a Puppet Server as an agent does: over HTTPS, with a certificate that the server's authority signed.
class Agent
  def initialize(name, port)
    @name = name
    @port = port
    @key = OpenSSL::PKey::RSA.new(2048)
  end

  # The catalog as the server sends it.
  def catalog(facts)
    form = { 'environment' => 'production', 'facts_format' => 'application/json',
             'facts' => URI.encode_www_form_component(JSON.generate('name' => @name, 'values' => facts)) }
    request = Net::HTTP::Post.new("/puppet/v3/catalog/#{@name}", 'Accept' => 'application/json')
    request.set_form_data(form)
    body(https(certificate).request(request))
  end

  private

  # The server signs what it is asked for: `autosign = true`.
  def certificate
    @certificate ||= begin
      put = Net::HTTP::Put.new("/puppet-ca/v1/certificate_request/#{@name}", 'Content-Type' => 'text/plain')
      put.body = certificate_request.to_pem
      body(https.request(put))
      OpenSSL::X509::Certificate.new(body(https.get("/puppet-ca/v1/certificate/#{@name}")))
    end
  end

  def certificate_request
    request = OpenSSL::X509::Request.new
    request.version = 0
    request.subject = OpenSSL::X509::Name.new([['CN', @name]])
    request.public_key = @key.public_key
    request.sign(@key, OpenSSL::Digest.new('SHA256'))
  end

  def https(certificate = nil)
    https = Net::HTTP.new('127.0.0.1', @port)
    https.use_ssl = true
    # The server's name is that of this machine, and its authority is a minute old.
    https.verify_mode = OpenSSL::SSL::VERIFY_NONE
    https.read_timeout = 300
    https.cert, https.key = certificate, @key if certificate
    https
  end

  def body(response)
    abort "the server answers #{response.code}: #{response.body[0, 2000]}" unless response.code == '200'
    response.body
  end
end
