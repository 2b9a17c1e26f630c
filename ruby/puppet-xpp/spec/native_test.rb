# frozen_string_literal: true

require 'damage'
require 'edges'
require 'open3'

# What `kukla xpp build` writes gives the very trees of Puppet's parser.
#
# The command is that of `KUKLA`, or the one on the path.
class NativeTest < Minitest::Test
  KUKLA = ENV.fetch('KUKLA', 'kukla')
  SOME = 100

  def setup
    Open3.capture2e(KUKLA, 'xpp', '--help')
  rescue Errno::ENOENT
    skip "no #{KUKLA}"
  end

  # All encodings of all modules are compared by `cargo xtask compare xpp`; here it is about the tree of files.
  def test_every_module_file
    skip "no modules in #{World::MODULES}" if World.corpus.empty?
    directory = World.environment('environment.conf' => "modulepath = #{World::MODULES}\n")
    build(directory, 'flat')
    assert_built directory, World.corpus, 0.95
    assert_same_trees directory, World.corpus.sample(SOME, random: Random.new(23))
  end

  Encodings::ALL.each do |encoding|
    define_method("test_edges_in_#{encoding}") do
      sources = Edges::SOURCES.reject { |name, _| name == :template }
      files = sources.map { |name, source| ["manifests/#{name}.pp", source] }.to_h
      directory = World.environment(files.merge('environment.conf' => "modulepath = modules\n"))
      build(directory, encoding)
      files = Dir["#{directory}/manifests/*.pp"]
      assert_built directory, files, 0.5
      assert_same_trees directory, files
    end
  end

  # A file of Kukla that is damaged anywhere is refused, or means what it meant.
  Encodings::ALL.each do |encoding|
    define_method("test_damage_in_#{encoding}") do
      directory = World.environment('manifests/site.pp' => Damage::SOURCE, 'environment.conf' => "modulepath = modules\n")
      build(directory, encoding)
      bytes = File.binread("#{directory}/.xpp/modules/environment/manifests/site.xpp")
      assert_match(/;crc32=\h{8}/n, bytes)
      assert_nil Damage.worst(bytes)
    end
  end

  def test_puppet_xpp_build
    directory = World.environment('manifests/site.pp' => "notice(1)\n", 'environment.conf' => "modulepath = modules\n")
    path = "#{File.expand_path('../bin', __dir__)}:#{ENV.fetch('PATH')}"
    output, status = Open3.capture2e({ 'PATH' => path, 'KUKLA' => KUKLA }, 'puppet', 'xpp', 'build', directory)
    assert status.success?, output
    assert File.exist?("#{directory}/.xpp/modules/environment/manifests/site.xpp")
  end

  private

  def build(directory, encoding)
    output, status = Open3.capture2e(KUKLA, 'xpp', 'build', '--encoding', encoding, directory)
    refute_equal 2, status.exitstatus, output
  end

  # Manifests with diagnostics have no file; `share` says how many must have one at least.
  def assert_built(directory, files, share)
    assert_operator pairs(directory, files).size, :>=, files.size * share
  end

  def assert_same_trees(directory, files)
    assert_empty(pairs(directory, files).map { |file, path| difference(file, path) }.compact)
  end

  # Manifests with the files that the plugin looks for, where there are any.
  def pairs(directory, files)
    pairs = World.at(directory) { files.map { |file| [file, Puppet::Xpp::Tree.path_for(file)] } }
    pairs.select { |_, path| path && File.exist?(path) }
  end

  def difference(file, path)
    source = File.read(file, mode: 'rb', encoding: 'UTF-8')
    found = Same.difference(Edges.parse(source, file), Puppet::Xpp::Document.load(path, file, source))
    found && "#{file}: #{found}"
  rescue StandardError => e
    "#{file}: #{e.class} #{e.message}"
  end
end
