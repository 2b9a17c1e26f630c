#!/usr/bin/env ruby
# Whether real Puppet reads an XPP file in the encoding `json`, and gets the tree that its own parser gives.
#
# One line on standard input: the path of the XPP file, a tab, the path of its source, which is a template if it ends with .epp.
# With TASKS in the environment `plan` and `apply` are keywords.
# One line on standard output: "ok", "no tree", "ok, other bytes" (Puppet's serializer writes the same tree otherwise), or what is different.
# Puppet's own Deserializer reads the file; class, offset, length and every attribute of every node are compared.
require 'puppet'
require 'puppet/pops'

# Ruby writes regular expressions as the locale wants.
Encoding.default_external = Encoding::UTF_8
ANSWERS = $stdout.dup
$stdout.reopen($stderr)
ANSWERS.sync = true

Puppet.initialize_settings([])
Puppet::Util::Log.close_all
Puppet[:tasks] = true if ENV['TASKS']
ENVIRONMENT = Puppet::Node::Environment.create(:production, [])
Puppet.push_context({ current_environment: ENVIRONMENT, environments: Puppet::Environments::Static.new(ENVIRONMENT) }, 'oracle')
LOADERS = Puppet::Pops::Loaders.new(ENVIRONMENT)
Puppet.push_context({ loaders: LOADERS }, 'oracle loaders')

Model = Puppet::Pops::Model
Serialization = Puppet::Pops::Serialization
BLANK_LINE = /\r?\n\r?\n/

def payload(path)
  File.binread(path).split(BLANK_LINE, 2).last.force_encoding('UTF-8')
end

def deserialized(json)
  Serialization::Deserializer.new(Serialization::JSON::Reader.new(json), Puppet::Pops::Loaders.static_loader).read
end

def serialized(program)
  json = String.new
  serializer = Serialization::Serializer.new(Serialization::JSON::Writer.new(json), type_by_reference: true)
  serializer.write(program)
  serializer.finish
  json.force_encoding('UTF-8')
end

def parsed(path, file)
  parser = path.end_with?('.epp') ? Puppet::Pops::Parser::EppParser.new : Puppet::Pops::Parser::Parser.new
  parser.parse_string(File.read(path, encoding: 'UTF-8'), file).model
end

# The first difference between two values, as text; nil if there is none.
def difference(left, right, path)
  return "#{path}: #{left.class} instead of #{right.class}" unless left.class == right.class
  case left
  when Array
    return "#{path}: #{left.size} instead of #{right.size}" unless left.size == right.size
    left.each_index { |at| found = difference(left[at], right[at], "#{path}[#{at}]") and return found }
    nil
  when Puppet::Pops::Parser::Locator::Locator19
    same = [:string, :file, :line_index].all? { |name| left.send(name) == right.send(name) }
    same ? nil : "#{path}: another locator"
  when Model::PopsObject
    left.class._pcore_type.parameter_info(left.class)[0].each do |name|
      next if name == 'locator' && path != 'program'
      found = difference(left.send(name), right.send(name), "#{path}.#{name}") and return found
    end
    nil
  else
    left.eql?(right) ? nil : "#{path}: #{left.inspect} instead of #{right.inspect}"
  end
end

# Definitions must be the very objects of the tree.
def foreign_definition(program)
  nodes = {}.compare_by_identity
  nodes[program.body] = true
  program.body._pcore_all_contents([]) { |node| nodes[node] = true }
  program.definitions.find { |definition| !nodes[definition] }
end

def answer(xpp, source)
  json = payload(xpp)
  ours = deserialized(json)
  return 'no tree' if ours.nil?
  theirs = parsed(source, ours.locator.file)
  found = difference(ours, theirs, 'program')
  return "different: #{found}" if found
  return 'different: a definition is not in the tree' if foreign_definition(ours)
  serialized(theirs) == json ? 'ok' : 'ok, other bytes'
rescue StandardError => e
  "failed: #{e.class}: #{e.message.lines.first.to_s.chomp[0, 300]}"
end

$stdin.each_line(chomp: true) do |line|
  xpp, source = line.split("\t", 2)
  ANSWERS.puts(answer(xpp, source))
end
