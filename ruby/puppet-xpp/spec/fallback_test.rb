# frozen_string_literal: true

# Whatever is wrong with a file, Puppet gets the tree of the source.
class FallbackTest < Minitest::Test
  SOURCE = "class m(\n  String $x = 'a',\n) {\n  notify { \"m ${x}\": }\n}\n"
  FILE = 'modules/m/manifests/init.pp'

  def setup
    @directory = World.environment(FILE => SOURCE, 'manifests/site.pp' => "include m\n")
    @file = File.join(@directory, FILE)
    @xpp = File.join(@directory, '.xpp/modules/m/manifests/init.xpp')
    World.build(@directory)
    Puppet[:xpp] = true
    @log = []
  end

  def teardown
    Puppet[:xpp] = false
    Puppet[:tasks] = false
  end

  def test_a_sound_file_is_used
    assert_equal [:xpp, %i[debug]], parse
    assert_equal [:xpp, %i[debug]], parse(File.join(@directory, 'manifests/site.pp'))
  end

  def test_a_text_with_a_path_is_used
    assert_equal [:xpp, %i[debug]], observe { parser.parse_string(SOURCE.dup, @file) }
    assert_equal [:parsed, []], observe { parser.parse_string(SOURCE.dup) }
    assert_equal [:parsed, %i[debug]], observe { parser.parse_string("class m { }\n", @file) }
  end

  def test_off_means_off
    Puppet[:xpp] = false
    assert_equal [:parsed, []], parse
  end

  def test_tasks_has_another_language
    Puppet[:tasks] = true
    assert_raises(Puppet::ParseErrorWithIssue) { parse }
  end

  def test_missing
    File.delete(@xpp)
    assert_equal [:parsed, []], parse
  end

  def test_stale
    File.write(@file, SOURCE.sub("'a'", "'b'"))
    assert_equal [:parsed, %i[debug]], parse
    File.write(@file, "#{SOURCE}\n")
    assert_equal [:parsed, %i[debug]], parse
  end

  def test_with_diagnostics
    File.binwrite(@xpp, FlatWriter.document(World.parse(SOURCE.dup, @file), diagnostics: 'x'))
    assert_equal [:parsed, %i[debug]], parse
  end

  {
    empty: '',
    noise: 'x' * 100,
    other_version: "application/vnd.puppet.pcore+flat;document-type=xpp;version=2\n\n",
    other_document: "application/vnd.puppet.pcore+flat;document-type=catalog;version=1\n\n",
    other_encoding: "application/vnd.puppet.pcore+yaml;document-type=xpp;version=1\n\n",
    no_payload: "application/vnd.puppet.pcore+flat;document-type=xpp;version=1\n\n",
    no_json: "application/vnd.puppet.pcore+json;document-type=xpp;version=1\n\n{",
    other_json: "application/vnd.puppet.pcore+json;document-type=xpp;version=1\n\n[1]",
    no_msgpack: "application/vnd.puppet.pcore+msgpack;document-type=xpp;version=1\n\n\xc1"
  }.each do |name, bytes|
    define_method("test_corrupt_#{name}") do
      File.binwrite(@xpp, bytes)
      assert_equal [:parsed, %i[warning]], parse
      assert_match(/\AXPP: cannot load #{Regexp.escape(@xpp)}: .+; parsing #{Regexp.escape(@file)}\z/, @log.first.message)
      assert_equal [:parsed, []], parse, 'one warning is enough'
    end
  end

  def test_directory_in_its_place
    File.delete(@xpp)
    Dir.mkdir(@xpp)
    assert_equal [:parsed, %i[warning]], parse
  end

  def test_no_permission
    File.chmod(0, @xpp)
    as_somebody { assert_equal [:parsed, %i[warning]], parse }
    assert_match(/Permission denied/, @log.first.message)
  end

  def test_envelope_on_several_lines
    bytes = File.binread(@xpp)
    payload = bytes.byteslice((bytes.index("\n\n") + 2)..-1)
    checksum = bytes[/crc32\s*=\s*[^;\s]+/]
    File.binwrite(@xpp, "application/vnd.puppet.pcore+flat\r\n; document-type = xpp\r\n; version=1; #{checksum}; other=thing\r\n\r\n".b + payload)
    assert_equal [:xpp, %i[debug]], parse
  end

  def test_parser_validate_never_uses_it
    require 'puppet/face'
    face = Puppet::Face[:parser, :current]
    loads = 0
    counting = Puppet::Xpp::Document.method(:load)
    Puppet::Xpp::Document.define_singleton_method(:load) { |*arguments| (loads += 1) && counting.call(*arguments) }
    World.inside(@directory) { assert_nil face.validate_manifest(@file) }
    assert_equal 0, loads
    parse
    assert_equal 1, loads
  ensure
    Puppet::Xpp::Document.define_singleton_method(:load, counting)
  end

  def test_the_path_asked_for_is_the_path_in_the_tree
    File.binwrite(@xpp, FlatWriter.document(World.parse(SOURCE.dup, '/built/elsewhere.pp')))
    World.inside(@directory) { assert_equal @file, parser.parse_file(@file).body.file }
  end

  private

  # Root may read everything.
  def as_somebody
    return yield unless Process.euid.zero?

    # A temporary directory is its owner's alone.
    [World::ROOT, File.dirname(@directory)].each { |directory| File.chmod(0o755, directory) }
    begin
      Process::Sys.seteuid(65_534)
      yield
    ensure
      Process::Sys.seteuid(0)
    end
  end

  def parser
    Puppet::Pops::Parser::EvaluatingParser.new
  end

  def parse(file = @file)
    observe { parser.parse_file(file) }
  end

  # How the tree came to be, and the levels of what was logged. Only the plugin leaves out hashes.
  def observe(&block)
    @log.clear
    Puppet::Util::Log.level = :debug
    program = World.inside(@directory, @log, &block)
    assert_instance_of Puppet::Pops::Model::Program, program
    @log.select! { |entry| entry.message.start_with?('XPP') }
    [program.instance_variable_defined?(:@hash) ? :parsed : :xpp, @log.map(&:level)]
  end
end
