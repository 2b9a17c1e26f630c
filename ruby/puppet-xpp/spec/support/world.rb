# frozen_string_literal: true

require 'fileutils'
require 'tmpdir'
require 'puppet'
require 'puppet/pops'

# Puppet in a directory of its own, and environments made of a few files.
module World
  ROOT = Dir.mktmpdir('puppet-xpp')
  at_exit { FileUtils.remove_entry(ROOT) }
  LIB = File.expand_path('../../lib', __dir__)
  DIRECTORIES = %w[confdir vardir codedir rundir logdir publicdir].freeze
  # Modules to compare with; Debian's where nothing else is said.
  MODULES = ENV.fetch('PUPPET_MODULES', '/usr/share/puppet/modules')

  Puppet.initialize_settings(DIRECTORIES.flat_map { |name| ["--#{name}", "#{ROOT}/#{name}"] }, true, false)
  require 'puppet/xpp'
  require 'encodings'
  require 'same'

  # Puppet's own tree of a text, checked as Puppet checks it.
  def self.parse(text, file)
    without_xpp { Puppet::Pops::Parser::EvaluatingParser.new.parse_string(text, file) }
  end

  def self.without_xpp
    before = Puppet[:xpp]
    Puppet[:xpp] = false
    yield
  ensure
    Puppet[:xpp] = before
  end

  # All manifests of the modules: those that Puppet loads, no fixtures of specs.
  def self.corpus
    Dir[File.join(MODULES, '*/{manifests,functions,types}/**/*.pp')].sort
  end

  # Makes an environment of `path => content` and says where it is.
  def self.environment(files)
    directory = File.join(Dir.mktmpdir('environments', ROOT), 'production')
    files.each { |path, content| write(File.join(directory, path), content) }
    directory
  end

  def self.write(path, content)
    FileUtils.mkdir_p(File.dirname(path))
    File.binwrite(path, content)
  end

  # Writes the `.xpp` tree of an environment.
  def self.build(directory, encoding = 'flat')
    at(directory) do |environment|
      places = environment.modules.map(&:path) + [directory]
      files = places.flat_map { |path| Dir["#{path}/{manifests,functions,types}/**/*.pp"] }
      files.each { |file| build_file(file, Puppet::Xpp::Tree.path_for(file), encoding) }
    end
  end

  # As the real writer does it: a file that Puppet complains about gets none.
  def self.build_file(file, path, encoding)
    program = parse(File.read(file, mode: 'rb', encoding: 'UTF-8'), file)
    write(path, Encodings.document(encoding, program))
  rescue Puppet::ParseError
    nil
  end

  # Runs the block inside an environment, with its log.
  def self.inside(directory, log = [])
    at(directory) do |environment|
      Puppet.override(loaders: Puppet::Pops::Loaders.new(environment), rich_data: true, stringify_rich: false) do
        Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(log)) { yield environment }
      end
    end
  end

  # The same without loaders: for environments that Puppet would refuse.
  def self.at(directory)
    loader = Puppet::Environments::Directories.new(File.dirname(directory), [])
    Puppet.override(environments: loader) do
      environment = loader.get!(File.basename(directory).to_sym)
      Puppet.override(current_environment: environment) { yield environment }
    end
  end
end

# Puppet's log takes a destination of this name.
module Puppet
  module Test
    class LogCollector
      def initialize(lines)
        @lines = lines
      end

      def <<(log)
        @lines << log
      end
    end
  end
end
