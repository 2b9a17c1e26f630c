# Renders all ERB templates of a directory of modules with generated variables, in real Ruby as Puppet does it and in the
# interpreter, and counts what is equal; the same for functions written in Ruby.
# Usage: ruby compare.rb templates|functions PROGRAM [MODULES]; PROGRAM is `cargo build -p kukla-ruby --example compare`.
require 'erb'
require 'json'
require 'yaml'
require 'ipaddr'
require 'open3'
require 'puppet'

what, program, modules = ARGV
modules ||= '/usr/share/puppet/modules'

POOL = [nil, true, false, 'text', '', 'a b', 0, 8080, '10', ['x', 'y'], [], [['k', 'v']], { 'a' => 'b', 'c' => 1 }, {}, 1.5,
        'present', '10.0.0.1', [1, 2], { 'n' => { 'm' => ['z'] } }, 'undef', '/etc/x', 'UNSET'].freeze

class FakeScope
  def initialize(vars) = @vars = vars
  def [](name) = @vars[name.to_s.sub(/\A::/, '')]
  alias lookupvar []
  def include?(name) = !self[name].nil?
  def to_hash = @vars.compact
  def catalog = self
  def classes = []
  def tags = []
  def call_function(name, args) = fake(name.to_s, args)
  def warning(*) = nil
  alias notice warning
  alias debug warning

  def fake(name, args)
    case name
    when 'versioncmp' then 0
    when 'warning', 'notice', 'debug', 'deprecation' then nil
    else "#{name}(#{args.map(&:inspect).join(', ')})"
    end
  end

  def method_missing(name, *args)
    name.to_s =~ /\Afunction_(.*)/ ? fake($1, args[0]) : super
  end

  def respond_to_missing?(name, all = false) = name.to_s.start_with?('function_') || super
end

class FakeWrapper < Puppet::Parser::TemplateWrapper
  def render(text, file)
    scope.to_hash.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) }
    template = Puppet::Util.create_erb(text)
    template.filename = file
    template.result(binding)
  end
end

def ruby_says
  { 'ok' => yield }
rescue NameError => e
  { 'error' => e.respond_to?(:original_message) ? e.original_message : e.message, 'class' => e.class.to_s, 'line' => e.backtrace.first[/:(\d+):/, 1].to_i }
rescue Exception => e # rubocop:disable Lint/RescueException
  { 'error' => e.message, 'class' => e.class.to_s, 'line' => e.backtrace.first[/:(\d+):/, 1].to_i }
end

class Builder < BasicObject
  attr_reader :scope

  def scope_param(*) = @scope = true
  def method_missing(*) = nil
end

def takes_scope(body) = Builder.new.tap_scope(body)
class Builder
  def tap_scope(body)
    instance_eval(&body)
    @scope
  end
end

def plain(text) = text.to_s.gsub(/0x[0-9a-f]{16}/, '0x').gsub(/#<Puppet::Parser::TemplateWrapper[^>]*>/, '#<wrapper>').gsub(/#<FakeScope[^>]*>|#<Puppet::Parser::Scope[^>]*>/, '#<scope>')

# The variables of a template, each with the kind of value that its use suggests now and then.
def variables(text, random)
  names = text.scan(/@(\w+)/).flatten + text.scan(/(?:lookupvar\(|scope\[)\s*['"](?:::)?([\w:]+)/).flatten
  names.uniq.to_h do |name|
    guess = if random.rand < 0.4
              case text
              when /@#{Regexp.escape(name)}\.(each_pair|keys|sort_by|map \{ ?\|\w+, ?\w)/, /@#{Regexp.escape(name)}\.(sort\.)?each do \|\w+, ?\w/, /@#{Regexp.escape(name)}\[['"]/ then { 'k1' => 'v1', 'k2' => %w[a b], 'k3' => { 'x' => 1 } }
              when /@#{Regexp.escape(name)}\.(each|join|flatten|map|sort)/ then %w[b a]
              else 'value'
              end
            else
              POOL[random.rand(POOL.size)]
            end
    [name, guess]
  end
end

questions = []
expected = []
random = Random.new(1)
if what == 'templates'
  Dir["#{modules}/*/templates/**/*.erb"].sort.each do |path|
    text = File.read(path, encoding: 'UTF-8')
    12.times do
      vars = variables(text, random)
      questions << { 'erb' => text, 'file' => path, 'vars' => vars }
      copy = Marshal.load(Marshal.dump(vars))
      expected << ruby_says { FakeWrapper.new(FakeScope.new(copy)).render(text, path) }
    end
  end
else
  # What runs programs, or touches files or the network, is asked of the interpreter alone: it must refuse.
  outside = /`|%x|system|exec|Execution|Tempfile|popen|Net::|open_uri|open-uri|Redis|File\.(open|write|unlink)|Dir\.|trocla|OpenSSL|Augeas|pry|Resolv|Socket/
  Dir["#{modules}/*/lib/puppet/functions/**/*.rb", "#{modules}/*/lib/puppet/parser/functions/*.rb"].sort.each do |path|
    $LOAD_PATH.unshift(path[%r{\A.*/lib(?=/puppet/)}]) unless $LOAD_PATH.include?(path[%r{\A.*/lib(?=/puppet/)}])
    if File.read(path).gsub(/^\s*#.*/, '') =~ outside
      questions << { 'function' => path, 'args' => [], 'signature' => 0 }
      expected << { 'ok' => nil }
      next
    end
    found = nil
    begin
      if path.include?('/parser/')
        Puppet::Parser::Functions.singleton_class.send(:define_method, :newfunction) { |name, options = {}, &block| found = [:old, name, options, block] }
        load path
      else
        Puppet::Functions.singleton_class.send(:define_method, :create_function) do |name, base = Puppet::Functions::Function, &block|
          signatures = []
          klass = Class.new do
            define_singleton_method(:dispatch) { |method, &body| signatures << [method, takes_scope(body)] }
            define_singleton_method(:local_types) { |&_| nil }
            define_singleton_method(:argument_mismatch) { |method, &body| signatures << [method, takes_scope(body)] }
            define_method(:call_function) { |fname, *args| FakeScope.new({}).call_function(fname, args) }
            define_method(:closure_scope) { FakeScope.new({}) }
          end
          klass.class_eval(&block)
          found = [:new, name, signatures, klass]
        end
        load path
      end
    rescue Exception => e # rubocop:disable Lint/RescueException
      warn "#{path}: #{e.message.lines.first}"
    end
    next unless found

    24.times do |round|
      n = random.rand(4)
      n = 1 if round < 6
      n = 2 if round.between?(6, 12)
      args = Array.new(n) { POOL[random.rand(POOL.size)] }
      signature = found[0] == :new && found[2].size > 0 ? random.rand(found[2].size) : 0
      questions << { 'function' => path, 'args' => args, 'signature' => signature }
      copy = Marshal.load(Marshal.dump(args))
      expected << ruby_says do
        value = if found[0] == :old
                  arity = found[2][:arity] || -1
                  if arity >= 0 && copy.size != arity
                    raise ArgumentError, "#{found[1]}(): Wrong number of arguments given (#{copy.size} for #{arity})"
                  elsif arity < 0 && copy.size < (arity + 1).abs
                    raise ArgumentError, "#{found[1]}(): Wrong number of arguments given (#{copy.size} for minimum #{(arity + 1).abs})"
                  end
                  scope = FakeScope.new({})
                  scope.define_singleton_method(:real, &found[3])
                  result = scope.real(copy.map { |arg| arg.nil? ? '' : arg })
                  found[2][:type] == :rvalue ? result : nil
                else
                  method, scope = found[2][signature] || found[1].to_s.split('::').last
                  scope ||= found[3].method_defined?(:call, false)
                  found[3].new.send(method, *(scope ? [FakeScope.new({})] : []), *copy)
                end
        stringify = lambda do |v|
          case v
          when :undef then nil
          when Symbol then v.to_s
          when Array then v.map(&stringify)
          when Hash then v.to_h { |k, x| [stringify.(k), stringify.(x)] }
          else v
          end
        end
        stringify.(value).inspect
      end
    end
  end
end

answers, = Open3.capture2(program, stdin_data: questions.map { |question| JSON.generate(question) }.join("\n"))
answers = answers.lines.map { |line| JSON.parse(line) }
counts = Hash.new(0)
causes = Hash.new { |hash, key| hash[key] = [] }
files = Hash.new { |hash, key| hash[key] = [] }
questions.zip(expected, answers).each do |question, said, ours|
  file = question['file'] || question['function']
  result = if ours.nil? then :crashed
           elsif ours['unsupported'] then :unsupported
           elsif ours['kind'] == 'Unsupported' then :gave_up
           elsif said.key?('ok') && plain(said['ok']) == plain(ours['ok']) && ours.key?('ok') then :equal
           elsif said.key?('error') && plain(said['error']) == plain(ours['error']) then said['line'] == ours['line'] || what != 'templates' ? :equal : :other_line
           else :different
           end
  counts[result] += 1
  files[result] |= [file]
  causes[ours && (ours['unsupported'] || ours['error'])] |= [file] if %i[unsupported gave_up].include?(result)
  next if result == :equal || %i[unsupported gave_up].include?(result) || (counts[result] > (ENV['SHOW'] || 25).to_i)

  puts "#{result} #{file} #{JSON.generate(question['args'] || question['vars'])[0, 300]}", "  ruby  #{said.inspect[0, 400]}", "  kukla #{ours.inspect[0, 400]}"
end
p counts
puts "files: #{files.transform_values(&:size)}"
causes.sort_by { |_, found| -found.size }.each { |cause, found| puts "#{found.size} #{cause}: #{File.basename(found.first)}" }
