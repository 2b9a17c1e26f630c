#!/usr/bin/env ruby
# Whether real Puppet gets the trees of its own parser out of XPP files: with the plugin puppet-xpp, and alone.
#
# One JSON object a line on standard input:
#   text       the source, base64
#   epp        true: a template
#   tasks      true: as with --tasks
#   file       the path that Puppet is asked for
#   documents  {encoding: XPP file, base64}, which the plugin reads
#   stock      an XPP file in `json`, base64, which Puppet's own Deserializer reads; or null
# One JSON object a line on standard output: {encoding or "stock": null or the first difference};
# {"unparsed": message} where Puppet can't parse the source.
# Class, offset, length, all attributes and what derives from them are compared, node by node.
# A line {"edges": true} is answered by the list of the plugin's edge cases: {name, text, epp, tasks}.
require 'base64'
require 'json'
require 'puppet'
require 'puppet/pops'

# Ruby writes regular expressions as the locale wants.
Encoding.default_external = Encoding::UTF_8
ANSWERS = $stdout.dup
$stdout.reopen($stderr)
ANSWERS.sync = true

PLUGIN = File.expand_path('../../ruby/puppet-xpp', __dir__)
$LOAD_PATH.unshift("#{PLUGIN}/lib", "#{PLUGIN}/spec/support")
Puppet.initialize_settings([])
Puppet::Util::Log.close_all
ENVIRONMENT = Puppet::Node::Environment.create(:production, [])
Puppet.push_context({ current_environment: ENVIRONMENT, environments: Puppet::Environments::Static.new(ENVIRONMENT) }, 'oracle')
Puppet.push_context({ loaders: Puppet::Pops::Loaders.new(ENVIRONMENT) }, 'oracle loaders')
require 'puppet/xpp'
require 'puppet/xpp/document'
require 'edges'
require 'same'

BLANK_LINE = /\r?\n\r?\n/n

def decoded(text)
  Base64.decode64(text)
end

def parsed(request, source)
  Puppet[:tasks] = request['tasks'] ? true : false
  parser = request['epp'] ? Puppet::Pops::Parser::EppParser.new : Puppet::Pops::Parser::Parser.new
  parser.parse_string(source, request['file']).model
end

# Puppet alone knows nothing of envelopes.
def deserialized(document)
  payload = document.split(BLANK_LINE, 2).last.force_encoding(Encoding::UTF_8)
  reader = Puppet::Pops::Serialization::JSON::Reader.new(payload)
  Puppet::Pops::Serialization::Deserializer.new(reader, Puppet::Pops::Loaders.static_loader).read
end

def verdict(expected, **options)
  Same.difference(expected, yield, **options)
rescue StandardError, SystemStackError => e
  "#{e.class}: #{e.message.lines.first.to_s.chomp[0, 300]}"
end

def look(request)
  source = decoded(request['text']).force_encoding(Encoding::UTF_8)
  expected = parsed(request, source)
  answer = request['documents'].to_h do |encoding, document|
    [encoding, verdict(expected) { Puppet::Xpp::Document.read(decoded(document), request['file'], source) }]
  end
  answer['stock'] = verdict(expected, exact: false) { deserialized(decoded(request['stock'])) } if request['stock']
  answer
rescue StandardError, SystemStackError => e
  { unparsed: e.message.lines.first.to_s.chomp[0, 300] }
end

def edges
  Edges::SOURCES.map do |name, source|
    { name: name, text: Base64.strict_encode64(source), epp: Edges.template?(source), tasks: Edges.plan?(source) }
  end
end

ANSWERS.puts(JSON.generate(puppet: Puppet.version, ruby: "#{RUBY_ENGINE} #{RUBY_VERSION}"))
$stdin.each_line do |line|
  request = JSON.parse(line)
  ANSWERS.puts(JSON.generate(request['edges'] ? edges : look(request)))
end
