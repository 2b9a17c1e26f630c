# Real Puppet's type system, from one warm process.
# Reads one question a line: {"a": type, "b": type, "value": literal}, and answers with everything it can say about
# them. A first line {"aliases": {name: type}} makes names known; {"access": code} evaluates code.
# Where Puppet itself breaks down (a method that does not exist, an endless recursion), the answer is {"broken": …}.
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet_pal'
include Puppet::Pops::Types

work = Dir.mktmpdir('oracle')
at_exit { FileUtils.remove_entry(work) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |d| ["--#{d}", "#{work}/#{d}"] } +
                           ['--certname', 'test.example.com'], true, false)
Puppet[:strict] = :error
Puppet::Util::Log.level = :crit

TYPES = TypeCalculator.singleton
PARSER = TypeParser.singleton
DESCRIBER = TypeMismatchDescriber.singleton
Signature = Struct.new(:type, :parameter_names, :block_name) do
  def block_type = type.block_type
end

def attempt
  yield
rescue NoMethodError, SystemStackError, TypeError, NotImplementedError, FrozenError => e
  { broken: e.class.name }
rescue StandardError => e
  # Ruby's own complaints are no behaviour of the language.
  e.message =~ /comparison of|wrong number of arguments|undefined method|undefined local variable/ ? { broken: e.class.name } : { error: e.message }
end

def read(text, loader) = attempt { PARSER.parse(text, loader) }

def string(type) = type.nil? ? nil : TypeFormatter.new.string(type)

def about_type(answer, key, type)
  answer[key] = attempt { string(type) }
  answer["#{key}.text"] = attempt { type.to_s }
  answer["#{key}.expanded"] = attempt { type.to_alias_expanded_s }
  answer["#{key}.generalize"] = attempt { string(type.generalize) }
  answer["#{key}.normalize"] = attempt { string(type.normalize) }
end

def signatures(a, b)
  [a, b].grep(PCallableType).reject { |t| t.param_types.nil? }.map do |t|
    Signature.new(t, t.param_types.types.each_index.map { |i| "p#{i}" }, 'block')
  end
end

def about_pair(answer, a, b)
  answer['assignable'] = attempt { a.assignable?(b) ? true : false }
  answer['assignable.back'] = attempt { b.assignable?(a) ? true : false }
  answer['common'] = attempt { string(TYPES.common_type(a, b)) }
  answer['equal'] = attempt { a == b }
  answer['mismatch'] = attempt { DESCRIBER.describe_mismatch('x', a, b) }
end

def about_value(answer, a, b, value)
  answer['infer'] = attempt { string(TYPES.infer(value)) }
  answer['infer_set'] = attempt { string(TYPES.infer_set(value)) }
  answer['instance'] = attempt { a.instance?(value) ? true : false }
  answer['instance.b'] = attempt { b.instance?(value) ? true : false }
  answer['assert'] = attempt { TypeAsserter.assert_instance_of('x', a, value); '' }
  list = signatures(a, b)
  return if list.empty? || !value.is_a?(Array)
  answer['signatures'] = attempt { DESCRIBER.describe_signatures('f', list, TYPES.infer_set(value)) }
end

def answer(question, loader)
  a, b = read(question['a'], loader), read(question['b'], loader)
  answer = {}
  a.is_a?(PAnyType) ? about_type(answer, 'a', a) : answer['a'] = a
  b.is_a?(PAnyType) ? about_type(answer, 'b', b) : answer['b'] = b
  return answer unless a.is_a?(PAnyType) && b.is_a?(PAnyType)
  about_pair(answer, a, b)
  value = attempt { PARSER.parse_literal(question['value'], loader) }
  about_value(answer, a, b, value) unless value.is_a?(Hash) && (value.key?(:error) || value.key?(:broken))
  answer
end

$stdout.puts JSON.generate({ puppet: Puppet.version })
$stdout.flush
names = JSON.parse($stdin.gets)['aliases']
Puppet::Pal.in_tmp_environment('test', modulepath: [], facts: {}) do |pal|
  pal.with_catalog_compiler do |compiler|
    compiler.evaluate_string(names.map { |name, type| "type #{name} = #{type}" }.join("\n"))
    loader = Puppet.lookup(:loaders).private_environment_loader
    $stdin.each_line do |line|
      question = JSON.parse(line)
      result =
        if question['access']
          attempt do
            value = compiler.evaluate_string(question['access'])
            { value: value.is_a?(PAnyType) ? value.to_s : StringConverter.convert(value, '%p') }
          end
        else
          answer(question, loader)
        end
      $stdout.puts JSON.generate(result)
      $stdout.flush
    end
  end
end
