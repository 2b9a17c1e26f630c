# frozen_string_literal: true

require 'catalogs'

# What loading saves, as CPU time in one process, both ways in turn.
#
# The shortest of several rounds counts: other work on the machine only ever adds.
module Speed
  # Seconds for parsing and validating all manifests, and for loading their files.
  def self.of_loading(pairs, rounds)
    in_turn(rounds, -> { parse(pairs.map(&:first)) }, -> { load(pairs) })
  end

  # Seconds for a compilation without and with the files, in an environment that has nothing in memory.
  def self.of_compiling(directory, rounds)
    in_turn(rounds, -> { Catalogs.compile(directory, false) }, -> { Catalogs.compile(directory, true) })
  end

  def self.in_turn(rounds, *works)
    Array.new(rounds) { works.map { |work| cpu(&work) } }.transpose.map(&:min)
  end
  private_class_method :in_turn

  def self.parse(files)
    parser = Puppet::Pops::Parser::EvaluatingParser.new
    World.without_xpp { files.each { |file| parser.parse_file(file) } }
  end
  private_class_method :parse

  # Everything that the hook does once it knows the path, reading both files included.
  def self.load(pairs)
    pairs.each do |file, path|
      Puppet::Xpp::Document.load(path, file, File.binread(file).force_encoding(Encoding::UTF_8))
    end
  end
  private_class_method :load

  def self.cpu
    GC.start
    start = clock
    yield
    clock - start
  end
  private_class_method :cpu

  # Seconds on a processor. JRuby's compiler has threads of its own, which don't count.
  def self.clock
    return Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) unless RUBY_ENGINE == 'jruby'

    Java::JavaLangManagement::ManagementFactory.thread_mx_bean.current_thread_cpu_time / 1e9
  end
  private_class_method :clock
end
