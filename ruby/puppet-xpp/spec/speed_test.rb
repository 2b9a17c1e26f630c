# frozen_string_literal: true

# Loading is worth it: twelve times as fast as parsing and validating, at least.
class SpeedTest < Minitest::Test
  NEEDED = 12
  ROUNDS = 5

  def test_flat_against_the_parser
    files = World.corpus.first(600)
    skip "no modules in #{World::MODULES}" if files.empty?
    paths = files.map { |file| [file, document(file)] }
    pairs = Array.new(ROUNDS) { [cpu { parse(files) }, cpu { load(paths) }] }
    parsed, loaded = pairs.transpose.map(&:min)
    puts format('%<n>d files: parse+validate %<a>.0f ms, flat %<b>.0f ms: %<ratio>.1f times as fast',
                n: files.size, a: parsed * 1000, b: loaded * 1000, ratio: parsed / loaded)
    assert_operator parsed / loaded, :>=, NEEDED
  end

  private

  def document(file)
    path = File.join(World::ROOT, 'speed', "#{file}.xpp")
    World.write(path, FlatWriter.document(World.parse(File.read(file, mode: 'rb', encoding: 'UTF-8'), file)))
    path
  end

  def parse(files)
    parser = Puppet::Pops::Parser::EvaluatingParser.new
    files.each { |file| parser.parse_file(file) }
  end

  # Everything that the hook does once it knows the path, reading both files included.
  def load(paths)
    paths.each do |file, path|
      Puppet::Xpp::Document.load(path, file, File.binread(file).force_encoding(Encoding::UTF_8))
    end
  end

  def cpu
    GC.start
    start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    yield
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start
  end
end
