# Real Puppet's value of expressions, from one warm process.
#
# Says {"puppet": VERSION}, then reads {"id", "code", "facts", "modulepath"} a line and answers
# {"id", "value" (rich data), "type", "string", "logs"} or {"id", "error", "logs"}.
# These are the keys of `kukla eval --jsonl`.
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet_pal'
module Puppet::Test; end

work = Dir.mktmpdir('oracle')
at_exit { FileUtils.remove_entry(work) }
Puppet.initialize_settings(
  %w[confdir vardir codedir rundir logdir publicdir].flat_map { |dir| ["--#{dir}", "#{work}/#{dir}"] } +
    %w[--certname test.example.com --node_name_value test.example.com], true, false
)
Puppet[:strict] = (ENV['STRICT'] || 'error').to_sym
Puppet[:strict_variables] = ENV.fetch('STRICT_VARIABLES', '1') == '1'
Puppet::Util::Log.level = :debug

# Keeps the log of one evaluation; Puppet accepts a destination by the name of its class.
class Puppet::Test::LogCollector
  attr_reader :lines

  def initialize = @lines = []

  def <<(log)
    # Where in its own files Ruby was is nobody's business.
    message = log.message.sub(/\n   \(location: .*\)\z/, '')
    @lines << { level: log.level, message: message, file: log.file, line: log.line }.compact unless log.level == :debug
  end
end

# Without a standing destination Puppet keeps messages for the next case.
sink = Puppet::Test::LogCollector.new
def sink.<<(_log) = nil
Puppet::Util::Log.newdestination(sink)

def evaluate(request, answer, memory)
  Puppet::Pal.in_tmp_environment('test', modulepath: request['modulepath'] || [], facts: request['facts'] || {}) do |pal|
    # Texts in heredocs are checked by plugins.
    Puppet.push_context({ plugins: Puppet::Plugins::Configuration.load_plugins }, 'syntax checkers')
    pal.with_catalog_compiler do |compiler|
      Puppet::Util::Log.with_destination(memory) do
        # Puppet never forgets the set of types that it has shown last, and shortens names by it.
        Puppet::Pops::Types::TypeFormatter.singleton.instance_variable_set(:@type_set, nil)
        value = compiler.evaluate_string(request['code'], '/case.pp')
        answer[:type] = Puppet::Pops::Types::TypeCalculator.singleton.infer_set(value).to_s
        text = Puppet::Pops::Types::StringConverter.convert(value, '%p') rescue nil
        # Addresses differ from run to run.
        answer[:string] = text unless text.to_s.include?('#<')
        answer[:value] = Puppet::Pops::Serialization::ToDataConverter.convert(value, rich_data: true, symbol_as_string: true)
      end
    end
  ensure
    Puppet.pop_context
  end
end

# CPU seconds of the quickest of the rounds that so many seconds have room for, at least three, after one to get warm;
# parsing is not counted.
def bench(request)
  Puppet::Pal.in_tmp_environment('test', modulepath: [], facts: {}) do |pal|
    pal.with_catalog_compiler do |compiler|
      compiler.evaluate_string(request['definitions'], '/bench.pp')
      tree = compiler.parse_string(request['bench'], '/bench.pp')
      compiler.evaluate(tree)
      times = []
      while times.size < 3 || times.sum < request['seconds']
        before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
        compiler.evaluate(tree)
        times << (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before)
      end
      return times.min
    end
  end
end

puts JSON.generate(puppet: Puppet.version)
$stdout.flush
$stdin.each_line do |line|
  request = JSON.parse(line)
  # Deprecations are mentioned once; each case shall mention its own.
  $unique_warnings = {}
  $deprecation_warnings = {}
  memory = Puppet::Test::LogCollector.new
  answer = { id: request['id'] }
  begin
    if request['bench']
      answer[:seconds] = bench(request)
    else
      evaluate(request, answer, memory)
    end
  rescue SignalException, SystemExit
    raise
  rescue Exception => e # break, next and return that nobody caught are no StandardError
    answer = { id: request['id'], error: e.message }
  end
  answer[:logs] = memory.lines
  begin
    text = JSON.generate(answer)
  rescue JSON::GeneratorError # what is not a number, or no text, has no JSON
    answer.delete(:value)
    text = JSON.generate(answer)
  end
  puts text
  $stdout.flush
end
