# Answers of a running Puppet Server.
#
#   ruby tests/oracle/agents/live.rb URL CLIENT.pem CLIENT.key ROOT < REQUESTS > ANSWERS
#
# REQUESTS has one request per line: METHOD TARGET [HEADER=VALUE …]. ANSWERS has one JSON object per line, in which ROOT, the
# directory of the server's code, is written as /ROOT.

require 'json'
require 'net/http'
require 'openssl'

url, certificate, key, root = ARGV
uri = URI(url)
http = Net::HTTP.new(uri.host, uri.port)
http.use_ssl = true
http.verify_mode = OpenSSL::SSL::VERIFY_NONE
http.cert = OpenSSL::X509::Certificate.new(File.read(certificate))
http.key = OpenSSL::PKey.read(File.read(key))
http.read_timeout = 120
http.start do
  $stdin.each_line(chomp: true) do |line|
    next puts(line) if line.empty? || line.start_with?('#')
    method, target, *fields = line.split(' ')
    headers = fields.to_h { |field| field.split('=', 2) }
    headers['Accept'] ||= 'application/json'
    headers['Accept-Encoding'] ||= 'identity'
    answer = http.send_request(method, target, nil, headers)
    body = answer.body.to_s.dup.force_encoding('UTF-8').gsub(root, '/ROOT')
    puts JSON.generate('request' => line, 'status' => answer.code.to_i, 'type' => answer['content-type'], 'body' => body)
  end
end
