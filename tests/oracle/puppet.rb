#!/usr/bin/env ruby
# What real Puppet says about manifests and EPP templates, from one warm process.
#
# One JSON object a line on standard input:
#   id       anything; given back
#   text     the source; or path, a file that holds it
#   base64   true: text is base64 (sources that are not UTF-8)
#   epp      true: a template
#   file     where the source stands below an entry of the module path ("apache/manifests/init.pp"), or null
#   tasks    true: as with --tasks
#   strict   "off", "warning" or "error" (the default)
#   want     some of "pn", "json", "nodes", "issues"
# One JSON object a line on standard output: id and what was wanted, with null for what a source that does not parse has not.
#   nodes    [class, offset, length] of every node below the Program, in pre-order
#   issues   {phase, severity, code, class, message, place, line, column} in the order in which Puppet reports;
#            code is null for an exception that has none, class is then its Ruby class; place is "at", "line", "file" or "nowhere"
# A line {"bench": [paths], "warm": N} is answered by {"seconds", "bytes"}: CPU time of parsing and validating these manifests,
# the first N of them once more before the clock starts.
require 'base64'
require 'json'
require 'puppet'
require 'puppet/pops'
require 'puppet/pops/model/pn_transformer'
require 'puppet/pops/pn'

# A process that outlives its parent's pipe, or a stray message of Ruby's, would spoil the answers.
ANSWERS = $stdout.dup
$stdout.reopen($stderr)
ANSWERS.sync = true

MODULES = '/modules'.freeze
OUTSIDE = '/manifests/site'.freeze

Puppet.initialize_settings([])
Puppet::Util::Log.close_all
ENVIRONMENT = Puppet::Node::Environment.create(:production, [MODULES])
Puppet.push_context({ current_environment: ENVIRONMENT, environments: Puppet::Environments::Static.new(ENVIRONMENT) }, 'oracle')
Puppet.push_context({ loaders: Puppet::Pops::Loaders.new(ENVIRONMENT) }, 'oracle loaders')

FORMAT = Puppet::Pops::Validation::DiagnosticFormatterPuppetStyle.new

# The issues of one source, in the order in which they come.
class Issues
  attr_reader :list
  attr_accessor :phase

  def initialize
    @list = []
    @phase = 'parse'
  end

  def add(severity, code, message, file, line, column, klass = nil)
    place = line && column ? 'at' : line ? 'line' : file.to_s.empty? ? 'nowhere' : 'file'
    @list << { phase: @phase, severity: severity, code: code, class: klass, message: message.dup.force_encoding('UTF-8').scrub('?'),
               place: place, line: line, column: column }
  end

  def log(entry)
    # Errors are logged only for the text of a heredoc, whose checker then raises one for the heredoc itself.
    return unless entry.level == :warning

    add('warning', entry.issue_code, entry.message, entry.file, entry.line, entry.pos)
  end

  def diagnostic(found)
    place = found.source_pos
    add(found.severity, found.issue.issue_code, FORMAT.format_message(found), found.file, place&.line, place&.pos) unless found.severity == :ignore
  end

  def exception(error)
    located = error.is_a?(Puppet::ExternalFileError)
    code = error.respond_to?(:issue_code) ? error.issue_code : nil
    # A ParseError's `message` has the place appended.
    words = error.respond_to?(:basic_message) ? error.basic_message : located ? error.original_message : error.message
    klass = code.nil? && !error.is_a?(Puppet::ParseError) ? error.class.name : nil
    add('error', code, words, located ? error.file : nil, located ? error.line : nil, located ? error.pos : nil, klass)
  end
end

# Puppet's log, heard by whoever is being checked now.
class Puppet::Util::Log
  class << self
    attr_accessor :listener

    def create(entry)
      log = new(entry)
      listener&.log(log)
      log
    end
  end
end

class Puppet::Error
  # The words that the exception was made with.
  def original_message
    Exception.instance_method(:to_s).bind(self).call
  end
end

def source_of(request)
  bytes = request['path'] ? File.binread(request['path']) : request['text']
  bytes = Base64.decode64(bytes) if request['base64']
  bytes.dup.force_encoding('UTF-8')
end

def file_of(request)
  request['file'] ? "#{MODULES}/#{request['file']}" : OUTSIDE + (request['epp'] ? '.epp' : '.pp')
end

def parsed(request, issues)
  parser = request['epp'] ? Puppet::Pops::Parser::EppParser.new : Puppet::Pops::Parser::Parser.new
  parser.parse_string(source_of(request), file_of(request)).model
rescue StandardError, SystemStackError => e
  issues.exception(e)
  nil
end

def validate(program, issues)
  issues.phase = 'validate'
  acceptor = Puppet::Pops::Validation::Acceptor.new
  Puppet::Pops::Validation::ValidatorFactory_4_0.new.validator(acceptor).validate(program)
  # Puppet prints the warnings first.
  (acceptor.warnings + acceptor.errors).each { |found| issues.diagnostic(found) }
rescue StandardError, SystemStackError => e
  issues.exception(e)
end

# Makes known what a valid manifest defines, in an environment of its own, as `puppet parser validate` does.
def load_definitions(program, request, issues)
  return if program.definitions.empty? || issues.list.any? { |issue| issue[:severity].to_s == 'error' }

  issues.phase = 'load'
  Puppet::Util::Warnings.clear_warnings
  environment = Puppet::Node::Environment.create(:production, [MODULES])
  Puppet.override({ current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment) }, 'oracle definitions') do
    bridge = Puppet::Parser::AST::PopsBridge::Program.new(program, file: file_of(request))
    bridge.instantiate('').each { |type| environment.known_resource_types.add(type) }
  end
rescue StandardError, SystemStackError => e
  issues.exception(e)
end

def nodes(program)
  list = []
  note = ->(node, _) { list << [node.class.name.split('::').last, node.offset, node.length] }
  return list if program.body.nil?

  note.call(program.body, nil)
  program.body._pcore_all_contents([], &note)
  list
end

# Some trees (reserved words, plans) break Puppet's own dump.
def pn(program)
  Puppet::Pops::Model::PNTransformer.transform(program)
rescue StandardError
  nil
end

def look(request)
  Puppet[:tasks] = request['tasks'] ? true : false
  Puppet[:strict] = (request['strict'] || 'error').to_sym
  issues = Puppet::Util::Log.listener = Issues.new
  want = request['want'] || %w[pn json nodes issues]
  program = parsed(request, issues)
  answer = { id: request['id'] }
  tree = program && pn(program)
  answer[:pn] = tree&.format(nil, String.new)&.scrub('?') if want.include?('pn')
  answer[:json] = tree && JSON.dump(tree.to_data) if want.include?('json')
  answer[:nodes] = program && nodes(program) if want.include?('nodes')
  if program && want.include?('issues')
    validate(program, issues)
    load_definitions(program, request, issues) unless request['epp']
  end
  answer[:issues] = issues.list if want.include?('issues')
  answer
rescue StandardError, SystemStackError => e
  # Not the source's fault, but the next request must be answered.
  { id: request['id'], failure: "#{e.class}: #{e.message[0, 300]}" }
ensure
  Puppet::Util::Log.listener = nil
end

def parse_and_validate(path, text)
  program = Puppet::Pops::Parser::Parser.new.parse_string(text, path).model
  Puppet::Pops::Validation::ValidatorFactory_4_0.new.validator(Puppet::Pops::Validation::Acceptor.new).validate(program)
rescue StandardError
  nil
end

def bench(request)
  sources = request['bench'].map { |path| [path, File.binread(path).force_encoding('UTF-8')] }
  sources.first(request['warm'] || 0).each { |path, text| parse_and_validate(path, text) }
  start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  sources.each { |path, text| parse_and_validate(path, text) }
  { seconds: Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start, bytes: sources.sum { |_, text| text.bytesize } }
end

ANSWERS.puts(JSON.generate(puppet: Puppet.version, ruby: RUBY_VERSION))
$stdin.each_line do |line|
  request = JSON.parse(line)
  ANSWERS.puts(JSON.generate(request['bench'] ? bench(request) : look(request)))
end
