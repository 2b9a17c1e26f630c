# frozen_string_literal: true

# What the plugin saves: `KUKLA=path/to/kukla ruby spec/bench.rb [rounds]`.
$LOAD_PATH.unshift(File.expand_path('../lib', __dir__), File.expand_path('support', __dir__))
require 'open3'
require 'world'
require 'speed'

# Rows of what was measured, with the files that `kukla xpp build` writes.
module Bench
  KUKLA = ENV.fetch('KUKLA', 'kukla')
  ROUNDS = Integer(ARGV.first || 7)

  def self.run
    puts "puppet-xpp: Puppet #{Puppet.version}, #{RUBY_ENGINE} #{RUBY_ENGINE_VERSION}, CPU time, shortest of #{ROUNDS} rounds"
    abort "no modules in #{World::MODULES}" if World.corpus.empty?
    loading
    Catalogs.real? ? compiling : puts('  no modules apache, ntp and postgresql')
  end

  def self.loading
    directory = World.environment('environment.conf' => "modulepath = #{World::MODULES}\n")
    %w[flat json msgpack].each do |encoding|
      build(directory, encoding)
      count, *times = pairs(directory)
      row("#{encoding}, #{count} manifests: parse + validate, load", *times)
    end
  end

  def self.pairs(directory)
    pairs = World.at(directory) { World.corpus.map { |file| [file, Puppet::Xpp::Tree.path_for(file)] } }
    pairs = pairs.select { |_, path| path && File.exist?(path) }
    [pairs.size, *Speed.of_loading(pairs, ROUNDS)]
  end

  def self.compiling
    directory = Catalogs.real
    build(directory, 'flat')
    catalogs = [false, true].map { |xpp| Catalogs.compile(directory, xpp) }
    abort 'the catalogs differ' unless catalogs.uniq.one?
    times = Speed.of_compiling(directory, ROUNDS)
    row("compile of apache, ntp and postgresql, #{catalogs[0].bytesize} bytes: without, with XPP", *times)
    puts format('  saved: %<saved>.0f ms, %<share>.0f %%', saved: (times[0] - times[1]) * 1000, share: (1 - times[1] / times[0]) * 100)
  end

  def self.build(directory, encoding)
    output, status = Open3.capture2e(KUKLA, 'xpp', 'build', '--encoding', encoding, directory)
    abort output if status.exitstatus == 2
  end

  def self.row(name, slow, fast)
    puts format("  #{name}: %<slow>.0f ms, %<fast>.0f ms: %<ratio>.1f ×", slow: slow * 1000, fast: fast * 1000, ratio: slow / fast)
  end
end

Bench.run
