# Real Puppet's lookups, from one warm process.
#
#   ruby lookup.rb record DIR [SUBJECT…]   writes what Puppet answers to the cases of lookup/SUBJECT.rb, a line a case
#   ruby lookup.rb                         reads cases as lines of JSON and answers them
#
# A case has files (paths below a root that is called /w in answers), facts, settings, and queries. Every query is made
# in a compilation of its own, unless the case says "together".
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'
require 'puppet/pops'
require 'puppet_pal'
module Puppet::Test; end

WORK = Dir.mktmpdir('oracle')
at_exit { FileUtils.remove_entry(WORK) }
ROOT = "#{WORK}/w"
Puppet.initialize_settings(
  %w[confdir vardir rundir logdir publicdir].flat_map { |dir| ["--#{dir}", "#{WORK}/#{dir}"] } +
    ['--codedir', "#{ROOT}/code", '--certname', 'puppet.example.com', '--no-storeconfigs'], true, false
)
Puppet[:strict_variables] = true
Puppet[:rich_data] = true
Puppet::Util::Log.level = :debug

# Explanations show types as Ruby's own objects, with their addresses; nobody could compare those.
class Puppet::Pops::Types::PAnyType
  def inspect = to_s
end

# Keeps the log; Puppet accepts a destination by the name of its class.
class Puppet::Test::LogCollector
  attr_reader :lines

  def initialize = @lines = []

  def <<(log)
    @lines << [log.level, log.message] if %i[warning err].include?(log.level)
  end
end

# Without a standing destination Puppet keeps messages for the next case.
sink = Puppet::Test::LogCollector.new
def sink.<<(_log) = nil
Puppet::Util::Log.newdestination(sink)

def write(files)
  FileUtils.rm_rf(ROOT)
  FileUtils.mkdir_p("#{ROOT}/code/environments/production/modules")
  files.each do |path, content|
    FileUtils.mkdir_p(File.dirname("#{ROOT}/#{path}"))
    File.binwrite("#{ROOT}/#{path}", content.gsub(%r{(?<![\w.])/w/}, "#{ROOT}/"))
  end
end

def compiler(request)
  loader = Puppet::Environments::Directories.new("#{ROOT}/code/environments", [])
  trusted = Puppet::Context::TrustedInformation.new('remote', 'web1.example.com', request['trusted'] || {}, {})
  Puppet.override(environments: loader, trusted_information: trusted, plugins: Puppet::Plugins::Configuration.load_plugins) do
    environment = loader.get!(:production)
    facts = Puppet::Node::Facts.new('web1.example.com', request['facts'] || {})
    node = Puppet::Node.new('web1.example.com', facts: facts, environment: environment)
    node.merge(facts.values)
    node.trusted_data = trusted.to_h
    Puppet.override(current_environment: environment) do
      compiler = Puppet::Parser::Compiler.new(node)
      compiler.compile do |catalog|
        yield compiler.topscope
        catalog
      end
    end
  end
end

def kind(error)
  case error
  when Puppet::DataBinding::LookupError then 'lookup'
  when Puppet::Error then 'puppet'
  else 'other'
  end
end

# Ruby adds the line of its own source, and names that are alike.
def message(error) = error.message.sub(/\n\n {4}.*\z/m, '').sub(/\nDid you mean.*\z/m, '')

def relative(data)
  case data
  when String then data.gsub(ROOT, '/w')
  when Array then data.map { |item| relative(item) }
  when Hash then data.to_h { |key, value| [relative(key), relative(value)] }
  when Float then data.finite? ? data : { '__float' => data.to_s } # these have no JSON
  else data
  end
end

def rich(value)
  Puppet::Pops::Serialization::ToDataConverter.convert(value, rich_data: true, local_reference: false, symbol_as_string: true)
end

def ask(query, scope)
  answer = {}
  explain = query['explain']
  explainer = explain ? Puppet::Pops::Lookup::Explainer.new(explain != true, explain == 'options') : nil
  invocation = Puppet::Pops::Lookup::Invocation.new(scope, query['override'] || {}, query['defaults'] || {}, explainer)
  begin
    type = query['type'] && Puppet::Pops::Types::TypeParser.singleton.parse(query['type'], scope)
    value = if query['call']
              scope.call_function(query['call'], query['arguments'])
            else
              Puppet::Pops::Lookup.lookup(query['names'], type, query['default'], query.key?('default'), query['merge'], invocation)
            end
    answer['value'] = rich(value)
  rescue Puppet::DataBinding::LookupError => e
    invocation.report_text { e.message }
    answer['error'] = [kind(e), message(e)]
  rescue SignalException, SystemExit
    raise
  rescue Exception => e
    answer['error'] = [kind(e), message(e)]
  end
  answer['explain'] = explainer.explain if explain
  answer
end

# CPU time of looking up all parameters of classes, the shortest of three times.
def bench(names, scope)
  times = Array.new(3) do
    GC.start
    start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    names.each do |name|
      found = false
      catch(:no_such_key) do
        Puppet::Pops::Lookup.search_and_merge(name, Puppet::Pops::Lookup::Invocation.new(scope), nil)
        found = true
      end
      raise "#{name} is not found" unless found
    end
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start
  end
  times.min
end

def answer(request)
  write(request['files'])
  Puppet[:hiera_config] = "#{ROOT}/hiera.yaml"
  Puppet[:strict] = (request['strict'] || 'error').to_sym
  Puppet[:code] = 'undef'
  Puppet[:environmentpath] = "#{ROOT}/code/environments"
  if request['bench']
    seconds = nil
    compiler(request) { |scope| seconds = bench(request['bench'], scope) }
    return { 'seconds' => seconds }
  end
  groups = request['together'] ? [request['queries']] : request['queries'].map { |query| [query] }
  variables = nil
  answers = groups.flat_map do |queries|
    # Deprecations are mentioned once; each compilation shall mention its own.
    $unique_warnings = {}
    memory = Puppet::Test::LogCollector.new
    given = nil
    Puppet::Util::Log.with_destination(memory) do
      compiler(request) do |scope|
        variables ||= scope.to_hash(false).reject { |name, _| %w[serverversion].include?(name) }
        given = queries.map do |query|
          before = memory.lines.size
          result = ask(query, scope)
          lines = memory.lines[before..].map { |level, message| [level.to_s, message] }
          lines.empty? ? result : result.merge('logs' => lines)
        end
      end
    end
    given
  end
  relative('variables' => rich(variables), 'answers' => answers)
end

def record(directory, subjects)
  here = "#{__dir__}/lookup"
  subjects = Dir["#{here}/*.rb"].map { |path| File.basename(path, '.rb') }.sort if subjects.empty?
  subjects.each do |subject|
    cases = eval(File.read("#{here}/#{subject}.rb"), TOPLEVEL_BINDING.dup, "#{here}/#{subject}.rb")
    variables = nil
    lines = cases.map do |one|
      one = JSON.parse(JSON.generate(one))
      one = one.merge(answer(one))
      # What is as in the case before is not repeated.
      one.delete('variables') if variables == one['variables']
      variables = one['variables'] || variables
      one.delete('facts')
      JSON.generate(one)
    end
    File.write("#{directory}/#{subject}.jsonl", lines.join("\n") << "\n")
    warn "#{subject}: #{cases.size} cases, #{cases.sum { |one| (one['queries'] || one[:queries]).size }} queries"
  end
end

if ARGV[0] == 'record'
  require_relative 'lookup_cases'
  record(ARGV[1], ARGV[2..])
else
  puts JSON.generate(puppet: Puppet.version)
  $stdout.flush
  $stdin.each_line do |line|
    puts JSON.generate(answer(JSON.parse(line)))
    $stdout.flush
  end
end
