# frozen_string_literal: true

require 'edges'

# Every encoding gives the very tree that Puppet's parser makes.
class TreesTest < Minitest::Test
  SOME = 40

  Encodings::ALL.each do |encoding|
    Edges::SOURCES.each do |name, source|
      define_method("test_#{name}_in_#{encoding}") do
        assert_nil difference(encoding, Edges.parse(source.dup, '/somewhere/edge.pp'))
      end
    end
  end

  # What is written here comes from Puppet's own serializer, which takes its time;
  # the files of Kukla are compared for all modules (`cargo xtask compare xpp`).
  def test_some_module_files_in_every_encoding
    files = World.corpus.sample(SOME, random: Random.new(23))
    skip "no modules in #{World::MODULES}" if files.empty?
    differences = files.flat_map do |file|
      program = World.parse(File.read(file, mode: 'rb', encoding: 'UTF-8'), file)
      Encodings::ALL.map { |encoding| difference(encoding, program) }
    end
    assert_empty differences.compact
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

  # The format's own example, byte for byte.
  def test_the_example_of_the_format
    payload = %w[
      58504631 02 00 0100 09000000 db90dace 10000000 02000000 03000000 05000000 00000000 c800 0000 0200 0100 0100 0100
      3a00 0500 0300 0200 0a00 0300 0100 0100 0100 0300 00000000 09000000 61 00 78 00 3d
    ]
    payload = [payload.join].pack('H*')
    bytes = format("#{FlatWriter::ENVELOPE};crc32=%08x\n\n", Zlib.crc32(payload)).b + payload
    source = "$a = 'x'\n"
    program = World.parse(source, '/e/a.pp')
    assert_equal bytes, FlatWriter.document(program)
    assert_nil Same.difference(program, Encodings.load(bytes, '/e/a.pp', source))
  end

  # A function that changes its argument in place must not reach another literal.
  def test_literals_share_no_string
    source = %q(notice("a", "a", @(X), @(Y))) + "\na\n|-X\na\n|-Y\n"
    Encodings::ALL.each do |encoding|
      values = literals(Encodings.load(Encodings.document(encoding, World.parse(source, 'x.pp')), 'x.pp', source))
      assert_equal %w[a a a a], values
      assert_equal 4, values.map(&:object_id).uniq.size
      assert values.none?(&:frozen?)
    end
  end

  private

  def literals(program)
    found = []
    program._pcore_all_contents([]) { |node, _| found << node.value if node.is_a?(Puppet::Pops::Model::LiteralString) }
    found
  end

  def difference(encoding, expected)
    locator = expected.locator
    loaded = Encodings.load(Encodings.document(encoding, expected), locator.file, locator.string)
    found = Same.difference(expected, loaded)
    found && "#{locator.file} in #{encoding}: #{found}"
  end
end
