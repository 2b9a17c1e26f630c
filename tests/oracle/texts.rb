#!/usr/bin/env ruby
# What real Ruby, Puppet and the stdlib module answer to small questions about texts.
#
#   texts.rb record DIR [SUBJECT...]     writes DIR/SUBJECT.jsonl: the tables and some generated questions, with answers
#   texts.rb random SUBJECT SEED COUNT   prints generated questions with answers
#
# A line is [operation, arguments, answer]. JSON can't say everything, so in arguments and answers
#   {"f": bits} is a float, {"i": digits} a large integer, {"b": base64} bytes that are no UTF-8, {"y": text} a symbol,
#   {"h": [[key, value]...]} a hash, {"t": [class, text]} some other value; an error is {"e": [class, message]}.
require 'json'
require 'base64'
require 'puppet'

module Texts
  SUBJECTS = {}
  RECORDED = 400

  # One subject: its operations, a table of questions and a generator for more.
  class Subject
    attr_reader :operations, :table, :generators

    def initialize(name, &block)
      @operations = {}
      @table = []
      @generators = {}
      SUBJECTS[name] = self
      instance_eval(&block)
    end

    def op(name, &block)
      @operations[name] = block
    end

    def ask(name, *rows)
      rows.each { |row| @table << [name, row.is_a?(Array) ? row : [row]] }
    end

    def random(name, &block)
      @generators[name] = block
    end

    def answer(name, args)
      operation = operations.fetch(name)
      # A block would take a single list apart.
      given = Marshal.load(Marshal.dump(args))
      given += [nil] * [operation.arity - given.size, 0].max
      [name, Texts.encode(args), Texts.guarded { operation.call(*given) }]
    end

    def generated(seed, count)
      rng = Dice.new(seed)
      names = generators.keys
      (0...count).lazy.map { |i| names[i % names.size] }.map { |name| answer(name, generators[name].call(rng)) }
    end
  end

  # Chance that is the same in every run.
  class Dice
    def initialize(seed)
      @random = Random.new(seed)
    end

    def below(limit) = @random.rand(limit)
    def between(low, high) = low + @random.rand(high - low + 1)
    def one_in(count) = @random.rand(count).zero?
    def pick(list) = list[@random.rand(list.size)]
    def text(pieces, max) = Array.new(below(max + 1)) { pick(pieces) }.join

    def integer
      case below(4)
      when 0 then between(-20, 20)
      when 1 then between(-100_000, 100_000)
      else between(-2**63, 2**63 - 1) >> below(63)
      end
    end

    def float
      case below(6)
      when 0 then between(-1000, 1000) / 10.0
      when 1 then between(-100_000, 100_000) / 8.0
      when 2 then [@random.bytes(8).unpack1('Q')].pack('Q').unpack1('d')
      when 3 then integer.to_f
      when 4 then pick([0.0, -0.0, Float::INFINITY, -Float::INFINITY, Float::NAN, 5e-324, Float::MAX, 1e15, 1e16, 1e-4, 1e-5])
      else (@random.rand - 0.5) * 10**between(-8, 20)
      end
    end
  end

  module_function

  def guarded
    encode(yield)
  rescue StandardError, SyntaxError, NotImplementedError => e
    { e: [e.class.name, message(e)] }
  end

  # Without what Ruby adds for programmers, and without addresses.
  def message(error)
    text = error.message.dup.force_encoding('UTF-8').scrub('?')
    text = text.lines.first.to_s.chomp if error.is_a?(NameError)
    text.gsub(/:0x\h{16}/, '')
  end

  def encode(value)
    case value
    when nil, true, false then value
    when Integer then value.bit_length > 63 ? { i: value.to_s } : value
    when Float then { f: format('%016x', [value].pack('G').unpack1('Q>')) }
    when Symbol then { y: value.to_s }
    when String then text(value)
    when Array then value.map { |v| encode(v) }
    when Hash then { h: value.map { |k, v| [encode(k), encode(v)] } }
    else { t: [value.class.name, value.to_s] }
    end
  end

  def text(value)
    utf8 = value.dup.force_encoding('UTF-8')
    utf8.valid_encoding? ? utf8 : { b: Base64.strict_encode64(value.b) }
  end

  def record(dir, names)
    names = SUBJECTS.keys if names.empty?
    names.each do |name|
      subject = SUBJECTS.fetch(name)
      lines = subject.table.map { |op, args| subject.answer(op, args) } + subject.generated(1, RECORDED).to_a
      header = { ruby: RUBY_VERSION, puppet: Puppet.version }
      File.write(File.join(dir, "#{name}.jsonl"), ([header] + lines.uniq).map { |l| "#{JSON.generate(l, max_nesting: 0)}\n" }.join)
    end
  end
end

Dir[File.join(__dir__, 'texts', '*.rb')].sort.each { |file| require file }

case ARGV.shift
when 'record' then Texts.record(ARGV.shift, ARGV)
when 'random'
  name, seed, count = ARGV
  Texts::SUBJECTS.fetch(name).generated(seed.to_i, count.to_i).each { |line| puts JSON.generate(line, max_nesting: 0) }
else abort 'usage: texts.rb record DIR [SUBJECT...] | random SUBJECT SEED COUNT'
end
