# Real Puppet's catalogs, from one warm process.
#
# Says {"puppet": VERSION}, then reads one JSON object a line:
#   {"id", "environmentpath": DIR, "environment": NAME, "node": NAME, "facts": FILE or {…}, "code": TEXT,
#    "manifest": PATH, "modulepath": [DIR…], "hiera_config": FILE, "parameters": {…}, "classes": {…},
#    "trusted": {extensions}, "settings": {NAME: VALUE}, "rounds": N, "rich_data": BOOL, "exports": {NODE: [{"type", "title", "tags", "parameters"}…]}}
# and answers {"id", "catalog" or "error", "logs", "cold_cpu_ms", "warm_cpu_ms", "ruby"}.
# With "exports" the setting `storeconfigs` is on, these are what other nodes have exported, and "exported" is what
# this one exports.
# These are the keys of `kukla compile --jsonl`; "ruby" is ours alone: what was called that only Ruby can do
# (ERB templates, functions that modules have in Ruby), and "unstable" if the answer differs by itself.
# With {"list": [DIR…]} it names all classes of these modules instead.
require 'json'
require 'set'
require 'tmpdir'
require 'puppet'
require 'puppet/pops'
require 'puppet/plugins/configuration'
require 'puppet/indirector/code'
require 'puppet/indirector/catalog/compiler'
module Puppet::Test; end

work = Dir.mktmpdir('oracle')
at_exit { FileUtils.remove_entry(work) }
Puppet.initialize_settings(
  %w[confdir vardir codedir rundir logdir publicdir].flat_map { |dir| ["--#{dir}", "#{work}/#{dir}"] } +
    %w[--certname puppet.example.com --no-storeconfigs], true, false
)
Puppet[:strict] = (ENV['STRICT'] || 'error').to_sym
Puppet[:strict_variables] = ENV.fetch('STRICT_VARIABLES', '1') == '1'
Puppet[:rich_data] = true
Puppet[:always_retry_plugins] = false
Puppet::Util::Log.level = :debug
Puppet::Resource::Catalog.indirection.terminus_class = :compiler
Puppet::Resource::Catalog.indirection.cache_class = nil
# What checks the texts of heredocs.
PLUGINS = Puppet::Plugins::Configuration.load_plugins
# OpenVox has one more, before the others.
IMPLEMENTATION = Puppet.respond_to?(:implementation) ? { 'serverimplementation' => Puppet.implementation } : {}
SERVER_FACTS = IMPLEMENTATION.merge('serverversion' => Puppet.version.to_s, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1').freeze

# Keeps the log of one compilation; Puppet accepts a destination by the name of its class.
class Puppet::Test::LogCollector
  attr_reader :lines

  def initialize(settings)
    @lines = []
    @is_debug = settings['log_level'] == 'debug'
  end

  def <<(log)
    # Puppet 8 says how long it took.
    return if log.message.start_with?('Compiled catalog for ')
    return if log.level == :debug && !(@is_debug && log.source != 'Puppet')

    source = log.source unless log.source == 'Puppet'
    @lines << { level: log.level, source: source, message: log.message, file: log.file, line: log.line }.compact
  end
end

# Serves what a request says that nodes have exported, by the rules of PuppetDB: never what the node itself exported,
# texts are equal if they are the same, of sensitive parameters nothing is known.
class Puppet::Resource::Exports < Puppet::Indirector::Code
  desc 'What a request says that nodes have exported'
  class << self
    attr_accessor :stored
  end

  def search(request)
    type, host, filter, scope = request.key, *request.options.values_at(:host, :filter, :scope)
    stored = self.class.stored.flat_map { |node, list| node == host ? [] : list.map { |resource| [node, resource] } }
    wanted = stored.select { |_, resource| resource['type'] == type && accepts?(filter, resource) }
    wanted.map do |node, resource|
      parameters = (resource['parameters'] || {}).map { |name, value| Puppet::Parser::Resource::Param.new(name: name, value: value) }
      made = Puppet::Parser::Resource.new(resource['type'], resource['title'], parameters: parameters, scope: scope)
      made.collector_id = [node, made.ref].join('|')
      made
    end
  end

  def accepts?(filter, resource)
    left, operator, right = filter
    # As JSON has it.
    right = right.to_s if right.is_a?(Puppet::Resource)
    case operator
    when nil then true
    when 'and' then accepts?(left, resource) && accepts?(right, resource)
    when 'or' then accepts?(left, resource) || accepts?(right, resource)
    else
      is_equal =
        case left
        when 'tag' then Array(right).any? { |tag| (resource['tags'] || []).include?(tag.to_s.downcase) }
        when 'title' then resource['title'] == right
        else (resource['parameters'] || {})[left] == right
        end
      (operator == '==') == is_equal
    end
  end
end

# Keeps what a catalog exports before virtual resources are taken out of it.
module Exported
  class << self
    attr_accessor :seen
  end

  def filter(catalog)
    Exported.seen = catalog.resources.select(&:exported).map(&:to_data_hash)
    super
  end
end
Puppet::Resource::Catalog::Compiler.prepend(Exported)

# Turns `storeconfigs` on or off; what Puppet would then ask PuppetDB for is asked of the request.
def store(exports)
  Puppet[:storeconfigs] = !exports.nil?
  Puppet::Resource::Exports.stored = exports || {}
  Puppet::Resource.indirection.terminus_class = :exports
  Puppet::Resource::Catalog.indirection.cache_class = nil
  Puppet::Node::Facts.indirection.cache_class = nil
end

# Without a standing destination Puppet keeps messages for the next case.
sink = Puppet::Test::LogCollector.new({})
def sink.<<(_log) = nil
Puppet::Util::Log.newdestination(sink)

# Notes what a compilation calls.
module Calls
  NEED_RUBY = Set['template', 'inline_template']
  UNSTABLE = Set['generate', 'random_password', 'strftime', 'time']
  class << self
    attr_accessor :seen

    # The functions that a module has in Ruby; those of stdlib are Kukla's own too.
    def of_modules(directories)
      @of_modules ||= {}
      @of_modules[directories] ||= directories.flat_map do |dir|
        Dir.glob("#{dir}/*/lib/puppet/{parser/,}functions/**/*.rb").filter_map do |file|
          mod, name = file.delete_prefix("#{dir}/").match(%r{\A([^/]+)/lib/puppet/(?:parser/)?functions/(.+)\.rb\z}).captures
          name.gsub('/', '::') unless mod == 'stdlib'
        end
      end.to_set
    end
  end

  def call_function(name, args, expression, scope, &block)
    Calls.seen << name.to_s
    super
  end
end
Puppet::Pops::Evaluator::EvaluatorImpl.prepend(Calls)

LOADERS = Hash.new { |h, dir| h[dir] = Puppet::Environments::Cached.new(Puppet::Environments::Directories.new(dir, [])) }
ENVIRONMENTS = {}

def environment(request)
  key = request.values_at('environmentpath', 'environment', 'manifest', 'modulepath')
  ENVIRONMENTS[key] ||= begin
    base = LOADERS[request['environmentpath']].get!((request['environment'] || 'production').to_sym)
    change = {}
    change[:manifest] = request['manifest'] if request['manifest']
    change[:modulepath] = request['modulepath'] if request['modulepath']
    change.empty? ? base : base.override_with(**change)
  end
end

# What goes wrong while a manifest is loaded. To Puppet it is loaded all the same, and the cases that follow would
# miss what it defines.
LOADING = /Resource type not found|Syntax error|already defined|is declared more than once/.freeze

def forget(request)
  LOADERS.delete(request['environmentpath'])
  ENVIRONMENTS.delete_if { |key, _| key.first == request['environmentpath'] }
end

def node(request, env)
  facts = request['facts']
  facts = JSON.parse(File.read(facts)) if facts.is_a?(String)
  facts = Puppet::Node::Facts.new(request['node'], (facts || {}).dup)
  facts.values['clientcert'] = request['node']
  facts.sanitize
  node = Puppet::Node.new(request['node'], facts: facts, environment: env, classes: request['classes'] || {})
  node.merge(facts.values)
  node.add_server_facts(SERVER_FACTS)
  node.parameters.merge!(request['parameters'] || {})
  node
end

def cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_millisecond)

def compile(request, env)
  node = node(request, env)
  trusted = Puppet::Context::TrustedInformation.new('remote', request['node'], request['trusted'] || {}, {})
  start = cpu_ms
  catalog = Puppet.override(current_environment: env, trusted_information: trusted, rich_data: request['rich_data'] != false, stringify_rich: false, plugins: PLUGINS) do
    Puppet::Resource::Catalog.indirection.find(request['node'], use_node: node, environment: env).to_data_hash
  end
  [catalog, cpu_ms - start]
end

def answer(request, answer, memory)
  Puppet.override(environments: LOADERS[request['environmentpath']]) do
    env = environment(request)
    env = env.override_with(manifest: env.manifest) if request['code'] # its known types must be its own
    Calls.seen = Set.new
    Puppet::Util::Log.with_destination(memory) do
      answer[:catalog], answer[:cold_cpu_ms] = compile(request, env)
    end
    answer[:exported] = Exported.seen if request['exports']
    times = Array.new(request['rounds'].to_i) { compile(request, env).last }
    answer[:warm_cpu_ms] = times.min if times.any?
  ensure
    called = Calls.seen || Set.new
    ruby = called & (Calls::NEED_RUBY | Calls.of_modules(env ? env.modulepath : []))
    answer[:ruby] = ruby.sort if ruby.any?
    answer[:unstable] = true if called.intersect?(Calls::UNSTABLE)
  end
end

# All classes that the manifests of modules define.
def classes(directories)
  parser = Puppet::Pops::Parser::EvaluatingParser.new
  directories.flat_map do |dir|
    Dir.glob("#{dir}/*/manifests/**/*.pp").sort.flat_map do |file|
      parser.parse_file(file).definitions.grep(Puppet::Pops::Model::HostClassDefinition).map(&:name)
    rescue Puppet::Error
      []
    end
  end.uniq
end

puts JSON.generate(puppet: Puppet.version)
$stdout.flush
$stdin.each_line do |line|
  request = JSON.parse(line)
  # Deprecations are mentioned once; each case shall mention its own.
  $unique_warnings = {}
  settings = request['settings'] || {}
  memory = Puppet::Test::LogCollector.new(settings)
  before = settings.to_h { |name, _| [name, Puppet[name.to_sym]] }
  answer = { id: request['id'] }
  begin
    if request['list']
      answer[:classes] = classes(request['list'])
    else
      Puppet[:environmentpath] = request['environmentpath']
      settings.each { |name, value| Puppet[name.to_sym] = value }
      store(request['exports'])
      Puppet[:hiera_config] = request['hiera_config'] || "#{work}/no-hiera.yaml"
      Puppet[:code] = request['code'].to_s
      answer(request, answer, memory)
    end
  rescue StandardError, ScriptError, SystemStackError => e
    answer[:error] = e.message
    # It depends on the gems of this machine.
    answer[:unstable] = true if e.message.include?('Could not autoload')
    forget(request) if e.message.match?(LOADING)
    warn e.backtrace.first(8) if ENV['TRACE']
  end
  before.each { |name, value| Puppet[name.to_sym] = value }
  answer[:logs] = memory.lines
  puts JSON.generate(answer)
  $stdout.flush
end
