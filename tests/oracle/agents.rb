# Asks a running Puppet Server what agents and tools ask, and writes its answers as lines of JSON.
#
#   ruby tests/oracle/agents.rb https://127.0.0.1:28140 CLIENTS CODEDIR CONFDIR [PART] > ANSWERS
#
# CLIENTS has NAME.pem and NAME.key of agent.example, admin.example, trusted.example and cli.example; the server's
# environments, classifier and rules are those of crates/server/tests/agents/site. `agents/record.rb` starts such a server.
# With PART only requests whose names contain it are sent.
require 'json'
require 'net/http'
require 'openssl'
require 'uri'

SERVER, CLIENTS, CODE, CONF, PART = ARGV
CATALOG = { 'Accept' => 'application/vnd.puppet.rich+json, application/json, text/pson' }.freeze
PLAIN = { 'Accept' => 'application/json' }.freeze
FORM = { 'Content-Type' => 'application/x-www-form-urlencoded' }.freeze
JSON_BODY = { 'Content-Type' => 'application/json' }.freeze

@requests = []

def ask(name, client, method, path, headers = {}, body = nil)
  @requests << { name: name, client: client, method: method, path: path, headers: headers, body: body }
end

def form(node, values: {}, **fields)
  facts = { name: node, values: values, timestamp: '2026-01-01T00:00:00.000000000+00:00', expiration: '2036-01-01T00:00:00.000000000+00:00' }
  escaped = URI.encode_www_form_component(JSON.generate(facts)).gsub('+', '%20')
  all = { facts_format: 'application/json', facts: escaped, environment: 'production' }.merge(fields).compact
  URI.encode_www_form(all)
end

def catalog(name, node, query: 'environment=production', client: 'admin.example', headers: CATALOG, **options)
  ask(name, client, 'POST', "/puppet/v3/catalog/#{node}?#{query}", headers.merge(FORM), form(node, **options))
end

# Catalogs
catalog('a catalog of the own node', 'agent.example', client: 'agent.example')
catalog('a plain catalog', 'agent.example', client: 'agent.example', headers: PLAIN)
catalog('any format', 'agent.example', headers: { 'Accept' => '*/*' })
catalog('order counts, not quality', 'agent.example', headers: { 'Accept' => 'application/json;q=0.1, application/vnd.puppet.rich+json;q=0.9' })
catalog('a format by its name', 'agent.example', headers: { 'Accept' => 'rich_data_json' })
catalog('a format by the name json', 'agent.example', headers: { 'Accept' => 'json' })
catalog('no format', 'agent.example', headers: {})
catalog('an empty list of formats', 'agent.example', headers: { 'Accept' => '' })
catalog('an unknown format', 'agent.example', headers: { 'Accept' => 'text/html' })
catalog('an unknown format before a known one', 'agent.example', headers: { 'Accept' => 'text/html, application/json' })
%w[rich trusted facts server warn].each do |node|
  values = { 'colour' => 'blue', 'deep' => { 'a' => { 'b' => 7 } }, 'text' => 'ä+b%20c & d=e' }
  catalog("node #{node}", "#{node}.example", values: values)
  catalog("node #{node} in plain data", "#{node}.example", values: values, headers: PLAIN)
end
catalog('extensions of a certificate', 'trusted.example', client: 'trusted.example')
catalog('a name in another case', 'AGENT.example', client: 'agent.example')
catalog('another node', 'web.example', client: 'agent.example')
catalog('no certificate', 'agent.example', client: nil)
catalog('a failing node', 'fail.example')
catalog('an unknown class', 'unknownclass.example')
catalog('a broken environment', 'agent.example', query: 'environment=broken', environment: 'broken')
catalog('a failing environment', 'agent.example', query: 'environment=failing', environment: 'failing')
catalog('an unknown environment', 'agent.example', query: 'environment=nosuch', environment: 'nosuch')
catalog('an unknown environment, checked', 'agent.example', query: 'environment=nosuch', environment: 'nosuch', check_environment: 'true')
catalog('an environment with a wrong name', 'agent.example', query: 'environment=bad-env-name')
catalog('an environment with a dot', 'agent.example', query: 'environment=a.b')
catalog('an empty environment', 'agent.example', query: 'environment=', environment: nil)
catalog('no environment', 'agent.example', query: '', environment: nil)
catalog('an environment in the form only', 'agent.example', query: '')
catalog('two environments', 'agent.example', query: 'environment=other', environment: 'production')
catalog('the environment other', 'agent.example', query: 'environment=other', environment: 'other')
catalog('an environment by the classifier', 'other1.example')
catalog('an environment by the classifier, checked', 'other1.example', check_environment: 'true')
catalog('the environment of the classifier, checked', 'other1.example', query: 'environment=other', environment: 'other', check_environment: 'true')
catalog('a classifier with a parameter', 'enc.example')
catalog('a classifier with a class', 'encclass.example')
catalog('a classifier that fails', 'encfail.example')
catalog('a classifier that knows nothing', 'encnone.example')
catalog('a classifier that prints no YAML', 'encbad.example')
catalog('a classifier with an unknown environment', 'encgone.example')
catalog('a transaction', 'agent.example', transaction_uuid: '11111111-2222-3333-4444-555555555555', job_uuid: 'x', static_catalog: 'true', checksum_type: 'sha256.md5')
catalog('a configured environment', 'agent.example', configured_environment: 'production', check_environment: 'false')
catalog('facts in PSON', 'agent.example', facts_format: 'pson')
catalog('facts in text/pson', 'agent.example', facts_format: 'text/pson')
catalog('facts in yaml', 'agent.example', facts_format: 'yaml')
catalog('facts without a format', 'agent.example', facts_format: nil)
catalog('a format without facts', 'agent.example', facts: nil)
catalog('facts of another node', 'agent.example', facts: '%7B%22name%22%3A%22x%22%2C%22values%22%3A%7B%7D%7D')
catalog('facts without a name', 'agent.example', facts: '%7B%22values%22%3A%7B%7D%7D')
catalog('facts without values', 'agent.example', facts: '%7B%22name%22%3A%22agent.example%22%7D')
catalog('facts that are a list', 'agent.example', facts: '%5B%5D')
catalog('facts that are null', 'agent.example', facts: 'null')
catalog('facts that are no JSON', 'agent.example', facts: '%7B')
catalog('empty facts', 'agent.example', facts: '')
catalog('facts that are encoded once', 'facts.example', facts: '{"name":"facts.example","values":{"colour":"red","deep":{"a":{"b":1}},"text":"t"}}')
catalog('facts with a stray percent sign', 'agent.example', facts: '%zz')
ask('a form without a type', 'admin.example', 'POST', '/puppet/v3/catalog/agent.example?environment=production', CATALOG.merge('Content-Type' => ''), '')
ask('a JSON body', 'admin.example', 'POST', '/puppet/v3/catalog/agent.example?environment=production', CATALOG.merge(JSON_BODY), '{}')
ask('an empty form', 'admin.example', 'POST', '/puppet/v3/catalog/agent.example?environment=production', CATALOG.merge(FORM), '')
ask('stored facts', 'admin.example', 'POST', '/puppet/v3/catalog/facts.example?environment=production', CATALOG.merge(FORM), '')
ask('GET', 'agent.example', 'GET', '/puppet/v3/catalog/agent.example?environment=production', CATALOG)
ask('GET without environment', 'agent.example', 'GET', '/puppet/v3/catalog/agent.example', CATALOG)
ask('GET with facts', 'agent.example', 'GET', '/puppet/v3/catalog/agent.example?' + form('agent.example'), CATALOG)
ask('GET without Accept', 'agent.example', 'GET', '/puppet/v3/catalog/agent.example?environment=production')
%w[PUT DELETE HEAD PATCH OPTIONS].each do |method|
  ask("#{method} of a catalog", 'admin.example', method, '/puppet/v3/catalog/agent.example?environment=production', CATALOG, method == 'PUT' || method == 'PATCH' ? '' : nil)
end
ask('catalog without a node', 'admin.example', 'GET', '/puppet/v3/catalog?environment=production', CATALOG)
ask('catalog with an empty node', 'admin.example', 'GET', '/puppet/v3/catalog/?environment=production', CATALOG)
ask('catalog of a node with a slash', 'admin.example', 'GET', '/puppet/v3/catalog/a%2Fb?environment=production', CATALOG)
ask('catalog with another segment', 'admin.example', 'GET', '/puppet/v3/catalog/a/b?environment=production', CATALOG)

# Nodes
ask('a node', 'agent.example', 'GET', '/puppet/v3/node/agent.example?environment=production&configured_environment=production&transaction_uuid=x', PLAIN)
ask('a node as pson', 'agent.example', 'GET', '/puppet/v3/node/agent.example?environment=production', { 'Accept' => 'application/json, application/x-msgpack, text/pson' })
ask('a node of another', 'agent.example', 'GET', '/puppet/v3/node/web.example?environment=production', PLAIN)
ask('a node without a certificate', nil, 'GET', '/puppet/v3/node/agent.example?environment=production', PLAIN)
ask('a node without environment', 'agent.example', 'GET', '/puppet/v3/node/agent.example', PLAIN)
ask('a node in an unknown environment', 'agent.example', 'GET', '/puppet/v3/node/agent.example?environment=nosuch', PLAIN)
ask('a node in an environment with a wrong name', 'agent.example', 'GET', '/puppet/v3/node/agent.example?environment=x-y', PLAIN)
ask('a node without Accept', 'agent.example', 'GET', '/puppet/v3/node/agent.example?environment=production')
ask('a node as HTML', 'agent.example', 'GET', '/puppet/v3/node/agent.example?environment=production', { 'Accept' => 'text/html' })
ask('a node with facts', 'admin.example', 'GET', '/puppet/v3/node/facts.example?environment=production', PLAIN)
%w[other1 enc encclass encfail encnone encbad encgone].each do |node|
  ask("a node of the classifier: #{node}", 'admin.example', 'GET', "/puppet/v3/node/#{node}.example?environment=production", PLAIN)
end
%w[POST PUT DELETE HEAD].each do |method|
  ask("#{method} of a node", 'admin.example', method, '/puppet/v3/node/agent.example?environment=production', PLAIN, method[0] == 'P' ? '' : nil)
end

# Facts
facts = JSON.generate(name: 'agent.example', values: { a: 1 }, timestamp: '2026-01-01T00:00:00.000000000+00:00', expiration: '2036-01-01T00:00:00.000000000+00:00')
ask('facts', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=production', PLAIN.merge(JSON_BODY), facts)
ask('facts of another', 'agent.example', 'PUT', '/puppet/v3/facts/web.example?environment=production', PLAIN.merge(JSON_BODY), facts)
ask('facts with another name', 'admin.example', 'PUT', '/puppet/v3/facts/web.example?environment=production', PLAIN.merge(JSON_BODY), facts)
ask('facts in an unknown environment', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=nosuch', PLAIN.merge(JSON_BODY), facts)
ask('facts without environment', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example', PLAIN.merge(JSON_BODY), facts)
ask('malformed facts', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=production', PLAIN.merge(JSON_BODY), '{')
ask('facts that are a list, by PUT', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=production', PLAIN.merge(JSON_BODY), '[]')
ask('facts of another type', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=production', PLAIN.merge('Content-Type' => 'text/html'), facts)
ask('facts of no type', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=production', PLAIN.merge('Content-Type' => ''), facts)
ask('facts without Accept', 'agent.example', 'PUT', '/puppet/v3/facts/agent.example?environment=production', JSON_BODY, facts)
ask('GET of facts', 'admin.example', 'GET', '/puppet/v3/facts/agent.example?environment=production', PLAIN)

# v4
def v4(name, body, client: 'admin.example', headers: JSON_BODY)
  ask(name, client, 'POST', '/puppet/v4/catalog', headers, body.is_a?(String) ? body : JSON.generate(body))
end
base = { certname: 'agent.example', persistence: { facts: false, catalog: false }, environment: 'production', facts: { values: { a: 1 } }, trusted_facts: { values: {} } }
v4('v4', base)
v4('v4 denied', base, client: 'agent.example')
v4('v4 without a certificate', base, client: nil)
v4('v4 with trusted facts', base.merge(certname: 'trusted.example', trusted_facts: { values: { certname: 'c', authenticated: 'remote', extensions: { pp_role: 'db' }, hostname: 'h', domain: 'd' } }))
v4('v4 with rich data', base.merge(certname: 'rich.example'))
v4('v4 without facts', base.reject { |key| key == :facts })
v4('v4 without trusted facts', base.reject { |key| key == :trusted_facts })
v4('v4 without certname', base.reject { |key| key == :certname })
v4('v4 without persistence', base.reject { |key| key == :persistence })
v4('v4 without environment', base.reject { |key| key == :environment })
v4('v4 with an unknown key', base.merge(nosuch: 1))
v4('v4 with a wrong type', base.merge(certname: 1))
v4('v4 with an unknown environment', base.merge(environment: 'nosuch'))
v4('v4 with an environment of a wrong name', base.merge(environment: 'x-y'))
v4('v4 in the environment other', base.merge(environment: 'other'))
v4('v4 of a failing node', base.merge(certname: 'fail.example'))
v4('v4 of a classified node', base.merge(certname: 'other1.example'))
v4('v4 of a classified node that prefers its own', base.merge(certname: 'other1.example', options: { prefer_requested_environment: true }))
v4('v4 with logs', base.merge(certname: 'warn.example', options: { capture_logs: true, log_level: 'warning' }))
v4('v4 that is no JSON', '{')
v4('v4 that is a list', '[]')
v4('v4 without a body', '')
v4('v4 without a type', base, headers: {})
v4('v4 with a slash', base)
@requests.last[:path] = '/puppet/v4/catalog/'
ask('v4 by GET', 'admin.example', 'GET', '/puppet/v4/catalog')
ask('v4 with a node', 'admin.example', 'POST', '/puppet/v4/catalog/agent.example', JSON_BODY, '{}')

# Environments, status, administration
ask('environments', 'agent.example', 'GET', '/puppet/v3/environments', PLAIN)
ask('environments without Accept', 'agent.example', 'GET', '/puppet/v3/environments')
ask('environments without a certificate', nil, 'GET', '/puppet/v3/environments', PLAIN)
ask('POST of environments', 'admin.example', 'POST', '/puppet/v3/environments', PLAIN, '')
ask('status', nil, 'GET', '/status/v1/simple')
%w[server master ca nosuch].each { |service| ask("status of #{service}", nil, 'GET', "/status/v1/simple/#{service}") }
ask('POST of status', nil, 'POST', '/status/v1/simple', {}, '')
ask('services', nil, 'GET', '/status/v1/services')
%w[critical info nosuch].each { |level| ask("services, level #{level}", nil, 'GET', "/status/v1/services?level=#{level}") }
%w[server ca master status-service nosuch].each { |service| ask("service #{service}", nil, 'GET', "/status/v1/services/#{service}") }
ask('environment cache', 'admin.example', 'DELETE', '/puppet-admin-api/v1/environment-cache')
ask('environment cache of one', 'admin.example', 'DELETE', '/puppet-admin-api/v1/environment-cache?environment=production')
ask('environment cache of an unknown one', 'admin.example', 'DELETE', '/puppet-admin-api/v1/environment-cache?environment=nosuch')
ask('environment cache, denied', 'agent.example', 'DELETE', '/puppet-admin-api/v1/environment-cache')
ask('environment cache without a certificate', nil, 'DELETE', '/puppet-admin-api/v1/environment-cache')
ask('GET of the environment cache', 'admin.example', 'GET', '/puppet-admin-api/v1/environment-cache')
ask('admin API, unknown', 'admin.example', 'GET', '/puppet-admin-api/v1/nosuch')
ask('metrics, denied', 'agent.example', 'GET', '/metrics/v2/list')

# Paths
['/', '/nosuch', '/puppet', '/puppet/', '/puppet/v3', '/puppet/v3/', '/puppet/v3/nosuch', '/puppet/v3/nosuch/x?environment=production', '/puppet/v2/catalog/x',
 '/puppet-ca/v1/nosuch', '/production/catalog/agent.example', '/v2.0/environments',
 '/puppet/v3/status/x?environment=production', '/puppet/v3/../v3/environments', '/puppet/v3/%2e%2e/v3/environments', '/puppet/v3/./environments',
 '/puppet/v3/%2E/environments', '/puppet/v3/catalog/..?environment=production', '/puppet/v3/catalog/%2e%2e%2fagent.example?environment=production',
 '/puppet/v3//environments', '//puppet/v3/environments', '/puppet/v3/environments/', '/puppet/v3/environments/x', '/puppet/v3/environments%00',
 '/puppet/v3/environments%zz', '/puppet/v3/environments;a=b', '/puppet/v3/ENVIRONMENTS', '/PUPPET/v3/environments', '/puppet%2Fv3%2Fenvironments',
 '/puppet/v3/%65nvironments', '/puppet/v3/environments?a=%zz', '/puppet/v3/environments?a=1&a=2', '/puppet/v3/environments#x'].each do |path|
  ask("path #{path}", 'admin.example', 'GET', path, PLAIN)
  ask("path #{path} without a certificate", nil, 'GET', path, PLAIN)
end
ask('a spoofed certificate', nil, 'GET', '/puppet/v3/environments', PLAIN.merge('X-Client-Verify' => 'SUCCESS', 'X-Client-DN' => 'CN=admin.example'))
ask('a long header', nil, 'GET', '/status/v1/simple', { 'X-Long' => 'x' * 9000 })
ask('a long path', nil, 'GET', "/status/v1/simple?#{'x' * 9000}")

load "#{__dir__}/agents/requests_files.rb"
load "#{__dir__}/agents/requests_ca.rb"

def connection(client)
  uri = URI(SERVER)
  http = Net::HTTP.new(uri.host, uri.port)
  http.use_ssl = true
  http.verify_mode = OpenSSL::SSL::VERIFY_NONE
  http.read_timeout = 180
  if client
    http.cert = OpenSSL::X509::Certificate.new(File.read("#{CLIENTS}/#{client}.pem"))
    http.key = OpenSSL::PKey.read(File.read("#{CLIENTS}/#{client}.key"))
  end
  http
end

def normal(body)
  text = body.to_s.dup.force_encoding('UTF-8').scrub
  text = text.gsub(CODE, 'CODE').gsub(CONF, 'CODE')
  text = text.gsub(/"(catalog_uuid|service_version)":"[^"]*"/) { "\"#{$1}\":\"X\"" }
  text.gsub(/"version":\d{9,}/, '"version":0')
end

@requests.each do |request|
  next unless request[:name].include?(PART.to_s)

  klass = Net::HTTPGenericRequest
  has_body = !%w[HEAD].include?(request[:method])
  raw = klass.new(request[:method], !request[:body].nil?, has_body, request[:path])
  %w[Accept Accept-Encoding User-Agent].each { |name| raw.delete(name) }
  request[:headers].each { |name, value| value.empty? && name == 'Content-Type' ? raw.delete(name) : raw[name] = value }
  raw.body = request[:body] if request[:body]
  answer =
    begin
      response = connection(request[:client]).start { |http| http.request(raw) }
      { status: response.code.to_i, type: response['Content-Type'], puppet: !response['X-Puppet-Version'].nil?, body: normal(response.body) }
    rescue StandardError => e
      { error: e.class.name }
    end
  puts JSON.generate(request.compact.merge(answer: answer))
  $stdout.flush
  warn "#{request[:name]}: #{answer[:status] || answer[:error]}"
end
