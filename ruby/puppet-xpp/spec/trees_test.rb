# frozen_string_literal: true

require 'edges'

# Every encoding gives the very tree that Puppet's parser makes.
class TreesTest < Minitest::Test
  Encodings::ALL.each do |encoding|
    Edges::SOURCES.each do |name, source|
      define_method("test_#{name}_in_#{encoding}") do
        assert_nil difference(encoding, Edges.parse(source.dup, '/somewhere/edge.pp'))
      end
    end
  end

  def test_every_module_file_in_every_encoding
    files = World.corpus
    skip "no modules in #{World::MODULES}" if files.empty?
    differences = files.flat_map do |file|
      program = World.parse(File.read(file, mode: 'rb', encoding: 'UTF-8'), file)
      Encodings::ALL.map { |encoding| difference(encoding, program) }
    end
    assert_empty differences.compact
    puts "#{files.size} module files, the same tree from #{Encodings::ALL.join(', ')}"
  end

  # A class that no edge case shows would be one that nothing tests.
  def test_edges_show_every_class
    seen = Edges::SOURCES.flat_map { |_, source| Edges.classes(Edges.parse(source.dup, '')) }
    assert_equal Edges::UNREACHABLE, Puppet::Xpp::Model::SHAPES.map(&:name) - seen
  end

  def test_puppet_alone_reads_json
    program = World.parse("$a = 'x'\n", '/e/a.pp')
    reader = Puppet::Pops::Serialization::JSON::Reader.new(Encodings.json(program))
    World.inside(World.environment('manifests/site.pp' => '')) do
      stock = Puppet::Pops::Serialization::Deserializer.new(reader, Puppet::Pops::Loaders.static_loader).read
      assert_equal program, stock
    end
  end

  def test_source_at_the_tail
    source = "notice('x')\n"
    bytes = FlatWriter.document(World.parse(source, 'x.pp'), with_source: true)
    assert_nil Same.difference(World.parse(source, 'x.pp'), Encodings.load(bytes, 'x.pp', source))
  end

  private

  def difference(encoding, expected)
    locator = expected.locator
    loaded = Encodings.load(Encodings.document(encoding, expected), locator.file, locator.string)
    found = Same.difference(expected, loaded) || (Same.stray_definition(loaded) && 'a stray definition')
    found && "#{locator.file} in #{encoding}: #{found}"
  end
end
